"""`python -m inplace_lint.runtime.op_table.older [--check] WHEEL...`: how older releases differ from `ops.json`.

A wheel of PyTorch holds its derivative formulas and the declarations of all names, so nothing of it is run, and one for
another system does as well. Older than 2.1 have no formulas. Those of macOS are small::

    pip download --no-deps --platform macosx_11_0_arm64 --python-version 3.10 --only-binary=:all: torch==2.4.1

What an op saves is taken from the older formula, where the newer formula says what was seen of the newer op. What the
older release has no formula for has no derivative there, or is made of other ops: then no save is known.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import torchgen
from torchgen.model import FunctionSchema

from inplace_lint.runtime.op_table.derivatives import (
    FORMULAS,
    GENERATOR,
    Formulas,
    Questions,
    read_formulas,
    read_questions,
    saved,
)
from inplace_lint.runtime.op_table.names import aten_name
from inplace_lint.runtime.op_table.write import lines, save
from inplace_lint.torch_model import op_table
from inplace_lint.torch_model.effects import Effects, SaveSpec

TARGET = Path(op_table.__file__).with_name("older.json")

_DECLARED = {
    "torch": ("__init__.py", "functional.py", "_C/__init__.pyi", "_C/_VariableFunctions.pyi"),
    "torch.Tensor": ("_tensor.py", "_C/__init__.pyi"),
    "torch.nn": ("nn/__init__.py", "nn/modules/__init__.py"),
    "torch.nn.functional": ("nn/functional.py",),
    "torch.nn.init": ("nn/init.py",),
    **{f"torch.{name}": (f"{name}/__init__.py",) for name in ("linalg", "special", "fft")},
}
_OF_TENSORS = ("Tensor", "TensorBase", "_TensorBase")

_Saves = frozenset[tuple[str, tuple[str, ...]]]
_Told = list[list[Any]]


@dataclass(frozen=True)
class Release:
    """The files of a release: in a wheel, or where packages are installed."""

    place: Path

    def text(self, path: str) -> str:
        """What a file says; raises KeyError if there is none."""
        if self.place.is_dir():
            return (self.place / path).read_text("utf-8")
        with zipfile.ZipFile(self.place) as wheel:
            return wheel.read(path).decode("utf-8")

    @cached_property
    def version(self) -> str:
        """As in `2.4.1`."""
        said = re.search(r"^__version__ = '([\d.]+)", self.text("torch/version.py"), re.M)
        if said is None:
            raise ValueError(f"{self.place} does not say which version it is")
        return said[1]

    @cached_property
    def names(self) -> frozenset[str]:
        """All that the namespaces of the table have, and some more."""
        return frozenset(f"{space}.{name}" for space in _DECLARED for name in self._names(space))

    def _names(self, space: str) -> Iterator[str]:
        for path in _DECLARED[space]:
            tree: ast.AST = ast.parse(self.text(f"torch/{path}"))
            is_class = space == "torch.Tensor"
            for part in _classes(tree) if is_class else [tree]:
                yield from _bound(part)

    @cached_property
    def derivatives(self) -> dict[str, Derivative]:
        """By op and overload, as in `mul.Tensor`."""
        found: dict[str, Derivative] = {}
        counted: Counter[str] = Counter()
        questions = read_questions(self.text(GENERATOR))
        for schema, formulas in read_formulas(self.text(FORMULAS)).items():
            name = schema.partition("(")[0]
            stem = "".join(word.title() for word in name.partition(".")[0].split("_")) + "Backward"
            stem = stem.replace("ForwardBackward", "Backward")
            if set(formulas.values()) - {"non_differentiable"}:
                found[name] = Derivative(schema, formulas, f"{stem}{counted[stem]}", questions)
                counted[stem] += 1
        return found


@dataclass(frozen=True)
class Derivative:
    """The formulas of one op, with its schema, and what its results have as `grad_fn`."""

    schema: str
    formulas: Formulas
    node: str
    questions: Questions

    def saves(self) -> _Saves:
        """What is saved, and when, in the words of the schema, with results as rows name them."""
        schema = FunctionSchema.parse(self.schema)
        tensors = {each.name: each.type for each in schema.arguments.flat_all if each.type.is_tensor_like()}
        has_lists = any(each.is_list_like() is not None for each in tensors.values())
        many = len(schema.returns) > 1
        results = {each.name or f"result{i}": f"result{i}" for i, each in enumerate(schema.returns)}
        results = results if many else {"result": "result", **dict.fromkeys(results, "result")}
        # a formula that goes by the name of a result is one for forward mode
        formulas = {names: text for names, text in self.formulas.items() if names not in results}
        found = saved(formulas, tensors, results, has_lists, self.questions)
        return frozenset((results.get(name, name), (when,) if when else ()) for name, when in found)


@dataclass
class Differences:
    """How a release differs: names that it has not, what rows save there, and what is not known."""

    version: str
    absent: frozenset[str] = frozenset()
    saves: dict[str, _Told] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)


def differences(older: Release, newer: Release) -> Differences:
    """How an older release differs from the newer one, from which the table is made."""
    table = op_table.shipped()
    missing = newer.names - older.names
    found = Differences(older.version, missing.intersection([*table.names(), *table.module_names()]))
    changed = dict(_changed(older, newer))
    for name in table.names():
        rows = table.overloads(name)
        then = [_then(name, row, changed) for row in rows]
        if name not in found.absent and then != [row.saves for row in rows]:
            found.saves[name] = _told(then)
    found.left = sorted(_left(changed, found))
    return found


@dataclass(frozen=True)
class Change:
    """What an op saves then and now."""

    op: str
    then: _Saves
    now: _Saves


def _changed(older: Release, newer: Release) -> Iterator[tuple[str, Change]]:
    """By the node in a row, what has changed."""
    for name, now in newer.derivatives.items():
        before = older.derivatives.get(name)
        change = Change(name.partition(".")[0], before.saves() if before is not None else frozenset(), now.saves())
        if change.then != change.now:
            yield now.node, change


def _then(name: str, row: Effects, changed: Mapping[str, Change]) -> tuple[SaveSpec, ...]:
    """What a row saves in the older release; what it does now if the formula does not explain that."""
    change = changed.get(row.node or "")
    if change is None:
        return row.saves
    then, now = _of_row(row, change.then), _of_row(row, change.now)
    seen = {(each.what, each.when): each for each in row.saves}
    # of what is made of several ops, the last one saves what no caller sees
    if seen.keys() != now or (then - now and change.op != aten_name(name).removesuffix("_")):
        return row.saves
    # what is written was copied before
    more = (SaveSpec(what, when, clone=what in row.writes) for what, when in sorted(then - now))
    return (*(each for told, each in seen.items() if told in then), *more)


def _of_row(row: Effects, saves: _Saves) -> _Saves:
    """The same in the words of a row, whose first parameter need not be `self`."""
    own = {param.name for param in row.params}

    def named(name: str) -> str:
        return row.params[0].name if name == "self" and name not in own else name

    return frozenset((named(what), tuple(map(named, when))) for what, when in saves)


def _left(changed: Mapping[str, Change], found: Differences) -> Iterator[str]:
    """What is no difference although the formulas differ."""
    table = op_table.shipped()
    for name in table.names():
        if name not in found.saves and name not in found.absent:
            yield from (f"{name} ({row.node})" for row in table.overloads(name) if row.node in changed and row.saves)
    for name in table.module_names():
        spec = table.module(name)
        rows = spec.forward if spec is not None else ()
        yield from (f"{name} ({row.node})" for row in rows if row.node in changed and row.saves)


def _classes(tree: ast.AST) -> Iterator[ast.AST]:
    """The classes that the methods of tensors are in."""
    return (node for node in ast.iter_child_nodes(tree) if isinstance(node, ast.ClassDef) and node.name in _OF_TENSORS)


def _bound(tree: ast.AST) -> Iterator[str]:
    """The names that the body of a module or class binds, or writes down as those of `__all__`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.alias):
            yield node.asname or node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        else:
            yield from _bound(node)


