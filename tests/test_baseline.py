"""A baseline hides the findings that it knows, wherever they have moved, and nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from inplace_lint import Config, cli, lint_paths
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.pipeline.baseline import Baseline, baseline_of, read_baseline, write_baseline
from inplace_lint.project.config import ConfigError
from inplace_lint.source.place import Site, Span

HAZARD = "def {name}(x):\n    return x * torch.sigmoid_(x)\n\n\n"
FILE = "inplace-lint-baseline.json"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    program("a.py", "f")

    def main(*args: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as exit:
            cli.main([*args])
        assert isinstance(exit.value.code, int)
        return exit.value.code, *capsys.readouterr()

    return main


def program(path: str, *names: str) -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_text("import torch\n\n\n" + "".join(HAZARD.format(name=name) for name in names))


def rows(*args: str) -> list[tuple[str, int]]:
    found = lint_paths(args or ["."], Config(baseline=FILE)).diagnostics
    return [(each.site.path, each.site.span.row) for each in found]


def test_only_new_findings_are_shown(run: Run) -> None:
    program("b.py", "g", "h")
    assert run("baseline")[0] == 0
    assert rows() == []
    program("c.py", "k")
    assert rows() == [("c.py", 5)]


def test_findings_may_move(run: Run) -> None:
    run("baseline")
    text = Path("a.py").read_text()
    Path("a.py").write_text("# a comment\n\n" + text.replace("_(x)\n", "_(x)  # another\n"))
    assert rows() == []
    Path("a.py").write_text(text.replace("sigmoid_", "tanh_"))
    assert rows() == [("a.py", 5)]


def test_equal_findings_are_counted(run: Run) -> None:
    program("a.py", "f", "g")
    run("baseline")
    program("a.py", "f", "g", "h")
    assert rows() == [("a.py", 13)]
    program("a.py", "f")
    status, out, err = run(".", "--baseline", FILE)
    assert (status, out) == (0, "No problems found.\n")
    assert err == (
        f"1 known finding is not shown ({FILE})\n"
        "1 finding of the baseline is gone; `inplace-lint baseline --update` takes it out\n"
    )
    assert run(".", "--baseline", FILE, "-q")[2] == ""


def test_update_takes_out_what_is_gone_and_adds_nothing(run: Run) -> None:
    program("b.py", "g")
    run("baseline")
    program("a.py")
    program("b.py", "g", "h")
    assert run("baseline", "--update")[1].startswith(f"{FILE}: 1 known finding in 1 file (2 before)")
    assert rows() == [("b.py", 9)]
    run("baseline")
    assert rows() == []


def test_other_files_keep_their_entries(run: Run) -> None:
    program("b.py", "g")
    program("gone.py", "g")
    run("baseline")
    Path("gone.py").unlink()
    program("a.py")
    run("baseline", "a.py")
    assert sorted(json.loads(Path(FILE).read_text())["findings"]) == ["b.py"]


def test_what_was_not_looked_for_is_not_gone(run: Run) -> None:
    program("c.py", "k")
    run("baseline")
    assert run("a.py", "--baseline", FILE)[2] == f"1 known finding is not shown ({FILE})\n"
    assert "gone" not in run(".", "--baseline", FILE, "--select", "IPL1")[2]
    program("b.py")
    assert "gone" not in run("b.py", "--baseline", FILE)[2]


def test_advice_counts_only_if_it_was_asked_for(run: Run) -> None:
    Path("a.py").write_text("import torch\n\n\ndef f(x):\n    x.mul_(2)\n    return x\n")
    run("baseline", "--select", "ALL")
    assert json.loads(Path(FILE).read_text())["findings"]["a.py"][0]["severity"] == "info"
    assert "gone" not in run(".", "--baseline", FILE)[2]


def test_configured(run: Run) -> None:
    Path("sub").mkdir()
    Path("inplace-lint.toml").write_text("baseline = 'sub/known.json'\n")
    assert run(".")[::2] == (2, f"error: {os.path.abspath('sub/known.json')}: {NO_BASELINE}\n")
    run("baseline")
    assert list(json.loads(Path("sub/known.json").read_text())["findings"]) == ["../a.py"]
    assert run(".")[0] == 0
    assert run("sub/../a.py")[0] == 0
    assert run(".", "--isolated")[0] == 1


NO_BASELINE = "no such baseline; `inplace-lint baseline` writes one"


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import io
    import sys

    run("baseline")
    for data, status in ((Path("a.py").read_bytes(), 0), (b"x = (", 1)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert run("-", "--stdin-filename", "a.py", "--baseline", FILE)[0] == status


def test_a_crash_is_never_known() -> None:
    site = Site("a.py", Span(1, 1, 1, 1))
    assert not baseline_of([Diagnostic("IPL903", "internal-error", "error", "m", site)], lambda _: "").files


def test_the_file_is_sorted_and_has_a_line_for_each_entry(run: Run) -> None:
    program("b.py", "g")
    run("baseline")
    first = Path(FILE).read_text()
    assert first.count("\n") == 11
    assert list(json.loads(first)["findings"]) == ["a.py", "b.py"]
    write_baseline(read_baseline(FILE), FILE)
    assert Path(FILE).read_text() == first
    write_baseline(Baseline({}), FILE)
    assert json.loads(Path(FILE).read_text()) == {"version": 1, "findings": {}}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read as a baseline: "),
        ("\xff", "cannot be read as a baseline: "),
        ("[" * 100_000, "cannot be read as a baseline: "),
        ("[]", "is no baseline of this version"),
        ('{"version": 2}', "is no baseline of this version"),
        ('{"version": 1}', "is damaged (KeyError('findings'))"),
        ('{"version": 1, "findings": {"a.py": 3}}', "is damaged"),
        ('{"version": 1, "findings": {"a.py": [{"code": 3}]}}', "is damaged"),
        ('{"version": 1, "findings": {"a.py": [{"severity": "secret"}]}}', "is damaged (TypeError('no severity'))"),
    ],
)
def test_damage_is_told(run: Run, text: str, message: str) -> None:
    Path(FILE).write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError) as caught:
        read_baseline(FILE)
    assert str(caught.value).startswith(f"{FILE}: {message}")
    status, _, err = run(".", "--baseline", FILE)
    assert status == 2
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_nowhere_to_write(run: Run) -> None:
    status, _, err = run("baseline", "-o", "none/known.json")
    assert (status, err) == (2, "error: none/known.json: cannot be written: No such file or directory\n")


def test_a_failure_of_the_tool_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from inplace_lint.interpret.analysis import analyze

    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(analyze, "analyze", fail)
    status, _, err = run("baseline", "a.py")
    assert (status, err) == (2, "error: inplace-lint failed on a.py; findings may be missing\n")
