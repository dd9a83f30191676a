"""What the derivative formulas of PyTorch say is saved, for ops that cannot be run here.

A formula saves what it mentions, except where it only asks for a size or a dtype. The generator of
autograd's C++ guards a save only in the simplest case (`guard_for` in torchgen's
`gen_variable_type.py`): several arguments have formulas, none of them takes a list of tensors, and
just one formula, for just one argument, mentions the value. Then it is saved if that argument
requires grad, and else whenever the op is recorded. Results are never guarded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import torchgen
import yaml

from inplace_lint.runtime.op_table.schema import Overload
from inplace_lint.torch_model.effects import SaveSpec

_FORMULAS = Path(torchgen.__file__).parent / "packaged" / "autograd" / "derivatives.yaml"
_NOT_FORMULAS = frozenset({"name", "result", "dispatch", "output_differentiability"})
_METADATA = "sym_sizes?|sizes?|sym_strides?|strides?|scalar_type|options|dim|device|layout|sym_numel|numel|is_\\w+"


@cache
def _entries() -> Mapping[str, Mapping[str, str]]:
    with _FORMULAS.open(encoding="utf-8") as file:
        entries = yaml.safe_load(file)
    found: dict[str, Mapping[str, str]] = {}
    for entry in entries:
        formulas = entry.get("dispatch", {}).get("Default", entry)
        name = entry["name"].partition("(")[0]
        found[name] = {key: str(value) for key, value in formulas.items() if key not in _NOT_FORMULAS}
    return found


def saves(overload: Overload) -> tuple[SaveSpec, ...]:
    """What is kept for backward, by the formulas alone."""
    formulas = _entries().get(overload.schema.removeprefix("aten::"), {})
    formulas = {names: text for names, text in formulas.items() if text != "non_differentiable"}
    tensors = {"self" if p.name == "input" else p.name: p for p in overload.params if p.kind in ("tensor", "tensors")}
    unguarded = len(formulas) < 2 or any(p.kind == "tensors" for p in tensors.values())
    found: list[SaveSpec] = []
    for name in sorted({*tensors, "result", "result0", "result1", "result2"}):
        users = [names for names, text in formulas.items() if _mentions(text, name)]
        if users:
            guarded = name in tensors and not unguarded and len(users) == 1 and "," not in users[0]
            when = (tensors[users[0]].name,) if guarded and users[0] in tensors else ()
            found.append(SaveSpec(tensors[name].name if name in tensors else name, when))
    return tuple(found)


def _mentions(formula: str, name: str) -> bool:
    return re.search(rf"\b{name}\b(?!\.({_METADATA})\()", formula) is not None
