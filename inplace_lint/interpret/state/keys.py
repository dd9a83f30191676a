"""Keys of unknown values: the same operations on the same operands make the same unknown, on every path.

So a condition that comes again gets the same answer, and a tensor that was recognized once is known from then on.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import NamedTuple

from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.constant import Constant, Number
from inplace_lint.torch_model.subscript import (
    Position,
    Subscript,
)


@dataclass(slots=True, eq=False)
class Key(Number):
    """What an unknown is made of. There is one key of equal things, so that comparing is cheap: they may be deep.

    Spelled out, what has the same part many times would be endless, so each has a number, in order, and remembers the
    `parameters` of which it is made, once they were asked for.
    """

    made: Hashable
    number: int = 0
    parameters: frozenset[Site] | None = None

    def __repr__(self) -> str:
        return f"Key {self.number}"

    def ends_after(self, other: object) -> bool:
        """Whether a range up to it likely ends after `n`, the other: `-n`, `size - n`, `n * 3`, `n * (times - 1)`."""
        made = self.made
        if isinstance(made, Unary):
            return made.op == "-" and made.of == other
        if not isinstance(made, Binary):
            return False
        if made.op == "*":
            return other in (made.left, made.right) and any(map(_is_several, (made.left, made.right)))
        return made.op == "-" and made.right == other

    @property
    def is_from_the_end(self) -> bool:
        """Whether it is spelled as a position that is counted from the end: `-n + i`."""
        made = self.made
        if not isinstance(made, Binary) or made.op != "+":
            return False
        sides = [side.made for side in (made.left, made.right) if isinstance(side, Key)]
        return any(isinstance(side, Unary) and side.op == "-" for side in sides)


def _is_several(key: Hashable) -> bool:
    """Whether a number is above 1, or another one less 1: `times - 1`."""
    if isinstance(key, Constant):
        return isinstance(key.value, int) and key.value > 1
    made = key.made if isinstance(key, Key) else None
    return isinstance(made, Binary) and made.op == "-" and made.right == Constant(1)


_KEYS: dict[Hashable, Key] = {}


def key_of(made: Hashable) -> Key:
    """The one key of what is made so."""
    if isinstance(made, Key):
        return made
    found = _KEYS.get(made)
    if found is None:
        found = _KEYS[made] = Key(made, len(_KEYS))
    return found


def forget_keys() -> None:
    """Start anew, for another file."""
    _KEYS.clear()


class Made(NamedTuple):
    """What a node of the program makes when a path comes there for the first, second... time."""

    node: ir.Node
    turn: int


@dataclass(frozen=True, slots=True)
class Tuple:
    """A tuple of known length."""

    items: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument that nobody passed; `call` tells calls apart, and is None for an entry point."""

    path: str
    span: Span
    call: Hashable = None


@dataclass(frozen=True, slots=True)
class TakenFor:
    """Whether an option has some value (`mode == "sum"`), or one of some."""

    option: Key
    values: Hashable


@dataclass(frozen=True, slots=True)
class Available:
    """Whether a package is there, which a function of that name tells."""

    name: str


@dataclass(frozen=True, slots=True)
class Global:
    """A name of a module."""

    path: str
    name: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """`of.name`"""

    of: Hashable
    name: str


@dataclass(frozen=True, slots=True)
class Item:
    """`of[places]`"""

    of: Hashable
    places: Hashable


@dataclass(frozen=True, slots=True)
class Element:
    """What iterating over `of` gives, counted from 0."""

    of: Hashable
    index: int


@dataclass(frozen=True, slots=True)
class Count:
    """A number that something is counted with, or that a tensor holds; it is `least` or more, if that is known."""

    place: Hashable
    index: int = 0
    least: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """`len(of)`, `of.size(...)` and the like (`query`); `of.shape` itself has no query."""

    query: str
    of: Hashable
    region: Hashable = None
    arguments: tuple[Hashable, ...] = ()


def place_in(whole: Hashable, position: int) -> Hashable:
    """What iterating over an unknown gives: of `x.shape`, what `x.size(position)` is."""
    return _size_at(whole, Constant(position)) or Element(whole, position)


def item_of(whole: Key, places: Subscript) -> Hashable:
    """What indexing an unknown gives."""
    place = places[0] if len(places) == 1 else None
    at = place.at if isinstance(place, Position) else None
    return (_size_at(whole, at) if isinstance(at, Constant) else None) or Item(whole, places)


def size_at(of: Hashable, region: Hashable, dim: int) -> Shape:
    """The size of a dimension of a tensor, however it is asked for."""
    return Shape("size", of, region, (Constant(dim),))


