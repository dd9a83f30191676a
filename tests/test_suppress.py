from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import accumulate
from random import Random

import pytest

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.findings.malformed import malformed
from inplace_lint.findings.suppress import Use, covering, skips_file, suppress, suppressions
from inplace_lint.findings.unused import Judged, unused
from inplace_lint.pipeline.add_noqa import Form, suppressing_edits
from inplace_lint.source.place import Site, Span


def finding(row: int, end_row: int | None = None, code: str = "IPL202") -> Diagnostic:
    return Diagnostic(code, "a-name", "error", "message", Site("a.py", Span(row, 1, end_row or row, 2)))


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
        "# inplace-lint: ignore IPL301, IPL202 the caller cloned it",
        "# inplace-lint: ignore[IPL301, a-name] the caller cloned it",
        "# inplace-lint: ignore[A-Name]",
        "# noqa: a-name",
        "# noqa: E501, a-name",
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
        "# inplace-lint: ignore IPL301",
        "# inplace-lint: ignore: IPL301",
        "# inplace-lint: ignored",
        "# inplace-lint: ignore[IPL202",
        "# inplace-lint: ignore[another-name]",
        "# noqa: E501 a-name",
        "# flake8: noqa",
    ],
)
def test_does_not_suppress(comment: str) -> None:
    assert not is_suppressed(f"x = 1  {comment}\n", finding(1))


def test_strings_are_no_comments() -> None:
    assert not is_suppressed('x = "# noqa"\n', finding(1))
    assert not is_suppressed('x = """\n# inplace-lint: skip-file\n"""\n', finding(1))


def test_statement_of_several_rows() -> None:
    """As in flake8, a comment on any row of a statement holds for all of it."""
    text = "y = (\n    x.mul_(2),  # noqa: IPL202\n    x.add_(1),\n)  # noqa: IPL301\nz = 1\n"
    assert all(is_suppressed(text, finding(row)) for row in (1, 2, 3, 4))
    assert all(is_suppressed(text, finding(row, code="IPL301")) for row in (1, 2, 3, 4))
    assert not is_suppressed(text, finding(3, code="IPL401"))
    assert not is_suppressed(text, finding(5))


def test_a_line_of_its_own_is_for_the_statement_below() -> None:
    comment = "# inplace-lint: ignore[IPL202] the caller cloned it"
    text = f"x = 1\n{comment}\n# prose\n\ny = (\n    1,\n    2,\n)\nz = 1\n"
    assert [is_suppressed(text, finding(row)) for row in range(1, 10)] == [row in range(5, 9) for row in range(1, 10)]
    assert is_suppressed(f"y = (\n    {comment}\n    1,\n)\n", finding(3))
    assert is_suppressed(f"{comment}\nif x:\n    y = 1\n", finding(2))
    assert not is_suppressed(f"{comment}\nif x:\n    y = 1\n", finding(3))
    assert is_suppressed(f"if x:\n    y = 1\n    {comment}\nz = 1\n", finding(4))
    assert not is_suppressed("# noqa: IPL202\nx = 1\n", finding(2))


def test_end_of_a_compound_statement_is_not_the_end_of_its_head() -> None:
    assert not is_suppressed("if x.mul_(2):\n    pass  # noqa\n", finding(1))


def test_whole_file() -> None:
    assert is_suppressed("x = 1\n# inplace-lint: skip-file\ny = 1\n", finding(3))
    assert skips_file("# inplace-lint: skip-file\n")
    for verb in ("skip-file", "ignore-file"):
        by_code = f"# inplace-lint: {verb}[IPL202, another-name] a reason\nx = 1\n"
        assert not skips_file(by_code)
        assert is_suppressed(by_code, finding(2))
        assert not is_suppressed(by_code, finding(2, code="IPL301"))
    assert not skips_file("# inplace-lint: ignore-file\n")
    assert not is_suppressed("# inplace-lint: ignore-file\nx = 1\n", finding(2))


def test_what_precedes_damage_counts() -> None:
    assert skips_file("# inplace-lint: skip-file\nx = (\n'''")
    assert is_suppressed("f(  # noqa\n", finding(1))


