"""The state of the abstract PyTorch on one path: time, modes, memory, views, and the reads and writes it records."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from inplace_lint.effort import STEP
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Detach, Escape, Read, Refusal, Refused, RefusedUse, Trace, Use, Write
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.refusal import refused_by_autograd, refused_by_kernel
from inplace_lint.torch_model.regions import Shown, View
from inplace_lint.torch_model.tensor import (
    NO,
    YES,
    Assumption,
    AutogradMeta,
    Counter,
    Node,
    RequiresGrad,
    Save,
    Storage,
    Tensor,
    ViewKind,
)

Situation = tuple[tuple[Site, ...], tuple[int, ...], int, bool, bool, bool, int | None]


@dataclass(frozen=True, slots=True)
class Undecided:
    """An op of which it is open whether it copies has copied `of`; `guarded`: PyTorch refuses to write that."""

    of: Storage
    copy: Storage
    time: int
    guarded: bool


@dataclass(slots=True)
class Tape:
    """The state of the abstract PyTorch on one path, and the events that it records.

    Args:
        trace: where events go.
        grad_mode: whether ops are recorded for backward.
        inference: inside `torch.inference_mode`.
        stack: call sites from the entry point to here.
        calls: times at which these calls began.
        fetching: when the `__getitem__` began that is running.
        unchecked: saved tensors go through hooks, so that nothing looks at their versions.
        mapped: inside `vmap`, the memory that has one part for each of the mapped elements.
        refuted: assumptions under which the path would have ended earlier.
        shown: code that is not in view was handed something by which it can run a backward pass.
        hidden_at: when it last may have done so.
        handed_at: when such code was last handed an object, or a function, which may keep tensors.
        upstream: what stands for histories out of view that a step of training has released.
        statement: time at which the statement being executed began.
        saved: all saves so far.
        alike: ops of which it is open whether they copy do not, on this path.
        undecided: such ops that do, on this path.
        converted: what a conversion has made of, or for, a tensor of unknown dtype: with another one it copies nothing.
        completing: what completes each write before it is emitted (`emission.py`).
        belated: when a statement began that belongs before all that has run; 0 if none is running.
    """

    trace: Trace
    grad_mode: bool = True
    inference: bool = False
    stack: tuple[Site, ...] = ()
    calls: tuple[int, ...] = ()
    statement: int = 0
    clock: int = 0
    documented: bool = False
    fetching: int | None = None
    unchecked: bool = False
    mapped: set[Storage] | None = None
    refuted: set[Assumption] = field(default_factory=set)
    shown: bool = False
    hidden_at: int = 0
    handed_at: int = 0
    upstream: set[Node] = field(default_factory=set)
    saved: list[Save] = field(default_factory=list)
    alike: bool = False
    undecided: list[Undecided] = field(default_factory=list)
    converted: set[Storage] = field(default_factory=set)
    completing: tuple[Callable[[Write], None], ...] = ()
    belated: int = 0
    _made: Tally[Site | None] = field(default_factory=Tally)

    def situation(self) -> Situation:
        """What a call changes for its own duration."""
        return (
            self.stack, self.calls, self.statement, self.grad_mode, self.inference, self.documented, self.fetching
        )  # fmt: skip

    def resume(self, then: Situation, modes: bool = True) -> None:
        """Go on as it was, in the grad mode that was on then, or (without `modes`) in that of now."""
        grad_mode, inference = self.grad_mode, self.inference
        self.stack, self.calls, self.statement = then[:3]
        self.grad_mode, self.inference, self.documented, self.fetching = then[3:]
        if not modes:
            self.grad_mode, self.inference = grad_mode, inference

    def tick(self) -> int:
        """The next point in time."""
        self.clock += 1
        return self.clock

    def storage(self, site: Site | None) -> Storage:
        """New memory; its key is the same on every path that comes here equally often."""
        self._made[site] += 1
        return Storage((site, self._made[site]), site, self.tick(), made_in=self.calls)

    def tensor(self, site: Site | None, need: RequiresGrad = NO, **facts: object) -> Tensor:
        """A leaf on new memory. `facts` are fields of `Tensor`."""
        made = Tensor(self.storage(site), Counter(), AutogradMeta(need, site=site), made_site=site)
        for name, value in facts.items():
            setattr(made, name, value)
        made.inference = self.inference
        return made

    def unknown(self, site: Site | None, need: RequiresGrad, **facts: object) -> Tensor:
        """A tensor of which only `need` is known; an op out of view made it."""
        made = self.tensor(site, NO, **{"contiguous": None, **facts})
        if need and site is not None:
            made.autograd_meta.node = Node("", site, (), (), need, made_at=self.clock)
        return made

    def view(self, of: Tensor, site: Site, kind: ViewKind = "view", part: Shown = "view", **facts: object) -> Tensor:
        """A differentiable view of `of`; `part` tells which of its elements (see `regions`)."""
        if of.inference:
            kind = "base"  # autograd keeps no account of inference tensors
        elif not self.grad_mode:
            kind = "inference" if self.inference else "no_grad"
        elif of.view not in ("base", "view") and kind == "view":
            kind = of.view
        made = Tensor(of.storage, of.counter, of.autograd_meta, kind, of.expanded, None, of.dtype, of.precision)
        made.inference, made.certain, made.label, made.self_overlapping = (
            of.inference,
            of.certain,
            of.label,
            of.self_overlapping,
        )
        made.region = (*of.region, View(part, self.tick())) if of.region is not None else None
        made.made_site, made.seen = site, of.counter.value
        if self.grad_mode and of.need:
            made.own = Node("view", site, self.edges([of], site), (), of.need, made_at=self.clock)
        made.detached_from, made.rows_shared, made.array, made.external = (
            of.detached_from,
            of.rows_shared,
            of.array,
            of.external,
        )
        made.expanded_if, made.moved_at = of.expanded_if, of.moved_at
        for name, value in facts.items():
            setattr(made, name, value)
        return made

    def detach(self, of: Tensor, site: Site) -> Tensor:
        """`detach()`: the same memory and counter, no history."""
        meta = AutogradMeta(NO, site=site, cut=bool(of.need) or of.autograd_meta.cut)
        made = Tensor(of.storage, of.counter, meta, "base", of.expanded, of.contiguous, of.dtype, of.precision)
        made.inference = of.inference and self.inference
        made.region, made.certain, made.label = of.region, of.certain, of.label
        made.made_site, made.sizes, made.rows_shared, made.self_overlapping = (
            site,
            of.sizes,
            of.rows_shared,
            of.self_overlapping,
        )
        made.broadcast_dims, made.dense_if_unexpanded = of.broadcast_dims, of.dense_if_unexpanded
        made.detached_from, made.array = of.detached_from or of.autograd_meta, of.array
        made.moved_at = of.moved_at
        return made

    def leave_open(self, of: Tensor, copy: Tensor) -> None:
        """An op has copied a tensor on this path; on another one it gave the tensor itself."""
        guarded = of.expanded or self.refusal(of, of.need) is not None
        self.undecided.append(Undecided(of.storage, copy.storage, self.clock, guarded))

    def edge(self, tensor: Tensor, site: Site) -> Node | AutogradMeta | None:
        """What an op that uses `tensor` continues.

        A view first catches up with writes to its memory (`grad_fn` in variable.cpp), which one of
        several views, or a view made while gradients were off, cannot. The latter requires grad
        like its base, and yet no gradient flows through it: then there is nothing to continue.
        """
        if not tensor.need:
            return None
        if tensor.view == "base":
            return tensor.autograd_meta.history
        base = tensor.autograd_meta.node.need if tensor.autograd_meta.node is not None else tensor.autograd_meta.need
        if (isinstance(tensor.own, Node) or base) and tensor.seen != tensor.counter.value:
            refused = any(write.refusal is not None for write in tensor.storage.latest(self.clock))
            if tensor.view in ("multi", "no_grad", "inference", "custom") and not refused:
                self.impasse("stale-view", tensor, site, tensor.need)
            tensor.own = Node("view", site, (tensor.autograd_meta.history,), (), tensor.need, made_at=self.clock)
            tensor.seen = tensor.counter.value
        if tensor.own is None and tensor.own_need:
            tensor.own = AutogradMeta(tensor.own_need, site=site)
        return tensor.own

    def edges(self, tensors: Iterable[Tensor], site: Site) -> tuple[Node | AutogradMeta, ...]:
        """What an op that uses several tensors continues."""
        found = dict.fromkeys(self.edge(tensor, site) for tensor in tensors)
        return tuple(edge for edge in found if edge is not None)

    def impasse(self, kind: Refused, tensor: Tensor, site: Site, need: RequiresGrad = YES) -> None:
        """PyTorch raises here; the analysis goes on as if it had not."""
        if self._is_refuted(need):
            return
        certain = need.certain and tensor.certain
        refusal = Refusal(kind, "certain" if certain else "assumed", need.assumptions, tensor.origin)
        self.trace.events.append(RefusedUse(self.tick(), site, self.stack, refusal))

    def _is_refuted(self, need: RequiresGrad) -> bool:
        """Whether a path ends earlier on which something requires grad."""
        return bool(need.assumptions) and not need.certain and self.refuted.issuperset(need.assumptions)

    def cut(self, operand: Operand, site: Site) -> None:
        """`detach_()`: the tensor itself loses its history."""
        meta = operand.tensor.autograd_meta
        node = meta.node
        if node is not None and operand.tensor.need and not node.differentiated:
            self.trace.events.append(Detach(self.tick(), site, self.stack, operand, operand.tensor.need))
        meta.node, meta.need = None, NO

    def data(self, of: Tensor, site: Site) -> Tensor:
        """`.data`: the same memory, a counter of its own, no history."""
        made = self.detach(of, site)
        made.counter = Counter(hidden=True)
        return made

    def read(self, operand: Operand, reader: str, overwrites: bool = False, twin: Operand | None = None) -> None:
        """Values of a tensor are read; `overwrites` if by the in-place op that replaces them."""
        event = Read(self.tick(), operand.site, self.stack, operand, reader, self.statement, self.grad_mode)
        event.overwrites, event.calls, event.twin = overwrites, self.calls, twin
        self.trace.events.append(event)
        if not overwrites:
            operand.note_read(event.time)

    def escape(self, operand: Operand, to: str) -> None:
        """A tensor is handed to code that is not in view."""
        self.trace.events.append(Escape(self.tick(), operand.site, self.stack, operand, to))

    def out_of_view(self, shows: bool) -> None:
        """Code that is not in view runs; `shows` if it is handed a loss, a module, or a function."""
        self.shown |= shows
        if self.shown:
            self.hidden_at = self.clock

    def write(
        self, operand: Operand, op: str, site: Site, need: RequiresGrad, filler: bool = False, use: Use = "expression"
    ) -> None:
        """A storage is modified; the arguments are those of `writing`."""
        self.emit(self.writing(operand, op, site, need, filler, use))

    def emit(self, write: Write) -> None:
        """A storage is modified, as was prepared."""
        for complete in self.completing:
            complete(write)
        if write.storage.made_at < self.belated:
            if write.is_refused:
                self.trace.events.append(write)
            return  # What runs late has not changed what others have saved or read in the meantime.
        self.bump(write.operand.tensor, write)
        self.trace.events.append(write)

    def writing(
        self,
        operand: Operand,
        op: str,
        site: Site,
        need: RequiresGrad,
        filler: bool = False,
        use: Use = "expression",
        unchecked: bool = False,
    ) -> Write:
        """A write, to be completed and emitted.

        Args:
            need: whether the op is recorded: an operand requires grad, the written tensor included.
            unchecked: the op takes an expanded tensor.
        """
        tensor = operand.tensor
        self.trace.effort.spend(3 * STEP)
        event = Write(self.tick(), site, self.stack, op, operand, tensor.storage, not tensor.counter.hidden)
        event.grad_mode, event.filler, event.documented = self.grad_mode, filler, self.documented
        event.refusal, event.certain = self.refusal(tensor, need, unchecked), tensor.certain
        event.statement, event.calls, event.fetching = self.statement, self.calls, self.fetching
        event.rows_shared, event.meant = tensor.rows_shared, use
        event.had_need, event.results, event.alike = tensor.need, self.trace.results, tensor.storage.alike
        return event

    def bump(self, tensor: Tensor, write: Write) -> None:
        """The version counter goes up."""
        tensor.counter.value += 1
        write.storage.writes.append((write, tensor.counter, tensor.counter.value))

    def refusal(self, tensor: Tensor, need: RequiresGrad, unchecked: bool = False) -> Refusal | None:
        """Why PyTorch refuses to write a tensor, if it does."""
        by_autograd = refused_by_autograd(tensor, need, self.grad_mode) if not self._is_refuted(need) else None
        return by_autograd or refused_by_kernel(tensor, self.inference, unchecked)
