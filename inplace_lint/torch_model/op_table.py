"""Reads the op table: `ops.json`, generated from PyTorch, and `manual.toml`, which wins row by row.

Format of `ops.json` (version 1); keys with default values are left out::

    {"torch": "2.13.0",
     "ops": {"torch.mul": [ROW, ...], "torch.Tensor.mul_": [ROW, ...], ...},
     "modules": {"torch.nn.ReLU": {"init": [["inplace", false]], "parameters": [], "buffers": [],
                                   "forward": [ROW, ...]}, ...}}

A ROW has these keys, as `Effects` explains them::

    params   ["input:tensor", "other:tensor", "*", "out:tensor="]   "=": optional; after "*": keyword only
    given    {"inplace": true}
    writes   ["self"]
    returns  "fresh" | "alias self" | "view self" | "views self" | "maybe self" | "value",
             "many fresh" for a list of unknown length, or a list of these for a tuple
    saves    [["other", ["input"]], ["result"], ["self", ["other"], "clone"]]
    grad     false
    dtype    "bool"
    contiguous  false
    metadata true
    node     "MulBackward0"
    source   "probed" | "schema" | "manual"

A constructor parameter without a constant default has the string "<required>" or "<computed>".
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from typing import Any, cast

from inplace_lint.torch_model.effects import Effects, ModuleSpec, Output, Param, ParamKind, SaveSpec

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


def _param(text: str, keyword_only: bool) -> Param:
    name, _, kind = text.rstrip("=").partition(":")
    return Param(name, cast(ParamKind, kind or "other"), text.endswith("="), keyword_only)


def _params(texts: list[str]) -> tuple[Param, ...]:
    star = texts.index("*") if "*" in texts else len(texts)
    return tuple(_param(text, i > star) for i, text in enumerate(texts) if text != "*")


def _output(text: str) -> Output:
    words = text.split()
    many = words[0] == "many"
    if many:
        words = words[1:]
    return Output(cast(Any, words[0]), words[1] if len(words) > 1 else None, many or words[0] == "views")


def _save(row: list[Any]) -> SaveSpec:
    return SaveSpec(row[0], tuple(row[1]) if len(row) > 1 else (), len(row) > 2 and row[2] == "clone")


def read_row(row: Mapping[str, Any]) -> Effects:
    """An `Effects` from one ROW. Raises KeyError or ValueError on a malformed row."""
    returns = row.get("returns", "fresh")
    return Effects(
        params=_params(list(row["params"])),
        given=tuple(sorted(row.get("given", {}).items())),
        writes=tuple(row.get("writes", ())),
        outputs=tuple(map(_output, [returns] if isinstance(returns, str) else returns)),
        tupled=not isinstance(returns, str),
        saves=tuple(map(_save, row.get("saves", ()))),
        differentiable=row.get("grad", True),
        dtype=row.get("dtype"),
        contiguous=row.get("contiguous", True),
        metadata_only=row.get("metadata", False),
        node=row.get("node"),
        source=row.get("source", "manual"),
    )


class OpTable:
    """The rows by qualified name, turned into `Effects` when first asked for."""

    def __init__(self, ops: Mapping[str, Any], modules: Mapping[str, Any], torch_version: str) -> None:
        self.torch_version = torch_version
        self._ops = ops
        self._modules = modules
        self._read: dict[str, tuple[Effects, ...]] = {}
        self._specs: dict[str, ModuleSpec | None] = {}

    def names(self) -> list[str]:
        """Qualified names of all ops."""
        return sorted(self._ops)

    def module_names(self) -> list[str]:
        """Qualified names of all modules."""
        return sorted(self._modules)

    def knows(self, name: str) -> bool:
        """Whether a qualified name is that of an op or a module."""
        return name in self._ops or name in self._modules

    def overloads(self, name: str) -> tuple[Effects, ...]:
        """All overloads of `torch.mul`, `torch.Tensor.mul_`...; empty if the name is unknown."""
        if name not in self._read:
            self._read[name] = tuple(map(read_row, self._ops.get(name, ())))
        return self._read[name]

    def module(self, name: str) -> ModuleSpec | None:
        """The specification of `torch.nn.ReLU`...; None if the name is unknown."""
        if name not in self._specs:
            self._specs[name] = _module(self._modules[name]) if name in self._modules else None
        return self._specs[name]

    def extended(self, ops: Mapping[str, Any], modules: Mapping[str, Any]) -> OpTable:
        """A table with further rows, which win by name; a single row may stand for a list of one."""
        rows = {name: [entry] if isinstance(entry, Mapping) else entry for name, entry in ops.items()}
        return OpTable({**self._ops, **rows}, {**self._modules, **modules}, self.torch_version)


def _module(row: Mapping[str, Any]) -> ModuleSpec:
    return ModuleSpec(
        tuple((name, default) for name, default in row.get("init", ())),
        tuple(row.get("parameters", ())),
        tuple(row.get("buffers", ())),
        tuple(map(read_row, row.get("forward", ()))),
    )


@cache
def shipped() -> OpTable:
    """The table that is shipped with the package."""
    folder = files("inplace_lint.torch_model")
    generated = json.loads((folder / "ops.json").read_text("utf-8"))
    manual = tomllib.loads((folder / "manual.toml").read_text("utf-8"))
    table = OpTable(generated["ops"], generated["modules"], generated["torch"])
    return table.extended(manual.get("ops", {}), manual.get("modules", {}))


_in_force: ContextVar[OpTable | None] = ContextVar("op table", default=None)


def table() -> OpTable:
    """The table in force: the one that is shipped, unless `using` says otherwise."""
    return _in_force.get() or shipped()


@contextmanager
def using(other: OpTable) -> Iterator[None]:
    """Put another table in force, in this thread."""
    token = _in_force.set(other)
    try:
        yield
    finally:
        _in_force.reset(token)
