"""inplace-lint as a library: `lint_source` and `lint_paths` in somebody else's program."""

from __future__ import annotations

import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.resources import files
from pathlib import Path
from typing import get_type_hints

import pytest

from inplace_lint import Config, Diagnostic, Result, lint_paths, lint_source

HAZARD = "import torch\n\ndef f(x):\n    return x * torch.sigmoid_(x)\n"
CALLER = """
import torch
from callee import f

x = torch.randn(3, requires_grad=True)
y = x.sigmoid()
f(y)
y.sum().backward()
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def codes(*paths: str, config: Config | None = None) -> list[tuple[str, str]]:
    return [(each.site.path, each.code) for each in lint_paths(paths, config, jobs=1).diagnostics]


def test_diagnostics_can_be_pickled() -> None:
    (found,) = lint_source(HAZARD, "a.py")
    assert found.fix is not None
    assert pickle.loads(pickle.dumps(found)) == found
    Path("a.py").write_text(HAZARD)
    result = lint_paths(["a.py"])
    assert pickle.loads(pickle.dumps(result)) == result
    assert result.diagnostics == (found,)


def test_threads_find_what_one_finds() -> None:
    texts = [HAZARD.replace("def f", f"def f{number}") + "#" * number for number in range(12)]
    texts[3] = texts[3].replace("return", "return (")
    one_by_one = [lint_source(text) for text in texts]
    recursion, switching = sys.getrecursionlimit(), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(lint_source, texts)) == one_by_one
    finally:
        sys.setswitchinterval(switching)
    assert sys.getrecursionlimit() == recursion


def test_processes_may_start_while_a_thread_is_checking() -> None:
    for number in range(10):
        Path(f"f{number}.py").write_text(HAZARD)
    with ThreadPoolExecutor(2) as pool:
        sources = pool.submit(lambda: [lint_source(HAZARD) for _ in range(20)])
        result = pool.submit(lint_paths, ["."], None, 2)
        assert len(result.result(60).diagnostics) == 10
        assert len(sources.result(60)) == 20


def test_another_run_sees_what_has_changed() -> None:
    Path("use.py").write_text(CALLER)
    Path("callee.py").write_text("def f(x):\n    return x + 1\n")
    assert codes("use.py") == []
    Path("callee.py").write_text("def f(x):\n    x.add_(1)\n")
    assert codes("use.py") == [("callee.py", "IPL202")]
    Path("callee.py").unlink()
    assert codes("use.py") == []


def test_configuration_files_count_unless_a_configuration_is_given() -> None:
    Path("inplace-lint.toml").write_text("ignore = ['IPL302']\n")
    Path("a.py").write_text(HAZARD)
    assert codes("a.py") == []
    assert codes("a.py", config=Config()) == [("a.py", "IPL302")]
    assert [each.code for each in lint_source(HAZARD, "a.py")] == ["IPL302"]


def test_progress_is_told() -> None:
    for number in range(3):
        Path(f"f{number}.py").write_text("x = 1\n")
    told: list[tuple[int, int]] = []
    lint_paths(["."], jobs=1, progress=lambda done, total: told.append((done, total)))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_types_are_there_for_others() -> None:
    assert files("inplace_lint").joinpath("py.typed").is_file()
    assert get_type_hints(lint_source)["return"] == list[Diagnostic]
    assert get_type_hints(lint_paths)["return"] is Result
