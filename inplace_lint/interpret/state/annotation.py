"""A type annotation, as far as it tells what a value is: a container of something, or an object with fields."""

from __future__ import annotations

from dataclasses import dataclass

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word


@dataclass(frozen=True, slots=True)
class Annotation:
    """A type: its name without its module, what stands in its brackets, and the file that says so."""

    name: str
    parts: tuple[Annotation, ...]
    module: ModuleFile

    @property
    def keeps_elements(self) -> bool:
        """Whether iterating over such a value again gives the same objects."""
        return self.name in _KEEPING

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
_MAPPINGS = frozenset("dict Dict Mapping MutableMapping OrderedDict DefaultDict defaultdict".split())


def annotation_of(node: ir.Expr | None, module: ModuleFile) -> Annotation | None:
    """What an expression says as an annotation; of what may be None, the rest; None if it is no plain type."""
    if isinstance(node, ir.Const) and isinstance(node.value, str) and node.value.isidentifier():
        return Annotation(node.value, (), module)
    if isinstance(node, ir.Const) and node.value is ...:
        return Annotation("...", (), module)
    if isinstance(node, (ir.Name, ir.Attr)):
        return Annotation(last_word(node), (), module)
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
