"""The whole table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import torch

from inplace_lint.runtime.op_table.build import build
from inplace_lint.runtime.op_table.isolate import isolated
from inplace_lint.runtime.op_table.modules import build_module, public_modules
from inplace_lint.runtime.op_table.names import public_ops
from inplace_lint.runtime.op_table.samples import load_tests
from inplace_lint.runtime.op_table.write import module_row, row, text

_CHUNK = 40
T = TypeVar("T")


@dataclass
class Generated:
    """Everything that goes to `ops.json`, and what to say about it."""

    ops: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    modules: dict[str, dict[str, Any]] = field(default_factory=dict)
    loose: dict[str, list[str]] = field(default_factory=dict)

    def text(self) -> str:
        """The file's text."""
        return text(torch.__version__.partition("+")[0], self.ops, self.modules)

    def coverage(self) -> str:
        """One line each for ops and modules."""
        ops = _count("ops", self.ops.values())
        modules = _count("modules", (m["forward"] for m in self.modules.values()))
        return f"{ops}\n{modules}\nsaves not seen in every run: {len(self.loose)} names"


def _count(what: str, entries: Iterable[list[dict[str, Any]]]) -> str:
    probed = [any("source" not in row for row in rows) for rows in entries]
    return f"{len(probed)} {what}: {sum(probed)} probed, {probed.count(False)} by schema alone"


def generate(wanted: Callable[[str], bool] = lambda name: True) -> Generated:
    """Builds the rows of all names that are wanted."""
    torch.set_num_threads(1)  # a forked process has none of its parent's threads
    load_tests()
    table = Generated()
    functions = public_ops()
    names = sorted(filter(wanted, functions))
    for name, built in _survivors(names, lambda name, run: build(name, functions[name], run)):
        if built.rows:
            table.ops[name] = [row(effects) for effects in built.rows]
        table.loose |= {name: built.loose} if built.loose else {}
    classes = public_modules()
    modules = sorted(filter(wanted, classes))
    for name, (spec, built) in _survivors(modules, lambda name, run: build_module(classes[name], run)):
        table.modules[name] = module_row(spec)
        table.loose |= {name: built.loose} if built.loose else {}
    return table


def _survivors(names: Sequence[str], make: Callable[[str, bool], T]) -> Iterator[tuple[str, T]]:
    """Makes many names in one process; if one of them crashes it, halves apart."""
    if len(names) > _CHUNK:
        for start in range(0, len(names), _CHUNK):
            yield from _survivors(names[start : start + _CHUNK], make)
        return
    found = isolated(lambda: [(name, make(name, True)) for name in names])
    if found is not None:
        yield from found
    elif len(names) == 1:
        yield names[0], make(names[0], False)
    else:
        middle = len(names) // 2
        yield from _survivors(names[:middle], make)
        yield from _survivors(names[middle:], make)
