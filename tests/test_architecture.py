"""Imports run one way, from the command line down to the source; and no files import each other in a circle."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from inplace_lint.project import config

ROOT = Path(__file__).parent.parent

# What each package may import of the others.
ALLOWED = {
    "version": set(),
    "search_path": set(),
    "effort": set(),
    "phases": set(),
    "intrinsics": set(),
    "source": {"phases"},
    "torch_model": {"effort", "source"},
    "judgement": {"effort", "source", "torch_model"},
    "screen": {"effort", "judgement", "phases", "source", "torch_model"},
    "findings": {"judgement", "search_path", "source", "torch_model"},
    "rule": {"findings", "judgement", "source", "torch_model"},
    "rules": {"rule"},
    "interpret": {"effort", "findings", "judgement", "phases", "screen", "source", "torch_model"},
    "fixes": {"findings", "judgement", "source"},
    "notebook": {"findings", "fixes", "source"},
    "postmortem": {"findings", "source", "torch_model"},
    "project": {"findings", "intrinsics", "notebook", "source", "torch_model", "version"},
    "pipeline": {"effort", "findings", "fixes", "interpret", "notebook", "phases", "project", "source"},
    "report": {"findings", "fixes", "project", "source", "version"},
    "runtime": {"findings", "report", "source", "torch_model"},
    "modelling": {"effort", "interpret", "pipeline", "project", "source", "torch_model", "version"},
    "why": {
        *("effort", "findings", "interpret", "judgement", "notebook", "pipeline", "project", "screen", "source"),
        "torch_model",
    },
    "knowledge": {
        *("effort", "findings", "interpret", "notebook", "pipeline", "project", "source", "torch_model", "why"),
    },
    "server": {"findings", "fixes", "knowledge", "notebook", "pipeline", "project", "source", "version", "why"},
    "cli": {
        *("findings", "fixes", "notebook", "pipeline", "postmortem", "project", "report", "runtime", "source"),
        *("knowledge", "modelling", "server", "version", "why"),
    },
    "cst": {"findings", "fixes", "interpret", "pipeline", "source", "torch_model"},
    "fixit_rule": {"cst", "findings"},
    "flake8_plugin": {"findings", "pipeline", "project", "report", "search_path", "version"},
    "integrations": {"findings", "runtime"},
    "cell_magic": {"findings", "runtime"},
    "pytest_plugin": {"findings", "runtime"},
    "__main__": {"__init__", "cli", "search_path"},
    "__init__": {"cell_magic", "findings", "pipeline", "project", "runtime", "source", "version"},
}

# Which of its own packages each part of the interpreter may import; they reach what lies above them by `Run`.
WITHIN_INTERPRET = {
    "state": set(),
    "torch": {"state"},
    "python": {"state", "torch"},
    "library": {"python", "state", "torch"},
    "engine": {"library", "python", "state", "torch"},
    "analysis": {"engine", "python", "state", "torch"},
}

PROGRAMS = ROOT / "inplace_lint" / "torch_model" / "programs"  # are read, and not imported
FILES = sorted([*(ROOT / "inplace_lint").rglob("*.py"), *(ROOT / "rules").glob("*.py")])
FILES = [file for file in FILES if PROGRAMS not in file.parents]


def part(file: Path) -> str:
    if file.parent == ROOT / "rules":
        return "rules"
    return file.relative_to(ROOT / "inplace_lint").parts[0].removesuffix(".py")


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            assert node.module is not None
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_parts(file: Path) -> set[str]:
    names = [name.split(".") for name in imports(file)]
    own = {name[1] if len(name) > 1 else "__init__" for name in names if name[0] == "inplace_lint"}
    return {name if name in ALLOWED else "__init__" for name in own} - {part(file)}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_imports_run_one_way(file: Path) -> None:
    assert imported_parts(file) <= ALLOWED[part(file)]


# An event holds tensors, and their memory knows the writes to it: two types that name each other, for mypy alone.
NAMED_ONLY = {
    ("inplace_lint.torch_model.tensor", "inplace_lint.torch_model.events"),
    ("inplace_lint.torch_model.tensor", "inplace_lint.torch_model.operands"),
}


def module(file: Path) -> str:
    parts = ("inplace_lint", "rules") if file.parent == ROOT / "rules" else file.parent.relative_to(ROOT).parts
    return ".".join(parts if file.stem == "__init__" else (*parts, file.stem))


def imported_files() -> dict[str, set[str]]:
    """What each file imports, in functions and for types, too."""
    own = {module(file): file for file in FILES}

    def known(name: str) -> str:
        return name if name in own or not name else known(name.rpartition(".")[0])

    return {name: {known(each) for each in imports(file)} - {name, ""} for name, file in own.items()}


def test_packages_are_layers() -> None:
    TopologicalSorter(ALLOWED).prepare()


def test_no_file_imports_what_imports_it() -> None:
    graph = imported_files()
    assert sum(map(len, graph.values())) > 1000
    for one, other in NAMED_ONLY:
        graph[one].remove(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"a circle: {error.args[1]}")


def test_the_interpreter_imports_at_the_top() -> None:
    late = [
        f"{file.name}:{node.lineno}"
        for file in (ROOT / "inplace_lint" / "interpret").rglob("*.py")
        for function in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, (ast.Import, ast.ImportFrom))
    ]
    assert late == []


def test_the_packages_of_the_interpreter_are_layers() -> None:
    home = ROOT / "inplace_lint" / "interpret"
    allowed = {f"inplace_lint.interpret.{name}": parts for name, parts in WITHIN_INTERPRET.items()}
    for file in home.rglob("*.py"):
        layer = module(file).split(".")[2:3]
        theirs = {tuple(name.split(".")[:3]) for name in imports(file) if name.startswith("inplace_lint.interpret.")}
        if layer:
            own = f"inplace_lint.interpret.{layer[0]}"
            assert {parts[2] for parts in theirs} - {layer[0]} <= allowed[own], file


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_only_runtime_imports_torch(file: Path) -> None:
    roots = {name.split(".")[0] for name in imports(file)}
    assert part(file) == "runtime" or not roots & {"torch", "torchgen", "numpy"}
    assert part(file) in ("source", "fixes", "cst", "fixit_rule") or "libcst" not in roots


def test_source_never_mentions_torch() -> None:
    for file in (ROOT / "inplace_lint" / "source").glob("*.py"):
        assert "torch" not in file.read_text("utf-8").lower(), file


def test_files_stay_short() -> None:
    assert not [str(file) for file in FILES if len(file.read_text("utf-8").splitlines()) >= 450]


def test_every_package_is_shipped() -> None:
    listed = config.tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    there = {".".join(file.parent.relative_to(ROOT).parts) for file in FILES if part(file) != "rules"}
    assert there | {"inplace_lint.rules"} == set(listed)


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_is_cheap(option: str) -> None:
    program = (
        "import sys\nfrom inplace_lint.cli import main\ntry: main([sys.argv[1]])\n"
        "finally: print(sorted({'libcst', 'torch', 'numpy', 'rich'} & sys.modules.keys()))"
    )
    run = subprocess.run([sys.executable, "-c", program, option], capture_output=True, text=True, check=True)
    assert run.stdout.endswith("[]\n")
