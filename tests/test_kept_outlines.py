"""Outlines are kept for all runs and projects of a user, and say the same as new ones."""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path

import pytest

from inplace_lint import lint_paths
from inplace_lint.project import outline_folder
from inplace_lint.project.outline_folder import OutlineFolder, default_folder, shared
from inplace_lint.screen import relevance
from inplace_lint.screen.outline import Definition, Outline, outline
from inplace_lint.screen.packed import packed, unpacked
from inplace_lint.screen.parts import parts
from inplace_lint.source.parsing import parse_once

_LAYERS = """
import torch


def scaled(x):
    return x.mul_(2)
"""
_USER = """
import torch
from layers import scaled

x = torch.ones(3, requires_grad=True)
y = x.exp()
scaled(y)
y.sum().backward()
"""


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "kept"))
    shared.cache_clear()
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    Path("layers.py").write_text(_LAYERS)
    Path("user.py").write_text(_USER)


def _folder() -> Path:
    folder = default_folder()
    assert folder is not None
    return Path(folder)


def _outlined(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files whose outlines are really made."""
    made: list[str] = []

    def noting(tree: object, text: str, path: str) -> object:
        made.append(path)
        return outline(tree, text, path)  # type: ignore[arg-type]

    monkeypatch.setattr(relevance, "outline", noting)
    return made


def _lint(cache: str | None) -> list[tuple[str, int]]:
    return [(each.code, each.site.span.row) for each in lint_paths(["."], jobs=1, cache=cache).diagnostics]


def _all_of(made: Outline) -> list[tuple[object, ...]]:
    """All that definitions say, and those that they lead to by name."""
    plain = [each.name for each in fields(Definition) if each.name not in ("outline", "owner", "members")]
    return [
        (
            *(getattr(each, name) for name in plain),
            each.owner and each.owner.name,
            {name: len(members) for name, members in each.members.items()},
        )
        for each in (*made.everything(), *made.headers)
    ]


def test_what_is_kept_says_the_same() -> None:
    for file in Path(relevance.__file__).parent.parent.rglob("*.py"):
        text = file.read_text("utf-8")
        tree, _ = parse_once(text, str(file))
        assert tree is not None
        made = outline(tree, text, str(file))
        told = parts(tree, text, made)
        again, told_again = unpacked(packed(made, told), str(file))
        assert _all_of(again) == _all_of(made)
        assert (again.imports, again.dotted, again.stars) == (made.imports, made.dotted, made.stars)
        assert parts(tree, text, again).digests == told.digests == told_again.digests
        assert told_again.rows == told.rows


def test_another_project_pays_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = _lint(".cache")
    made = _outlined(monkeypatch)
    (tmp_path / "other").mkdir()
    for file in ("layers.py", "user.py"):
        (tmp_path / "other" / file).write_text(Path(file).read_text())
    monkeypatch.chdir(tmp_path / "other")
    assert _lint(".cache") == first != []
    assert made == []


def test_without_a_cache_nothing_is_kept(tmp_path: Path) -> None:
    assert _lint(None)
    assert not (tmp_path / "kept").exists()


def test_who_has_no_home_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "within")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    shared.cache_clear()
    assert _lint(".cache")
    assert sorted(os.listdir()) == [".cache", "layers.py", "user.py"]


def test_a_text_that_changes_has_another_outline(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _lint(".cache")
    made = _outlined(monkeypatch)
    Path("layers.py").write_text(_LAYERS.replace("mul_", "mul"))
    assert _lint(".cache") == []
    assert set(made) == {"layers.py"}


@pytest.mark.parametrize("broken", [b"", b"inplace-lint cache 2\n" + bytes(32) + b"x", bytes(100)])
def test_what_is_broken_is_made_again(broken: bytes) -> None:
    first = _lint(".cache")
    for file in _folder().glob("outline-*.bin"):
        file.write_bytes(broken)
    assert _lint(".other") == first


def test_a_folder_of_somebody_else_is_left_alone() -> None:
    folder = _folder()
    folder.mkdir(parents=True)
    (folder / "letter.txt").write_text("dear")
    assert _lint(".cache")
    assert os.listdir(folder) == ["letter.txt"]


def test_what_was_not_used_for_long_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline_folder, "_MOST_FILES", 4)
    folder = OutlineFolder(str(tmp_path / "few"))
    for number in range(6):
        folder.put(f"{number}", b"text")
    os.utime(folder._file("5"), (1, 1))
    assert folder.get("5") == b"text"  # used once more
    for number in range(5):
        os.utime(folder._file(f"{number}"), (number + 2, number + 2))
    later = OutlineFolder(str(tmp_path / "few"))
    later.put("6", b"text")
    assert [later.get(f"{number}") is not None for number in range(7)] == [False] * 3 + [True] * 4
