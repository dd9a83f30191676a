"""What a rule is, and the registry of rules.

A rule is one module of `inplace_lint.rules` (or of a package that registers the entry-point group
`inplace_lint.rules`). Its docstring is its documentation; its `RULE` ties a code to a check, a
function from the trace of one path to findings.
"""

from __future__ import annotations

import os
import pkgutil
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from inspect import getdoc

from inplace_lint.announced import announced
from inplace_lint.cure import (
    Cure,
    clone_of_kept,
    clones_of_saved,
    counted_memory,
    marked_dirty,
    out_of_place,
    own_memory,
    put_back,
    result_taken,
    separate_memory,
    under_no_grad,
)
from inplace_lint.diagnostic import GivenUp, Related, Severity, Site
from inplace_lint.judgement.broken_saves import Broken, broken
from inplace_lint.judgement.hidden import hidden_changes
from inplace_lint.judgement.intent import LIBRARY_WRITES, argument_of
from inplace_lint.judgement.shared import lost_writes, refetched, shared_writes
from inplace_lint.judgement.sharing import Seen
from inplace_lint.judgement.stale_reads import StaleRead, stale_reads
from inplace_lint.torch_model.events import (
    Backward,
    Bind,
    Dropped,
    Escape,
    Impasse,
    Read,
    Refusal,
    StaleSave,
    Trace,
    Write,
)
from inplace_lint.torch_model.slots import held_since, passed_from
from inplace_lint.torch_model.tensor import Save
from inplace_lint.wording import called_from, if_assumed, op_name, quoted

