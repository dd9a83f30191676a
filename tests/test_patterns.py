"""Patterns are read as git reads them, and take no longer than their length."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from inplace_lint.project.patterns import Patterns, is_pattern

PIECES = "a b ab * ? / / [ab] [!a] [a-b] \\a \\* ! []a] [[:alpha:]] \\? [z-a] [b- [a-] - # ] **/ /**/ /** [^".split()
PIECES += [" ", "\\ ", "\\"]
# What git makes of asterisks that neither stand alone nor between slashes depends on its version.
LOOSE_STARS = re.compile(r"[^/!]\*\*|\*\*[^/]|\*\*\*")
NAMES = ("a", "b", "ab", "-", "aa", "a b", "#", "*")


@pytest.mark.skipif(shutil.which("git") is None, reason="asks git")
def test_like_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    random = Random(7)
    lists: dict[str, list[str]] = {}
    paths: list[str] = []
    for number in range(150):  # as folders of one repository, git needs to be asked only once
        lines = ["".join(random.choices(PIECES, k=random.randint(1, 5))) for _ in range(random.randint(1, 3))]
        lines = [line for line in lines if not LOOSE_STARS.search(line)]
        folder = f"{number}"
        Path(folder).mkdir()
        Path(folder, ".gitignore").write_text("\n".join(lines) + "\n")
        lists[folder] = lines
        for _ in range(8):
            path = Path(folder, *random.choices(NAMES, k=random.randint(1, 4)))
            try:
                path.mkdir(parents=True)
                if random.random() < 0.5:
                    path.rmdir()
                    path.touch()
            except OSError:  # there already, or beneath a file
                continue
            paths.append(str(path))
    subprocess.run(["git", "init", "-q", "."], check=True)
    asked = "".join(f"{path}\0" for path in paths).encode()
    run = subprocess.run(["git", "check-ignore", "--no-index", "--stdin", "-z"], input=asked, capture_output=True)
    ignored = set(run.stdout.decode().split("\0"))
    wrong = [
        (lists[folder], path)
        for path in paths
        if Patterns(folder := path.partition(os.sep)[0], lists[folder]).match(path, os.path.isdir(path))
        != (path in ignored)
    ]
    assert len(ignored) > 100
    assert not wrong


@pytest.mark.parametrize(
    ("lines", "path", "taken"),
    [
        (["gen"], "a/gen/x.py", True),
        (["/gen"], "a/gen/x.py", False),
        (["a/**"], "a", False),
        (["a/**/b"], "a/b", True),
        (["a/**/b"], "a/x/y/b/z.py", True),
        (["*.py", "!keep.py"], "a/keep.py", False),
        (["a", "!a/keep.py"], "a/keep.py", True),
        (["a/*", "!a/keep.py"], "a/keep.py", False),
        (["b/"], "b", False),
        (["**"], "b", True),
        (["/"], "b", False),
        (["a//b"], "a/b", False),
    ],
)
def test_examples(lines: list[str], path: str, taken: bool) -> None:
    assert Patterns(".", lines).match(path) is taken


def test_what_is_no_pattern() -> None:
    for line in ("!", "/", "//", "a[", "a[b-", "[[:foo:]]", "a\\", "a" * 5000):
        assert not is_pattern(line), line
    for line in ("", "# comment", "[z-a]", "\\!", "a\\ ", "[]]"):
        assert is_pattern(line), line


HOSTILE = {
    "stars": ("*a" * 40 + "*b", "a" * 250),
    "many stars": ("*" * 4000 + "b", "a" * 250),
    "brackets": ("*[ab]" * 40 + "c", "ab" * 125),
    "question marks": ("*?" * 100 + "b", "a" * 250),
    "folders": ("**/a/" * 40 + "b", "/".join("a" * 1000)),
    "folders and stars": ("/*a*a*b/**" * 20, "/".join(["a" * 200] * 20)),
    "long names": ("*a*b", "a" * 100_000),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_no_pattern_takes_long(case: str) -> None:
    pattern, name = HOSTILE[case]
    program = (
        "import sys\nfrom inplace_lint.project.patterns import Patterns\n"
        "pattern, name = eval(sys.stdin.read())\n"
        "print(Patterns('.', [pattern]).match(name), Patterns('.', [pattern]).match(name, folder=True))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        input=repr((pattern, name)),
        text=True,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert run.stdout == "False False\n"