def text(found: Sequence[Differences]) -> str:
    """The whole file, newest first: each release says how it differs from the next. One name per line.

    Raises:
        ValueError: a name was there before, and then not.
    """
    steps = [_step(each, above) for above, each in pairwise([Differences("newest"), *found])]
    return "{\n" + ",\n".join(steps) + "\n}\n"


def _step(found: Differences, above: Differences) -> str:
    if returned := above.absent - found.absent:
        raise ValueError(f"PyTorch {found.version} has {', '.join(returned)}, and the next has not")
    rows = {name: [row.saves for row in op_table.shipped().overloads(name)] for name in above.saves}
    then = {**{name: _told(saves) for name, saves in rows.items()}, **found.saves}
    saves = {name: told for name, told in then.items() if told != above.saves.get(name) and name not in found.absent}
    absent = sorted(found.absent - above.absent)
    parts = [f'"torch":{json.dumps(found.version)}']
    parts += [f'"absent":{json.dumps(absent)}'] if absent else []
    parts += [f'"saves":{lines(saves)}'] if saves else []
    return f"{json.dumps(minor(found.version))}:" + "{" + ",\n".join(parts) + "}"


def _told(rows: Sequence[Sequence[SaveSpec]]) -> _Told:
    return [[save(each) for each in saves] for saves in rows]


def minor(version: str) -> str:
    """`2.4` of `2.4.1`."""
    return ".".join(version.split(".")[:2])


def releases(wheels: Sequence[Path], newer: Release) -> list[Release]:
    """The releases in wheels, newest first.

    Raises:
        ValueError: there is not one of each minor version before the newer release.
    """
    found = sorted(map(Release, wheels), key=lambda each: [int(number) for number in each.version.split(".")])[::-1]
    major, last = minor(newer.version).split(".")
    if [minor(each.version) for each in found] != [f"{major}.{int(last) - 1 - i}" for i in range(len(found))]:
        raise ValueError(f"expected one wheel of each minor version before {newer.version}")
    return found


def main() -> int:
    """Writes the file, or with `--check` compares it to the one that is there."""
    parser = argparse.ArgumentParser(prog="python -m inplace_lint.runtime.op_table.older", description=main.__doc__)
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL", help="one for each minor version, all of them")
    parser.add_argument("--check", action="store_true", help="exit 1 if older.json is not what would be written")
    options = parser.parse_args()
    newer = Release(Path(torchgen.__file__).parents[1])
    if newer.version != op_table.shipped().torch_version:
        parser.error(f"ops.json is from PyTorch {op_table.shipped().torch_version}, and {newer.version} is installed")
    found = [differences(each, newer) for each in releases(options.wheels, newer)]
    for each in found:
        print(f"{each.version}: {len(each.absent)} names absent, {len(each.saves)} ops save something else")
        print("".join(f"  formulas differ, left as it is: {name}\n" for name in each.left), end="")
    if options.check:
        return int(TARGET.read_text("utf-8") != text(found))
    TARGET.write_text(text(found), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
