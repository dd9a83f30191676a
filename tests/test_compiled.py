"""The wheel: of sources; compiled where that is asked for, and telling the same."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = ("inplace_lint", "building", "rules", "LICENSE", "MANIFEST.in", "README.md", "pyproject.toml", "setup.py")

# Few, but with all that the others consist of; to compile them all takes minutes. Classes that are compiled have bases
# and derived ones that are.
SOME = (
    *("findings/diagnostic.py", "interpret/analysis/returning.py", "interpret/python/generators.py"),
    *("interpret/state/keys.py", "interpret/torch/embeddings.py"),
    *("judgement/pair.py", "knowledge/sight.py"),
    *("screen/kept_outlines.py", "screen/meanings.py", "screen/op_names.py", "source/ir.py", "source/place.py"),
    *("torch_model/bound.py", "torch_model/constant.py", "torch_model/emission.py"),
    *("torch_model/machine.py", "torch_model/tape.py", "torch_model/tensor.py"),
)

pytestmark = pytest.mark.skipif(not (ROOT / "setup.py").exists(), reason="the source tree is not here")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of what a wheel is built from."""
    tree = tmp_path / "tree"
    tree.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree / name)
    return tree


def _build(tree: Path, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pip", "wheel", "-v", "--no-deps", "--no-build-isolation", "-w", str(folder), "."]
    return subprocess.run(command, cwd=tree, env={**os.environ, **environment}, capture_output=True, text=True)


def _wheel(tree: Path, folder: Path, **environment: str) -> tuple[Path, str]:
    """A wheel, unpacked into `site` beside it, and the log of its build."""
    build = _build(tree, folder, **environment)
    assert build.returncode == 0, build.stdout + build.stderr
    [wheel] = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return wheel, build.stdout + build.stderr  # pip logs what a build prints as errors


def _run(site: Path, *command: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run([sys.executable, *command], cwd=site, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


PICKLED = """
import dataclasses, pickle
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.source.place import Site, Span
site = Site("a.py", Span(1, 2, 3, 4))
found = Diagnostic("IPL101", "name", "error", "message", site)
assert pickle.loads(pickle.dumps(found)) == found
assert hash(pickle.loads(pickle.dumps(found))) == hash(found)
assert dataclasses.replace(found, site=Site("b.py", site.span)).site > site
print(found, dataclasses.asdict(found))
"""

DEEP = """
from inplace_lint import lint_source
for many in (1400, 5000):
    for code in ("x" + ".relu()" * many, "x" + " + x" * many, "x if x else " * many + "x", "f(" * 90 + "x" + ")" * 90):
        program = f"import torch\\ndef f(x):\\n    y = torch.sigmoid(x)\\n    y.add_(1)\\n    return {code}\\n"
        print(many, [(found.code, found.message) for found in lint_source(program, "a.py")])
"""


@pytest.mark.skipif(shutil.which(os.environ.get("CC", "cc")) is None, reason="there is no C compiler")
@pytest.mark.parametrize("hot", [SOME, pytest.param((), marks=pytest.mark.compiled)], ids=["some", "all"])
def test_compiled_tells_the_same(hot: Iterable[str], tree: Path, tmp_path: Path) -> None:
    options = {"INPLACE_LINT_OPT": "0", "INPLACE_LINT_HOT": " ".join(hot)}
    compiled, log = _wheel(tree, tmp_path / "compiled", INPLACE_LINT_COMPILE="1", **options)
    pure, _ = _wheel(tree, tmp_path / "pure", INPLACE_LINT_COMPILE="")
    assert "inplace-lint: compiled" in log
    assert pure.name.endswith("-py3-none-any.whl")
    assert not compiled.name.endswith("-py3-none-any.whl")

    sites = [wheel.parent / "site" for wheel in (compiled, pure)]
    where = [_run(site, "-c", "import inplace_lint.source.ir as ir; print(ir.__file__)") for site in sites]
    assert where[0].strip().endswith((".so", ".pyd"))
    assert where[1].strip().endswith(".py")
    names = [{str(path.relative_to(site)) for path in site.rglob("*.*") if path.suffix != ".pyc"} for site in sites]
    assert all(Path(name).suffix in (".so", ".pyd") for name in names[0] - names[1] if ".dist-info" not in name)
    assert not {name for name in names[1] - names[0] if ".dist-info" not in name}

    arguments = ("-m", "inplace_lint", "--no-cache", "--output-format", "json", "--select", "ALL")
    # The cases ask most of what there is, and take a while.
    checked = [ROOT / "examples", *([] if hot else [ROOT / "tests" / "cases"])]
    told = [_run(site, *arguments, *map(str, checked)) for site in sites]
    assert told[0] == told[1]
    assert len(json.loads(told[0])) > 10
    row = (ROOT / "examples" / "silu.py").read_text("utf-8").split("torch.sigmoid_")[0].count("\n") + 1
    told = [_run(site, "-m", "inplace_lint", "why", f"{ROOT / 'examples' / 'silu.py'}:{row}") for site in sites]
    assert told[0] == told[1]
    assert "writes `x`" in told[0]
    for program in (PICKLED, DEEP):
        told = [_run(site, "-c", program) for site in sites]
        assert told[0] == told[1]


def _building() -> ModuleType:
    """`building/compiled.py`; the folder is no package."""
    spec = importlib.util.spec_from_file_location("compiled", ROOT / "building" / "compiled.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _constructs(node: ast.AST, around: tuple[ast.AST, ...] = ()) -> Iterator[str]:
    """What a compiler tells apart: kinds of nodes, and where and how functions and classes are defined."""
    if not isinstance(node, (ast.operator, ast.unaryop, ast.cmpop)):
        yield type(node).__name__
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        yield from (f"@{ast.unparse(each)}" for each in node.decorator_list)
        yield f"{type(node).__name__} in {'/'.join(type(each).__name__ for each in around[-2:])}"
        around = (*around, node)
    if isinstance(node, ast.FunctionDef):
        if any(isinstance(each, (ast.Yield, ast.YieldFrom)) for each in ast.walk(node)):
            yield f"generator in {'/'.join(type(each).__name__ for each in around[-2:-1])}"
        if node.name.startswith("__"):
            yield node.name
        yield from (kind for kind in ("vararg", "kwarg") if getattr(node.args, kind))
    if isinstance(node, ast.ClassDef):
        yield from (f"({ast.unparse(each)})" for each in node.bases if not _is_own(each))
    for part in ast.iter_child_nodes(node):
        yield from _constructs(part, around)


def _is_own(base: ast.expr) -> bool:
    return ast.unparse(base).partition("[")[0] not in ("Exception", "Generic", "NamedTuple", "Protocol")


def test_some_modules_have_what_all_have() -> None:
    package = ROOT / "inplace_lint"
    every = {path: set(_constructs(ast.parse(path.read_text("utf-8")))) for path in _building()._modules(package)}
    some = [package / name for name in SOME]
    assert set(some) <= set(every)
    assert set().union(*every.values()) - set().union(*(every[path] for path in some)) == set()


def test_what_cannot_be_compiled_fails(tree: Path, tmp_path: Path) -> None:
    build = _build(tree, tmp_path / "wheel", INPLACE_LINT_COMPILE="1", INPLACE_LINT_HOT="effort.py", CC="/nowhere/cc")
    assert build.returncode == 1
    assert "inplace-lint: cannot be compiled, as INPLACE_LINT_COMPILE asks: " in build.stdout + build.stderr
    assert not list((tmp_path / "wheel").glob("*"))


def test_no_generator_is_asked_for_its_elements() -> None:
    """`x in generator()` works in Python; compiled generators have no `__contains__`, and are no iterators to `in`."""
    trees = [ast.parse(file.read_text("utf-8")) for file in (ROOT / "inplace_lint").rglob("*.py")]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    generators = {each.name for each in functions if any(isinstance(node, ast.Yield) for node in ast.walk(each))}
    asked = [
        ast.unparse(node)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare)
        for operator, right in zip(node.ops, node.comparators, strict=True)
        if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, ast.Call)
        if getattr(right.func, "id", getattr(right.func, "attr", "")) in generators
    ]
    assert asked == []
