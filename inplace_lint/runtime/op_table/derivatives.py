"""What the derivative formulas of PyTorch say is saved, for ops that cannot be run here.

A formula saves what it mentions, except where it only asks for a size or a dtype, as far as the generator
of autograd's C++ knows how to keep that instead (`REPLACEMENTS` in its `load_derivatives.py`). It guards a
save only in the simplest case (`guard_for` in `gen_variable_type.py`): several arguments have formulas,
none of them takes a list of tensors, and just one formula, for just one argument, mentions the value. Then
it is saved if that argument requires grad, and else whenever the op is recorded. Results are never guarded.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import cast

import torchgen
import yaml

from inplace_lint.runtime.op_table.schema import Overload
from inplace_lint.torch_model.effects import SaveSpec

FORMULAS = "torchgen/packaged/autograd/derivatives.yaml"

Formulas = Mapping[str, str]
"""By argument, or arguments with commas between, the formula of the gradient."""

GENERATOR = "torchgen/packaged/autograd/load_derivatives.py"

Questions = tuple[str, ...]
"""Patterns of what needs no values of a tensor, with its name to be put in."""

_NOT_FORMULAS = frozenset({"name", "result", "dispatch", "output_differentiability"})


def read_formulas(text: str) -> dict[str, Formulas]:
    """By schema, the formulas in a file such as `FORMULAS`."""
    found: dict[str, Formulas] = {}
    for entry in yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        formulas = entry.get("dispatch", {}).get("Default", entry)
        found[entry["name"]] = {key: str(value) for key, value in formulas.items() if key not in _NOT_FORMULAS}
    return found


def read_questions(text: str) -> Questions:
    """What a file such as `GENERATOR` keeps instead of a tensor."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "REPLACEMENTS" and node.value is not None:
            rules = cast(ast.List, node.value).elts
            return tuple(str(ast.literal_eval(cast(ast.Tuple, rule).elts[0])) for rule in rules)
    raise ValueError("it has no REPLACEMENTS")


def _installed(path: str) -> str:
    return (Path(torchgen.__file__).parents[1] / path).read_text("utf-8")


@cache
def _entries() -> Mapping[str, Formulas]:
    return {schema.partition("(")[0]: formulas for schema, formulas in read_formulas(_installed(FORMULAS)).items()}


@cache
def _questions() -> Questions:
    return read_questions(_installed(GENERATOR))


def saves(overload: Overload) -> tuple[SaveSpec, ...]:
    """What is kept for backward, by the formulas alone."""
    formulas = _entries().get(overload.schema.removeprefix("aten::"), {})
    tensors = {"self" if p.name == "input" else p.name: p for p in overload.params if p.kind in ("tensor", "tensors")}
    has_lists = any(p.kind == "tensors" for p in tensors.values())
    results = ("result", "result0", "result1", "result2")
    return tuple(
        SaveSpec(tensors[name].name if name in tensors else name, (tensors[when].name,) if when else ())
        for name, when in saved(formulas, tensors, results, has_lists, _questions())
    )


def saved(
    formulas: Formulas, tensors: Collection[str], results: Collection[str], has_lists: bool, questions: Questions
) -> Iterator[tuple[str, str]]:
    """What is kept, by name, and of which argument it depends whether it is; empty if of none.

    Args:
        formulas: the formulas of an op.
        tensors: its arguments that are tensors, or lists of them.
        results: its results.
        has_lists: whether any of the arguments is a list.
        questions: what can be kept instead of a tensor.
    """
    formulas = {names: text for names, text in formulas.items() if text != "non_differentiable"}
    unguarded = len(formulas) < 2 or has_lists
    for name in sorted({*tensors, *results}):
        users = [names for names, text in formulas.items() if _needs(text, name, questions)]
        if users:
            guarded = name in tensors and not unguarded and len(users) == 1 and users[0] in tensors
            yield name, users[0] if guarded else ""


def _needs(formula: str, name: str, questions: Questions) -> bool:
    """Whether a formula needs the values of a tensor."""
    for question in questions:
        formula = re.sub(question.format(name), "", formula)
    return re.search(rf"\b{name}\b", formula) is not None
