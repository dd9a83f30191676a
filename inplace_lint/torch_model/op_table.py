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
    returns  "fresh" | "alias self" | "view self" | "views self" | "maybe self" | "parts" | "value",
             "view self if contiguous", "many fresh" for a list of unknown length, or a list of these for a tuple
    saves    [["other", ["input"]], ["result"], ["self", ["other"], "clone"], ["weight", [], "view"],
             ["hx", [], "gpu"]]
    grad     false
    dtype    "bool" | "int64" | "float"..., or a list of these and "" for a tuple
    whole    "float32" | "int64"
    contiguous  false
    dense    true
    part     "whole" | "turned" | "rows" | "diagonal" | "real" | "imaginary" | "expanded" | "windows" | "resized"
    filling  "none" | "zeros" | "ones" | "constant" | "drawn" | "given"
    repeats  "always" | "rows" | "never"
    shape    "broadcast", "total" (no dimension unless `dim` is given), or the number of dimensions
    unchecked ["self"]
    passes   ["self", "other"]
    compares true
    moves    true
    levels   true
    purpose  "fill" | "value"
    again    "same" | "settled" | "further"
    metadata true
    fields   ["values", "indices"]
    node     "MulBackward0"
    source   "schema" if nobody could run it

A constructor parameter without a constant default has the string "<required>" or "<computed>".

`older.json` tells, newest first, how each older release differs from the next: the names that it has not, and what the
rows of an op save there; a key without anything is left out::

    {"2.12": {"torch": "2.12.0", "absent": ["torch.nn.RMSNorm"], "saves": {"torch.nextafter": [[]]}}, ...}
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from inplace_lint.torch_model.effects import Again, Effects, Filling, ModuleSpec, Output, Param, ParamKind, SaveSpec
from inplace_lint.torch_model.layer_bases import LAYER_BASES
from inplace_lint.torch_model.op_names import base_name, method_of, twin_of

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
    text, _, when = text.partition(" if ")
    words = text.split()
    many = words[0] in ("many", "views", "parts")
    if words[0] == "many":
        words = words[1:]
    return Output(cast(Any, words[0]), words[1] if len(words) > 1 else None, many, cast(Any, when))


def _save(row: list[Any]) -> SaveSpec:
    how = row[2] if len(row) > 2 else ""
    return SaveSpec(row[0], tuple(row[1]) if len(row) > 1 else (), how == "clone", how == "view", how == "gpu")


def _dtypes(told: str | list[str] | None) -> tuple[str | None, ...]:
    return (told,) if isinstance(told, str) else tuple(each or None for each in told or ())


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
        dtypes=_dtypes(row.get("dtype")),
        whole=row.get("whole"),
        contiguous=row.get("contiguous", True),
        dense=row.get("dense", False),
        part=row.get("part", ""),
        filling=row.get("filling", ""),
        repeats=row.get("repeats", ""),
        shape=row.get("shape"),
        unchecked=tuple(row.get("unchecked", ())),
        passes=tuple(row.get("passes", ())),
        compares=row.get("compares", False),
        moves=row.get("moves", False),
        levels=row.get("levels", False),
        purpose=row.get("purpose", ""),
        again=row.get("again", ""),
        metadata_only=row.get("metadata", False),
        fields=tuple(row.get("fields", ())),
        node=row.get("node"),
        source=row.get("source", "manual" if "reason" in row else "probed"),
    )