def test_failures_of_the_tool_stay() -> None:
    assert not is_suppressed("x = 1  # noqa\n", finding(1, code="IPL902"))
    assert not is_suppressed("x = 1  # noqa\n", finding(1, code="IPL903"))


def test_used_words_are_told_apart() -> None:
    text = "x = 1  # noqa: E501, IPL202, IPL2\ny = 1  # noqa\n"
    _, used = suppress(text, [finding(1)])
    assert used == {Use("a.py", Span(1, 8, 1, 34), "IPL202"), Use("a.py", Span(1, 8, 1, 34), "IPL2")}


def test_two_comments_in_one() -> None:
    text = "x = 1  # type: ignore  # noqa: IPL202  # inplace-lint: ignore[IPL301]\n"
    assert [each.pragma.text for each in suppressions(text)] == ["# noqa: IPL202", "# inplace-lint: ignore[IPL301]"]
    assert is_suppressed(text, finding(1))
    assert is_suppressed(text, finding(1, code="IPL301"))


def test_rows_without_a_place_for_a_comment() -> None:
    text = 'y = f(x.mul_(2), """\n""", \\\n  x)  # noqa\nz = 1\n'
    assert [is_suppressed(text, finding(row)) for row in (1, 2, 3, 4)] == [True, True, True, False]


RULES = {"IPL202": "saved-output", "IPL301": "reused-after", "IPL501": "unsafe", "IPL901": "unused", "IPL904": "typo"}
JUDGED = Judged(RULES, tuple(RULES)[:2], {"IPL202", "IPL301", "IPL901", "IPL904"})


