"""Which operands of the conditions in `inplace_lint/judgement/` change no decision about a read after a write.

    python benchmarks/operands.py [FOLDER...]

Each operand of `and` and `or` is left out in turn, and every read that comes after a write is judged again: in the
cases, examples and documents of this repository, and then, for what has changed nothing there, in FOLDER. An operand
that changes nothing anywhere is not needed, or not tested; a guard of a type is always needed. Those of `argument_of`
are listed, too, which decides about IPL305 instead. Only modules that are not compiled can be changed like this.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from snapshot import copy_programs

from inplace_lint.effort import allowance, unlimited
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.analyze import analyze
from inplace_lint.judgement import (
    callees,
    classify,
    exemptions,
    intent,
    memory,
    other_place,
    pair,
    same_place,
    second_names,
    tables,
    taken_by_name,
    taken_out,
    windows,
)
from inplace_lint.judgement.classify import stale_kind
from inplace_lint.judgement.stale_reads import binding_at_write, verdict
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.project.reading import load
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.operands import Binding
from inplace_lint.why.habits import habits

_MODULES = (
    *(callees, classify, exemptions, intent, memory, other_place, pair, windows),
    *(same_place, second_names, tables, taken_by_name, taken_out),
)


def main() -> None:
    """Read the command line, judge, and print the operands that changed nothing."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    options = parser.parse_args()
    idle = [variant for module in _MODULES for variant in _variants(module)]
    count = len(idle)
    with tempfile.TemporaryDirectory() as made:
        copy_programs(Path(made))
        for name, habit in habits().items():
            Path(made, f"{name}.py").write_text(habit.program, "utf-8")
        for folder in (Path(made), *options.folders):
            for path in sorted(folder.rglob("*.py")):
                _judge_file(str(path), idle)
    for variant in idle:
        print(variant.text)
    print(f"{len(idle)} of {count} operands change nothing")


@dataclass(frozen=True, slots=True)
class Variant:
    """A function of the judgement, and its code with an operand left out."""

    function: FunctionType
    code: CodeType
    text: str


def _variants(module: ModuleType) -> Iterator[Variant]:
    """All variants of the functions of a module; the switches of habits have tests of their own."""
    source = inspect.getsource(module)
    for place, node in enumerate(ast.walk(ast.parse(source))):
        for index in range(len(node.values) if isinstance(node, ast.BoolOp) else 0):
            tree = ast.parse(source)
            changed = list(ast.walk(tree))[place]
            assert isinstance(changed, ast.BoolOp)
            whole, left_out = ast.unparse(changed), ast.unparse(changed.values[index])
            changed.values[index] = ast.Constant(True if isinstance(changed.op, ast.And) else None)
            row = changed.lineno
            functions = [each for each in tree.body if isinstance(each, ast.FunctionDef) and each.lineno <= row]
            if left_out.endswith(".on") or not functions or row > (functions[-1].end_lineno or 0):
                continue
            function = getattr(module, functions[-1].name)
            made: dict[str, FunctionType] = {}
            ast.fix_missing_locations(tree)
            exec(compile(ast.Module([*tree.body[:2], functions[-1]], []), str(module.__file__), "exec"), made)
            text = f"{Path(str(module.__file__)).name}:{row} `{left_out}` of `{whole}`"
            yield Variant(function, made[function.__name__].__code__, text)


def _judge_file(path: str, idle: list[Variant]) -> None:
    """Take away from `idle` what changes a decision in a file."""
    text = load(path)
    met: set[object] = set()

    def check(trace: Trace) -> Iterator[Finding]:
        allowed, trace.effort = trace.effort, unlimited()  # The program is followed as far as without the variants.
        for read, held, write in _pairs(trace):
            usual = verdict(read, held, write, trace)
            places = (read.site, read.stack, held.site, held.label, write.site, write.stack)
            key = (places, read.operand.text, write.op, write.use, usual.name)
            if key not in met:
                met.add(key)
                _judge_pair(read, held, write, trace, idle)
        trace.effort = allowed
        yield from ()

    if text is not None:
        rule = Rule("IPL000", "operands", "judges in many ways", check)
        with suppress(SyntaxError):
            on_deep_stack(lambda: analyze(text, path, [rule], load, effort=allowance(text)))


def _pairs(trace: Trace) -> Iterator[tuple[Read, Binding, Write]]:
    for read in trace.events:
        if isinstance(read, Read) and read.operand.binding is not None:
            storage = read.operand.tensor.storage
            for write in storage.latest(read.time):
                held = binding_at_write(read, write) if write.storage is storage else None
                if held is not None:
                    yield read, held, write


def _judge_pair(read: Read, held: Binding, write: Write, trace: Trace, idle: list[Variant]) -> None:
    usual = stale_kind(verdict(read, held, write, trace), held)

    def differs(variant: Variant) -> bool:
        function, code = variant.function, variant.function.__code__
        function.__code__ = variant.code
        try:
            return stale_kind(verdict(read, held, write, trace), held) != usual
        except (AttributeError, IndexError, NameError, TypeError, ValueError):  # the operand was a guard
            return True
        finally:
            function.__code__ = code

    idle[:] = [variant for variant in idle if not differs(variant)]


if __name__ == "__main__":
    main()