__all__ = [
    "LIBRARY_WRITES",
    "Analysis",
    "Backward",
    "Bind",
    "Broken",
    "Cure",
    "Dropped",
    "Escape",
    "Failure",
    "Finding",
    "Read",
    "Refusal",
    "RegisteredRule",
    "Related",
    "Rule",
    "Severity",
    "Site",
    "StaleRead",
    "StaleSave",
    "Trace",
    "Write",
    "argument_of",
    "broken",
    "called_from",
    "clone_of_kept",
    "counted_memory",
    "held_since",
    "hidden_changes",
    "if_assumed",
    "lost_writes",
    "marked_dirty",
    "missing_rules",
    "op_name",
    "out_of_place",
    "own_memory",
    "passed_from",
    "put_back",
    "quoted",
    "raises_in_backward",
    "refetched",
    "refused",
    "registry",
    "result_taken",
    "rules_from_elsewhere",
    "separate_memory",
    "shared_writes",
    "stale_reads",
    "stuck",
    "under_no_grad",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one path. The runner adds the code and merges equal findings.

    `assumed` marks one that rests on something not known of the entry point's arguments; `cures`
    say what would help, best first.
    """

    site: Site
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str | None = None
    assumed: bool = False
    cures: tuple[Cure, ...] = ()


def _no_cures(_: Write) -> tuple[Cure, ...]:
    return ()


def refused(
    trace: Trace,
    reasons: Mapping[str, str],
    help: str,
    origin: str = "",
    assumed: Severity = "warning",
    cures: Callable[[Write], tuple[Cure, ...]] = _no_cures,
) -> Iterator[Finding]:
    """The writes that PyTorch refuses at once.

    Args:
        trace: what happened.
        reasons: kinds of refusal, and how each completes "`add_` modifies `x`, ...".
        help: the cure.
        origin: what the tensor owes to the place where it became what it is ("viewed here").
        assumed: how severe it is where nobody knows that a tensor requires grad.
        cures: what helps against a write.
    """
    for write in trace.events:
        if not isinstance(write, Write) or write.refusal is None or write.refusal.kind not in reasons:
            continue
        refusal = write.refusal
        what = f"{quoted(write.operand.text)}, {reasons[refusal.kind]}{if_assumed(refusal.assumptions)}"
        made = (Related(origin, refusal.origin),) if origin and refusal.origin else ()
        yield Finding(
            write.site,
            f"{op_name(write.op)} modifies {what}",
            "error" if refusal.certainty == "certain" else assumed,
            made + called_from(write.stack),
            help,
            assumed=refusal.certainty == "assumed",
            cures=cures(write),
        )


def stuck(
    trace: Trace,
    reasons: Mapping[str, str],
    help: str,
    cures: Callable[[Refusal], tuple[Cure, ...]] = lambda _: (),
) -> Iterator[Finding]:
    """Places where PyTorch raises although nothing is written; `reasons` are whole messages."""
    for event in trace.events:
        if isinstance(event, Impasse) and event.refusal.kind in reasons:
            refusal = event.refusal
            yield Finding(
                event.site,
                f"{reasons[refusal.kind]}{if_assumed(refusal.assumptions)}",
                "error" if refusal.certainty == "certain" else "warning",
                ((Related("made here", refusal.origin),) if refusal.origin else ()) + called_from(event.stack),
                help,
                assumed=refusal.certainty == "assumed",
                cures=cures(refusal),
            )


def raises_in_backward(found: Broken, what: str, help: str) -> Finding:
    """A write that backward refuses; `what` completes "`add_` modifies ..."."""
    write, assumed = found.write, found.certainty == "assumed"
    saves = [stale.save for stale in found.saves]
    # In the order of execution: a save inside the call that led to the write comes after the call.
    inside = [bool(write.stack) and save.stack[: len(write.stack)] == write.stack for save in saves]
    saved = [_saved(save) for save in saves]
    backward = Related("this backward reads it", found.backward.site, after=True, kind="backward")
    read = (backward,) if found.backward.via != "return" else ()
    return Finding(
        found.site,
        f"{op_name(write.op)} modifies {what}{if_assumed(found.assumptions) if assumed else ''}",
        "warning" if assumed else "error",
        (
            *(each for each, late in zip(saved, inside, strict=True) if not late),
            *called_from(write.stack),
            *(each for each, late in zip(saved, inside, strict=True) if late),
            *read,
        ),
        help,
        assumed=assumed,
        cures=(*out_of_place(write, safe=True, unshared=True), *clones_of_saved(found)),
    )


def _saved(save: Save) -> Related:
    op = op_name(save.op)
    return Related(f"saved for backward here by {op}", save.site, kind="saved", op=op)


Names = tuple[str | None, str | None]
"""The name of an entry point's function and that of its class; None where there is none."""


Place = tuple[str, int]
"""A function: its file, and the row of its name."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """A finding that rests on an assumption about the arguments of some functions."""

    code: str
    site: Site
    functions: frozenset[Place]


@dataclass(frozen=True, slots=True)
class Failure:
    """A mistake of ours, or of a rule (`code`), at an entry point: what is to be found there is missing."""

    site: Site
    entry: str
    code: str | None
    error: Exception


@dataclass(frozen=True, slots=True)
class Analysis:
    """What came of one file.

    Args:
        findings: on all paths.
        given_up: what was not followed to its end, and why.
        shared: places of writes, and of the modules that made them, that more than one name sees.
        sources: the entry points that show what was found for a rule at a place.
        runs: the entry points that ran each function.
        doubts: the findings that rest on an assumption about arguments.
        run: the functions of other files that programs have run.
        failures: where findings are missing.
        passes: the backward passes that each entry point runs, and whether the graph of one is cut.
        refuted: what was found for a rule at a place, and callers do not show.
    """

    findings: list[tuple[Rule, Finding]]
    given_up: tuple[GivenUp, ...] = ()
    shared: Mapping[Site, Seen] = field(default_factory=dict)
    sources: Mapping[tuple[str, Site], frozenset[Names]] = field(default_factory=dict)
    runs: Mapping[Names, frozenset[Names]] = field(default_factory=dict)
    doubts: tuple[Doubt, ...] = ()
    run: frozenset[Place] = frozenset()
    failures: tuple[Failure, ...] = ()
    passes: Mapping[Names, Mapping[Site, bool]] = field(default_factory=dict)
    refuted: frozenset[tuple[str, Site]] = frozenset()

    def reached_by(self, changed: Iterable[Names]) -> frozenset[Names]:
        """The entry points whose findings may change with some functions: who runs them, or shows what those show."""
        reached: set[Names] = set()
        todo = list(changed)
        while todo:
            names = todo.pop()
            if names not in reached:
                reached.add(names)
                todo += self.runs.get(names, ())
                todo += (other for sources in self.sources.values() if names in sources for other in sources)
        return frozenset(reached)

    def of(self, entries: frozenset[Names]) -> Analysis:
        """What some entry points show."""
        shown = [
            (rule, found)
            for rule, found in self.findings
            if not entries.isdisjoint(self.sources[rule.code, found.site])
        ]
        passes = {names: sites for names, sites in self.passes.items() if names in entries}
        return replace(self, findings=shown, passes=passes)


def _nothing(_: Trace) -> Iterable[Finding]:
    return ()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule.

    Args:
        code: `IPL` and three digits.
        name: kebab-case, as in the documentation.
        summary: one line, without a full stop, that completes "finds ...".
        check: from one trace to findings. Rules about the tool itself have none.
        default: whether it is on without being selected.
        about_writes: whether it finds something only where memory is written, as all rules of this
            package do: code that cannot write is not run at all, unless a rule says False.
        about_callers: whether it matters what callers pass, and do afterwards: they are run to find out.
    """

    code: str
    name: str
    summary: str
    check: Callable[[Trace], Iterable[Finding]] = _nothing
    default: bool = True
    about_writes: bool = True
    about_callers: bool = True


@dataclass(frozen=True, slots=True)
class RegisteredRule:
    """A rule with the documentation of its module."""

    rule: Rule
    documentation: str


@dataclass(frozen=True, slots=True)
class Missing:
    """A rule of another package that cannot be used, where it is announced, and why."""

    name: str
    file: str
    problem: str


def registry() -> dict[str, RegisteredRule]:
    """All rules by code, in order.

    Raises:
        ValueError: a rule of this package without documentation, with a malformed code, or one used twice.
    """
    return _found()[0]


def missing_rules() -> tuple[Missing, ...]:
    """The rules of other packages that cannot be used."""
    return _found()[1]


def rules_from_elsewhere() -> list[tuple[object, ...]]:
    """What tells whether the rules of other packages have changed."""
    known: list[tuple[object, ...]] = [(each.name, each.problem) for each in missing_rules()]
    for code, entry in registry().items():
        home = getattr(entry.rule.check, "__module__", "")
        if not home.startswith(f"{_PACKAGE}."):
            file = getattr(sys.modules.get(home), "__file__", None) or ""
            changed = os.stat(file).st_mtime_ns if os.path.exists(file) else 0
            known.append((code, entry.rule.name, entry.rule.summary, entry.documentation, changed))
    return known


_PACKAGE = "inplace_lint.rules"


@cache
def _found() -> tuple[dict[str, RegisteredRule], tuple[Missing, ...]]:
    rules: dict[str, RegisteredRule] = {}
    package = import_module(_PACKAGE)
    for info in pkgutil.iter_modules(package.__path__):
        module = import_module(f"{_PACKAGE}.{info.name}")
        if hasattr(module, "RULE"):
            _register(module, rules)
    missing: list[Missing] = []
    for each in announced():
        try:
            if each.module is None:
                raise ValueError(each.problem)
            _register(each.module, rules)
        except ValueError as error:
            missing.append(Missing(each.name, each.file, str(error)))
    return dict(sorted(rules.items())), tuple(missing)


def _register(module: object, rules: dict[str, RegisteredRule]) -> None:
    """Add the rule of a module; raises ValueError if it makes no sense."""
    rule, name = getattr(module, "RULE", None), getattr(module, "__name__", "it")
    if not isinstance(rule, Rule):
        raise ValueError(f"{name}: has no `RULE` that is a Rule")
    if not isinstance(rule.code, str) or not re.fullmatch(r"[A-Z]{2,}\d{3}", rule.code):
        raise ValueError(f"{name}: malformed rule code {rule.code!r}")
    if not all(isinstance(each, str) for each in (rule.name, rule.summary)) or not callable(rule.check):
        raise ValueError(f"{name}: rule {rule.code} has no name, no summary or no check")
    documentation = getdoc(module)
    if not documentation:
        raise ValueError(f"{name}: rule {rule.code} has no documentation")
    if rule.code in rules:
        raise ValueError(f"{name}: rule code {rule.code} is used twice")
    rules[rule.code] = RegisteredRule(rule, documentation)
