"""Abstract memory and tensors: storages, version counters, histories, what requires grad.

The terms are PyTorch's own (c10/core/TensorImpl.h, torch/csrc/autograd/variable.h):
a storage may have several counters (`.data` makes a new one), and autograd ties a base and its
differentiable views into one history (`AutogradMeta`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal

from inplace_lint.source.place import Site
from inplace_lint.torch_model import op_table

if TYPE_CHECKING:
    from inplace_lint.torch_model.effects import DtypeKind, Filling
    from inplace_lint.torch_model.events import Write
    from inplace_lint.torch_model.operands import Binding
    from inplace_lint.torch_model.regions import Region
    from inplace_lint.torch_model.sizes import Sizes


@dataclass(frozen=True, slots=True)
class Assumption:
    """What must hold for something to happen: a sentence, of what it is about and what it says of it.

    Args:
        of: the parameters that it is about, or of which what it is about is made; none if it is anything else.
    """

    about: str
    says: str
    of: frozenset[Site] = frozenset()


@dataclass(frozen=True, slots=True)
class RequiresGrad:
    """Whether something requires grad: no, certainly, or if one of the assumptions holds."""

    level: Literal[0, 1, 2]
    assumptions: tuple[Assumption, ...] = ()

    def __bool__(self) -> bool:
        return self.level > 0

    @property
    def certain(self) -> bool:
        """Known to require grad."""
        return self.level == 2


NO = RequiresGrad(0)
YES = RequiresGrad(2)


def assumed(about: str, says: str = "requires grad", of: frozenset[Site] = frozenset()) -> RequiresGrad:
    """Requires grad if that is so."""
    return RequiresGrad(1, (Assumption(about, says, of),))


def parameters_in(assumptions: Iterable[Assumption]) -> frozenset[Site]:
    """The parameters that assumptions are about; none, if one of them is about something else."""
    about = [each.of for each in assumptions]
    return frozenset[Site]().union(*about) if all(about) else frozenset()


def any_of(needs: Iterable[RequiresGrad]) -> RequiresGrad:
    """Whether at least one of them requires grad."""
    assumptions: list[Assumption] = []
    for need in needs:
        if need.level == 2:
            return YES
        assumptions.extend(each for each in need.assumptions if each not in assumptions)
    return RequiresGrad(1, tuple(assumptions)) if assumptions else NO


def on_gpu(need: RequiresGrad) -> RequiresGrad:
    """The same, where it must run on a GPU besides."""
    if need.certain:
        return assumed("this", "runs on a GPU")
    return RequiresGrad(need.level, tuple(replace(each, says=f"{each.says} on a GPU") for each in need.assumptions))


@dataclass(slots=True, eq=False)
class Counter:
    """A version counter. The one of `.data` or NumPy memory is hidden: no saved tensor looks at it.

    Args:
        copied: of what was made by `copy.copy`, and shares the memory all the same.
        copied_at: when that was.
    """

    value: int = 0
    hidden: bool = False
    copied: bool = False
    copied_at: int = 0


Role = Literal["", "gradient", "default", "repeated", "global", "cached", "fetched"]


# How many writes to one memory something is held against, the latest first kept.
_MOST_WRITES = 64


Start = Literal["", "ones", "drawn"]


@dataclass(slots=True, eq=False)
class Storage:
    """Memory.

    Args:
        key: the same in every path that makes this storage at the same place.
        site: where it was made.
        writes: all writes so far with the counter that they bumped and its value afterwards.
        made_at: time of the trace; `made_in` are the times at which the calls began that made it.
        role: what makes writing it special, wherever it is reached from.
        role_since: time at which it took that role.
        role_in: the elements of the list that has it several times, if that is known.
        copied: how the source spells what advanced indexing surely copied it from.
        fetched_at: when a data set first gave it as an item, 0 if none did.
        alike: what must hold for it to be the memory of what was converted: ops that copy where they must did not.
        start: what it was made with, if that is but a start: ones, or something `drawn`: random numbers, the identity,
            one number, or what came of those.
        clone_of: the memory of which it has all values as they were when it was made, by `clone`.
        repeats: several of its elements are very likely equal: classes, counts, places in a grid; False if surely none
            are, None if nothing tells.
        filling: what it was made with: no values at all (`torch.empty`), one value (`torch.zeros`), or others (empty).
    """

    key: Hashable
    site: Site | None
    made_at: int = 0
    role: Role = ""
    role_since: int = 0
    role_in: tuple[object, ...] = ()
    copied: str = ""
    fetched_at: int = 0
    filling: Filling = ""
    repeats: bool | None = None
    start: Start = ""
    alike: tuple[Assumption, ...] = ()
    clone_of: Storage | None = None
    made_in: tuple[int, ...] = ()
    writes: list[tuple[Write, Counter | None, int]] = field(default_factory=list)

    def is_blank(self, time: int) -> bool:
        """Whether there were no values in it at a time."""
        return self.filling == "none" and all(write.time > time for write, _, _ in self.writes[:1])

    def is_constant(self, time: int) -> bool:
        """Whether there was nothing in it at a time but one and the same value, which tells nothing."""
        count = self.count_until(time)
        if count == 0:
            return bool(self.filling)
        write, _, _ = self.writes[count - 1]
        return op_table.fills(write.op) and write.operand.tensor.region == ()

    def count_until(self, time: int) -> int:
        """How many writes there were up to a time: they are in order."""
        return bisect_right(self.writes, time, key=lambda entry: entry[0].time)

    def latest(self, time: int) -> list[Write]:
        """The latest writes up to a time, in order; so many that what is asked of each costs little."""
        end = self.count_until(time)
        return [write for write, _, _ in self.writes[max(0, end - _MOST_WRITES) : end]]

    def suppose(self, condition: Assumption) -> None:
        """From now on it is also the result of an op that does not copy if a condition holds."""
        if condition not in self.alike:
            self.alike = (*self.alike, condition)

    def share(self, role: Role, time: int, within: tuple[object, ...] = ()) -> None:
        """From now on it is reached from several places; `within` are the bindings of a list's elements."""
        self.role, self.role_since, self.role_in = role, time, within


