"""What a rule is, and the registry of rules.

A rule is one module of `inplace_lint.rules` (or of a package that registers the entry-point group
`inplace_lint.rules`). Its docstring is its documentation; its `RULE` ties a code to a check, a
function from the trace of one path to findings.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import getdoc
from types import ModuleType

from inplace_lint.diagnostic import Related, Severity, Site
from inplace_lint.torch_model.events import Backward, Bind, Escape, Impasse, Read, Refusal, StaleSave, Trace, Write
from inplace_lint.torch_model.judgement import (
    LIBRARY_WRITES,
    Broken,
    StaleRead,
    argument_of,
    broken,
    hidden_changes,
    passed_from,
    stale_reads,
)
from inplace_lint.wording import called_from, if_assumed, op_name, quoted

__all__ = [
    "LIBRARY_WRITES",
    "Analysis",
    "Backward",
    "Bind",
    "Broken",
    "Escape",
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
    "hidden_changes",
    "if_assumed",
    "op_name",
    "passed_from",
    "quoted",
    "raises_in_backward",
    "refused",
    "registry",
    "stale_reads",
    "stuck",
]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found on one path. The runner adds the code and merges equal findings.

    `assumed` marks one that rests on something not known of the entry point's arguments.
    """

    site: Site
    message: str
    severity: Severity
    related: tuple[Related, ...] = ()
    help: str | None = None
    assumed: bool = False


def refused(
    trace: Trace, reasons: Mapping[str, str], help: str, origin: str = "", assumed: Severity = "warning"
) -> Iterator[Finding]:
    """The writes that PyTorch refuses at once.

    Args:
        trace: what happened.
        reasons: kinds of refusal, and how each completes "`add_` modifies `x`, ...".
        help: the cure.
        origin: what the tensor owes to the place where it became what it is ("viewed here").
        assumed: how severe it is where nobody knows that a tensor requires grad.
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
        )


def stuck(trace: Trace, reasons: Mapping[str, str], help: str) -> Iterator[Finding]:
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
            )


def raises_in_backward(found: Broken, what: str, help: str) -> Finding:
    """A write that backward refuses; `what` completes "`add_` modifies ..."."""
    write, assumed = found.write, found.certainty == "assumed"
    saved = (Related(f"saved for backward here by {op_name(s.save.op)}", s.save.site) for s in found.saves)
    backward = Related("this backward reads it", found.backward.site, after=True)
    read = (backward,) if found.backward.via != "return" else ()
    return Finding(
        found.site,
        f"{op_name(write.op)} modifies {what}{if_assumed(found.assumptions) if assumed else ''}",
        "warning" if assumed else "error",
        (*saved, *read, *called_from(write.stack)),
        help,
        assumed=assumed,
    )


@dataclass(frozen=True, slots=True)
class Analysis:
    """What came of one file: findings, and the entry points of which not every path was followed."""

    findings: list[tuple[Rule, Finding]]
    given_up: tuple[str, ...] = ()


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
    """

    code: str
    name: str
    summary: str
    check: Callable[[Trace], Iterable[Finding]] = _nothing
    default: bool = True


@dataclass(frozen=True, slots=True)
class RegisteredRule:
    """A rule with the documentation of its module."""

    rule: Rule
    documentation: str


def _modules() -> Iterator[ModuleType]:
    package = import_module("inplace_lint.rules")
    for info in pkgutil.iter_modules(package.__path__):
        yield import_module(f"{package.__name__}.{info.name}")
    for entry in entry_points(group="inplace_lint.rules"):
        yield entry.load()


@cache
def registry() -> dict[str, RegisteredRule]:
    """All rules by code, in order.

    Raises:
        ValueError: a rule without documentation, a malformed code, or a code used twice.
    """
    rules: dict[str, RegisteredRule] = {}
    for module in _modules():
        rule = getattr(module, "RULE", None)
        if rule is None:
            continue
        documentation = getdoc(module)
        if not re.fullmatch(r"[A-Z]{2,}\d{3}", rule.code):
            raise ValueError(f"{module.__name__}: malformed rule code {rule.code!r}")
        if not documentation:
            raise ValueError(f"{module.__name__}: rule {rule.code} has no documentation")
        if rule.code in rules:
            raise ValueError(f"{module.__name__}: rule code {rule.code} is used twice")
        rules[rule.code] = RegisteredRule(rule, documentation)
    return dict(sorted(rules.items()))