class OpTable:
    """The rows by qualified name, turned into `Effects` when first asked for.

    `suits_screen` tells that it knows of no write and no save that the table for the newest PyTorch does not know:
    what looks only at names goes by that one.
    """

    def __init__(
        self, ops: Mapping[str, Any], modules: Mapping[str, Any], torch_version: str, suits_screen: bool = False
    ) -> None:
        self.torch_version = torch_version
        self.suits_screen = suits_screen
        self._ops = ops
        self._modules = modules
        self._read: dict[str, tuple[Effects, ...]] = {}
        self._specs: dict[str, ModuleSpec | None] = {}
        self._tops: frozenset[str] | None = None

    def names(self) -> list[str]:
        """Qualified names of all ops."""
        return sorted(self._ops)

    def module_names(self) -> list[str]:
        """Qualified names of all modules."""
        return sorted(self._modules)

    def knows(self, name: str) -> bool:
        """Whether a qualified name is that of an op or a module."""
        return name in self._ops or name in self._modules

    def knows_package(self, top: str) -> bool:
        """Whether it has something of a package."""
        if self._tops is None:
            self._tops = frozenset(name.partition(".")[0] for name in (*self._ops, *self._modules))
        return top in self._tops or top in packages()

    def unmarked_writers(self) -> list[str]:
        """The ops that write more than `out`, and whose names do not tell by an underscore at their end."""
        named = ((name, rows) for name, rows in self._ops.items() if name[-1:] != "_" or name[-2:] == "__")
        return sorted(name for name, rows in named if any(set(row.get("writes", ())) - {"out"} for row in rows))

    def overloads(self, name: str) -> tuple[Effects, ...]:
        """All overloads of `torch.mul`, `torch.Tensor.mul_`...; empty if the name is unknown.

        Of a library whose source is not followed, those that are shipped.
        """
        if name not in self._read:
            rows = self._ops[name] if name in self._ops else _package_of(name)[0].get(name, ())
            self._read[name] = tuple(map(read_row, rows))
        return self._read[name]

    def module(self, name: str) -> ModuleSpec | None:
        """The specification of `torch.nn.ReLU`...; None if the name is unknown."""
        if name not in self._specs:
            entry = self._modules[name] if name in self._modules else _package_of(name)[1].get(name)
            self._specs[name] = _module(entry) if entry is not None else self._base(name)
        return self._specs[name]

    def _base(self, name: str) -> ModuleSpec | None:
        """The specification of a class that layers derive from."""
        base = LAYER_BASES.get(name)
        if base is None:
            return None
        like = self.module(f"torch.nn.{base.like}") if base.like else None
        own = like if like is not None else ModuleSpec(())
        return ModuleSpec(tuple(base.init.items()), own.parameters, own.buffers, own.forward if base.runs else ())

    def extended(self, document: Mapping[str, Any]) -> OpTable:
        """A table with what a model file says: its rows win by name; a single one may stand for a list of one.

        What it says under `also` goes to all the rows that the named ops and modules have; saves join those there.
        """
        rows = document.get("ops", {}).items()
        ops = {**self._ops, **{name: [entry] if isinstance(entry, Mapping) else entry for name, entry in rows}}
        modules = {**self._modules, **document.get("modules", {})}
        for also in document.get("also", ()):
            ops |= {name: [_joined(row, also) for row in ops[name]] for name in also["ops"] if name in ops}
            for name in (each for each in also["ops"] if each in modules):
                forward = [_joined(row, also) for row in modules[name].get("forward", ())]
                modules[name] = {**modules[name], "forward": forward}
        return OpTable(ops, modules, self.torch_version)

    def before(self, step: Mapping[str, Any]) -> OpTable:
        """The table for the release before, as a step of `older.json` tells it."""
        absent = frozenset(step.get("absent", ()))
        ops = {name: rows for name, rows in self._ops.items() if name not in absent}
        suits = self.suits_screen
        for name, saves in step.get("saves", {}).items():
            suits = suits and all(_adds_none(row, told) for row, told in zip(ops[name], saves, strict=True))
            ops[name] = [{**row, "saves": told} for row, told in zip(ops[name], saves, strict=True)]
        modules = {name: entry for name, entry in self._modules.items() if name not in absent}
        return OpTable(ops, modules, step["torch"], suits)


def _joined(row: Mapping[str, Any], also: Mapping[str, Any]) -> dict[str, Any]:
    told = {key: value for key, value in also.items() if key not in ("ops", "reason")}
    if "saves" in told:
        kept = row.get("saves", ())
        told["saves"] = [*kept, *(save for save in told["saves"] if save[:1] not in kept)]
    return {**row, **told}


def _adds_none(row: Mapping[str, Any], saves: list[Any]) -> bool:
    return all(save in row.get("saves", ()) for save in saves)


def _module(row: Mapping[str, Any]) -> ModuleSpec:
    return ModuleSpec(
        tuple((name, default) for name, default in row.get("init", ())),
        tuple(row.get("parameters", ())),
        tuple(row.get("buffers", ())),
        tuple(map(read_row, row.get("forward", ()))),
    )


_PACKAGES = Path(__file__).parent / "packages"
_Rows = tuple[Mapping[str, Any], Mapping[str, Any]]
_NOTHING: _Rows = ({}, {})


def _package_of(name: str) -> _Rows:
    """What is shipped about the functions and modules of the package that a qualified name belongs to."""
    top, dot, _ = name.partition(".")
    return _package(top) if dot and top in packages() else _NOTHING


@cache
def packages() -> frozenset[str]:
    """The packages whose rows are shipped, in a file for each, made by `inplace-lint model`."""
    return frozenset(each.stem for each in _PACKAGES.glob("*.toml"))


