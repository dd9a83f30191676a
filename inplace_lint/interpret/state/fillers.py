"""What in a file may fill a container of it from elsewhere: functions that put something in, and imports inside them.

Other files depend on that as the answer to a question (`asked.py` has more of these).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.program import ModuleFile, Program
from inplace_lint.source import ir
from inplace_lint.source.part_names import QUESTION
from inplace_lint.source.walk import nodes

_FILLS = f"{QUESTION}fills"

Import = ir.Import | ir.ImportFrom


def fillers_of(module: ModuleFile, name: str) -> frozenset[str]:
    """The functions of a file that put something into a container, and the classes told of what derives from them."""
    module.program.asked.add((module.path, f"{_FILLS} {name}"))
    return frozenset(_fillers(module, name))


def imports_of(module: ModuleFile, name: str) -> list[Import]:
    """The imports of a file in which a container is looked for, also those inside of functions."""
    module.program.asked.add((module.path, f"{_FILLS} {name}"))
    return _imports(module)


def answers(program: Program, path: str, questions: Iterable[str]) -> dict[str, str]:
    """The answers to questions about a file; none to those of others."""
    asked = [question for question in questions if question.split(" ")[0] == _FILLS]
    module = program.known(path) if asked else None
    return {question: _answer(module, question.split(" ")[1]) for question in asked} if module is not None else {}


def _answer(module: ModuleFile, name: str) -> str:
    return " ".join([*sorted(set(_fillers(module, name))), "|", *map(_spelled, _imports(module))])


def _imports(module: ModuleFile) -> list[Import]:
    return [each for each in nodes(module.code.body) if isinstance(each, Import)]


def _spelled(statement: Import) -> str:
    if isinstance(statement, ir.Import):
        return f"{statement.module}:{statement.name}:{statement.whole}"
    return f"{'.' * statement.level}{statement.module}:{statement.names}"


def _fillers(module: ModuleFile, name: str) -> Iterator[str]:
    for key, statement in module.bindings.items():
        if isinstance(statement, ir.FunctionDef):
            known = facts(statement.function)
            if name in known.mentions and (known.fills or any(called in _PUTTING for called, _ in known.calls)):
                yield key
        elif isinstance(statement, ir.ClassDef) and is_told_of_classes(statement, name):
            yield key


def is_told_of_classes(base: ir.ClassDef, name: str) -> bool:
    """Whether a class is told by `__init_subclass__` of those that derive from it, and uses a container, or its own."""
    methods = (each.function for each in base.body if isinstance(each, ir.FunctionDef))
    own = base.name == name
    return any(each.name == "__init_subclass__" and (own or name in facts(each).mentions) for each in methods)


_PUTTING = frozenset({"append", "add", "setdefault", "update", "register"})