@pytest.mark.parametrize(
    ("line", "message", "fixed"),
    [
        ("x = 1  # noqa: IPL202", "`# noqa: IPL202` suppresses nothing", "x = 1"),
        ("x = 1  # noqa: IPL202 because", "`# noqa: IPL202` suppresses nothing", "x = 1  # because"),
        ("x = 1  # noqa: E501, IPL202,IPL301", "`IPL202, IPL301` suppress nothing", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: IPL2 E501", "`IPL2` suppresses nothing", "x = 1  # noqa: E501"),
        ("x = 1  # noqa: IPL501, ipl202", "`IPL202` suppresses nothing", "x = 1  # noqa: IPL501"),
        ("x = 1  # noqa: saved-output", "`# noqa: saved-output` suppresses nothing", "x = 1"),
        ("x = 1  # noqa: IPL222", None, None),
        ("x = 1  # type: ignore  # noqa: IPL202", "`# noqa: IPL202` suppresses nothing", "x = 1  # type: ignore"),
        ("x = 1  # noqa: IPL202  # type: ignore", "`# noqa: IPL202` suppresses nothing", "x = 1  # type: ignore"),
        ("x = 1  # inplace-lint: ignore", "`# inplace-lint: ignore` suppresses nothing", "x = 1"),
        ("x = 1  # inplace-lint: ignore[]", None, None),
        (
            "x = 1  # inplace-lint: ignore(IPL202) why",
            "`# inplace-lint: ignore(IPL202)` suppresses nothing",
            "x = 1  # why",
        ),
        (
            "x = 1  # inplace-lint: ignore[Saved-Output] - the caller cloned it",
            "`# inplace-lint: ignore[Saved-Output]` suppresses nothing",
            "x = 1  # the caller cloned it",
        ),
        (
            "x = 1  # inplace-lint: ignore[IPL202, IPL501] a reason",
            "`IPL202` suppresses nothing",
            "x = 1  # inplace-lint: ignore[IPL501] a reason",
        ),
        ("x = 1  # inplace-lint: ignore[E501]", None, None),
        ("# inplace-lint: skip-file[IPL202]", "`# inplace-lint: skip-file[IPL202]` suppresses nothing", None),
        ("# inplace-lint: skip-file", None, None),
        ("x = 1  # noqa", None, None),
        ("x = 1  # noqa: E501", None, None),
        ("x = 1  # noqa: IPL501", None, None),
        ("x = 1  # noqa: IPL5, IPL9", None, None),
        ("x = 1  # noqa: IPL904", None, None),
        ("x = '# noqa: IPL202'", None, None),
    ],
)
def test_unused(line: str, message: str | None, fixed: str | None) -> None:
    text = f"a = 1\n{line}\nb = 2\n"
    found = list(unused("a.py", text, (), JUDGED))
    assert [each.message for each in found] == ([message] if message else [])
    for each in found:
        assert each.fix is not None
        assert each.fix.applicability == "safe"
        assert edited(text, each.fix.edits) == (f"a = 1\n{fixed}\nb = 2\n" if fixed else "a = 1\nb = 2\n")


def test_what_is_used_is_not_unused() -> None:
    text = "x = 1  # noqa: IPL202\ny = 1  # inplace-lint: ignore\nz = 1  # noqa: IPL301, IPL202\n"
    _, used = suppress(text, [finding(1), finding(2), finding(3)])
    assert [each.message for each in unused("a.py", text, used, JUDGED)] == ["`IPL301` suppresses nothing"]


def test_a_bare_comment_is_judged_only_if_all_was_looked_for() -> None:
    assert not list(unused("a.py", "x = 1  # inplace-lint: ignore\n", (), Judged(RULES, tuple(RULES)[:2], {"IPL202"})))


MISTYPED = [
    (
        "# inplace-lint: ignroe[IPL202] why",
        "`ignroe` is nothing that a comment can ask for; did you mean `ignore`?",
        None,
    ),
    ("# inplace-lint: disable=IPL202", "`disable` is nothing that a comment can ask for; did you mean `ignore`?", None),
    ("# inplace-lint: skip_file", "`skip_file` is nothing that a comment can ask for; did you mean `skip-file`?", None),
    ("# inplace-lint: mute[IPL202]", "`mute` is nothing that a comment can ask for; there are `ignore`,", None),
    ("# inplace-lint: ignore[]", "`# inplace-lint: ignore[]` names no rule", None),
    ("# inplace-lint: ignore[IPL202", "`# inplace-lint: ignore[IPL202` names no rule", None),
    ("# inplace-lint: ignore-file", "`ignore-file` needs the rules in brackets; to leave out the file, write", None),
    ("# inplace-lint: ignore[saved-outptu]", "`saved-outptu` is no rule; did you mean `saved-output`?", None),
    ("# inplace-lint: ignore[IPL202, E501]", "`E501` is no rule", None),
    ("# noqa: E501, IPL222", "`IPL222` is no rule; did you mean `IPL202`?", None),
    ("# noqa: IPL2O2", "`IPL2O2` is no rule; did you mean `IPL202`?", None),
    ("# noqa IPL202 why", "`# noqa IPL202` names no rule without a colon", "# noqa: IPL202 why"),
    ("# noqa[IPL202]", "`# noqa[IPL202` names no rule without a colon", "# noqa: IPL202"),
    ("# inplace_lint: ignore[IPL202] why", "`# inplace_lint: ignore` suppresses", "# inplace-lint: ignore[IPL202] why"),
    ("# inplace-lint ignore[IPL202]", "`# inplace-lint ignore` suppresses", "# inplace-lint: ignore[IPL202]"),
    ("# Inplace-Lint: Ignore[ipl202] A", "`# Inplace-Lint: Ignore` suppresses", "# inplace-lint: ignore[ipl202] A"),
]


@pytest.mark.parametrize(("comment", "message", "fixed"), MISTYPED)
def test_mistyped(comment: str, message: str, fixed: str | None) -> None:
    text = f"x = 1  {comment}\n"
    (found,) = malformed("a.py", text, RULES)
    assert found.message.startswith(message)
    assert (found.fix is not None) == (fixed is not None)
    if found.fix is not None:
        assert edited(text, found.fix.edits) == f"x = 1  {fixed}\n"
        assert is_suppressed(edited(text, found.fix.edits), finding(1))


@pytest.mark.parametrize(
    "comment",
    [
        "# inplace-lint finds this",
        "# inplace-lint: the finding below is known",
        "# inplace-lint: ignore[IPL2, saved-output] a reason",
        "# inplace-lint: skip-file",
        "# see inplace-lint: ignroe[IPL202]",
        "# noqa E501",
        "# noqa: E501 not IPL222",
        "# noqa because of IPL202",
        "# noqa: F401, ABC999",
    ],
)
def test_not_mistyped(comment: str) -> None:
    assert not list(malformed("a.py", f"x = 1  {comment}\n", RULES))
    assert not list(malformed("a.py", "x = '# inplace-lint: ignroe[IPL202]'\n", RULES))


def edited(text: str, edits: Sequence[Edit]) -> str:
    lines = text.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        span = edit.span
        start, end = starts[span.row - 1] + span.column - 1, starts[span.end_row - 1] + span.end_column - 1
        text = text[:start] + edit.content + text[end:]
    return text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1", "x = 1  # noqa: IPL202"),
        ("x = 1  ", "x = 1  # noqa: IPL202  "),
        ("x = 1  # note", "x = 1  # note  # noqa: IPL202"),
        ("x = 1  # noqa: E501", "x = 1  # noqa: E501, IPL202"),
        ("x = 1  # noqa: IPL301 why", "x = 1  # noqa: IPL301, IPL202 why"),
        ("x = 1  # inplace-lint: ignore[IPL301]", "x = 1  # inplace-lint: ignore[IPL301]  # noqa: IPL202"),
        ("x = '''\n# text'''", "x = '''\n# text'''  # noqa: IPL202"),
        ("x = 1 + \\\n    2", "x = 1 + \\\n    2  # noqa: IPL202"),
        ("x = f(\n    y,\n)", "x = f(  # noqa: IPL202\n    y,\n)"),
        ("x = f'''{\n1}'''", "x = f'''{\n1}'''  # noqa: IPL202"),
    ],
)
def test_add_noqa(before: str, after: str) -> None:
    text = edited(before, list(suppressing_edits(before, [finding(1), finding(1), finding(1, code="IPL902")], Form())))
    assert text == after
    ast.parse(text)
    assert is_suppressed(text, finding(1))


