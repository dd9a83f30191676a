"""Whatever is in a file, there is a clear diagnostic of it, and the other files are checked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from inplace_lint import lint_paths

HAZARD = "import torch\ndef f(x):\n    return x * torch.sigmoid_(x)\n"
RAW = HAZARD.encode()

# Content, and the row and column of the finding.
CHECKED = {
    "binary_in_a_string.py": (b"x = '\\xff'\n" + RAW, 4, 16),
    "byte_order_mark.py": (b"\xef\xbb\xbf" + RAW, 3, 16),
    "carriage_returns.py": (RAW.replace(b"\n", b"\r"), 3, 16),
    "coding_latin.py": (b"# coding: latin-1\n# \xe9\n" + RAW, 5, 16),
    "coding_line_too_late.py": (b"\n\n# coding: nonsense\n" + RAW, 6, 16),
    "coding_shift_jis.py": ("# coding: shift_jis\n# 日本\n".encode("shift_jis") + RAW, 5, 16),
    "crlf.py": (RAW.replace(b"\n", b"\r\n"), 3, 16),
    "deep_blocks.py": ("".join(f"{' ' * i}if a:\n" for i in range(95)).encode() + b" " * 95 + b"pass\n" + RAW, 99, 16),
    "deep_brackets.py": (b"y = " + b"[" * 190 + b"]" * 190 + b"\n" + RAW, 4, 16),
    "escapes.py": (b"x = '\\d \\8'\n" + RAW, 4, 16),
    "form_feeds.py": (b"\x0c\n" + RAW.replace(b"def", b"\x0cdef"), 4, 16),
    "field_without_an_item.py": (
        b"import collections\nPair = collections.namedtuple('Pair', ['a', 'b'], defaults=[0])\nb = Pair(1).b\n" + RAW,
        6,
        16,
    ),
    "match_true.py": (
        b"def g(x, y):\n    match y:\n        case True | None:\n            x += y\n    return x\n" + RAW,
        8,
        16,
    ),
    "split_by_nothing.py": (b"try:\n    'a'.split('')\nexcept ValueError:\n    pass\n" + RAW, 7, 16),
    "long_boolean.py": (b"y = " + b" and ".join([b"a"] * 3000) + b"\n" + RAW, 4, 16),
    "long_number.py": (b"y = " + b"9" * 10_000 + b"\n" + RAW, 4, 16),
    "long_string.py": (b"y = '" + b"a" * 1_000_000 + b"'\n" + RAW, 4, 16),
    "mixed_newlines.py": (RAW.replace(b"\n", b"\r\n", 1), 3, 16),
    "newer_python.py": (b"type X = int\ny = f'{a['b']}'\n" + RAW, 5, 16),
    "no_final_newline.py": (RAW.rstrip(b"\n"), 3, 16),
    "no_final_newline_comment.py": (RAW + b"# end", 3, 16),
    "odd_line_separators.py": ("s = '\u2028\u2029\x85\x1c'\n".encode() + RAW, 4, 16),
    "one_line.py": (b"y = 1; " * 50_000 + b"\n" + RAW, 4, 16),
    "tabs.py": (RAW.replace(b"    ", b"\t"), 3, 13),
    "wide_characters.py": ("# 😀\n".encode() + RAW.replace(b"f(x)", "变量(x)".encode()), 4, 16),
}

# Content, the row, and what the message says.
UNREADABLE = {
    "binary.py": (b"\x7fELF\0\1", 1, "contains a NUL byte"),
    "coding_contradicted.py": (b"\xef\xbb\xbf# coding: latin-1\n", 1, "unusable encoding"),
    "coding_hex.py": (b"# coding: hex\n" + RAW, 1, "unusable encoding"),
    "coding_unknown.py": (b"# coding: nonsense\n" + RAW, 1, "unknown encoding: nonsense"),
    "deep_attributes.py": (b"y = a" + b".b" * 100_000, 1, "nested too deeply"),
    "deep_blocks.py": ("".join(f"{' ' * i}if a:\n" for i in range(1000)).encode(), 101, "too many levels"),
    "deep_calls.py": (b"y = a" + b"()" * 3000 + b"\n" + RAW, 1, "nested too deeply"),
    "deep_parentheses.py": (b"y = " + b"(" * 5000 + b")" * 5000, 1, "nested too deeply"),
    "deep_signs.py": (b"y = " + b"-" * 100_000 + b"1", 1, "nested too deeply"),
    "end_of_file.py": (RAW + b"\x1a", 4, "syntax error: "),
    "latin.py": (b"\n# \xe9\n" + RAW, 2, "byte 0xe9"),
    "mixed_indentation.py": (b"def f(x):\n\tif x:\n        y\n", 3, "inconsistent use of tabs"),
    "python2.py": (b"print 'x'\n", 1, "Missing parentheses"),
    "template.py": (b"x = <% y %>\n", 1, "invalid syntax"),
    "unterminated.py": (b"x = '''\n", 1, "unterminated"),
    "utf16.py": (HAZARD.encode("utf-16"), 1, "looks like UTF-16"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What one run finds in all of them together, by file."""
    folder = tmp_path_factory.mktemp("bad")
    for group, files in (("checked", CHECKED), ("unreadable", UNREADABLE)):
        (folder / group).mkdir()
        for name, (content, *_) in files.items():
            (folder / group / name).write_bytes(content)
    (folder / "empty.py").write_bytes(b"")
    (folder / "only_a_mark.py").write_bytes(b"\xef\xbb\xbf")
    (folder / "only_space.py").write_bytes(b" \t\n\x0c")
    status, out, err = run(folder, ".", "--output-format", "json")
    assert (status, err) == (1, "")
    by_file: dict[str, list[dict[str, Any]]] = {}
    for each in json.loads(out):
        by_file.setdefault(os.path.relpath(each["filename"], folder).replace(os.sep, "/"), []).append(each)
    return by_file


