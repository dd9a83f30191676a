from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from inplace_lint import Config, Diagnostic, Related, Site, Span, importers, lint_paths, lint_source
from inplace_lint.effort import Effort
from inplace_lint.findings.analysis import Analysis
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.registry import registry
from inplace_lint.findings.rule import Rule
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.pipeline.merge import merge
from inplace_lint.project.texts import Texts
from inplace_lint.source.errors import SourceError

Load = Callable[[str], "str | None"]
Found = list[tuple[Rule, Finding]]

# Stands in for a rule of the analysis, so that these tests need none.
RULE = Rule("IPL202", "saved-output-modified", "")


def fake_analyze(text: str, path: str, rules: Sequence[Rule], load: Load, effort: Effort | None = None) -> Analysis:
    """Obeys the lines of the text: finds something, or goes wrong."""
    found: Found = []
    for row, line in enumerate(text.split("\n"), 1):
        word, *rest = line.partition("#")[0].split() or [""]
        site = Site(path, Span(row, 1, row, 2))
        if word in ("error", "warning", "info"):
            found.append((RULE, Finding(site, "found", word)))  # type: ignore[arg-type]
        elif word == "elsewhere":
            found.append((RULE, Finding(Site(rest[0], Span(1, 1, 1, 2)), "found", "error")))
        elif word == "syntax":
            raise SourceError("syntax error", site)
        elif word == "crash":
            raise ZeroDivisionError("a bug\nof two lines")
        elif word == "memory":
            raise MemoryError
        elif word == "recursion":
            fake_analyze(line, path, rules, load)
        elif word == "die":
            os._exit(1)
        elif word == "settings":
            assert not gc.isenabled()
            assert sys.getrecursionlimit() >= 20_000
        elif word == "load":
            found.append((RULE, Finding(site, repr(load(rest[0])), "error")))
        elif word == "long":
            return Analysis(found, ("long",))
    return Analysis(found)


