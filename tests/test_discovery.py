from __future__ import annotations

import os
from pathlib import Path

import pytest

from inplace_lint.project.config import Config
from inplace_lint.project.discovery import NoSuchPathError, discover
from inplace_lint.project.settings import Settings


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(*names: str, text: str = "") -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text)


def files(*paths: str, **settings: object) -> list[str]:
    found = discover(paths or (".",), Settings(fixed=Config(**settings)))  # type: ignore[arg-type]
    assert not found.unreadable
    return [file.replace(os.sep, "/") for file in found.files]


def test_sorted_and_without_what_is_not_source(tree: Path) -> None:
    write("b.py", "a/z.py", "a/y.py", "c.txt", "d.pyi", "e.ipynb")
    write(".hidden/x.py", "__pycache__/x.py", "node_modules/x.py", "build/x.py", "dist/x.py", "a/build/x.py")
    write("env/pyvenv.cfg", "env/lib/x.py")
    assert files() == ["a/y.py", "a/z.py", "b.py", "e.ipynb"]


def test_what_is_named_is_taken(tree: Path) -> None:
    write(".hidden/x.py", "build/x.py", "script", "env/pyvenv.cfg", "env/lib/site-packages/m/x.py")
    assert files("script", "build", ".hidden", "env/lib/site-packages/m") == [
        "script",
        "build/x.py",
        ".hidden/x.py",
        "env/lib/site-packages/m/x.py",
    ]
    assert files("build", "build/x.py", force_exclude=True) == []


def test_each_file_once(tree: Path) -> None:
    write("a/x.py")
    assert files("a/x.py", "a", ".", "./a/../a/x.py") == ["a/x.py"]


def test_exclude(tree: Path) -> None:
    write("a/x.py", "a/gen/x.py", "b/x_pb2.py", "build/x.py")
    assert files(extend_exclude=("gen", "*_pb2.py")) == ["a/x.py"]
    assert files(exclude=("a",)) == ["b/x_pb2.py", "build/x.py"]


def test_gitignore(tree: Path) -> None:
    write("a/x.py", "a/gen/x.py", "a/gen/keep.py", "b/gen/x.py", "out/x.py", "local.py")
    write(".gitignore", text="/out\n*.tmp\n")
    write("a/.gitignore", text="gen/*\n!keep.py\n")
    write(".git/info/exclude", text="local.py\n")
    assert files() == ["a/gen/keep.py", "a/x.py", "b/gen/x.py"]
    assert files("a/gen") == ["a/gen/keep.py"]
    assert files("out") == ["out/x.py"]
    assert files("out/x.py") == ["out/x.py"]
    assert "out/x.py" in files(respect_gitignore=False)


def test_what_is_no_pattern_is_passed_over(tree: Path, recwarn: pytest.WarningsRecorder) -> None:
    write("a/x.py", "a/y.py", ".git/config")
    write(".gitignore", text="!\nb[z-a]\n[[:foo:]]\ny.py\n")
    assert files() == ["a/x.py"]
    assert not recwarn.list


def test_links(tree: Path) -> None:
    write("a/x.py")
    Path("a/loop").symlink_to(tree, target_is_directory=True)
    Path("a/folder.py").symlink_to(tree / "a", target_is_directory=True)
    Path("a/broken.py").symlink_to(tree / "nowhere.py")
    Path("self.py").symlink_to(tree / "self.py")
    assert files() == ["a/broken.py", "a/x.py", "self.py"]


def test_missing_path(tree: Path) -> None:
    for path, message in (("nowhere", "folder: nowhere"), ("", "an empty name"), ("-", "cannot be mixed")):
        with pytest.raises(NoSuchPathError, match=message):
            discover([".", path], Settings())


def test_folder_that_may_not_be_entered(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("a/x.py", "b/x.py")
    scandir = os.scandir

    def guarded(folder: str) -> object:
        if os.path.basename(folder) == "a":
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", guarded)
    found = discover(["."], Settings())
    assert found.files == (os.path.join("b", "x.py"),)
    assert found.unreadable == (("a", "cannot be entered: Permission denied"),)