def run(folder: Path, *args: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "inplace_lint", "check", *args]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("name", CHECKED)
def test_odd_files_are_checked(found: dict[str, list[dict[str, Any]]], name: str) -> None:
    _, row, column = CHECKED[name]
    (only,) = found[f"checked/{name}"]
    assert (only["code"], only["location"]) == ("IPL302", {"row": row, "column": column})


@pytest.mark.parametrize("name", UNREADABLE)
def test_what_cannot_be_read_is_told(found: dict[str, list[dict[str, Any]]], name: str) -> None:
    _, row, message = UNREADABLE[name]
    (only,) = found[f"unreadable/{name}"]
    assert (only["code"], only["location"]["row"]) == ("IPL902", row)
    assert message in only["message"]


def test_nothing_is_said_of_files_with_nothing_in_them(found: dict[str, list[dict[str, Any]]]) -> None:
    expected = {f"checked/{name}" for name in CHECKED} | {f"unreadable/{name}" for name in UNREADABLE}
    assert found.keys() == expected


def codes(*paths: str) -> list[tuple[str, str, str]]:
    return [(each.site.path, each.code, each.message) for each in lint_paths(paths).diagnostics]


def test_a_file_that_is_deleted_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inplace_lint.pipeline import lint_paths as pipeline
    from inplace_lint.project.discovery import Discovered

    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("x = (")
    monkeypatch.setattr(pipeline, "discover", lambda *_: Discovered(("gone.py", "a.py")))
    assert [each[:2] for each in codes(".")] == [("a.py", "IPL902"), ("gone.py", "IPL902")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="has no pipes with names")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "uses.py").write_text("from pipe import g\n" + HAZARD)
    assert run(tmp_path, "pipe.py", "-q", "--output-format", "concise") == (
        1,
        "pipe.py:1:1: error[IPL902] is no regular file; pipe its content in with `-`\n",
        "",
    )
    assert run(tmp_path, ".", "-q", "--output-format", "concise")[1].startswith("uses.py:4:16: ")


@contextmanager
def unprivileged() -> Iterator[None]:
    """Root may read everything, so it plays somebody else."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="has other permissions")
def test_what_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path.chmod(0o755)
    Path("folder").mkdir(mode=0)
    for name in ("file.py", "good.py"):
        Path(name).write_text(HAZARD)
    lint_paths(["good.py"])  # imports all that is needed
    Path("file.py").chmod(0)
    with unprivileged():
        found = codes(".")
    assert [each[1:] for each in found[:2]] == [
        ("IPL902", "cannot be read: Permission denied"),
        ("IPL902", "cannot be entered: Permission denied"),
    ]
    assert [each[:2] for each in found[2:]] == [("good.py", "IPL302")]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any bytes")
@pytest.mark.parametrize("format", ["full", "concise", "grouped", "json", "github", "gitlab", "sarif", "junit"])
def test_names_of_files_that_are_no_text(tmp_path: Path, format: str) -> None:
    for name in (b"caf\xe9.py", b"new\nline.py", b"\x1b[31m.py"):
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text(HAZARD)
    status, out, err = run(tmp_path, ".", "--output-format", format)
    assert (status, err) == (1, "")
    assert out.count("IPL302") >= 3
    assert "\x1b" not in out


def test_a_tree_that_is_very_deep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    here = os.getcwd()
    for _ in range(1020):
        os.mkdir("d")
        os.chdir("d")
    Path("a.py").write_text("x = (")
    os.chdir(here)
    try:
        assert [code for _, code, _ in codes(".")] == ["IPL902"]
    finally:
        subprocess.run(["rm", "-rf", "d"], check=True)
