"""Bindings, and tensors as ops receive them: through which name, attribute or element, read when, at which place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from inplace_lint.source.place import Site
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.labels import is_own, without_keys
from inplace_lint.torch_model.regions import Region
from inplace_lint.torch_model.tensor import Tensor

BindingKind = Literal["name", "parameter", "attribute", "element"]
Keeper = Literal["", "context", "buffers", "state_dict", "gradient", "optimizer", "arguments"]


@dataclass(slots=True, eq=False)
class Binding:
    """A place (a name, an attribute, an element) holds a value. Binding the place again makes a new one.

    Args:
        place: identifies the place: what has it (a frame, an object, a container), and its name, key or position there.
        label: how the source spells it (`x`, `self.buf`, `feats[0]`).
        kind: what sort of place it is.
        bound_at: time of the trace at which the value was put there.
        site: where that was.
        source: the binding that the value was read from, if it was read from one; for a parameter,
            the caller's.
        depth: call depth of the frame, 0 for the entry point.
        is_result: it stands for what an op or a call gave back.
        produced_from: time at which that op or call began, whose writes are part of the value.
        detached: what was put there is the memory of a tensor without its history.
        is_vector_slice: it is a parameter that has become a part of what its source keeps.
        in_loop: it is the variable of a loop.
        read_at: time at which it was last read, other than to be overwritten.
        container: how the source spells what the element was last taken out of, or the value of a name.
        region: which part of its storage the tensor put there covers; None if unknown.
        stored_as: the element that it was put into last.
        kept_as: the attribute or element that it was put into last.
        by_call: a call gave what is there.
        when_asked: that call, or an earlier one of the same function, has made it, and kept it for the next time.
        taken_up: otherwise, the name that it was put there by is given what is there already.
        chosen: an option decides that this is there, and not what another branch puts there.
        copied_to: the variable that it is copied into if it proves to have other memory.
        keeper: what keeps the value, if that says for what: the `ctx` of a custom function, all `buffers()` of a
            module, its `state_dict()`, `.grad`, the state of an optimizer, or the `*args` of a call.
        way: how the source was reached, if that is an attribute or element.
        converted: it stands for what a conversion such as `to` gave back, which had nothing to do.
    """

    place: tuple[object, object]
    label: str
    kind: BindingKind
    bound_at: int
    site: Site | None = None
    source: Binding | None = None
    depth: int = 0
    region: Region | None = None
    is_result: bool = False
    produced_from: int = 0
    in_loop: bool = False
    detached: bool = False
    is_vector_slice: bool = False
    read_at: int = 0
    container: str = ""
    stored_as: Binding | None = None
    kept_as: Binding | None = None
    by_call: bool = False
    when_asked: bool = False
    taken_up: bool = False
    chosen: bool = False
    copied_to: str = ""
    keeper: Keeper = ""
    way: Way | None = None
    converted: bool = False

    @property
    def owner(self) -> object:
        """What has the place: a frame, an object or a container, as `place` identifies it."""
        return self.place[0]

    @property
    def key(self) -> object:
        """The name, key or position of the place there."""
        return self.place[1]

    @property
    def name(self) -> str:
        """The name of the attribute or variable, or a key that is a text; "" for another key, or a position."""
        key = self.key.value if isinstance(self.key, Constant) else self.key
        return key if isinstance(key, str) else ""

    @property
    def container_name(self) -> str:
        """The variable or attribute that the container is, or is kept in."""
        return without_keys(self.container)

    def note_read(self, time: int) -> None:
        """The place was read; what it was bound to before, if it was bound to itself, counts as read, too."""
        self.read_at = time
        binding, source = self, self.source
        while source is not None and source.place == binding.place and source.read_at <= binding.bound_at:
            source.read_at = time
            binding, source = source, source.source

    def note_use(self) -> None:
        """What is put into another place has been read for that; what a caller passed for that is put there, too."""
        source = self.source
        if source is None or source.place == self.place:
            return
        source.note_read(self.bound_at)
        while source is not None:
            if self.kind in ("attribute", "element"):
                source.stored_as = self if self.kind == "element" else source.stored_as
                source.kept_as = self
            source = source.source if source.kind == "parameter" else None


# What is spelled longer than that is no name in a message.
_LONGEST_NAME = 40


@dataclass(slots=True, eq=False)
class Way:
    """How an attribute or element was reached: the binding of what has it, and how that was reached in turn.

    A container or object may have several names, and what is in it one place only: the way tells them apart.
    """

    binding: Binding
    of: Way | None = None


@dataclass(slots=True, eq=False)
class Operand:
    """A tensor as an op received it: through which binding, read when, at which place.

    `evaluated_at` is the time at which the expression was evaluated; the op itself runs later. `way` is how the binding
    was reached, if it is an attribute or element.
    """

    tensor: Tensor
    site: Site
    binding: Binding | None
    evaluated_at: int
    text: str
    way: Way | None = None

    @property
    def is_own(self) -> bool:
        """Whether it is spelled as what belongs to the object whose method runs."""
        return is_own(self.text)

    @property
    def name(self) -> str:
        """The variable or attribute that it is, or is kept in."""
        return without_keys(self.text)

    @property
    def spelled(self) -> str:
        """How a message calls it."""
        text = self.text or self.tensor.label
        return f"`{text}`" if 0 < len(text) <= _LONGEST_NAME else "the tensor"

    def note_read(self, time: int) -> None:
        """The binding through which the tensor came was read."""
        if self.binding is not None:
            self.binding.note_read(time)
        way = self.way
        while way is not None:
            way.binding.note_read(time)
            way = way.of


def operands_in(value: object) -> Iterator[Operand]:
    """The tensors in an argument: itself, or the elements of a list."""
    if isinstance(value, Operand):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from operands_in(item)
