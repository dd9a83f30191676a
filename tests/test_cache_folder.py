"""The folder of the cache is made by the tool, or it is left alone; a second run says what the first one said."""

from __future__ import annotations

import os
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from inplace_lint import Config, lint_paths
from inplace_lint.cli import cli
from inplace_lint.project import cache_folder
from inplace_lint.project.config import ConfigError

HAZARD = "import torch\n\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)\n"

# Names that begin as those of the cache's files do.
ALIKE = ("run-train.py", "new-model.py", "files-list.txt", "new-abcdefgh", "run-0123456789abcdef.bin.txt")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    project = tmp_path / "project"
    (project / "src").mkdir(parents=True)
    (project / "empty").mkdir()
    victim = tmp_path / "victim"
    victim.mkdir()
    for folder in (project, project / "src", victim):
        (folder / "a.py").write_text(HAZARD)
        for name in ALIKE:
            (folder / name).write_text("x = 1\n")
    (victim / ".gitignore").write_text("*\n")
    (victim / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n# of another tool\n")
    for file in tmp_path.rglob("*.*"):
        os.utime(file, (1_000_000_000, 1_000_000_000))  # what has just changed is not kept
    monkeypatch.chdir(project)
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, [*args], catch_exceptions=False, standalone_mode=False)


def said(*args: str) -> str:
    """What a command prints, or the mistake in the configuration that it tells."""
    try:
        return f"{run(*args).output}"
    except ConfigError as error:
        return f"error: {error}"
    except click.UsageError as error:  # of the option itself
        return f"cannot be the cache: {error.message}"


def everything(folder: Path) -> dict[str, object]:
    """All that is in a folder, but for caches that the tool made."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def link(target: str, name: str) -> None:
    Path(name).symlink_to(target)


@pytest.mark.parametrize(
    "place",
    [".", "..", "src", "empty", "../victim", "link", "link/new", "inner/new", "dangling", "a.py", "a.py/new", ".git"],
)
@pytest.mark.parametrize("configured", [False, True])
def test_a_folder_that_is_not_ours_is_an_error(project: Path, place: str, configured: bool) -> None:
    link("../victim", "link")
    link("src", "inner")
    link("../nothing", "dangling")
    Path(".git").mkdir()
    if configured:
        Path("inplace-lint.toml").write_text(f'cache-dir = "{place}"\n')
    options = [] if configured else ["--cache-dir", place]
    before = everything(project)
    for _ in range(2):
        assert "cannot be the cache" in said("check", *options)
        assert "cannot be the cache" in said("clean", *options)
    assert everything(project) == before
    assert "IPL302" in run("check", "--no-cache").output


@pytest.mark.parametrize("place", ["kept", "new/deep/kept", "src/kept", "../elsewhere", ".kept"])
def test_a_new_folder_is_made_and_goes_again(project: Path, place: str) -> None:
    before = everything(project)
    first = run("check", "--cache-dir", place)
    assert first.output.count("warning[IPL302]") == 2
    assert {".gitignore", "CACHEDIR.TAG"} <= set(os.listdir(place))
    assert run("check", "--cache-dir", place).output == first.output
    assert "deleted" in run("clean", "--cache-dir", place).output
    assert {name for name in everything(project).keys() - before.keys() if Path(name).suffix} == set()
    assert before.items() <= everything(project).items()


def test_the_default_folder_follows_the_same_rules(project: Path) -> None:
    for make in (lambda: Path(".inplace_lint_cache").write_text(""), lambda: link("../victim", ".inplace_lint_cache")):
        make()
        before = everything(project)
        assert "cannot be the cache" in said("check")
        assert "cannot be the cache" in said("clean")
        assert everything(project) == before
        os.unlink(".inplace_lint_cache")
    Path(".inplace_lint_cache").mkdir()
    with pytest.raises(ConfigError, match="did not make this folder"):
        lint_paths(["."], Config(), cache=".inplace_lint_cache")


def test_links_in_a_folder_with_our_mark_lead_nowhere(project: Path) -> None:
    run("check", "--cache-dir", "kept")
    names = [name for name in os.listdir("kept") if name.endswith(".bin")]
    for name in [".gitignore", *names]:
        os.unlink(f"kept/{name}")
        link(f"../../{name}.outside", f"kept/{name}")
    assert len(names) == 2
    assert "IPL302" in run("check", "--cache-dir", "kept").output
    link("../../victim/a.py", "kept/run-0123456789abcdef.bin")
    run("clean", "--cache-dir", "kept")
    assert sorted(os.listdir(project)) == ["project", "victim"]
    assert (project / "victim" / "a.py").exists()


def test_only_what_the_cache_wrote_is_deleted() -> None:
    run("check", "--cache-dir", "kept")
    for name in ALIKE:
        Path("kept", name).write_text("")
    Path("kept/.gitignore").write_text("# mine\n*\n")
    Path("kept/run-0123456789abcdef.bin").mkdir()
    assert "holds `files-list.txt` as well" in said("check", "--cache-dir", "kept")
    assert "what else is there stays" in run("clean", "--cache-dir", "kept").output
    assert sorted(os.listdir("kept")) == sorted([*ALIKE, ".gitignore", "run-0123456789abcdef.bin"])


def test_a_mark_among_other_files_is_told_and_cleaned() -> None:
    """Earlier versions marked any folder that they were given."""
    own = {*everything(Path("."))}
    for name, text in cache_folder._TEXTS.items():
        Path(name).write_text(text)
    assert "is a cache, but holds `a.py` as well" in said("check", "--cache-dir", ".")
    assert "deleted" in run("clean", "--cache-dir", ".").output
    assert {*everything(Path("."))} == own
    assert "IPL302" in run("check").output


def test_a_folder_that_cannot_be_made_costs_no_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    for name in ("mkdir", "rename"):
        with monkeypatch.context() as patch:
            patch.setattr(os, name, refuse)
            first = run("check", "--cache-dir", "kept").output
            assert "IPL302" in first
            assert run("check", "--cache-dir", "kept").output == first
        assert sorted(os.listdir(".")) == sorted(["a.py", "empty", "src", *ALIKE])


def test_another_run_that_is_faster(monkeypatch: pytest.MonkeyPatch) -> None:
    rename = os.rename

    def late(source: str, target: str) -> None:
        monkeypatch.setattr(os, "rename", rename)
        cache_folder.make("kept", ".")
        rename(source, target)

    monkeypatch.setattr(os, "rename", late)
    cache_folder.make("kept", ".")
    assert sorted(os.listdir("kept")) == [".gitignore", "CACHEDIR.TAG"]
    assert not [name for name in os.listdir(".") if name.startswith(".")]
