"""A type annotation, as far as it tells what a value is: a container of something, or an object with fields."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.source import ir
from inplace_lint.source.bound import pairs
from inplace_lint.source.spelling import ir_text, last_word


@dataclass(frozen=True, slots=True)
class Annotation:
    """A type: its name without its module, what stands in its brackets, the file that says so, and its module."""

    name: str
    parts: tuple[Annotation, ...]
    module: ModuleFile
    prefix: str = ""

    @property
    def keeps_elements(self) -> bool:
        """Whether iterating over such a value again gives the same objects."""
        return self.name in _KEEPING

    @property
    def is_container(self) -> bool:
        """Whether such a value holds others, and is no tensor itself."""
        return self.name in _CONTAINERS

    @property
    def is_mapping(self) -> bool:
        """Whether such a value has entries by keys."""
        return self.name in _MAPPINGS

    def element(self, index: int) -> Annotation | None:
        """What iterating over such a value gives, counted from 0."""
        if self.name in _SEQUENCES or self.name in _MAPPINGS:
            return self.parts[0] if self.parts else None
        if self.name.lower() == "tuple":
            repeated = len(self.parts) == 2 and self.parts[1].name == "..."
            position = 0 if repeated else index
            return self.parts[position] if position < len(self.parts) else None
        return None

    def entry(self, position: object) -> Annotation | None:
        """What an item of such a value is; `position` is a number, or anything else."""
        if self.name in _MAPPINGS:
            return self.parts[1] if len(self.parts) > 1 else None
        if self.name in _SEQUENCES:
            return self.element(0)
        return self.element(position) if isinstance(position, int) and position >= 0 else None

    def view(self, method: str) -> Annotation | None:
        """What `items()`, `keys()` or `values()` of such a mapping gives."""
        if self.name not in _MAPPINGS or len(self.parts) != 2:
            return None
        key, value = self.parts
        found = {"keys": key, "values": value, "items": Annotation("tuple", self.parts, self.module)}.get(method)
        return Annotation("list", (found,), self.module) if found is not None else None


_SEQUENCES = frozenset(
    "list List Sequence MutableSequence Iterable Iterator Collection set Set frozenset FrozenSet deque Deque".split()
)
_KEEPING = frozenset("list List Sequence MutableSequence tuple Tuple deque Deque".split())
_CONTAINERS = frozenset(
    "list List MutableSequence tuple Tuple deque Deque set Set dict Dict MutableMapping OrderedDict DefaultDict "
    "defaultdict".split()
)
_MAPPINGS = frozenset("dict Dict Mapping MutableMapping OrderedDict DefaultDict defaultdict".split())


def annotation_of(node: ir.Expr | None, module: ModuleFile) -> Annotation | None:
    """What an expression says as an annotation; of what may be None, the rest; None if it is no plain type."""
    if isinstance(node, ir.Const) and isinstance(node.value, str):
        prefix, _, name = node.value.rpartition(".")
        return Annotation(name, (), module, prefix) if all(map(str.isidentifier, node.value.split("."))) else None
    if isinstance(node, ir.Const) and node.value is ...:
        return Annotation("...", (), module)
    if isinstance(node, (ir.Name, ir.Attr)):
        return Annotation(last_word(node), (), module, ir_text(node.value) if isinstance(node, ir.Attr) else "")
    if isinstance(node, ir.Binary) and node.op == "|":
        return _of_union(node, module)
    if not isinstance(node, ir.Index) or not (name := last_word(node.value)):
        return None
    inside = node.index.items if isinstance(node.index, ir.Sequence) else (node.index,)
    if name == "Optional":
        return annotation_of(inside[0], module)
    parts = [annotation_of(each, module) for each in inside]
    return Annotation(name, tuple(part or Annotation("", (), module) for part in parts), module)


def _of_union(node: ir.Binary, module: ModuleFile) -> Annotation | None:
    """What `A | B` says; of what may be None, the rest."""
    sides = [each for each in (node.left, node.right) if not _is_none(each)]
    told = [annotation_of(each, module) for each in sides]
    parts = tuple(part or Annotation("", (), module) for part in told)
    return told[0] if len(told) == 1 else Annotation("Union", parts, module)


def _is_none(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is None


def declared_in(cls: ir.ClassDef, module: ModuleFile, name: str) -> Iterator[Annotation | None]:
    """What a class declares an attribute to be: in its body, or as the argument of its constructor that it keeps."""
    for statement in cls.body:
        if isinstance(statement, ir.FunctionDef):
            yield from _kept(statement.function, module, name) if statement.function.name == "__init__" else ()
        elif isinstance(statement, (ir.Declare, ir.Assign)) and statement.annotation is not None:
            target = statement.target if isinstance(statement, ir.Declare) else statement.targets[0]
            if _is_name(target, name):
                yield annotation_of(statement.annotation, module)


def _kept(code: ir.Function, module: ModuleFile, name: str) -> Iterator[Annotation | None]:
    """What a constructor keeps under a name."""
    for statement in code.body:
        declared = statement.annotation if isinstance(statement, ir.Assign) else None
        for target, value in pairs(statement):
            if isinstance(target, ir.Attr) and target.name == name and isinstance(target.value, ir.Name):
                param = next((each for each in code.params if _is_name(value, each.name)), None)
                annotation = declared or (param.annotation if param is not None else None)
                if annotation is not None:
                    yield annotation_of(annotation, module)


def _is_name(node: ir.Expr, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def spelled_out(annotation: Annotation | None) -> str:
    """An annotation as text, without the file that says so."""
    if annotation is None:
        return "?"
    return f"{annotation.name}[{', '.join(map(spelled_out, annotation.parts))}]"
