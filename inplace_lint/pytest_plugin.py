"""A plug-in of pytest: `--inplace-lint` records each test, and tells of in-place writes where they do harm.

pytest imports this in every run of an environment that has it, so torch waits for the option.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic

_MARK = "inplace_lint_allow"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("inplace-lint", "in-place writes (inplace-lint)")
    group.addoption(
        "--inplace-lint",
        action="store_true",
        help="explain PyTorch's errors about in-place writes; warn of writes that silently make gradients wrong",
    )
    group.addoption(
        "--inplace-lint-strict",
        action="store_true",
        help="the same, and a write that silently makes gradients wrong raises, as PyTorch should have",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Announce the marker; record, if an option asks for it."""
    config.addinivalue_line(
        "markers",
        f"{_MARK}: with --inplace-lint, writes that make gradients wrong are meant here: neither warn nor raise",
    )
    strict = bool(config.getoption("--inplace-lint-strict"))
    if strict or config.getoption("--inplace-lint"):
        if find_spec("torch") is None:
            raise pytest.UsageError("--inplace-lint needs PyTorch")
        config.pluginmanager.register(_Recording(strict), "inplace_lint_recording")


class _Recording:
    """Watches the tests themselves, not their fixtures: those may enter contexts that outlive them.

    Args:
        strict: raise where PyTorch should have.
    """

    def __init__(self, strict: bool) -> None:
        self._strict = strict

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        from inplace_lint.runtime.watch import warn, watch

        allowed = item.get_closest_marker(_MARK) is not None
        with watch(strict=self._strict and not allowed, tell=_say_nothing if allowed else warn):
            return (yield)


def _say_nothing(_: Sequence[Diagnostic]) -> None:
    pass
