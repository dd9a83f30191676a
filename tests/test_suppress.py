from __future__ import annotations

import pytest

from inplace_lint.diagnostic import Diagnostic, Site, Span
from inplace_lint.suppress import skips_file, suppress, suppressions


def finding(row: int, end_row: int | None = None, code: str = "IPL202") -> Diagnostic:
    return Diagnostic(code, "name", "error", "message", Site("a.py", Span(row, 1, end_row or row, 2)))


def is_suppressed(text: str, diagnostic: Diagnostic) -> bool:
    kept, used = suppress(text, [diagnostic])
    assert bool(used) == (not kept)
    return not kept


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: IPL202",
        "# noqa:IPL202",
        "# noqa : ipl202",
        "# noqa: E501, IPL202",
        "# noqa: E501 IPL202 because",
        "# noqa: IPL2",
        "# type: ignore  # noqa: IPL202",
        "# inplace-lint: ignore",
        "# inplace-lint: ignore[IPL202]",
        "# inplace-lint: ignore[IPL301, IPL202] the caller cloned it",
        "#inplace-lint:ignore[IPL202]",
    ],
)
def test_suppresses(comment: str) -> None:
    assert is_suppressed(f"x = 1  {comment}\n", finding(1))
    assert not is_suppressed(f"x = 1  {comment}\ny = 2\n", finding(2))


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa: E501",
        "# noqa: because",
        "# noqa:",
        "# noqas",
        "# noqa-like",
        "# inplace-lint: ignore[]",
        "# inplace-lint: ignore[IPL301]",
        "# inplace-lint: ignored",
        "# flake8: noqa",
    ],
)
def test_does_not_suppress(comment: str) -> None:
    assert not is_suppressed(f"x = 1  {comment}\n", finding(1))


def test_strings_are_no_comments() -> None:
    assert not is_suppressed('x = "# noqa"\n', finding(1))
    assert not is_suppressed('x = """\n# inplace-lint: skip-file\n"""\n', finding(1))


def test_statement_of_several_rows() -> None:
    text = "y = (\n    x.mul_(2),  # noqa\n    x.add_(1),\n)  # noqa: IPL301\nz = 1\n"
    assert is_suppressed(text, finding(2))
    assert not is_suppressed(text, finding(3))
    assert is_suppressed(text, finding(1, 4))
    assert is_suppressed(text, finding(3, code="IPL301"))
    assert not is_suppressed(text, finding(5, code="IPL301"))


def test_end_of_a_compound_statement_is_not_the_end_of_its_head() -> None:
    assert not is_suppressed("if x.mul_(2):\n    pass  # noqa\n", finding(1))


def test_whole_file() -> None:
    assert is_suppressed("x = 1\n# inplace-lint: skip-file\ny = 1\n", finding(3))
    assert skips_file("# inplace-lint: skip-file\n")
    by_code = "# inplace-lint: skip-file[IPL202]\nx = 1\n"
    assert not skips_file(by_code)
    assert is_suppressed(by_code, finding(2))
    assert not is_suppressed(by_code, finding(2, code="IPL301"))


def test_what_precedes_damage_counts() -> None:
    assert skips_file("# inplace-lint: skip-file\nx = (\n'''")
    assert is_suppressed("f(  # noqa\n", finding(1))


def test_failures_of_the_tool_stay() -> None:
    assert not is_suppressed("x = 1  # noqa\n", finding(1, code="IPL902"))
    assert not is_suppressed("x = 1  # noqa\n", finding(1, code="IPL903"))


def test_used_comments_are_told_apart() -> None:
    text = "x = 1  # noqa\ny = 1  # noqa\n"
    _, used = suppress(text, [finding(1)])
    (unused,) = set(suppressions(text)) - used
    assert unused.span == Span(2, 8, 2, 14)
