"""The documentation is built without a warning, and what it shows is what happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import yaml
from launched import WITH_TORCH, commands

from inplace_lint.findings.registry import registry
from inplace_lint.project.config import Config

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
    keys = {field.name.replace("_", "-") for field in fields(Config)} - {"root", "beneath"}
    configuration = (tmp_path / "configuration" / "index.html").read_text("utf-8")
    assert keys <= set(re.findall(r"<td><code>(.*?)</code></td>", configuration))
    page = (tmp_path / "rules" / "IPL202" / "index.html").read_text("utf-8")
    assert "## " not in re.sub(r"<code.*?</code>", "", page, flags=re.S)
    assert 'href="../IPL201/"' in article(page)
    overview = article((tmp_path / "rules" / "index.html").read_text("utf-8"))
    assert all(f'href="{code}/"' in overview for code in registry())
    assert not re.search(r'(?:src|href)="https?://(?!docs\.pytorch\.org|squidfunk)[^"]*\.(?:js|css|woff2?)"', page)


def article(page: str) -> str:
    return page[page.index("<article") : page.index("</article>")]


def transcripts(text: str) -> list[tuple[str, str]]:
    """The commands of a console block, each with its output."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page: Path, tmp_path: Path) -> None:
    environment, server = commands(tmp_path / "commands", WITH_TORCH)
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR"):
        environment.pop(name, None)
    folder = tmp_path / "shown"
    folder.mkdir()
    for language, title, body in _BLOCK.findall(page.read_text("utf-8")):
        if title:
            (folder / title).parent.mkdir(parents=True, exist_ok=True)
            (folder / title).write_text(body, "utf-8")
        for command, expected in transcripts(body) if language == "console" else ():
            run = subprocess.run(
                ["bash", "-c", command],
                cwd=folder,
                env=environment,
                pass_fds=[server] if server >= 0 else [],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
            )
            assert run.stdout == expected, command


CI_FILES = {title: body for _, title, body in _BLOCK.findall((ROOT / "docs" / "ci.md").read_text("utf-8")) if title}


@pytest.mark.parametrize("title", [title for title in CI_FILES if title.endswith(".yml")])
def test_ci_files_fit_their_schemas(title: str, tmp_path: Path) -> None:
    (tmp_path / "file.yml").write_text(CI_FILES[title])
    schema = "vendor.gitlab-ci" if "gitlab" in title else "vendor.github-workflows"
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, "file.yml"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout


def test_ci_files_give_the_action_what_it_takes() -> None:
    inputs = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))["inputs"]
    described = re.findall(r"^\| `([a-z-]+)` \|", (ROOT / "docs" / "ci.md").read_text("utf-8"), re.M)
    assert described == list(inputs)
    steps = [
        step
        for title, text in CI_FILES.items()
        if title.startswith(".github")
        for step in yaml.safe_load(text)["jobs"]["inplace-lint"]["steps"]
    ]
    used = [step["with"] for step in steps if step.get("uses", "").startswith("OWNER/inplace-lint@")]
    assert len(used) == 2
    assert all(given.keys() <= inputs.keys() for given in used)


def ci_commands() -> Iterator[tuple[str, str]]:
    for title, text in CI_FILES.items():
        for line in text.splitlines():
            if (match := re.search(r"(?:run: |- |bin/)(inplace-lint src[^']*)", line)) and "uses" not in line:
                yield title, match[1]


@pytest.mark.parametrize(("title", "command"), list(ci_commands()))
def test_ci_commands_write_what_is_collected(title: str, command: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "net.py").write_text(CI_FILES["src/net.py"])
    environment = {**os.environ, "GITHUB_ACTIONS": str("github" in title).lower(), "FORCE_COLOR": ""}
    words = [sys.executable, "-m", "inplace_lint", *command.split()[1:]]
    run = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert run.returncode == int("--exit-zero" not in words), run.stderr
    if "--output-file" not in words:
        assert run.stdout.startswith("::warning ")
        return
    file = words[words.index("--output-file") + 1]
    assert CI_FILES[title].count(file) == 2
    assert "IPL302" in (tmp_path / file).read_text("utf-8")
