"""ruff deletes comments whose codes it does not know, and `--add-noqa` knows when."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.project.ruff import configuration_that_deletes

MARKED = "import torch\n\nx = torch.randn(3)\ny = x * torch.sigmoid_(x)  # noqa: IPL302\nprint(y)\n"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pyproject.toml", '[tool.ruff.lint]\nselect = ["RUF"]\n'),
        ("ruff.toml", 'lint.select = ["E", "RUF102"]\n'),
        (".ruff.toml", 'lint.extend-select = ["RUF102"]\n'),
        ("ruff.toml", '[lint]\nselect = ["ALL"]\nignore = ["RUF1"]\n'),
        ("ruff.toml", '[lint]\nselect = ["RUF"]\nignore = ["RUF100"]\n'),
        ("ruff.toml", '[lint]\nselect = ["RUF"]\nexternal = ["IPL"]\n'),
        ("ruff.toml", '[lint]\nselect = ["RUF"]\nexternal = ["IPL3"]\n'),
        ("ruff.toml", '[lint]\nselect = ["RUF"]\nexternal = ["ABC"]\n'),
        ("ruff.toml", '[lint]\nselect = ["E", "F", "RUF0"]\n'),
        ("pyproject.toml", "[project]\nname = 'a'\nversion = '1'\n"),
        ("ruff.toml", 'extend = "base.toml"\n'),
    ],
)
def test_what_ruff_deletes(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(said)
    (tmp_path / "base.toml").write_text('[lint]\nselect = ["RUF102"]\n')
    file = tmp_path / "package" / "a.py"
    file.parent.mkdir()
    file.write_text(MARKED)
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--quiet", "--fix", str(file)]
    subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    deleted = "noqa" not in file.read_text()
    assert configuration_that_deletes(str(file)) == (tmp_path / name if deleted else None)


def test_what_cannot_be_read_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("[lint\n")
    (tmp_path / "pyproject.toml").write_text("tool = 3\n")
    assert configuration_that_deletes(str(tmp_path / "a.py")) is None


def test_adding_comments(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text('lint.select = ["RUF"]\n')
    (tmp_path / "a.py").write_text(MARKED.replace("  # noqa: IPL302", ""))
    (tmp_path / "b.py").write_text(MARKED.replace("  # noqa: IPL302", ""))

    def run(*args: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "inplace_lint", "--no-cache", *args]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    status, said = run("--add-ignore=no gate is trained", "a.py")
    assert (status, said) == (0, "Added or extended `# inplace-lint: ignore` comments on 1 line in 1 file.\n")
    assert "_(x)  # inplace-lint: ignore[IPL302] no gate is trained\n" in (tmp_path / "a.py").read_text()
    status, said = run("--add-noqa", "b.py")
    assert (tmp_path / "b.py").read_text() == MARKED
    assert 'warning: ruff.toml: ruff will delete these comments (RUF100, RUF102), unless `external = ["IPL"]`' in said
    assert run("--add-ignore", ".") == (
        0,
        "Added or extended `# inplace-lint: ignore` comments on 0 lines in 0 files.\n",
    )
    status, said = run("--add-noqa", "--fix-only", ".")
    assert (status, said) == (2, "error: --add-noqa and --add-ignore do not go with --fix-only and --diff\n")
