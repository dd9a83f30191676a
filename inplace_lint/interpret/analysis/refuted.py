"""Findings that rest on an assumption, and callers that show nothing of the kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.analysis.grad_modes import called_without_gradients
from inplace_lint.rule import Doubt, Finding, Rule

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
    sure = any(finding.severity == "error" and not (chosen or finding.assumed) for _, _, finding, chosen in found)
    refuting = collected.differentiating if key[0][3:4] in _ABOUT_BACKWARD else None
    assumed = all(finding.assumed for _, _, finding, _ in found)
    if assumed and key[0].startswith(_ABOUT_RECORDING) and all(map(_runs_without_gradients, sources)):
        return []
    if not sure and all(_called_elsewhere(entry, sources, collected, refuting, assumed) for entry in sources):
        return []
    return [(rule, finding) for _, rule, finding, _ in found]


def doubt_about(key: Key, collected: Collected) -> Doubt | None:
    """What a finding assumes about the arguments of functions, if it rests on nothing else."""
    found = collected.findings[key]
    functions = [(entry.module.path, entry.function) for entry, _, _, _ in found]
    if not all(finding.assumed for _, _, finding, _ in found) or any(function is None for _, function in functions):
        return None
    return Doubt(*key, frozenset((path, function.span.row) for path, function in functions if function is not None))


# Families of rules that only a program which runs backward can refute.
_ABOUT_BACKWARD = ("2", "4")


# What is found only where gradients are recorded.
_ABOUT_RECORDING = ("IPL101", "IPL102", "IPL103", "IPL105", "IPL107", "IPL2")


def _runs_without_gradients(entry: Entry) -> bool:
    """Whether its file calls a function, and only without gradients."""
    function, file = entry.function, entry.module
    if file.without_gradients is None:
        file.without_gradients = called_without_gradients(file.code)
    return function is not None and function.name in file.without_gradients


def _called_elsewhere(
    entry: Entry, sources: set[Entry], collected: Collected, refuting: set[Entry] | None, assumed: bool
) -> bool:
    """Whether an entry point is run from another one that does not show the finding.

    A mere assumption about tensors gives way to any caller; a choice of values only to a whole
    program, to which nothing is passed.
    """
    if entry.function is None or not entry.function.params:
        return False
    callers = collected.callers.get(entry.function, set()) - sources
    if assumed:
        return bool(callers)
    if refuting is not None:
        callers &= refuting
    return any(caller.function is None or not caller.function.params for caller in callers)
