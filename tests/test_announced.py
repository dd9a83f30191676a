"""Rules of other packages: one that cannot be used is told, and costs its own findings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

HAZARD = "import torch\n\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)\n"
RULE = '''"""Finds writes."""
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.torch_model.events import Write

def check(trace):
    for event in trace.events:
        if isinstance(event, Write):
            yield Finding(event.site, "a write", "warning")

RULE = Rule({code!r}, "a-write", "writes", check)
'''

MODULES = {
    "good": RULE.format(code="XYZ100"),
    "absent": None,
    "broken": "1 / 0\n",
    "leaving": "import sys\nsys.exit(0)\n",
    "syntax": "def\n",
    "nothing": '"""Nothing."""\n',
    "strange": '"""Strange."""\nRULE = 5\n',
    "code": RULE.format(code="xyz"),
    "number": RULE.format(code="IPL302").replace("'IPL302'", "302"),
    "taken": RULE.format(code="IPL302"),
    "undocumented": RULE.format(code="XYZ200").partition("\n")[2],
    "unchecked": RULE.format(code="XYZ300").replace("check)", "None)"),
}
FAILING = sorted(MODULES.keys() - {"good"})


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages, outside of the tree that is checked."""
    folder = tmp_path / "installed"
    folder.mkdir()
    for name, text in MODULES.items():
        if text is not None:
            (folder / f"my_{name}.py").write_text(text)
        announce(folder, f"my-{name}", f"[inplace_lint.rules]\n{name} = my_{name}\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text(HAZARD)
    os.utime(tmp_path / "tree" / "a.py", (1_000_000_000, 1_000_000_000))
    return folder


def announce(folder: Path, name: str, text: str) -> None:
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "RECORD").write_text(f"{info.name}/entry_points.txt,,\n")
    (info / "entry_points.txt").write_text(text)


def check(installed: Path, *options: str, text: str | None = None) -> tuple[int, list[dict[str, str]]]:
    run = subprocess.run(
        [sys.executable, "-m", "inplace_lint", "--output-format", "json", *options],
        cwd=installed.parent / "tree",
        env={**os.environ, "PYTHONPATH": str(installed)},
        input=text,
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in run.stderr, run.stderr
    return run.returncode, json.loads(run.stdout)


def test_one_that_cannot_be_used_is_told_and_the_others_are_used(installed: Path) -> None:
    status, found = check(installed, "a.py")
    assert status == 2
    told = [each["message"] for each in found if each["code"] == "IPL903"]
    assert [message.split()[2] for message in told] == [f"my_{name}" for name in FAILING]
    assert "the rule my_broken of my-broken cannot be used, and found nothing: ZeroDivisionError: " in told[1]
    assert [each["code"] for each in found if each["code"] != "IPL903"] == ["IPL302", "XYZ100"]
    assert check(installed, "a.py") == (status, found)
    assert len([*(installed.parent / "tree").glob(".inplace_lint_cache/*.bin")]) == 2  # it came from the cache
    piped = check(installed, "--stdin-filename", "a.py", "-", text=HAZARD)
    assert piped[0] == 2
    assert sorted(each["message"] for each in piped[1]) == sorted(each["message"] for each in found)


def test_what_one_package_says_cannot_be_read(installed: Path) -> None:
    announce(installed, "my-garbled", "[inplace_lint.rules]\nno assignment\n")
    announce(installed, "my-other", "[other]\nno assignment\n")
    status, found = check(installed, "a.py")
    assert status == 2
    assert sum("my-garbled" in each["message"] for each in found) == 1
    assert [each["code"] for each in found if each["code"] != "IPL903"] == ["IPL302", "XYZ100"]
    assert len(found) == len(FAILING) + 3


def test_fixes_are_applied_all_the_same(installed: Path) -> None:
    _, found = check(installed, "--fix", "--unsafe-fixes", "--ignore", "XYZ", "a.py")
    assert {each["code"] for each in found} == {"IPL903"}
    assert "sigmoid_" not in (installed.parent / "tree" / "a.py").read_text()


def test_another_rule_is_another_matter_for_the_cache(installed: Path) -> None:
    for name in FAILING:
        (installed / f"my_{name}-1.0.dist-info" / "entry_points.txt").unlink()
    assert [each["message"] for each in check(installed, "a.py")[1]][1] == "a write"
    rule = installed / "my_good.py"
    rule.write_text(rule.read_text().replace("a write", "one more write"))
    assert [each["message"] for each in check(installed, "a.py")[1]][1] == "one more write"
    (installed / "my_good-1.0.dist-info" / "entry_points.txt").unlink()
    assert [each["code"] for each in check(installed, "a.py")[1]] == ["IPL302"]
