"""The rules there are: those of `inplace_lint.rules`, and of packages that announce theirs as entry points."""

from __future__ import annotations

import os
import pkgutil
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from inspect import getdoc

from inplace_lint.findings.announced import announced
from inplace_lint.findings.rule import RegisteredRule, Rule


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
