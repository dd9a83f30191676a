"""What is kept between runs never changes what is found."""

from __future__ import annotations

import json
import os
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from inplace_lint import Config, Result, lint_paths
from inplace_lint.cli import cli
from inplace_lint.pipeline import lint_paths as pipeline
from inplace_lint.pipeline.result import FILE_RESULT, RESULT, FileResult
from inplace_lint.project import cache_folder
from inplace_lint.project.cache import Memory

CALLER = """
import torch
from blocks import activate

def loss(x):
    x = x * 2
    y = activate(x)
    return x + y
"""
QUIET = "import torch\n\ndef activate(x):\n    return torch.relu(x)\n"
LOUD = "import torch\n\ndef activate(x):\n    return torch.relu_(x)\n"


def write(name: str, text: str) -> None:
    """A file that was last changed some time ago, as most have been."""
    Path(name).write_text(text)
    age = time.time() - 10 - len(text) / 1000
    os.utime(name, (age, age))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("blocks.py", QUIET)
    write("caller.py", CALLER)
    write("other.py", LOUD)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are really checked."""
    seen: list[str] = []
    lint_file = pipeline.lint_remembering

    def lint(path: str, config: Config) -> pipeline.FileResult:
        seen.append(path)
        return lint_file(path, config)

    monkeypatch.setattr(pipeline, "lint_remembering", lint)
    return seen


def lint(config: Config | None = None) -> Result:
    return lint_paths(["."], config, jobs=1, cache=".inplace_lint_cache")


def codes(result: Result) -> list[tuple[str, str]]:
    return [(each.site.path, each.code) for each in result.diagnostics]


def test_a_second_run_finds_the_same_and_checks_nothing(checked: list[str]) -> None:
    write("blocks.py", LOUD)
    first = lint()
    assert codes(first)
    assert sorted(checked) == ["blocks.py", "caller.py", "other.py"]
    checked.clear()
    assert lint() == first
    assert not checked


def test_a_changed_callee_changes_what_is_found_at_its_caller(checked: list[str]) -> None:
    assert not codes(lint())
    write("blocks.py", LOUD)
    checked.clear()
    assert ("caller.py", "IPL305") in codes(lint()) or ("blocks.py", "IPL305") in codes(lint())
    assert sorted(checked) == ["blocks.py", "caller.py"]
    write("blocks.py", QUIET)
    assert not codes(lint())


def test_a_caller_that_was_not_asked_about_is_checked_again() -> None:
    assert not codes(lint())
    write("blocks.py", LOUD)
    lint_paths(["blocks.py"], jobs=1, cache=".inplace_lint_cache")
    assert codes(lint()) == codes(lint_paths(["."], jobs=1)) != []


def test_a_callee_that_appears_or_goes() -> None:
    os.unlink("blocks.py")
    assert not codes(lint())
    write("blocks.py", LOUD)
    found = codes(lint())
    assert found
    os.unlink("blocks.py")
    assert not codes(lint())


def test_an_empty_file_that_goes_was_one_all_the_same() -> None:
    Path("package").mkdir()
    write("package/__init__.py", "")
    write("package/blocks.py", LOUD)
    caller = (
        "import torch\nfrom . import blocks\n\ndef loss(x):\n    y = torch.exp(x)\n    return blocks.activate(y) + y\n"
    )
    write("package/caller.py", caller)
    with_it = codes(lint())
    os.unlink("package/__init__.py")
    without = codes(lint())
    assert without == codes(lint_paths(["."], jobs=1))
    assert without != with_it


def test_a_package_that_comes_before_a_module(checked: list[str]) -> None:
    write("blocks.py", LOUD)
    assert codes(lint())
    os.mkdir("blocks")
    write("blocks/__init__.py", QUIET)
    assert not codes(lint())


def test_a_touched_file_is_not_checked_again(checked: list[str]) -> None:
    lint()
    checked.clear()
    os.utime("caller.py", (1_000_000_000, 1_000_000_000))
    lint()
    assert not checked


def test_another_configuration_is_another_matter(checked: list[str]) -> None:
    write("blocks.py", LOUD)
    assert codes(lint(Config()))
    assert not codes(lint(Config(ignore=("IPL3",))))
    assert codes(lint(Config()))
    checked.clear()
    lint(Config(output_format="json"))
    assert not checked


def _truncated(data: bytes) -> bytes:
    return data[: len(data) // 2]


def _flipped(data: bytes) -> bytes:
    return data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]


@pytest.mark.parametrize("spoil", [_truncated, _flipped, lambda _: b"", lambda _: os.urandom(999)])
def test_a_broken_cache_is_no_cache(spoil: Callable[[bytes], bytes]) -> None:
    write("blocks.py", LOUD)
    found = lint()
    for file in Path(".inplace_lint_cache").glob("*.bin"):
        file.write_bytes(spoil(file.read_bytes()))
    assert lint() == found


def documents() -> dict[Path, list[object]]:
    """What the cache holds."""
    files = Path(".inplace_lint_cache").glob("*.bin")
    return {file: json.loads(cache_folder.stored(str(file)) or b"") for file in files}


def spoiled(value: object, place: list[int | str], new: object) -> bool:
    """Put something else in one place of a document; False if there is no such place."""
    for key in place[:-1]:
        try:
            value = value[key]  # type: ignore[index]
        except (LookupError, TypeError):
            return False
    try:
        value[place[-1]] = new  # type: ignore[index]
    except (LookupError, TypeError):
        return False
    return True


def places(value: object) -> Iterator[list[int | str]]:
    """Every place in a document."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in parts:
        yield [key]
        yield from ([key, *rest] for rest in places(part))