def _size_at(whole: Hashable, position: Constant) -> Shape | None:
    made = whole.made if isinstance(whole, Key) else None
    of_all = isinstance(made, Shape) and made.query in ("", "size") and not made.arguments
    if not isinstance(made, Shape) or not of_all or not isinstance(position.value, int):
        return None
    return size_at(made.of, made.region, position.value)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function of Python or of a library tells of values: `hasattr(x, name)`, `type(x)`, `x in y`."""

    asked: str
    about: tuple[Hashable, ...] = ()


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that is imported from where nobody sees it."""

    path: str
    level: int
    module: str
    name: str


@dataclass(frozen=True, slots=True)
class MadeUp:
    """An object that the program does not show, of some kind; `place` tells apart those of one kind."""

    kind: str
    place: Hashable = None


@dataclass(frozen=True, slots=True)
class Field:
    """An attribute that a constructor gives an object, of which nobody knows with what it was called."""

    name: str
    owner: Hashable = None


@dataclass(frozen=True, slots=True)
class GivenSince:
    """What methods that were called before may have given an attribute of the object that a method is run on."""

    name: str


@dataclass(frozen=True, slots=True)
class Copied:
    """A deep copy of an unknown or an object."""

    original: Hashable
    place: Hashable


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Whether no value was passed for a parameter of the entry point."""

    name: str


@dataclass(frozen=True, slots=True)
class HasItems:
    """Whether a container that shows no item has any."""

    container: int


@dataclass(frozen=True, slots=True)
class Values:
    """A tensor, with the values that it has since its memory was last written."""

    memory: Hashable
    version: int
    region: Hashable


@dataclass(frozen=True, slots=True)
class Memory:
    """A tensor as a key of a dictionary: it is itself, whatever is written to it."""

    memory: Hashable
    region: Hashable


@dataclass(frozen=True, slots=True)
class Named:
    """Something of a library."""

    name: str


@dataclass(frozen=True, slots=True)
class Itself:
    """An object that is equal to no other one."""

    number: int


@dataclass(frozen=True, slots=True)
class Metadata:
    """`of.dtype`, `of.device` and the like."""

    name: str
    of: Hashable
    region: Hashable = None


@dataclass(frozen=True, slots=True)
class Query:
    """What a method of `of` gives that only tells something: `of.get(key)`, `of.size()`."""

    of: Hashable
    name: str
    arguments: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Converted:
    """`of.to(...)`, `of.float()` and the like: a tensor if `of` is one."""

    of: Key
    place: Hashable


@dataclass(frozen=True, slots=True)
class Derived:
    """`of.view(...)`, `of.pow(...)`, `of[key] += ...`: where it proves to be a tensor, so is `of`."""

    of: Key
    place: Hashable


@dataclass(frozen=True, slots=True)
class OfArrays:
    """What a function of a library gives that knows arrays, and no tensors."""

    place: Hashable


@dataclass(frozen=True, slots=True)
class OfValues:
    """What a function of a library gives whose tensors are values: `x -= y` gives another one the name."""

    place: Hashable


@dataclass(frozen=True, slots=True)
class Unary:
    """`-of`, `+of` or `~of`"""

    op: str
    of: Hashable


@dataclass(frozen=True, slots=True)
class Binary:
    """`left + right` and the like."""

    op: str
    left: Hashable
    right: Hashable


@dataclass(frozen=True, slots=True)
class Joined:
    """What an f-string makes of its parts."""

    parts: tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Compare:
    """`left < right` and the like."""

    op: str
    left: Hashable
    right: Hashable


@dataclass(frozen=True, slots=True)
class Equal:
    """Whether two are equal."""

    sides: frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class Is:
    """Whether two are the same."""

    sides: frozenset[Hashable]


@dataclass(frozen=True, slots=True)
class Not:
    """The opposite."""

    of: Hashable


@dataclass(frozen=True, slots=True)
class IsInstance:
    """`isinstance(of, classes)`"""

    of: Hashable
    classes: Hashable


@dataclass(frozen=True, slots=True)
class NoTensor:
    """Of an unknown it is known that it is no tensor."""

    of: Key


@dataclass(frozen=True, slots=True)
class IsData:
    """Of an unknown it is known that it requires no grad."""

    of: Key


@dataclass(frozen=True, slots=True)
class IsModel:
    """Of an unknown it is known that it has parameters."""

    of: Key


@dataclass(frozen=True, slots=True)
class HasBuffers:
    """Of an unknown it is known that it is a model whose buffers were asked for."""

    of: Key


def spelled(key: Hashable) -> str:
    """How a key of a dictionary goes into the name of what is kept under it."""
    value = key.value if isinstance(key, Constant) else key
    # What an object is made of may be endless.
    return str(value) if isinstance(value, (str, int, float, Key)) else type(value).__name__