def test_add_several_codes_at_once() -> None:
    edits = list(suppressing_edits("x = 1", [finding(1), finding(1, code="IPL101")], Form()))
    assert edited("x = 1", edits) == "x = 1  # noqa: IPL101, IPL202"


@pytest.mark.parametrize(
    ("before", "reason", "after"),
    [
        ("x = 1", "", "x = 1  # inplace-lint: ignore[IPL202]"),
        ("x = 1", "why", "x = 1  # inplace-lint: ignore[IPL202] why"),
        ("x = 1  # noqa: E501", "why", "x = 1  # noqa: E501  # inplace-lint: ignore[IPL202] why"),
        ("x = 1  # inplace-lint: ignore[IPL3] why", "why", "x = 1  # inplace-lint: ignore[IPL3, IPL202] why"),
        (
            "x = 1  # inplace-lint: ignore[IPL3] why",
            "else",
            "x = 1  # inplace-lint: ignore[IPL3] why  # inplace-lint: ignore[IPL202] else",
        ),
    ],
)
def test_add_our_own(before: str, reason: str, after: str) -> None:
    text = edited(before, list(suppressing_edits(before, [finding(1)], Form(own=True, reason=reason))))
    assert text == after
    assert is_suppressed(text, finding(1))


def test_each_finding_by_each_comment() -> None:
    """Only comments that are near are looked at, and none is missed."""
    random = Random(3)
    rows = "x = 1|x = (|)|  1,|# c|s = '''|'''|\\|x = 1 + \\|def f():|    y|".split("|")
    comments = [
        "",
        "",
        "  # noqa",
        "  # noqa: IPL202  # noqa: IPL3",
        "# inplace-lint: skip-file IPL4",
        "  # inplace-lint: ignore",
    ]
    asked = 0
    for _ in range(300):
        text = "\n".join(random.choice(rows) + random.choice(comments) for _ in range(random.randint(1, 12)))
        known = suppressions(text)
        found = [
            finding(row, row + random.randint(0, 3), random.choice(("IPL202", "IPL301", "IPL401")))
            for row in range(1, 13)
        ]
        for diagnostic, by in zip(found, covering(known, found), strict=True):
            asked += len(by)
            assert set(by) == {comment for comment in known if comment.covers(diagnostic)}
    assert asked > 500
