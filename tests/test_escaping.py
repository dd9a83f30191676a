"""Whatever is in a name, a source or an option: what is printed moves no cursor and forges no line."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_lint import cli
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.flake8_plugin import Plugin
from inplace_lint.project.config import tomllib
from inplace_lint.project.keys import Format
from inplace_lint.report import Report, render
from inplace_lint.report.escaping import escaped, quoted_path, visible
from inplace_lint.source.place import Site, Span

# A title for the window, a bell, a command of GitHub's on a new line, and all that turns or hides text.
HOSTILE = (
    "\x1b]0;t\x07\r\n::error::forged\t\x1b[2J\x7f\x9b\u200e\u200f\u061c\u202a\u202e\u2066\u2069\u200b\u2028\u2029%0A,b"
)
COMMAND = "::error file=x::forged"
NAMES = (
    f"{HOSTILE}.py",
    f"{COMMAND}.py",
    f"  {COMMAND}.py",
    "caf\udce9.py",
    "\x0b.py",
    'quote"\\.py',
    "\ufeff\ufffe.py",
)

SECRET = "\x1b]0;t\x07 \u202e \x9b"
HAZARD = f'''\
import torch

def f(x, d):
    text = """
{COMMAND}
"""
    d["\u202e"] = "{SECRET}"; return x * torch.sigmoid_(x)  # {SECRET}
'''
UNREADABLE = f"x = {SECRET}\n"

FORMATS = get_args(Format)

needs_any_name = pytest.mark.skipif(sys.platform != "linux", reason="needs a file system that takes any name")


def harmless(text: str, *, colored: bool = False) -> None:
    """Fails if a terminal or GitHub would obey anything in the text."""
    if colored:
        text = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert not [char for char in text if char != "\n" and visible(char) != char], ascii(text)
    ours = re.compile(r"::(error|warning|notice) title=inplace-lint \(IPL\d+\),file=|::: ")
    for line in text.split("\n"):
        assert not line.lstrip().startswith("::") or ours.match(line.lstrip()), ascii(line)


Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command line in this process; what it prints is harmless, and is returned."""
    monkeypatch.chdir(tmp_path)
    for variable in ("GITHUB_ACTIONS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)

    def run(*args: str, colored: bool = False) -> str:
        with pytest.raises(SystemExit):
            cli.main(list(args))
        printed = "".join(capsys.readouterr())
        harmless(printed, colored=colored)
        assert "Traceback" not in printed
        return printed

    return run


@pytest.fixture
def files(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_text(HAZARD)
    (tmp_path / "unreadable.py").write_text(UNREADABLE)
    (tmp_path / f"{HOSTILE}.ipynb").write_text(json.dumps({"cells": HOSTILE}))
    (tmp_path / "uses.py").write_text(HAZARD.replace("# ", "# noqa: IPL302 "))


def test_what_is_seen_stays_as_it_is() -> None:
    for text in ("a.py", "", "src\\a b.py", "\u6f22\u5b57\u3000\u00e9\U0001f600.py", ":a", "a::b", 'x"y'):
        assert escaped(text) == visible(text) == text
    assert quoted_path("\u6f22 \u5b57.py") == "\u6f22 \u5b57.py"


def test_what_nobody_sees_is_spelled_out() -> None:
    assert visible("\x1b\n\r\t\x7f\x9b\u202e\udce9\U000e0001") == r"\u001b\n\r\t\u007f\u009b\u202e\udce9\U000e0001"
    assert escaped(" ::error::x") == r" \u003a:error::x"
    assert quoted_path("a\n\x1b\u202e\udce9\ud800.py") == r'"a\n\033\342\200\256\351\355\240\200.py"'
    assert quoted_path("::error::x.py") == '"::error::x.py"'
    assert quoted_path("a##[error]x.py") == r'"a#\043[error]x.py"'


TEXTS = st.text(st.one_of(st.characters(), st.sampled_from(HOSTILE + ":: \ud800\udce9")))


@given(TEXTS)
def test_any_text(text: str) -> None:
    harmless(escaped(text))
    harmless(quoted_path(text))
    assert escaped(escaped(text)) == escaped(text)


@given(st.text(st.characters(codec="utf-8")))
def test_escapes_mean_the_same_in_toml(text: str) -> None:
    assert tomllib.loads(f"x = {visible(json.dumps(text, ensure_ascii=False))}") == {"x": text}


@needs_any_name
@given(st.text(st.characters(codec="utf-8"), min_size=1))
def test_git_reads_our_quotes(path: str) -> None:
    quoted = quoted_path(path)
    if quoted != path:
        assert re.sub(rb"\\[abtnvfr\"\\]|\\\d{3}", lambda m: _unquoted(m[0]), quoted[1:-1].encode()) == path.encode()


def _unquoted(escape: bytes) -> bytes:
    return escape.decode().encode("latin-1").decode("unicode_escape").encode("latin-1")


@needs_any_name
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("color", ["always", "never"])
@pytest.mark.parametrize("format", FORMATS)
def test_formats(run: Run, format: str, color: str) -> None:
    printed = run(".", "-v", "--output-format", format, "--color", color, colored=color == "always")
    assert printed.count("IPL302") >= len(NAMES)


@needs_any_name
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("format", ["json", "gitlab", "sarif", "junit"])
def test_readers_of_data_get_the_names(run: Run, format: str) -> None:
    run(".", "-q", "--output-format", format, "-o", "report")
    text = Path("report").read_text("utf-8")
    if format == "junit":
        assert ElementTree.fromstring(text).get("tests")
        return
    data = json.loads(text)
    if format == "json":
        found = {os.path.relpath(each["filename"]) for each in data}
    elif format == "gitlab":
        found = {each["location"]["path"] for each in data}
    else:
        return
    assert set(NAMES) <= found


@pytest.mark.parametrize("format", FORMATS)
def test_every_text_of_a_finding(format: Format) -> None:
    text = f"{COMMAND} {HOSTILE}\ud800"
    span = Span(1, 1, 1, 3)
    for path in (f"{text}.py", f"{text}.ipynb"):
        cell = 2 if path.endswith(".ipynb") else None
        found = Diagnostic("IPL202", "saved-output-modified", "error", text, Site(path, span), help=text, cell=cell)
        harmless(render(Report((found,), lambda _: [text]), format))
        harmless(render(Report((found,)), format))


OPTIONS: tuple[tuple[str, ...], ...] = (
    ("--show-files",),
    ("--statistics",),
    ("--add-noqa",),
    ("--fix", "-v"),
    ("--extend-select", "IPL9"),
    ("baseline", "-o", f"{HOSTILE}.json"),
    ("config", f"{HOSTILE}.py"),
    ("config", "--extend-exclude", f"{HOSTILE}*", "--per-file-ignores", f"{HOSTILE}:IPL3"),
    ("clean", "--cache-dir", HOSTILE),
    ("rule", HOSTILE),
    (f"no such {HOSTILE}",),
    (f"--{HOSTILE}",),
    ("--color", HOSTILE),
    ("--jobs", HOSTILE),
    ("--output-format", HOSTILE),
    ("--select", HOSTILE),
    ("--per-file-ignores", HOSTILE),
    ("--exclude", f"!{HOSTILE}!"),
    ("--baseline", HOSTILE),
    ("--config", HOSTILE),
    ("-o", f"{HOSTILE}/a"),
    ("--cache-dir", f"{HOSTILE}.py"),
    ("--", "-", COMMAND),
    ("confirm", HOSTILE),
    ("confirm", f"{HOSTILE}.py:f"),
    ("confirm", f"{HOSTILE}.py:f", "--input", HOSTILE),
    ("memory", f"{HOSTILE}.py:{HOSTILE}"),
    ("run", HOSTILE),
    ("run", "-m", f"{HOSTILE}x"),
    ("explain", f"{HOSTILE} and so on and on"),
    ("explain", f"RuntimeError: a leaf Variable that requires grad is being used in an in-place operation. {HOSTILE}"),
    ("explain", f'File "{NAMES[1]}", line 1, in x\nRuntimeError: a view of a leaf Variable that requires grad'),
)


@needs_any_name
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("args", OPTIONS, ids=lambda args: "-".join(args)[:20].encode("ascii", "ignore").decode())
def test_commands(run: Run, args: tuple[str, ...]) -> None:
    assert run(*args)


TOML = {
    "key": f"{json.dumps(HOSTILE)} = 1",
    "value": f"output-format = {json.dumps(HOSTILE)}",
    "code": f"select = [{json.dumps(HOSTILE)}]",
    "path": f"models = [{json.dumps(HOSTILE)}]",
    "baseline": f"baseline = {json.dumps(HOSTILE)}",
    "pattern": f"exclude = [{json.dumps(HOSTILE + '!')}, '!']",
    "models": 'models = ["model.toml"]',
    "syntax": f"x = {SECRET}",
}
MODELS = (f"[{json.dumps(HOSTILE)}]", f"[ops.{json.dumps(HOSTILE)}]", f"[ops.x]\nparams = [{json.dumps(HOSTILE)}]")


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("text", TOML.values(), ids=TOML)
def test_configurations(run: Run, text: str, model: str) -> None:
    text, model = (re.sub("\x7f", r"\\u007f", each) for each in (text, model))
    Path("inplace-lint.toml").write_text(text, "utf-8")
    Path("model.toml").write_text(model, "utf-8")
    Path("a.py").write_text(HAZARD, "utf-8")
    assert "error" in run()
    for _, _, message, _ in Plugin(None, "a.py", [HAZARD]).run():  # type: ignore[arg-type]
        harmless(message)


def test_config_prints_toml(run: Run) -> None:
    name = HOSTILE.replace(",", "").replace("[", "")
    printed = tomllib.loads(run("config", "--extend-exclude", name, "--per-file-ignores", f"{name}\U0001f600:IPL3"))
    assert printed["extend-exclude"] == [name]
    assert printed["per-file-ignores"] == {f"{name}\U0001f600": ["IPL3"]}


@needs_any_name
@pytest.mark.usefixtures("files")
def test_names_that_programs_read(run: Run) -> None:
    listed = run("--show-files").split("\n")
    assert r'"caf\351.py"' in listed
    assert r'"quote\"\\.py"' in listed
    assert "uses.py" in listed


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@needs_any_name
@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("stream", [Terminal, io.StringIO])
def test_differences(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, stream: type[io.StringIO]) -> None:
    """A terminal sees escapes; what is piped to `patch` keeps its bytes, but for names."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", stream())
    with pytest.raises(SystemExit):
        cli.main([".", "--diff", "--unsafe-fixes", "-q"])
    printed = sys.stdout.getvalue()  # type: ignore[attr-defined]
    if stream is Terminal:
        assert not [char for char in printed if char != "\n" and visible(char) != char]
    else:
        assert f"# {SECRET}\n" in printed
    headers = [line for line in printed.split("\n") if line.startswith(("--- ", "+++ "))]
    assert len(headers) == 2 * len({*NAMES} | {"uses.py"}) - 2
    assert all(visible(line) == line for line in headers)


def test_escapes_of_a_traceback(run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError(HOSTILE)

    monkeypatch.setattr("inplace_lint.project.discovery.discover", fail)
    with pytest.raises(SystemExit):
        cli.main(["--show-files"])
    printed = "".join(capsys.readouterr())
    assert "ZeroDivisionError" in printed
    harmless(printed)


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="has no links")
@pytest.mark.parametrize("format", FORMATS)
def test_links_do_not_show_what_lies_outside(run: Run, tmp_path: Path, format: str) -> None:
    tree = tmp_path / "tree"
    (tree / "real").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("password = hunter 2\n")
    (tmp_path / "secret.py").write_text(HAZARD.replace("f(x", "password(x"))
    (tree / "text.py").symlink_to("../secret.txt")
    (tree / "code.py").symlink_to("../secret.py")
    (tree / "inside.py").symlink_to("real/inside.py")
    (tree / "real" / "inside.py").write_text("shown = inside 2\n")
    os.chdir(tree)
    printed = run("--output-format", format, ".")
    assert "IPL902" in printed
    assert "hunter" not in printed
    assert "return x *" not in printed
    if format == "full":
        assert "shown = inside 2" in printed
        assert "hunter" in run("--output-format", format, "text.py")  # it was named
        os.chdir(tmp_path)
        assert "hunter" in run("--output-format", format, "tree")  # it lies in the working folder


@pytest.mark.skipif(sys.platform != "linux", reason="needs a terminal")
def test_a_terminal_of_one_byte_each(tmp_path: Path) -> None:
    (tmp_path / "caf\u00e9.py").write_text(HAZARD)
    environment = {
        **os.environ,
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }
    command = [sys.executable, "-m", "inplace_lint", "."]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, timeout=120)
    harmless(done.stdout.decode("ascii"))


def test_older_commands_of_github_are_none() -> None:
    assert escaped("a ##[error]b") == r"a #\u0023[error]b"
