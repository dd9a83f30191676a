"""What belongs to the user is changed where that was asked for, and only its content."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from inplace_lint.cli import cli
from inplace_lint.pipeline import lint_paths as pipeline
from inplace_lint.project.writing import write_atomically, write_report

HAZARD = "import torch\n\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)\n"
ROWS = '["import torch\\n", "x = torch.randn(3)\\n", "y = x * torch.sigmoid_(x)"]'
CELL = f'{{"cell_type": "code", "execution_count": null, "metadata": {{}}, "outputs": [], "source": {ROWS}}}'
NOTEBOOK = f'{{"cells": [{CELL}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}\n'
WAYS = (("--fix", "--unsafe-fixes"), ("--fix-only", "--unsafe-fixes"), ("--add-noqa",))

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links and modes are those of POSIX")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "project" / "src").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, ["check", "--no-cache", *args], catch_exceptions=False)


def out_of_the_tree(file: Path, project: Path) -> None:
    outside = project / "outside" / file.name
    file.rename(outside)
    file.symlink_to(outside)


def out_of_the_tree_twice(file: Path, project: Path) -> None:
    out_of_the_tree(file, project)
    link = file.with_name("between")
    file.rename(link)
    file.symlink_to(link.name)


def hard_linked(file: Path, project: Path) -> None:
    os.link(file, project / "outside" / file.name)


def read_only(file: Path, _: Path) -> None:
    file.chmod(0o444)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (out_of_the_tree, "a link leads out of the tree, to "),
        (out_of_the_tree_twice, "a link leads out of the tree, to "),
        (hard_linked, "it has 2 hard links"),
        (read_only, "it is read-only"),
    ],
)
@pytest.mark.parametrize("name", ["a.py", "a.ipynb"])
@pytest.mark.parametrize("given", ["src", "file"])
def test_what_must_not_be_written(
    project: Path, way: tuple[str, ...], spoil: Callable[[Path, Path], None], why: str, name: str, given: str
) -> None:
    file, text = Path("src", name), NOTEBOOK if name.endswith(".ipynb") else HAZARD
    file.write_text(text)
    Path("src/b.py").write_text(HAZARD)
    spoil(file, project)
    before = os.lstat(file)
    result = run(*way, *(["src"] if given == "src" else [str(file), "src/b.py"]))
    assert result.exit_code == 2
    assert result.output.count(f"error: {file} cannot be ") == 1
    assert why in result.output
    assert file.read_text() == text
    assert Path("src/b.py").read_text() != HAZARD
    after = os.lstat(file)
    assert (after.st_ino, after.st_mode, after.st_nlink) == (before.st_ino, before.st_mode, before.st_nlink)
    assert {path.name for path in project.rglob(".*")} == set()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_what_stays(way: tuple[str, ...]) -> None:
    file = Path("src/a.py")
    file.write_text(HAZARD)
    if os.getuid() == 0:
        os.chown(file, 1234, 1235)
    file.chmod(0o4751)
    try:
        os.setxattr(file, "user.test", b"kept")
    except (AttributeError, OSError):
        kept = None
    else:
        kept = b"kept"
    before = file.stat()
    assert run(*way, "src").exit_code in (0, 1)
    after = file.stat()
    assert file.read_text() != HAZARD
    assert (after.st_uid, after.st_gid, after.st_mode) == (before.st_uid, before.st_gid, before.st_mode)
    assert kept is None or os.getxattr(file, "user.test") == kept
    assert after.st_mtime_ns > before.st_mtime_ns


def test_a_link_within_the_tree_stays_one() -> None:
    Path("src/kept").write_text(HAZARD)
    Path("src/a.py").symlink_to("kept")
    assert run("--fix", "--unsafe-fixes", "src").exit_code == 0
    assert Path("src/a.py").is_symlink()
    assert "sigmoid_" not in Path("src/kept").read_text()


def test_an_owner_that_cannot_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    file = Path("src/a.py")
    file.write_text(HAZARD)
    status = os.stat(file)
    other = os.stat_result((*status[:4], status.st_uid + 1, *status[5:]))
    with monkeypatch.context() as patch:
        patch.setattr(os, "chown", refuse)
        patch.setattr(os, "stat", lambda path, **_: other if str(path).endswith("a.py") else status)
        with pytest.raises(PermissionError, match="its owner cannot be kept"):
            write_atomically(str(file), b"", ["."])
    assert os.listdir("src") == ["a.py"]
    assert file.read_text() == HAZARD


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way[0])
def test_what_changed_meanwhile_stays_as_it_is(way: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path("src/a.py")
    file.write_text(HAZARD)
    find_all = pipeline.find_all

    def slow(*args: object) -> object:
        found = find_all(*args)  # type: ignore[arg-type]
        file.write_text("# mine\n" + HAZARD)
        return found

    monkeypatch.setattr(pipeline, "find_all", slow)
    result = run(*way, "src")
    assert file.read_text() == "# mine\n" + HAZARD
    assert "is left alone: it was changed while it was checked" in result.output


@pytest.mark.parametrize("config", ["", 'baseline = "../outside/known.json"\n', 'baseline = "link/known.json"\n'])
def test_a_baseline_goes_where_the_user_says_but_by_no_link(project: Path, config: str) -> None:
    Path("src/a.py").write_text(HAZARD)
    Path("link").symlink_to("../outside")
    Path("inplace-lint.toml").write_text(config)
    result = CliRunner().invoke(cli, ["baseline"], catch_exceptions=True)
    assert (project / "outside" / "known.json").exists() == ("outside" in config)
    if "link" in config:
        assert "a link leads out of the tree" in str(result.exception)
    else:
        assert result.exit_code == 0


def test_a_known_baseline_behind_a_link_stays_as_it_is(project: Path) -> None:
    known = project / "outside" / "known.json"
    known.write_text('{"version": 1, "findings": {}}\n')
    Path("inplace-lint-baseline.json").symlink_to(known)
    Path("src/a.py").write_text(HAZARD)
    result = CliRunner().invoke(cli, ["baseline"])
    assert "a link leads out of the tree" in str(result.exception)
    assert known.read_text() == '{"version": 1, "findings": {}}\n'


def test_reports(project: Path) -> None:
    Path("src/a.py").write_text(HAZARD)
    secret = project / "outside" / "secret"
    secret.write_text("secret")
    Path("report").symlink_to(secret)
    Path("fixed").write_text("")
    Path("fixed").chmod(0o444)
    for name, why in (("report", "a link leads out of the tree"), ("fixed", "it is read-only")):
        result = run("-o", name, "src")
        assert result.exit_code == 1  # of click; `main` makes it 2
        assert f"{name}: cannot be written: {why}" in result.output
    assert secret.read_text() == "secret"
    for name in ("new", "../outside/new", os.devnull):
        assert run("-o", name, "src").exit_code == 1
    assert "IPL302" in Path("new").read_text()
    assert Path("../outside/new").read_text() == Path("new").read_text()


def test_a_report_may_be_a_pipe(project: Path) -> None:
    os.mkfifo("pipe")
    reader = os.open("pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_report("pipe", "told", ["."])
    assert os.read(reader, 100) == b"told"
    os.close(reader)
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_the_deepest_folder_counts(project: Path) -> None:
    """A link from a folder that was given leads out of it, even if not out of another one."""
    target = Path("other.py")
    target.write_text("")
    Path("src/a.py").symlink_to("../other.py")
    with pytest.raises(PermissionError, match="leads out of the tree"):
        write_atomically("src/a.py", b"x", [".", "src"])
    write_atomically("src/a.py", b"x", ["."])
    assert target.read_bytes() == b"x"
