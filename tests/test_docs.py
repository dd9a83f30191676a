"""The documentation is built without a warning, and what it shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from inplace_lint.rule import registry

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))

_BLOCK = re.compile(r'^```(\w+)(?: title="(.*?)")?\n(.*?)^```$', re.M | re.S)


def test_the_site_is_built(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    run = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert all((tmp_path / "rules" / code / "index.html").is_file() for code in registry())
    page = (tmp_path / "rules" / "IPL202" / "index.html").read_text("utf-8")
    assert "## " not in re.sub(r"<code.*?</code>", "", page, flags=re.S)
    assert 'href="../IPL201/"' in page
    assert not re.search(r'(?:src|href)="https?://(?!docs\.pytorch\.org|squidfunk)[^"]*\.(?:js|css|woff2?)"', page)


def transcripts(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with its output."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {name: text for name, text in os.environ.items() if name not in ("GITHUB_ACTIONS", "FORCE_COLOR")}
    for language, title, body in _BLOCK.findall(page.read_text("utf-8")):
        if title:
            (tmp_path / title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / title).write_text(body, "utf-8")
        for command, expected in transcripts(body) if language == "console" else ():
            run = subprocess.run(
                ["bash", "-c", command],
                cwd=tmp_path,
                env={**environment, "PATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
            )
            assert run.stdout == expected, command