@cache
def _package(top: str) -> _Rows:
    document = tomllib.loads((_PACKAGES / f"{top}.toml").read_text("utf-8"))
    ops = {name: entry if isinstance(entry, list) else [entry] for name, entry in document.get("ops", {}).items()}
    return ops, document.get("modules", {})


@cache
def shipped() -> OpTable:
    """The table that is shipped with the package."""
    folder = files("inplace_lint.torch_model")
    generated = json.loads((folder / "ops.json").read_text("utf-8"))
    manual = tomllib.loads((folder / "manual.toml").read_text("utf-8"))
    table = OpTable(generated["ops"], generated["modules"], generated["torch"]).extended(manual)
    table.suits_screen = True
    return table


@cache
def shipped_for(version: str) -> OpTable:
    """That for a minor version of PyTorch, as in `2.4`; `older.json` says how each differs from the next.

    Raises:
        KeyError: that version is not known.
    """
    table = shipped()
    if table.torch_version.startswith(f"{version}."):
        return table
    steps = json.loads((files("inplace_lint.torch_model") / "older.json").read_text("utf-8"))
    for each in list(steps)[: list(steps).index(version) + 1]:
        table = table.before(steps[each])
    return table


_in_force: ContextVar[OpTable | None] = ContextVar("op table", default=None)


def table() -> OpTable:
    """The table in force: the one that is shipped, unless `using` says otherwise."""
    return _in_force.get() or shipped()


def filling(op: str) -> Filling:
    """What an op of that name fills memory with, whatever its arguments."""
    rows = table().overloads(op)
    return rows[0].filling if rows and all(row.filling == rows[0].filling for row in rows) else ""


def fills(op: str) -> bool:
    """Whether an in-place op of that name gives all elements the same value."""
    return filling(op) in ("zeros", "ones", "constant")


def begins(op: str) -> bool:
    """Whether what an op of that name makes or writes tells nothing: random numbers, or the identity."""
    return filling(op) == "drawn" or base_name(op).startswith(_BEGINNINGS)


# Also NumPy has ops of such names, of which the table knows nothing.
_BEGINNINGS = ("rand", "normal", "bernoulli", "multinomial", "poisson", "eye")


def moves(op: str) -> bool:
    """Whether an op of that name gives elements of a tensor in other places."""
    return any(row.moves for row in table().overloads(op))


def reshapes(op: str) -> bool:
    """Whether an in-place op changes the shape of one tensor object, and no value: `unsqueeze_`, `t_`."""
    return any(row.writes and row.part in ("whole", "turned") for row in table().overloads(op))


def shows_itself(op: str) -> bool:
    """Whether an op that writes nothing gives a tensor itself, or a view of it."""
    return any(output.of and not row.writes for row in table().overloads(op) for output in row.outputs)


def compares(op: str) -> bool:
    """Whether an op says nothing of one tensor that it is given twice: it is for two."""
    return any(row.compares for row in table().overloads(op))


def adds(op: str) -> bool:
    """Whether an op gives a sum: backward hands one and the same gradient to all that is added."""
    return any(len(row.passes) > 1 for row in table().overloads(method_of(op)))


def shifts(op: str) -> bool:
    """Whether an in-place op leaves the gradient of what it writes as it was, if what it puts in needs none."""
    rows = table().overloads(method_of(op))
    return any(not row.part and not set(row.writes).isdisjoint(row.passes) for row in rows)


def again(op: str) -> Again:
    """What comes of applying an op, or a module, of that name to its own result."""
    return next((row.again for row in _rows(op) if row.again), "")


def levels(op: str) -> bool:
    """Whether an op, or a module, is level far below zero; what nobody knows is taken for a method of its name."""
    known = op if table().knows(op) else f"torch.Tensor.{base_name(op)}"
    return any(row.levels for row in _rows(known))


def _rows(op: str) -> tuple[Effects, ...]:
    module = table().module(op)
    return module.forward if module is not None else table().overloads(op)


def gives_value(op: str) -> bool:
    """Whether an in-place op of that name is called for its result, which is another one each time."""
    return any(row.purpose == "value" for row in table().overloads(op))


def is_activation(op: str) -> bool:
    """Whether an op is a layer, or PyTorch has it among the functions of layers, too."""
    return op.startswith("torch.nn.") or any(table().knows(_OF_LAYERS + name) for name in _names(op))


_OF_LAYERS = "torch.nn.functional."


def _names(op: str) -> tuple[str, str]:
    name = base_name(op)
    return name, twin_of(name)


@contextmanager
def using(other: OpTable) -> Iterator[None]:
    """Put another table in force, in this thread."""
    token = _in_force.set(other)
    try:
        yield
    finally:
        _in_force.reset(token)
