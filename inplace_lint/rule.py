"""What a rule is, and the registry of rules.

A rule is one module of `inplace_lint.rules` (or of a package that registers the entry-point group
`inplace_lint.rules`). Its docstring is its documentation; its `RULE` ties a code to a check, a
function from the trace of one path to findings.
"""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from inspect import getdoc
from types import ModuleType

from inplace_lint.diagnostic import Related, Severity, Site
from inplace_lint.torch_model.events import Backward, Bind, Escape, Read, Refusal, StaleSave, Trace, Write
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
    "registry",
    "stale_reads",
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
