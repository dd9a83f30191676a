"""What a rule is: a code, a name, and a function from the trace of one path to findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from inplace_lint.findings.finding import Finding
from inplace_lint.torch_model.events import (
    Trace,
)


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
