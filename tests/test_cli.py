from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from heeding import heed_signals
from launched import launched

from inplace_lint import __version__, cli
from inplace_lint.findings.analysis import Analysis
from inplace_lint.findings.diagnostic import GivenUp
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.project.config import load
from inplace_lint.source.place import Site, Span

RULE = Rule("IPL202", "saved-output-modified", "")


def fake_analyze(text: str, path: str, rules: object, load: object, effort: object) -> Analysis:
    """Finds something in each line that is named after a severity."""
    if "crash" in text:
        raise ZeroDivisionError
    rows = enumerate(text.split("\n"), 1)
    severities = ("error", "warning", "info")
    found = [(RULE, Finding(Site(path, Span(r, 1, r, 4)), "found", s)) for r, s in rows if s in severities]  # type: ignore[arg-type]
    return Analysis(found, (GivenUp("long", "paths"),) if "long" in text else ())


class Run:
    """Runs the command line in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit:
            cli.main(list(args))
        out, err = self._capsys.readouterr()
        assert isinstance(exit.value.code, int)
        return exit.value.code, out, err


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    for function in ("analyze", "analyze_draft"):
        monkeypatch.setattr(f"inplace_lint.interpret.analysis.analyze.{function}", fake_analyze)
    monkeypatch.chdir(tmp_path)
    for variable in ("GITHUB_ACTIONS", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(variable, raising=False)
    Path("clean.py").write_text("x\n")
    Path("bad.py").write_text("error\nwarning\ninfo\n")
    return Run(capsys)


def test_exit_status(run: Run) -> None:
    assert run("clean.py")[0] == 0
    assert run("bad.py")[0] == 1
    assert run("--exit-zero", "bad.py")[0] == 0
    assert run("nowhere.py")[0] == 2
    assert run("--bogus")[0] == 2
    Path("crash.py").write_text("crash\n")
    assert run("crash.py")[0] == 2
    assert run("crash.py", "--exit-zero")[0] == 2


def test_fail_on(run: Run) -> None:
    Path("warned.py").write_text("warning\n")
    assert run("warned.py", "--fail-on", "error")[0] == 0
    assert run("warned.py", "--fail-on", "warning")[0] == 1


@pytest.mark.parametrize("words", [(), ("check",), (".",), ("check", "."), ("-q",)])
def test_check_is_the_default(run: Run, words: tuple[str, ...]) -> None:
    status, out, err = run(*words)
    assert status == 1
    assert "error[IPL202]: found\n --> bad.py:1:1\n" in out
    assert err == ""


def test_concise(run: Run) -> None:
    assert run("--output-format", "concise")[1] == (
        "bad.py:1:1: error[IPL202] found\n"
        "bad.py:2:1: warning[IPL202] found\n"
        "Found 2 problems (1 error, 1 warning) in 1 file.\n"
    )
    assert "Found" not in run("--output-format", "concise", "--quiet")[1]


def test_info_is_shown_if_selected(run: Run) -> None:
    assert run("--output-format", "concise", "--select", "IPL2")[1].count("[IPL202]") == 3
    assert run("--extend-select", "IPL202,IPL9", "--ignore", "IPL202")[0] == 0


def test_json_to_a_file(run: Run) -> None:
    status, out, _ = run("--output-format", "json", "--output-file", "out.json")
    assert (status, out) == (1, "")
    assert [each["location"]["row"] for each in json.loads(Path("out.json").read_text())] == [1, 2]
    assert run("--output-file", "none/out.json")[0] == 2


def test_statistics(run: Run) -> None:
    assert run("--statistics")[1] == "2  IPL202  saved-output-modified\n"
    assert json.loads(run("--statistics", "--output-format", "json")[1])[0]["count"] == 2


def test_statistics_name_what_was_given_up(run: Run) -> None:
    Path("long.py").write_text("long\n")
    _, out, err = run("--statistics", "long.py")
    assert out == ""
    assert err == "1 place was not followed to the end:\n  long.py: long (it has more paths than are followed)\n"


def test_show_files(run: Run) -> None:
    assert run("--show-files", "--extend-exclude", "bad.py") == (0, "clean.py\n", "")


def test_nothing_to_check(run: Run) -> None:
    Path("empty").mkdir()
    status, _, err = run("empty")
    assert status == 0
    assert err == "warning: no Python files found under the given paths\n"


def test_per_file_ignores(run: Run) -> None:
    assert run("--per-file-ignores", "bad.py:IPL1,IPL2")[0] == 0
    assert run("--per-file-ignores", "other.py:IPL2")[0] == 1
    assert run("--per-file-ignores", "IPL2")[0] == 2


def test_configuration_file(run: Run) -> None:
    Path("pyproject.toml").write_text("[tool.inplace-lint]\nignore = ['IPL2']\n")
    assert run()[0] == 0
    assert run("--select", "IPL2")[0] == 1
    assert run("--isolated")[0] == 1
    Path("other.toml").write_text("output-format = 'concise'\n")
    assert run("--config", "other.toml")[1].startswith("bad.py:1:1: error")
    assert run("--config", "other.toml", "--isolated")[0] == 2
    Path("pyproject.toml").write_text("[tool.inplace-lint]\nignor = ['IPL2']\n")
    status, _, err = run()
    assert status == 2
    assert err.endswith("pyproject.toml: unknown key `ignor`; did you mean `ignore`?\n")


def test_the_nearest_configuration_counts_for_each_file(run: Run) -> None:
    for name in ("a", "b"):
        Path(name).mkdir()
        Path(name, "bad.py").write_text("error\n")
    Path("b/inplace-lint.toml").write_text("ignore = ['IPL2']\nfail-on = 'error'\n")
    Path("inplace-lint.toml").write_text("output-format = 'concise'\n")
    status, out, _ = run("a", "b", "-q")
    assert (status, out) == (1, f"{Path('a/bad.py')}:1:1: error[IPL202] found\n")
    assert run("b")[0] == 0
    assert run("a", "b", "--config", "inplace-lint.toml", "-q")[1].count("IPL202") == 2


def test_config(run: Run) -> None:
    Path("inplace-lint.toml").write_text(
        "ignore = ['IPL3']\nfail-on = 'error'\nper-file-ignores = { 'bad.py' = ['IPL2'] }\n"
    )
    status, out, _ = run("config", "bad.py", "--ignore", "IPL305")
    assert status == 0
    assert "# bad.py: configured by inplace-lint.toml\n" in out
    assert 'ignore = ["IPL305"]  # command line\n' in out
    assert 'fail-on = "error"  # inplace-lint.toml\n' in out
    assert "respect-gitignore = true  # default\n" in out
    (on,) = [line for line in out.splitlines() if line.startswith("# Rules on:")]
    assert "IPL101" in on
    assert not {"IPL202", "IPL301", "IPL305"} & set(on.split())
    assert run("config", "nowhere")[0] == 2


def test_config_prints_a_configuration_that_says_the_same(run: Run) -> None:
    text = "select = ['IPL1']\nper-file-ignores = { 'a/*' = ['IPL2'] }\nextend-exclude = ['\"quoted\"']\n"
    Path("inplace-lint.toml").write_text(text)
    Path("copy.toml").write_text(run("config")[1])
    assert load(Path("copy.toml")) == load(Path("inplace-lint.toml"))


def test_a_key_is_explained(run: Run) -> None:
    status, out, _ = run("config", "fail-on")
    assert (status, out) == (0, 'fail-on\n\nThe lowest severity that makes the exit status 1.\n\nDefault: "info"\n')
    Path("baseline").mkdir()
    assert "no configuration file" in run("config", "baseline")[1]
    assert "did you mean `fail-on`?" in run("config", "failon")[2]


def test_lines_of_a_configuration_on_the_command_line(run: Run) -> None:
    Path("warning.py").write_text("warning\n")
    Path("other.toml").write_text("output-format = 'concise'\nfail-on = 'error'\n")
    status, out, _ = run("warning.py", "-q", "--config", "fail-on='warning'", "--config", "other.toml")
    assert (status, out) == (1, "warning.py:1:1: warning[IPL202] found\n")
    assert run("warning.py", "--config", "fail-on='warning'", "--fail-on", "error")[0] == 0
    assert 'a string needs quotes: fail-on = "error"' in run("--config", "fail-on=error")[2]
    assert "did you mean `fail-on`?" in run("--config", "fail_on='error'")[2]
    assert "names one file at most" in run("--config", "other.toml", "--config", "third.toml")[2]
    assert "stands in a file only" in run("--config", "extend='other.toml'")[2]


def test_all_rules_are_explained(run: Run) -> None:
    out = run("rule", "--all")[1]
    assert all(f"\n{code} " in f"\n{out}" for code in ("IPL101", "IPL202", "IPL904"))
    assert len(json.loads(run("rule", "--all", "--output-format", "json")[1])) > 20
    assert run("rule", "IPL101", "--all")[0] == 2


def test_mistaken_options(run: Run) -> None:
    for words, message in (
        (
            ("--jobs", "0"),
            "Invalid value for '-j' / '--jobs': 0 is not in the range x>=1 (see `inplace-lint check --help`)",
        ),
        (("rule",), "name a rule, or give --all (see `inplace-lint rule --help`)"),
        (("--config", "a.toml", "--isolated"), "--config and --isolated exclude each other"),
    ):
        assert run(*words)[1:] == ("", f"error: {message}\n")
    assert "did you mean `IPL202`?" in run("--select", "IPL2022")[2]
    assert "did you mean `full`?" in run("--output-format", "ful")[2]


def test_github_by_default_under_github_actions(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run()[1].startswith("::error ")


def test_colours(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in run()[1]
    assert "\x1b" in run("--color", "always")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert all("\x1b" in run(*words)[1] for words in ((), ("rules",)))
    monkeypatch.setenv("NO_COLOR", "1")
    assert not any("\x1b" in run(*words)[1] for words in ((), ("rules",)))


def test_interrupted(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    def leave(status: int) -> None:
        raise SystemExit(status)

    monkeypatch.setattr("inplace_lint.pipeline.lint_paths.lint_paths", interrupt)
    monkeypatch.setattr(os, "_exit", leave)
    status, _, err = run()
    assert (status, err) == (130, "\ninterrupted\n")


def test_rules(run: Run) -> None:
    status, out, _ = run("rules")
    assert status == 0
    assert "IPL902  unreadable-file" in out
    listed = json.loads(run("rules", "--output-format", "json")[1])
    assert {"code", "name", "default", "summary"} == set(listed[0])


def test_rule(run: Run) -> None:
    status, out, _ = run("rule", "ipl902")
    assert status == 0
    assert out.startswith("IPL902 unreadable-file\n\nA file that")
    assert json.loads(run("rule", "IPL902", "--output-format", "json")[1])["documentation"].startswith("A file")
    status, _, err = run("rule", "IPL992")
    assert (status, err) == (2, "error: unknown rule code `IPL992`; did you mean `IPL902`?\n")


def test_version_and_help(run: Run) -> None:
    assert run("--version")[1] == f"inplace-lint {__version__}\n"
    for words in (("--help",), ("-h",), ("check", "--help"), ("rule", "--help")):
        assert "Usage: inplace-lint" in run(*words)[1]


# The rest needs a process of its own. These files fail before the analysis would begin.


def spawn(*args: str, folder: Path, stdin: bytes = b"", shell: str = "", **env: str) -> tuple[int, str, str]:
    if not shell and not env:
        run = launched("inplace_lint", *args, folder=folder, stdin=stdin)
        return run.returncode, run.stdout, run.stderr
    command = [sys.executable, "-m", "inplace_lint", *args]
    if shell:
        command = ["bash", "-c", f'"$@" {shell}', "bash", *command]
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, env={**os.environ, **env})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_standard_input(tmp_path: Path) -> None:
    args = ("-", "--output-format", "concise", "-q")
    status, out, _ = spawn(*args, "--stdin-filename", "src/a.py", folder=tmp_path, stdin=b"\0")
    assert status == 1
    assert out.startswith("src/a.py:1:1: error[IPL902] contains a NUL byte")
    assert spawn(*args, folder=tmp_path, stdin=b"# inplace-lint: skip-file\n")[0] == 0


def test_terminal_without_unicode(tmp_path: Path) -> None:
    (tmp_path / "\u6f22.py").write_bytes(b"\0")
    status, out, err = spawn(folder=tmp_path, PYTHONIOENCODING="latin-1")
    assert (status, err) == (1, "")
    assert "?.py" in out


@pytest.mark.skipif(os.name == "nt", reason="needs a POSIX shell")
def test_closed_pipe(tmp_path: Path) -> None:
    for number in range(2000):
        (tmp_path / f"f{number}.py").write_bytes(b"\0")
    assert spawn("-j1", folder=tmp_path, shell="| head -n 1")[2] == ""
    assert spawn("-j1", folder=tmp_path, shell=">&-")[0] == 1


HAZARD = "import torch\n\ndef f(x):\n    return x * torch.sigmoid_(x)\n"


def test_add_noqa_keeps_every_other_byte(tmp_path: Path) -> None:
    crlf = b"\xef\xbb\xbf" + HAZARD.replace("\n", "\r\n").encode() + b"# \x0c end"
    (tmp_path / "crlf.py").write_bytes(crlf)
    (tmp_path / "latin.py").write_bytes(b"# coding: latin-1\n# \xe9\n" + HAZARD.encode())
    (tmp_path / "broken.py").write_bytes(b"x = (")
    status, out, err = spawn("--add-noqa", folder=tmp_path)
    assert (status, out) == (0, "Added or extended `# noqa` comments on 2 lines in 2 files.\n")
    assert err == "warning: broken.py: no comment can suppress IPL902\n"
    assert (tmp_path / "crlf.py").read_bytes() == crlf.replace(b"_(x)", b"_(x)  # noqa: IPL302")
    assert b"# \xe9\n" in (tmp_path / "latin.py").read_bytes()
    assert spawn("crlf.py", "latin.py", folder=tmp_path)[0] == 0
    assert spawn("--add-noqa", "-", folder=tmp_path)[0] == 2


def test_fixing_keeps_a_comment_that_a_caller_needs(tmp_path: Path) -> None:
    callee = "def f(x):\n    x.add_(1)  # noqa: IPL202{}\n\n\ny = 1{}\n"
    call = "x = torch.randn(3, requires_grad=True)\ny = x.sigmoid()\nf(y)\ny.sum().backward()\n"
    (tmp_path / "use.py").write_text(f"import torch\nfrom callee import f\n\n{call}")
    (tmp_path / "callee.py").write_text(callee.format(", IPL301", "  # noqa: IPL101"))
    status, out, _ = spawn("--fix", "--extend-select", "IPL901", "use.py", "callee.py", folder=tmp_path)
    assert (status, out) == (0, "Found 2 problems (all fixed).\n")
    assert (tmp_path / "callee.py").read_text() == callee.format("", "")


def test_add_noqa_in_a_notebook(tmp_path: Path) -> None:
    cells = [{"cell_type": "code", "source": source, "metadata": {}} for source in ("%pip list\n", HAZARD)]
    file = tmp_path / "a.ipynb"
    file.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    assert spawn("--add-noqa", folder=tmp_path)[1] == "Added or extended `# noqa` comments on 1 line in 1 file.\n"
    assert json.loads(file.read_text())["cells"][1]["source"] == HAZARD.replace("_(x)", "_(x)  # noqa: IPL302")
    assert spawn(folder=tmp_path)[0] == 0


def test_verbose_tells_what_takes_how_long(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(HAZARD)
    _, out, err = spawn("-v", "-q", "--output-format", "concise", folder=tmp_path)
    assert out.count("\n") == 1
    assert re.match(
        r"1 file: discovery \d+\.\d\d s, analysis \d+\.\d\d s, report \d+\.\d\d s\n"
        r"processor time of the analysis: (\w+ \d+\.\d\d s(, |\n))+ +\d+\.\d\d s  a\.py \(",
        err,
    )


@pytest.mark.skipif(os.name == "nt", reason="ends it as Ctrl-C does")
def test_watch(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("x = 1\n")
    command = [sys.executable, "-u", "-m", "inplace_lint", "--watch", "--output-format", "concise"]
    watching = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        preexec_fn=heed_signals,
    )
    assert watching.stdout is not None
    try:
        assert watching.stdout.readline() == "No problems found.\n"
        (tmp_path / "b.py").write_text(HAZARD)
        assert watching.stdout.readline().startswith("b.py:4:16: warning[IPL302]")
        (tmp_path / "inplace-lint.toml").write_text("ignore = ['IPL302']\n")
        file.write_text("x = 2\n")
        assert "No problems found.\n" in iter(watching.stdout.readline, "")
        watching.send_signal(signal.SIGINT)
        assert watching.wait(60) == 130
    finally:
        watching.kill()
        watching.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_only(tmp_path: Path) -> None:
    import pty

    slow = "import time, inplace_lint.cli.progress as p; p._SECONDS_BEFORE_A_BAR = 0"
    for number in range(3):
        (tmp_path / f"f{number}.py").write_text("x = 1\n")
    program = f"{slow}; from inplace_lint.cli import main; main(['-j1'])"
    ours, theirs = pty.openpty()
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
        env={**os.environ, "COLUMNS": "50"},
    )
    os.close(theirs)
    shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert run.stdout == "No problems found.\n"
    assert "Checking" in shown
    assert "100%" in shown
    assert max(map(len, re.sub(r"\x1b\[[?0-9]*[a-zA-Z]", "", shown).split("\r"))) < 50
    assert subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True).stderr == b""


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("inplace-lint ba", "baseline"),
        ("inplace-lint --add-n", "--add-noqa"),
        ("inplace-lint --output-format conc", "concise"),
        ("inplace-lint check --fail-on w", "warning"),
        ("inplace-lint check --select IPL9,ipl302", "IPL9,IPL302"),
        ("inplace-lint rule ipl901", "IPL901"),
        ("inplace-lint check --col", "--color"),
        ("inplace-lint check --color al", "always"),
    ],
)
def test_shell_completion(tmp_path: Path, words: str, completed: str) -> None:
    source = spawn(folder=tmp_path, _INPLACE_LINT_COMPLETE="bash_source")[1]
    assert "complete -o nosort -F _inplace_lint_completion inplace-lint" in source
    asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split()) - 1), "_INPLACE_LINT_COMPLETE": "bash_complete"}
    assert spawn(folder=tmp_path, **asked)[1] == f"plain,{completed}\n"


@pytest.mark.parametrize("command", list(cli.COMMANDS))
def test_help_fits_a_screen(run: Run, command: str) -> None:
    lines = run(command, "--help")[1].splitlines()
    assert len(lines) <= 56
    assert max(map(len, lines)) <= 80


def test_each_option_of_check_takes_a_line(run: Run) -> None:
    shown = run("check", "--help")[1]
    assert max(map(len, shown.splitlines())) <= 80
    options = shown.partition("Rules:")[2].partition("Formats:")[0].splitlines()
    assert all(line.startswith("  -") or line.endswith(":") or not line.strip() for line in options)


@pytest.mark.parametrize(
    ("word", "near"), [("chekc", "check"), ("rul", "rule"), ("help", "--help"), ("version", "--version")]
)
def test_a_mistyped_command(run: Run, word: str, near: str) -> None:
    status, _, err = run(word)
    assert status == 2
    assert err.startswith(f"error: no such command, file or folder: {word}; did you mean `{near}`?")


def test_a_name_for_standard_input_is_enough(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(HAZARD)
    command = [sys.executable, "-m", "inplace_lint", "--stdin-filename", "a.py", "--output-format", "concise"]
    piped = subprocess.run(command, cwd=tmp_path, input=HAZARD, capture_output=True, text=True)
    assert "a.py:4:16" in piped.stdout
    assert "b.py" not in piped.stdout
    both = subprocess.run([*command, "b.py"], cwd=tmp_path, input=HAZARD, capture_output=True, text=True)
    assert (both.returncode, both.stdout) == (2, "")


@pytest.mark.parametrize("word", ["--exit-zero", "--output-file=a.py", "-q", "--fix"])
def test_a_file_that_looks_like_an_option(tmp_path: Path, word: str) -> None:
    (tmp_path / "a.py").write_text(HAZARD)
    (tmp_path / word).write_text("")
    status, out, err = spawn(word, "a.py", folder=tmp_path)
    assert (status, out) == (2, "")
    assert f"`{word}` is a file here, and looks like an option" in err
    assert (tmp_path / "a.py").read_text() == HAZARD
    assert spawn("--", "a.py", folder=tmp_path)[0] == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs a folder that is deleted while it is used")
def test_a_deleted_working_folder(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = f"rmdir '{gone}'; exec '{sys.executable}' -m inplace_lint '{tmp_path}'"
    run = subprocess.run(["sh", "-c", script], cwd=gone, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.startswith("error: ")
    assert run.stderr.count("\n") == 1
