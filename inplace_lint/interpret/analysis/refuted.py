"""Drops findings that rest on an assumption where every visible caller runs without showing them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from inplace_lint.findings.analysis import Doubt
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.entries import Entry, entries, names_of, starts_program
from inplace_lint.interpret.analysis.grad_modes import (
    CALLED_WITHOUT_GRADIENTS,
    infers_without_gradients,
    is_of_frameworks,
    made_to_be_called_without,
    names_trained_loss,
    only_without_gradients,
)
from inplace_lint.interpret.state.naming import names_loss
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.walk import last_row
from inplace_lint.torch_model.spellings import is_inplace_option

REFUTED_BY_CALLERS = silent(
    "refuted-by-callers",
    "the function is called in view, and no call shows what the finding assumes",
    """
    import torch


    def doubled(x):
        y = torch.sigmoid(x)
        y.mul_(2)
        return y


    result = doubled(torch.ones(3))
    """,
)
REFUTED_BY_PROGRAM = silent(
    "refuted-by-program",
    "the file runs the function, and never takes the branch that the finding rests on",
    """
    import torch


    def doubled(often):
        x = torch.ones(3, requires_grad=True)
        y = x.exp()
        if often:
            y.mul_(2)
        y.sum().backward()


    doubled(False)
    """,
)

if TYPE_CHECKING:
    from inplace_lint.interpret.analysis.collected import Collected, Key


def kept(key: Key, collected: Collected) -> list[tuple[Rule, Finding]]:
    """What remains of the findings at one place.

    A finding that rests on an assumption or a choice about the arguments of an entry point is
    dropped where that function is called in view and none of the calls shows it.
    """
    found = collected.findings[key]
    sources = {entry for entry, _, _, _ in found}
    if all(finding.severity == "info" for _, _, finding, _ in found):
        return [(rule, finding) for _, rule, finding, _ in found]
    sure = any(finding.severity == "error" and not (choices or finding.assumed) for _, _, finding, choices in found)
    assumed = all(finding.assumed for _, _, finding, _ in found)
    without = _is_called_without(key, sources, collected, assumed)
    if without or (not sure and _is_refuted(key, sources, collected, assumed)):
        return []
    return [(rule, finding) for _, rule, finding, _ in found]


def told_once(left: dict[Key, list[tuple[Rule, Finding]]]) -> dict[Key, list[tuple[Rule, Finding]]]:
    """Only advice about an argument of which no caller is seen, where another rule tells more of the write."""
    told = {
        site
        for (code, site), pairs in left.items()
        if code != _CHANGED_ARGUMENT and any(finding.severity != "info" for _, finding in pairs)
    }

    def is_covered(key: Key, finding: Finding) -> bool:
        return key[0] == _CHANGED_ARGUMENT and key[1] in told and finding.assumed and not finding.related

    first = _first_of_chains(key for key, pairs in left.items() if pairs)
    kept = {key: pairs if key in first else [] for key, pairs in left.items()}
    return {key: [pair for pair in pairs if not is_covered(key, pair[1])] for key, pairs in kept.items()}


def _first_of_chains(keys: Iterable[Key]) -> set[Key]:
    """Of what one rule finds in a chain of calls (`x.mul_(a).add_(b)`), the first: it is one cause."""
    shortest: dict[tuple[object, ...], Key] = {}
    for key in keys:
        code, site = key
        span = site.span
        start = (code, site.path, span.row, span.column)
        known = shortest.setdefault(start, key)[1].span
        if (span.end_row, span.end_column) < (known.end_row, known.end_column):
            shortest[start] = key
    return set(shortest.values())


_CHANGED_ARGUMENT = "IPL305"


def _is_called_without(key: Key, sources: set[Entry], collected: Collected, assumed: bool) -> bool:
    """Whether a finding needs gradients to be recorded, and its functions are called where they are not.

    A function that raises whenever gradients are recorded is not meant to be called so; of others, callers that are
    out of view may run backward.
    """
    if not CALLED_WITHOUT_GRADIENTS.on or not key[0].startswith(ABOUT_RECORDING):
        return False
    if all(_is_run_without(each, collected) for each in sources):
        return True
    known = _is_called_in_view_only if key[0].startswith("IPL2") else _is_called_by_name
    recording = assumed or all(map(known, sources))
    return recording and all(_runs_without_gradients(each, key[1]) for each in sources)


def _is_run_without(entry: Entry, collected: Collected) -> bool:
    """Whether the program that a file is runs a function of it, and only where no gradients are recorded.

    What frameworks call, as the `forward` of a model, may be trained elsewhere; but not where the program trains
    nothing, and has a function that is named for inference.
    """
    ran = collected.unrecorded.get(entry.function, set()) if entry.function is not None else set[Entry]()
    programs = {each for each in ran if each.is_program and each.module is entry.module} - collected.unjudged
    if entry.function is None or not programs.isdisjoint(collected.recorded.get(entry.function, ())):
        return False
    if not programs or not any(map(starts_program, entry.module.code.body)):
        return False
    if not is_of_frameworks(entry.function.name, entry.owner):
        return True
    trains = any(names_of(each) in collected.passes for each in programs)
    return not trains and infers_without_gradients(entry.module)


def _is_refuted(key: Key, sources: set[Entry], collected: Collected, assumed: bool) -> bool:
    """Whether callers in view run the functions that show a finding, and do not show it themselves."""
    refuting = collected.differentiating if key[0][3:4] in _ABOUT_BACKWARD else None
    choices = [(entry, choices) for entry, _, _, choices in collected.findings[key]]
    if all(_called_elsewhere(key, entry, choices, collected, refuting, assumed) for entry in sources):
        return True
    return assumed and key[0].startswith(ABOUT_RECORDING) and _runs_in_program(key[1], sources, collected)


def doubt_about(key: Key, collected: Collected) -> Doubt | None:
    """What a finding assumes about the arguments of functions, if it rests on nothing else, or on objects of theirs."""
    found = collected.findings[key]
    functions = [(entry.module.path, entry.function) for entry, _, _, _ in found]
    brought = frozenset.intersection(*(collected.brought[key, entry] for entry, _, _, _ in found))
    if not all(finding.assumed for _, _, finding, _ in found) or any(function is None for _, function in functions):
        return Doubt(*key, frozenset(), brought=brought) if brought and key[0].startswith(ABOUT_RECORDING) else None
    asked = frozenset((path, function.span.row) for path, function in functions if function is not None)
    parameters = [finding.parameters for _, _, finding, _ in found]
    sites = frozenset[Site]().union(*parameters) if all(parameters) else frozenset[Site]()
    return Doubt(*key, asked, sites, brought)


# Families of rules that only a program which runs backward can refute.
_ABOUT_BACKWARD = ("2", "4")


# What is found only where gradients are recorded.
ABOUT_RECORDING = ("IPL101", "IPL102", "IPL103", "IPL105", "IPL107", "IPL2")


def _is_called_in_view_only(entry: Entry) -> bool:
    """Whether nobody but its file calls a function: it is private, or the file is a program."""
    return _is_private(entry) or (_is_called_by_name(entry) and any(map(starts_program, entry.module.code.body)))


def _is_private(entry: Entry) -> bool:
    name = entry.function.name if entry.function is not None else ""
    return name.startswith("_") and not name.endswith("__")


def _is_called_by_name(entry: Entry) -> bool:
    """Whether only code that means it calls a function, and no framework."""
    return entry.function is not None and not is_of_frameworks(entry.function.name, entry.owner)


def _runs_without_gradients(entry: Entry, site: Site) -> bool:
    """Whether its file calls a function, or what that makes, and only without gradients."""
    if entry.function is None:
        return False
    called = only_without_gradients(entry.module, entry.function, entry.owner, entry.kept_as)
    return called or (entry.module.path == site.path and made_to_be_called_without(entry.module, entry.function, site))


def _runs_in_program(site: Site, sources: set[Entry], collected: Collected) -> bool:
    """Whether a whole program runs the function that writes, and does not show the finding.

    Other functions that call it, and are never called in view, may then be meant for the same kind of arguments.
    """
    module = next((entry.module for entry in sources if entry.module.path == site.path), None)
    if module is None or not REFUTED_BY_CALLERS.on or any(map(_is_loss, sources)):
        return False
    around = (entry for entry in entries(module) if entry.function is not None and _surrounds(entry.function, site))
    return any(_programs(_who_runs(each, collected) - sources, each, collected.differentiating) for each in around)


def _who_runs(entry: Entry, collected: Collected) -> set[Entry]:
    return collected.who_runs(entry.function) if entry.function is not None else set()


def _surrounds(function: ir.Function, site: Site) -> bool:
    return bool(function.body) and function.span.row <= site.span.row <= last_row(function.body[-1])


def _programs(callers: set[Entry], called: Entry, training: set[Entry]) -> set[Entry]:
    """The callers that are whole programs, and tell what they pass by that alone; not what they try a loss on.

    Layers are made to be trained: what only shows their outputs, as at the end of a library's file, tells nothing.
    """
    if _is_loss(called):
        return set()
    programs = set(filter(_is_program, callers))
    return programs & training if _is_of_layer(called) else programs


def _is_of_layer(entry: Entry) -> bool:
    """Whether a method is one of a class that has a `forward`."""
    return entry.owner is not None and any(
        isinstance(each, ir.FunctionDef) and each.function.name == "forward" for each in entry.owner.body
    )


def _is_loss(entry: Entry) -> bool:
    """Whether a class or function says that it is a loss: a program that tries it on numbers is no use of it."""
    owner = entry.owner.name if entry.owner is not None else ""
    return entry.function is not None and names_loss(entry.function.name, owner)


def _is_program(entry: Entry) -> bool:
    """Whether nothing is passed to an entry point."""
    return entry.function is None or not entry.function.params


def _called_elsewhere(
    key: Key,
    entry: Entry,
    shown: list[tuple[Entry, frozenset[object]]],
    collected: Collected,
    refuting: set[Entry] | None,
    assumed: bool,
) -> bool:
    """Whether an entry point is run from another one that does not show the finding.

    A mere assumption about tensors gives way to any caller that passes what the path does, and comes to the write of
    what the op that saves has read or given, if it differentiates what it gets, has cut off what it passes, or passes
    nothing unknown; but not where one breaks what was saved, and loses it out of view. A choice of values gives way
    only to a whole program, to which nothing is passed. One that has the same choices on a path that was not followed
    may show it, and one with a path that stopped within the function, or of which only some paths were followed where
    a program shows it; one that does not know what it writes there tells nothing.
    """
    if entry.function is None or not entry.function.params:
        return False
    callers = _other_callers(key, entry, entry.function, shown, collected)
    if assumed:
        return REFUTED_BY_CALLERS.on and _keep_in_view(key, entry, entry.function, callers, collected, refuting)
    if refuting is not None:
        callers &= refuting
    if entry.is_program:
        callers -= collected.cut
    choices = [chosen for source, chosen in shown if source == entry and chosen]
    if any(collected.may_choose(caller, entry.function, chosen) for caller in callers for chosen in choices):
        return False
    unsure = {caller for caller in callers if key[1] in collected.unsure.get(caller, ())}
    return REFUTED_BY_PROGRAM.on and any(map(_is_program, callers - unsure))


def _other_callers(
    key: Key,
    entry: Entry,
    function: ir.Function,
    shown: list[tuple[Entry, frozenset[object]]],
    collected: Collected,
) -> set[Entry]:
    """The callers that do not show a finding, and pass what the path does; who evaluates a loss is none."""
    callers = collected.who_runs(function) - {source for source, _ in shown}
    taken = collected.resting[key, entry]
    callers = {caller for caller in callers if taken <= collected.stood_in.get(caller, frozenset())}
    return callers - collected.unrecorded.get(function, set()) if names_trained_loss(function.name) else callers


def _keep_in_view(
    key: Key,
    entry: Entry,
    function: ir.Function,
    callers: set[Entry],
    collected: Collected,
    refuting: set[Entry] | None,
) -> bool:
    """Whether callers come to a write as a finding assumes, and what they break does not leave their view."""
    cut: set[Entry] = collected.given_cut.get(function, set())
    told = callers if refuting is None else callers & (refuting | cut | _programs(callers, entry, refuting))
    saved = _saved_at(key, collected)
    if any(collected.makes_stale(caller, key[1], saved) for caller in told if not _is_program(caller)):
        return False
    return any(_is_told_to_write(entry) or collected.has_written(caller, key[1], saved) for caller in told)


def _is_told_to_write(entry: Entry) -> bool:
    """Whether a private function has a parameter that asks for writes: its callers know where they may ask."""
    params = entry.function.params if entry.function is not None else ()
    return _is_private(entry) and any(is_inplace_option(param.name) for param in params)


def _saved_at(key: Key, collected: Collected) -> set[Site]:
    """Where what is written was saved before, as an input or as the result of an op."""
    return {
        each.site for _, _, finding, _ in collected.findings[key] for each in finding.related if each.role == "save"
    }