@pytest.mark.parametrize("strange", [5, -1, 10**400, None, "\0", "\ud800", [], {}, [[]], {"\0": "\0"}, True, 0.5])
def test_a_strangers_cache_is_no_cache(strange: object) -> None:
    write("blocks.py", LOUD)
    found = lint()
    whole = documents()
    for file, document in whole.items():
        for place in [[], *places(document)]:
            copy = json.loads(json.dumps(document))
            if not place:
                copy = strange
            else:
                assert spoiled(copy, place, strange)
            for each, kept in whole.items():
                cache_folder.store(str(each), json.dumps(copy if each == file else kept).encode())
            Memory(*KEPT).recall()
            Memory(*KEPT).valid()
        assert documents()
    for file in whole:
        cache_folder.store(str(file), json.dumps(strange).encode())
    assert lint() == found


KEPT = (
    ".inplace_lint_cache",
    ".",
    dict.fromkeys(("blocks.py", "caller.py", "other.py"), ""),
    FILE_RESULT,
    RESULT,
    [],
    pipeline._parts_now,
    pipeline._moved,
)


def test_what_a_file_makes_is_bounded_by_its_size() -> None:
    lint()
    for file in documents():
        os.truncate(file, 1 << 30)  # a hole
    tracemalloc.start()
    lint()
    assert tracemalloc.get_traced_memory()[1] < 1 << 26
    tracemalloc.stop()


def test_a_file_that_changes_during_the_run_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    learn = Memory._learn

    def meddle(self: Memory, outcomes: Mapping[str, FileResult]) -> None:
        Path("blocks.py").write_text(LOUD)
        learn(self, outcomes)

    with monkeypatch.context() as patch:
        patch.setattr(Memory, "_learn", meddle)
        assert not codes(lint())
    assert codes(lint())


def test_runs_at_the_same_time() -> None:
    write("blocks.py", LOUD)
    found = lint()
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(lambda _: lint(), range(12))] == [found] * 12
    assert sorted(file.name for file in Path(".inplace_lint_cache").iterdir() if "draft" in file.name) == []


def test_the_folder_tells_others_to_leave_it_alone() -> None:
    lint()
    assert Path(".inplace_lint_cache/.gitignore").read_text() == "*\n"
    assert (
        Path(".inplace_lint_cache/CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )
    assert lint_paths(["."]).files == ("blocks.py", "caller.py", "other.py")


def test_the_command_line_keeps_and_cleans() -> None:
    run = CliRunner().invoke
    assert run(cli, ["--no-cache", "caller.py"]).exit_code == 0
    assert not Path(".inplace_lint_cache").exists()
    run(cli, ["check", "caller.py"], catch_exceptions=False)
    assert Path(".inplace_lint_cache").exists()
    run(cli, ["check", "--cache-dir", "kept", "caller.py"], catch_exceptions=False)
    assert Path("kept/CACHEDIR.TAG").exists()
    Path("kept/mine.txt").write_text("")
    assert "deleted" in run(cli, ["clean"]).output
    assert "what else is there stays" in run(cli, ["clean", "--cache-dir", "kept"]).output
    assert not Path(".inplace_lint_cache").exists()
    assert os.listdir("kept") == ["mine.txt"]
    assert "nothing to delete" in run(cli, ["clean"]).output


def test_what_is_kept_is_small() -> None:
    lint()
    sizes = [file.stat().st_size for file in Path(".inplace_lint_cache").glob("*.bin")]
    assert len(sizes) == 2
    assert max(sizes) < 5000