@dataclass(slots=True, eq=False)
class Save:
    """An op kept a tensor at a version for its backward.

    Args:
        op: qualified name of the op.
        node: autograd's name for it.
        site: the op's call.
        operand: how the source calls the saved tensor.
        is_result: it is the op's own result.
        need: whether the save was really made.
        certain: False if the memory is perhaps not the one that was written later.
        leaf: a leaf that requires grad was saved.
        unused: backward needs the version only, not the values.
        view: a view of it was saved, which keeps the memory that it had.
        until: time after which writes no longer matter, as to what checkpointing computes anew.
        statement: when the one statement began whose writes matter; 0 if those of all do.
        writes_before: how many writes there surely were before it.
        place: where the saved argument stands; None for a result, or an element of a list.
    """

    op: str
    node: str
    site: Site
    stack: tuple[Site, ...]
    operand: str
    storage: Storage
    counter: Counter
    version: int
    is_result: bool
    need: RequiresGrad
    time: int
    certain: bool = True
    leaf: bool = False
    unused: bool = False
    view: bool = False
    until: int | None = None
    statement: int = 0
    place: Site | None = None
    writes_before: int = 0


@dataclass(slots=True, eq=False)
class Node:
    """An op recorded for backward at some time, with its inputs' histories and what it saved; `write` if in place.

    `released` is the time at which a backward pass dropped what it saved; 0 if none has. The last `own` inputs are
    the history of what was written itself. `patches`: a view was written, and this is the `CopySlices` of its base,
    which runs once only, whatever it saved (torch/csrc/autograd/functions/tensor.cpp). `custom` runs what the program
    wrote for its backward.
    """

    op: str
    site: Site
    inputs: tuple[Node | AutogradMeta, ...]
    saves: tuple[Save, ...]
    need: RequiresGrad
    released: int = 0
    differentiated: bool = False
    write: Write | None = None
    own: int = 0
    patches: bool = False
    made_at: int = 0
    custom: Callable[[], None] | None = None

    @property
    def is_spent(self) -> bool:
        """Whether a backward pass that comes to it raises, since an earlier one has run it."""
        return bool(self.released and (self.saves or self.patches))


@dataclass(slots=True, eq=False)
class AutogradMeta:
    """A base tensor and its differentiable views: one history.

    A leaf has no node; then `need` tells whether it requires grad, and `reached` whether a backward
    pass has given it a gradient. `grad` is that gradient, once somebody has looked at it; `grad_binding` is its place,
    if the program put it there. `cleared_at` is when the program last took the gradient away; `brought` says
    that it is a parameter of a layer that callers bring, `cut` that it was detached, or computed of what was.
    `made_as` is the program's own class of parameters that it is an object of.
    """

    need: RequiresGrad
    node: Node | None = None
    parameter: bool = False
    site: Site | None = None
    reached: bool = False
    grad: Tensor | None = None
    grad_binding: Binding | None = None
    cleared_at: int = 0
    brought: bool = False
    cut: bool = False
    made_as: object = None

    def clear(self, time: int) -> None:
        """`.grad` is None from now on."""
        self.reached, self.grad, self.grad_binding, self.cleared_at = False, None, None, time

    @property
    def history(self) -> Node | AutogradMeta:
        """What an op that uses the tensor or one of its views continues."""
        return self.node if self.node is not None else self


ViewKind = Literal["base", "view", "multi", "no_grad", "inference", "hooked", "custom"]