@pytest.fixture(autouse=True)
def analysis(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    for function in ("analyze", "analyze_draft"):
        monkeypatch.setattr(f"inplace_lint.interpret.analysis.analyze.{function}", fake_analyze)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def brief(diagnostics: Sequence[Diagnostic]) -> list[tuple[str, str, int]]:
    return [(each.site.path, each.code, each.site.span.row) for each in diagnostics]


def test_the_stand_in_is_a_rule() -> None:
    assert RULE.code in registry()


def test_lint_source_reads_no_files() -> None:
    Path("other.py").write_text("x")
    (found,) = lint_source("load other.py", "a.py")
    assert found.message == "None"


def test_unsaved_texts_come_before_those_on_disk() -> None:
    Path("other.py").write_text("x")
    Path("third.py").write_text("z")
    found = lint_source(
        "load other.py\nload third.py\nload new.py", "a.py", overlay={"other.py": "y\r\n", "new.py": ""}
    )
    assert [each.message for each in found] == [repr("y\n"), repr("z"), repr("")]


def test_texts_tell_what_has_changed() -> None:
    Path("a.py").write_text("1")
    Path("b.py").write_text("1")
    texts = Texts()
    assert (texts.load("a.py"), texts.load("b.py")) == ("1", "1")
    a, b = os.path.abspath("a.py"), os.path.abspath("b.py")
    assert texts.update({a: "1", b: "2"}) == {b}
    Path("a.py").write_text("old")
    Path("b.py").write_text("old")
    assert texts.update({a: None, b: None}) == {b}
    assert texts.changed_on_disk() == {a, b}
    assert texts.changed_on_disk() == set()
    assert texts.load("a.py") == "old"


IMPORTING = {
    "direct.py": "import pkg.low",
    "named.py": "def f():\n    from pkg import (  # comment\n        low as l,\n    )",
    "again.py": "from pkg import gate",
    "far.py": "import named, os",
    "pkg/__init__.py": "from .low import *",
    "pkg/beside.py": "from . import low",
    "pkg/low.py": "def gate(t): ...",
    "other.py": "from other_pkg import low\nlow = 'from pkg'",
    "circle.py": "import circle",
}


def test_importers() -> None:
    Path("pkg").mkdir()
    for name, text in IMPORTING.items():
        Path(name).write_text(text)
    expected = ("again.py", "direct.py", "far.py", "named.py", "pkg/__init__.py", "pkg/beside.py")
    assert importers(["pkg/low.py"]) == expected
    assert importers(["pkg/low.py"], ["pkg"]) == expected[-2:]
    assert importers(["named.py"]) == ("far.py",)
    assert importers(["circle.py"]) == importers(["far.py"]) == ()


def test_lint_paths_loads_other_files() -> None:
    Path("other.py").write_text("x\r\n")
    Path("a.py").write_text("load other.py")
    assert lint_paths(["a.py"]).diagnostics[0].message == repr("x\n")


def test_suppression_and_selection() -> None:
    assert lint_source("error # noqa\n") == []
    assert len(lint_source("error # noqa\n", config=Config(ignore_noqa=True))) == 1
    assert lint_source("error\n", config=Config(ignore=("IPL202",))) == []
    assert lint_source("error\n", "t/a.py", Config(per_file_ignores=(("t/*", ("IPL2",)),))) == []
    assert len(lint_source("error\n", "s/a.py", Config(per_file_ignores=(("t/*", ("IPL2",)),)))) == 1
    assert lint_source("crash # inplace-lint: skip-file\n") == []


def test_info_must_be_asked_for() -> None:
    assert lint_source("info\n") == []
    assert len(lint_source("info\n", config=Config(extend_select=("IPL2",)))) == 1


def test_a_finding_in_another_file_obeys_that_file() -> None:
    Path("a.py").write_text("elsewhere b.py\nerror # noqa\n")
    Path("b.py").write_text("x # noqa\n")
    assert lint_paths(["a.py"]).diagnostics == ()
    Path("b.py").write_text("error\n")
    assert brief(lint_paths(["."]).diagnostics) == [("b.py", "IPL202", 1)]


def test_a_crash_stays_inside_its_file() -> None:
    for name in ("crash", "memory", "recursion", "syntax", "error", "settings"):
        Path(f"{name}.py").write_text(f"\n{name}\n")
    result = lint_paths(["."], jobs=1)
    assert brief(result.diagnostics) == [
        ("crash.py", "IPL903", 1),
        ("error.py", "IPL202", 2),
        ("memory.py", "IPL903", 1),
        ("recursion.py", "IPL903", 1),
        ("syntax.py", "IPL902", 2),
    ]
    crash = result.diagnostics[0]
    assert crash.message.endswith("ZeroDivisionError: a bug")
    assert crash.help is not None
    assert "in fake_analyze" in crash.help
    assert gc.isenabled()
    assert sys.getrecursionlimit() < 20_000
    assert result.statistics == {"IPL903": 3, "IPL202": 1, "IPL902": 1}


def test_unreadable_files_can_be_ignored() -> None:
    assert lint_source("syntax", config=Config(ignore=("IPL902",))) == []


def test_processes_find_the_same_in_the_same_order() -> None:
    for number in range(20):
        Path(f"f{number:02}.py").write_text("error\ncrash\n" if number % 5 == 0 else "\nwarning\nerror\n")
    assert lint_paths(["."], jobs=3) == lint_paths(["."], jobs=1)


def test_a_process_that_dies() -> None:
    for number in range(9):
        Path(f"f{number}.py").write_text("die" if number == 4 else "error")
    found = lint_paths(["."], jobs=2).diagnostics
    assert [each.code for each in found] == ["IPL202"] * 4 + ["IPL903"] + ["IPL202"] * 4
    assert found[4].message.endswith("the process died")


@pytest.mark.parametrize(
    ("data", "row", "message"),
    [
        (b"# a\ny = '\xe9'\n", 2, "is not valid utf-8: byte 0xe9"),
        (b"a\nb\n# c\nx = '\xe9'\n", 4, "is not valid utf-8: byte 0xe9"),
        (b"\xef\xbb\xbfa\nb\n# c\nx = '\xe9'\n", 4, "is not valid utf-8"),
        (b"#!x\n# -*- coding: nonsense -*-\n", 2, "has an unusable encoding: unknown encoding: nonsense"),
        (b"# coding: hex\nx\n", 1, "has an unusable encoding"),
        (b"# coding: ascii\nx = '\xe9'\n", 2, "is not valid ascii: byte 0xe9"),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1, "has an unusable encoding"),
        (b"x = 1\nx = '\0'\n", 2, "contains a NUL byte; it is no text"),
        ("x = 1\n".encode("utf-16"), 1, "contains a NUL byte; it looks like UTF-16"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, row: int, message: str) -> None:
    (found,) = lint_bytes(data, "a.py", Config())
    assert (found.code, found.site.span.row) == ("IPL902", row)
    assert message in found.message


@pytest.mark.parametrize(
    ("data", "row"),
    [
        (b"\xef\xbb\xbferror\n", 1),
        (b"x\r\n\r\nerror\r\n", 3),
        (b"x\rerror", 2),
        (b"# coding: latin-1\n# \xe9\nerror", 3),
        (b"\x0c\n\x0cx\nerror", 3),
        ("x = '\u2028'\nerror".encode(), 2),
        (b"\t\nerror\x0c", 2),
    ],
)
def test_odd_text_keeps_its_rows(data: bytes, row: int) -> None:
    assert brief(lint_bytes(data, "a.py", Config())) == [("a.py", "IPL202", row)]


def test_empty_text() -> None:
    assert lint_bytes(b"", "a.py", Config()) == []
    assert lint_source("") == []


def test_files_that_cannot_be_opened() -> None:
    Path("broken.py").symlink_to("nowhere.py")
    Path("loop.py").symlink_to("loop.py")
    Path("fine.py").write_text("error")
    found = lint_paths(["."]).diagnostics
    assert brief(found) == [("broken.py", "IPL902", 1), ("fine.py", "IPL202", 1), ("loop.py", "IPL902", 1)]
    assert found[0].message == "cannot be read: No such file or directory"


def test_merge_keeps_the_severest_and_all_stories() -> None:
    def one(severity: str, story: str, row: int = 1) -> Diagnostic:
        site = Site("a.py", Span(row, 1, row, 2))
        return Diagnostic(
            "IPL202", "n", severity, severity, site, (Related(story, site, "save", 1),), role="write", order=2
        )  # type: ignore[arg-type]

    second, first = merge([one("warning", "a"), one("info", "c", 0), one("error", "b"), one("info", "a")])
    assert second.site.span.row == 0
    assert first.severity == first.message == "error"
    assert [(related.message, related.order) for related in first.related] == [("b", 1), ("a", 2)]
    assert first.order == 3


def test_a_write_that_raises_is_not_reported_for_silent_effects_too() -> None:
    site, other = Site("a.py", Span(1, 1, 1, 2)), Site("a.py", Span(2, 1, 2, 2))
    raises = Diagnostic("IPL201", "n", "error", "raises", site)
    silent = [Diagnostic("IPL303", "n", "warning", "stale", where) for where in (site, other)]
    assert merge([*silent, raises]) == [raises, silent[1]]


def test_what_is_given_by_mistake(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    file = tmp_path / "a.py"
    assert lint_paths(str(file)).files == lint_paths(file).files == lint_paths([file]).files == (str(file),)
    (found,) = lint_source("x = 1  # inplace-lint: ignroe\n", file)
    assert (found.code, found.site.path) == ("IPL904", str(file))
    with pytest.raises(TypeError, match="as str, not bytes"):
        lint_source(b"x = 1\n")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"the text of b\.py as str, not bytes"):
        lint_source("x = 1\n", overlay={"b.py": b""})  # type: ignore[dict-item]
    for call in (lint_source, lint_paths):
        with pytest.raises(TypeError, match="takes a Config, not dict"):
            call(str(file), config={})  # type: ignore[arg-type]


def test_who_imports_one_path(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    (tmp_path / "b.py").write_text("x = 1\n")
    assert importers(tmp_path / "b.py", str(tmp_path)) == (str(tmp_path / "a.py"),)


def test_only_what_is_public_is_listed() -> None:
    import inplace_lint

    assert dir(inplace_lint) == sorted(inplace_lint.__all__)
