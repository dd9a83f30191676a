"""What the engine believes of a tensor after a line, held against the real tensor.

In `revealed/*.py`, `# revealed: ...` at the end of an assignment describes what the first name on its
left holds afterwards (of an expression: the name that it begins with); so does the comment alone on
the line before. What another path, or an argument that may require grad, makes different stands
behind an `or`. Every `case_...` is run; an `open_...` with and without an argument that requires grad.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch
from expectations import announced
from torch_oracle import load, seed

from inplace_lint.interpret.analysis.entries import entries
from inplace_lint.interpret.analysis.summary import every_path
from inplace_lint.interpret.state.program import Program
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import resolve
from inplace_lint.source import ir
from inplace_lint.source.lower import lower
from inplace_lint.torch_model.tensor import Node, Tensor

FILES = sorted((Path(__file__).parent / "revealed").glob("*.py"))
META = torch._C._autograd.CreationMeta
KINDS = {
    META.DEFAULT: "view",
    META.IN_CUSTOM_FUNCTION: "custom view",
    META.MULTI_OUTPUT_NODE: "multi view",
    META.NO_GRAD_MODE: "no_grad view",
    META.INFERENCE_MODE: "inference view",
}

Probes = dict[int, str]
"""The name to look at after the line in this row."""


def _probes(text: str) -> Probes:
    wanted = announced(text, "revealed")
    probes = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr)) and node.lineno in wanted:
            names = [inner for inner in ast.walk(node) if isinstance(inner, ast.Name)]
            probes[node.lineno] = min(names, key=lambda name: (name.lineno, name.col_offset)).id
    assert probes.keys() == wanted.keys(), "a comment that stands at no assignment or expression"
    return probes


def _name(value: object) -> str:
    return "" if isinstance(value, range) else getattr(value, "stem", str(value))


def _cases() -> Iterator[tuple[Path, str, range]]:
    for file in FILES:
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith(("case_", "open_")):
                yield file, node.name, range(node.lineno, (node.end_lineno or 0) + 1)


CASES = list(_cases())
every_case = pytest.mark.parametrize(("file", "name", "rows"), CASES, ids=_name)


@every_case
def test_engine_agrees(file: Path, name: str, rows: range) -> None:
    text = file.read_text()
    probes = {row: probe for row, probe in _probes(text).items() if row in rows}
    seen: dict[int, set[str]] = defaultdict(set)
    last: dict[int, str] = {}

    def observe(run: Run, statement: ir.Stmt) -> None:
        row = statement.span.row
        if row in probes and run.frame.module.path == str(file):
            values = {label: resolve(ref.value) for label, ref in run.frame.variables.items()}
            tensors = {label: value for label, value in values.items() if isinstance(value, Tensor) and not value.array}
            found = values.get(probes[row])
            last[row] = _abstract(probes[row], found, tensors) if isinstance(found, Tensor) else "no tensor"

    def visit(run: Run) -> None:
        for row, words in last.items():
            seen[row].add(words)
        last.clear()

    module = Program(lambda path: None, lower).add(str(file), text)
    entry = next(entry for entry in entries(module) if entry.name == name)
    assert every_path(entry, visit, observe=observe)
    said = announced(text, "revealed")
    assert {row: " or ".join(sorted(words)) for row, words in seen.items()} == {row: said[row] for row in probes}


@every_case
def test_torch_agrees(file: Path, name: str, rows: range) -> None:
    text = file.read_text()
    said = announced(text, "revealed")
    probes = {row: probe for row, probe in _probes(text).items() if row in rows}
    function = load(text, str(file))[name]
    seen: dict[int, list[set[str]]] = defaultdict(list)
    count = function.__code__.co_argcount
    for needs in itertools.product((True, False), repeat=count):
        seed()
        values = [torch.rand(2, 3, requires_grad=need) * 1 for need in needs]
        for row, words in _traced(lambda f=function, v=values: f(*v), str(file), probes).items():  # type: ignore[misc]
            seen[row].append(words)
    assert seen.keys() == probes.keys()
    for row, real in seen.items():
        alternatives = [words.split(", ") for words in said[row].split(" or ")]
        for words in real:
            assert any(_fits(_possible(wanted, words), words) for wanted in alternatives), (row, words)
        maybe = any("maybe requires grad" in wanted for wanted in alternatives)
        assert not maybe or len({"requires grad" in words for words in real}) == 2, f"{row}: always, or never"


def _fits(said: set[str], real: set[str]) -> bool:
    """Everything said is so; and what is left unsaid is only what the engine does not know."""
    unsaid = {word for word in real - said if word.startswith(("memory", "same")) or word == "expanded"}
    return said <= real and not unsaid


def _possible(wanted: list[str], real: set[str]) -> set[str]:
    """What must be seen of what is said; nothing that does not require grad has a history."""
    if "maybe requires grad" not in wanted:
        return set(wanted)
    without = {word for word in wanted if word not in ("maybe requires grad", "leaf", "not leaf")}
    return without | ({"requires grad"} | set(wanted) & {"leaf", "not leaf"} if "requires grad" in real else {"leaf"})


def _traced(function: Any, filename: str, probes: Probes) -> dict[int, set[str]]:
    """Call a function; words for the real tensor that the probed name holds when its line is done."""
    found: dict[int, set[str]] = {}
    running: dict[FrameType, int] = {}

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != filename:
            return None
        row = running.get(frame)
        if event in ("line", "return"):
            if row in probes:
                value = frame.f_locals.get(probes[row])
                tensors = {label: item for label, item in frame.f_locals.items() if isinstance(item, torch.Tensor)}
                found[row] = _real(probes[row], value, tensors) if isinstance(value, torch.Tensor) else {"no tensor"}
            running[frame] = frame.f_lineno
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        function()
    finally:
        sys.settrace(before)
    return found


def _abstract(label: str, tensor: Tensor, others: Mapping[str, Tensor]) -> str:
    kinds = {"base": "base", "view": "view", "hooked": "custom view"}
    words = [kinds.get(tensor.view, f"{tensor.view} view"), "leaf" if _is_leaf(tensor) else "not leaf"]
    words.append(("no grad", "maybe requires grad", "requires grad")[tensor.need.level])
    words.append("inference" if tensor.inference else f"version {tensor.counter.value}")
    words += [tensor.dtype] if tensor.dtype else []
    words += ["expanded"] if tensor.expanded else []
    words += ["not contiguous"] if tensor.contiguous is False else []
    words += sorted(
        f"memory of {name}" for name, other in others.items() if other is not tensor and other.storage is tensor.storage
    )
    words += sorted(f"same as {name}" for name, other in others.items() if other is tensor and name != label)
    return ", ".join(words)


def _is_leaf(tensor: Tensor) -> bool:
    """As `is_leaf` has it: what requires no grad always is one."""
    if not tensor.need:
        return True
    if tensor.view == "base":
        return tensor.autograd_meta.node is None
    late = tensor.seen != tensor.counter.value and (tensor.autograd_meta.node or tensor.autograd_meta).need
    return not (isinstance(tensor.own, Node) or late)


def _real(label: str, tensor: torch.Tensor, others: Mapping[str, torch.Tensor]) -> set[str]:
    kind = KINDS[torch._C._autograd._get_creation_meta(tensor)] if tensor._is_view() else "base"
    words = {kind, "leaf" if tensor.is_leaf else "not leaf", "requires grad" if tensor.requires_grad else "no grad"}
    words.add("inference" if tensor.is_inference() else f"version {tensor._version}")
    words.add(_kind_of_dtype(tensor.dtype))
    if any(step == 0 and size > 1 for step, size in zip(tensor.stride(), tensor.shape, strict=True)):
        words.add("expanded")
    words |= {"not contiguous"} if not tensor.is_contiguous() else set()
    memory = tensor.untyped_storage().data_ptr()
    for name, other in others.items():
        if other is tensor:
            words |= {f"same as {name}"} if name != label else set()
        elif other.untyped_storage().data_ptr() == memory:
            words.add(f"memory of {name}")
    return words


def _kind_of_dtype(dtype: torch.dtype) -> str:
    if dtype == torch.bool:
        return "bool"
    return "complex" if dtype.is_complex else "float" if dtype.is_floating_point else "int"