@dataclass(slots=True, eq=False)
class Tensor:
    """A tensor object.

    Args:
        view: `base`, or the creation meta of a view (`CreationMeta` in torch/csrc/autograd/variable.h): an ordinary
            one, one of several (`chunk`), or one made while gradients were off.
        expanded: elements share memory (`expand`); None if perhaps.
        expanded_if: what must hold for that, where nobody knows.
        shape_of: the memory of the tensor whose shape it has, as it was computed of that element by element.
        contiguous: None if unknown.
        dtype: kind of the elements; None if unknown.
        region: how the view was cut out of its base, outermost first; None if unknown.
        certain: False if perhaps it does not share this memory (`reshape`).
        own: the node that made a view, remade when the memory has been written since; what gathers
            the gradient of a view that is a leaf.
        own_need: what `requires_grad_()` told a view.
        seen: value of the counter that `own` belongs to.
        detached_from: the history of the tensors whose memory this is, in which it has no part (`detach()`, `.data`).
        array: a NumPy array, which autograd does not know.
        retained_at: when `retain_grad()` was called on it.
        made_as: the program's own class of tensors as which `as_subclass` gave it.
        external: an argument of the entry point, or what unknown code returned.
        moved_at: when it was given its memory, if it had other memory before.
        rows_shared: it is a part of an expanded tensor: other parts change with it.
        self_overlapping: it consists of parts which overlap (`unfold`); None if that is not known.
        sizes: the shape, as far as it is known.
        broadcast_dims: which dimensions of an expanded tensor repeat the same memory; None if unknown.
        collapsed: an op has put all elements of a dimension together and kept that, with size 1; nobody knows which.
        made_with: dtype and device that its maker was given, as symbols: those of another tensor.
        compact: whether it would be contiguous but for its stretched dimensions.
    """

    storage: Storage
    counter: Counter
    autograd_meta: AutogradMeta
    view: ViewKind = "base"
    expanded: bool | None = False
    contiguous: bool | None = True
    dtype: DtypeKind | None = None
    precision: str | None = None
    inference: bool = False
    region: Region | None = ()
    certain: bool = True
    label: str = ""
    sizes: Sizes | None = None
    broadcast_dims: tuple[bool, ...] | None = None
    dense_if_unexpanded: bool | None = None
    made_site: Site | None = None
    detached_from: AutogradMeta | None = None
    rows_shared: bool = False
    self_overlapping: bool | None = False
    external: bool = False
    moved_at: int = 0
    array: bool = False
    collapsed: bool = False
    made_with: tuple[Hashable, ...] = ()
    retained_at: int | None = None
    expanded_if: tuple[Assumption, ...] = ()
    shape_of: Storage | None = None
    made_as: object = None

    own: Node | AutogradMeta | None = None
    own_need: RequiresGrad = NO
    seen: int = 0

    @property
    def origin(self) -> Site | None:
        """Where the program made it; None if it came from elsewhere."""
        return None if self.external else self.made_site

    @property
    def is_empty(self) -> bool:
        """Whether it surely has no elements, so that no write changes anything."""
        return self.sizes is not None and 0 in self.sizes

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter, a view of one, or its memory without its history."""
        return (self.detached_from or self.autograd_meta).parameter

    @property
    def need(self) -> RequiresGrad:
        """Whether it requires grad."""
        if self.dtype in ("int", "bool"):
            return NO
        base = self.autograd_meta.node.need if self.autograd_meta.node is not None else self.autograd_meta.need
        if self.view == "base":
            return base
        return any_of((base, self.own_need, self.own.need if self.own is not None else NO))

    @property
    def flows(self) -> RequiresGrad:
        """Whether a gradient for it is computed; not for a view that was made while gradients were off."""
        if self.view == "base" or self.own_need or not self.need:
            return self.need
        return self.own.need if self.own is not None else NO

    def require(self, need: RequiresGrad) -> None:
        """`requires_grad_()` on a leaf, or on a view of one."""
        if self.view == "base":
            self.autograd_meta.need = need
        else:
            self.own_need = need

    def move_to(self, other: Tensor, time: int) -> None:
        """The tensor gets the memory of another one, and keeps its own version counter (`.data = ...`, `set_`)."""
        self.moved_at = time if other.storage is not self.storage else self.moved_at
        self.storage, self.region, self.sizes, self.certain = other.storage, other.region, other.sizes, other.certain
        self.expanded, self.contiguous, self.self_overlapping = other.expanded, other.contiguous, other.self_overlapping
        self.counter.copied, self.counter.copied_at = other.counter.copied, other.counter.copied_at

    def take_for_constant(self) -> None:
        """The program has shown that it requires no grad: it has asked, or takes it for positions."""
        if self.autograd_meta.node is not None:
            self.autograd_meta.node.need = NO
        self.autograd_meta.need = self.own_need = NO

    @property
    def is_leaf(self) -> bool:
        """No op made it, as far as autograd knows."""
        return self.autograd_meta.node is None


def same(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors are surely the same elements of one memory."""
    return a.storage is b.storage and a.region is not None and a.region == b.region and a.certain and b.certain


@dataclass(frozen=True, slots=True)
class Several:
    """The result of an op with an unknown number of outputs: each is made when asked for.

    Args:
        of: what they are views of; `tied` if they are one group to autograd.
        dim: the dimension along which they are cut.
    """

    of: Tensor | None
    op: str
    site: Site
    need: RequiresGrad
    contiguous: bool | None = None
    node: Node | None = None
    tied: bool = True
    dim: object = 0
