"""The abstract PyTorch at work: reads, writes, saves and the graph, event by event."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from inplace_lint.diagnostic import Site
from inplace_lint.effort import STEP
from inplace_lint.torch_model import layout, sizes
from inplace_lint.torch_model.effects import Effects, Origin, Output, SaveSpec
from inplace_lint.torch_model.events import (
    Backward,
    Escape,
    Impasse,
    Operand,
    Read,
    Refusal,
    Refused,
    Trace,
    Write,
    operands_in,
)
from inplace_lint.torch_model.gradients import gradient_operand
from inplace_lint.torch_model.graph import keeping, leaves, overwritten, pass_through, reachable, reaches, run_custom
from inplace_lint.torch_model.refusal import judge_sources, refused_by_autograd, refused_by_kernel
from inplace_lint.torch_model.tensor import (
    NO,
    YES,
    Counter,
    Family,
    Need,
    Node,
    Save,
    Several,
    Storage,
    Tensor,
    ViewKind,
    any_of,
)

Arguments = Mapping[str, object]
Situation = tuple[tuple[Site, ...], tuple[int, ...], int, bool, bool, bool, int | None]


@dataclass(slots=True)
class Machine:
    """The state of the abstract PyTorch on one path.

    Args:
        trace: where events go.
        grad_mode: whether ops are recorded for backward.
        inference: inside `torch.inference_mode`.
        stack: call sites from the entry point to here.
        calls: times at which these calls began.
        fetching: when the `__getitem__` began that is running.
        unchecked: saved tensors go through hooks, so that nothing looks at their versions.
        mapped: inside `vmap`, the memory that has one part for each of the mapped elements.
        statement: time at which the statement being executed began.
        saved: all saves so far.
    """

    trace: Trace
    grad_mode: bool = True
    inference: bool = False
    stack: tuple[Site, ...] = ()
    calls: tuple[int, ...] = ()
    statement: int = 0
    clock: int = 0
    declared: bool = False
    fetching: int | None = None
    unchecked: bool = False
    mapped: set[Storage] | None = None
    saved: list[Save] = field(default_factory=list)
    _made: Tally[Site | None] = field(default_factory=Tally)

    def situation(self) -> Situation:
        """What a call changes for its own duration."""
        return (
            self.stack, self.calls, self.statement, self.grad_mode, self.inference, self.declared, self.fetching
        )  # fmt: skip

    def resume(self, then: Situation, modes: bool = True) -> None:
        """Go on as it was, in the grad mode that was on then, or (without `modes`) in that of now."""
        grad_mode, inference = self.grad_mode, self.inference
        self.stack, self.calls, self.statement = then[:3]
        self.grad_mode, self.inference, self.declared, self.fetching = then[3:]
        if not modes:
            self.grad_mode, self.inference = grad_mode, inference

    def tick(self) -> int:
        """The next point in time."""
        self.clock += 1
        return self.clock

    def storage(self, site: Site | None) -> Storage:
        """New memory; its key is the same on every path that comes here equally often."""
        self._made[site] += 1
        return Storage((site, self._made[site]), site, self.tick())

    def tensor(self, site: Site | None, need: Need = NO, **facts: object) -> Tensor:
        """A leaf on new memory. `facts` are fields of `Tensor`."""
        made = Tensor(self.storage(site), Counter(), Family(need, site=site), made_site=site)
        for name, value in facts.items():
            setattr(made, name, value)
        made.inference = self.inference
        return made

    def unknown(self, site: Site | None, need: Need, **facts: object) -> Tensor:
        """A tensor of which only `need` is known; an op out of view made it."""
        made = self.tensor(site, NO, **{"contiguous": None, **facts})
        if need and site is not None:
            made.family.node = Node("", site, (), (), need, made_at=self.clock)
        return made

    def view(self, of: Tensor, site: Site, kind: ViewKind = "view", part: str = "view", **facts: object) -> Tensor:
        """A differentiable view of `of`; `part` tells which of its elements (see `regions`)."""
        if of.inference:
            kind = "base"  # autograd keeps no account of inference tensors
        elif not self.grad_mode:
            kind = "inference" if self.inference else "no_grad"
        elif of.view not in ("base", "view") and kind == "view":
            kind = of.view
        made = Tensor(of.storage, of.counter, of.family, kind, of.expanded, None, of.dtype, of.precision)
        made.inference, made.certain, made.label, made.windows = of.inference, of.certain, of.label, of.windows
        made.region = (*of.region, (part, self.tick())) if of.region is not None else None
        made.made_site, made.seen = site, of.counter.value
        if self.grad_mode and of.need:
            made.own = Node("view", site, self.edges([of], site), (), of.need, made_at=self.clock)
        made.hides, made.rows_shared, made.array, made.given = of.hides, of.rows_shared, of.array, of.given
        for name, value in facts.items():
            setattr(made, name, value)
        return made

    def take_row(self, row: Tensor, of: Tensor) -> None:
        """Say what is known of `row`, a new view, if it is one part along the first dimension of `of`."""
        row.sizes = of.sizes[1:] if of.sizes else None
        if of.expanded:
            row.stretched = of.stretched[1:] if of.stretched else None
            row.expanded, row.rows_shared = any(row.stretched or ()), True
            row.compact = of.compact
            if row.stretched is not None:
                row.contiguous = of.compact if not row.expanded else False

    def detach(self, of: Tensor, site: Site) -> Tensor:
        """`detach()`: the same memory and counter, no history."""
        family = Family(NO, site=site)
        made = Tensor(of.storage, of.counter, family, "base", of.expanded, of.contiguous, of.dtype, of.precision)
        made.inference = of.inference and self.inference
        made.region, made.certain, made.label = of.region, of.certain, of.label
        made.made_site, made.sizes, made.rows_shared, made.windows = site, of.sizes, of.rows_shared, of.windows
        made.stretched, made.compact = of.stretched, of.compact
        made.hides, made.array = of.hides or of.family, of.array
        return made

    def edge(self, tensor: Tensor, site: Site) -> Node | Family | None:
        """What an op that uses `tensor` continues.

        A view first catches up with writes to its memory (`grad_fn` in variable.cpp), which one of
        several views, or a view made while gradients were off, cannot. The latter requires grad
        like its base, and yet no gradient flows through it: then there is nothing to continue.
        """
        if not tensor.need:
            return None
        if tensor.view == "base":
            return tensor.family.history
        base = tensor.family.node.need if tensor.family.node is not None else tensor.family.need
        if (isinstance(tensor.own, Node) or base) and tensor.seen != tensor.counter.value:
            refused = any(write.refusal is not None for write in tensor.storage.latest(self.clock))
            if tensor.view in ("multi", "no_grad", "inference", "custom") and not refused:
                self.impasse("stale-view", tensor, site, tensor.need)
            tensor.own = Node("view", site, (tensor.family.history,), (), tensor.need, made_at=self.clock)
            tensor.seen = tensor.counter.value
        if tensor.own is None and tensor.own_need:
            tensor.own = Family(tensor.own_need, site=site)
        return tensor.own

    def edges(self, tensors: Iterable[Tensor], site: Site) -> tuple[Node | Family, ...]:
        """What an op that uses several tensors continues."""
        found = dict.fromkeys(self.edge(tensor, site) for tensor in tensors)
        return tuple(edge for edge in found if edge is not None)

    def impasse(self, kind: Refused, tensor: Tensor, site: Site, need: Need = YES) -> None:
        """PyTorch raises; what follows is judged as if it had been mended."""
        certain = need.certain and tensor.certain
        refusal = Refusal(kind, "certain" if certain else "assumed", need.assumptions, tensor.made_site)
        self.trace.events.append(Impasse(self.tick(), site, self.stack, refusal))

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

    def write(
        self, operand: Operand, op: str, site: Site, need: Need, filler: bool = False, unchecked: bool = False
    ) -> Write:
        """A storage is modified.

        Args:
            need: whether the op is recorded: an operand requires grad, the written tensor included.
            unchecked: the op takes an expanded tensor.
        """
        tensor = operand.tensor
        self.trace.effort.spend(3 * STEP)
        event = Write(self.tick(), site, self.stack, op, operand, tensor.storage, not tensor.counter.hidden)
        event.grad_mode, event.filler, event.declared = self.grad_mode, filler, self.declared
        event.refusal, event.certain = self.refusal(tensor, need, unchecked), tensor.certain
        event.statement, event.calls, event.fetching = self.statement, self.calls, self.fetching
        event.rows_shared = tensor.rows_shared
        event.had_need, event.results = tensor.need, self.trace.results
        self.bump(tensor, event)
        self.trace.events.append(event)
        return event

    def bump(self, tensor: Tensor, write: Write) -> None:
        """The version counter goes up."""
        tensor.counter.value += 1
        tensor.storage.writes.append((write, tensor.counter, tensor.counter.value))

    def refusal(self, tensor: Tensor, need: Need, unchecked: bool = False) -> Refusal | None:
        """Why PyTorch refuses to write a tensor, if it does."""
        by_autograd = refused_by_autograd(tensor, need, self.grad_mode)
        return by_autograd or refused_by_kernel(tensor, self.inference, unchecked)

    def run(self, op: str, row: Effects, arguments: Arguments, site: Site, filler: bool = False) -> object:
        """Apply one op.

        Returns: a `Tensor`, `Several`, None for a value that is no tensor, or a tuple of these.
        """
        operands = [operand for value in arguments.values() for operand in operands_in(value)]
        self.trace.effort.spend(STEP * (5 + len(operands)))
        if op.endswith("_as"):
            del operands[1:]  # Of the other tensor only the shape or dtype counts.
        written = [operand for name in row.writes for operand in operands_in(arguments.get(name))]
        origins = {self._origin(output, row, arguments)[0] for output in row.outputs}
        if not row.metadata_only and origins != {"view"}:  # who takes a view looks at nothing yet
            twins = row.compares and layout.is_one_twice(operand.tensor for operand in operands)
            for operand, other in zip(operands, reversed(operands), strict=True):
                if operand not in written:
                    self.read(operand, op, twin=other if twins else None)
                elif not filler:
                    self.read(operand, op, overwrites=True)
        need = any_of(operand.tensor.need for operand in operands) if self.grad_mode else NO
        recorded = need if row.differentiable else NO
        if not written and origins <= {"alias"}:
            recorded = NO
        # What a written view continues is its base, which `CopySlices` patches.
        stopped = any(refused_by_autograd(operand.tensor, recorded, self.grad_mode) for operand in written)
        others = [operand.tensor for operand in operands if operand not in written] if recorded and not stopped else []
        inputs = self.edges(others, site)
        own = tuple(operand.tensor.family.history for operand in written if recorded and operand.tensor.need)
        specs = row.saves if not stopped else ()
        saves = [save for spec in specs for save in self._saves(spec, op, row, arguments, recorded, site)]
        cloned = any(spec.clone and self._condition(spec, arguments, recorded) for spec in row.saves)
        unchecked = [each for name in row.unchecked for each in operands_in(arguments.get(name))]
        writes = [self.write(each, op, site, recorded, filler, each in unchecked) for each in written]
        for write in writes:
            write.others = tuple(operand for operand in operands if operand not in written)
            write.marks.update({"cloned"} if cloned else ())
            if write.operand in unchecked and not (row.part or row.filling):
                write.rows_shared |= bool(write.operand.tensor.expanded)  # All of it gets what is meant for a part.
            judge_sources(write, [operand for operand in write.others if operand not in unchecked])
        refused = any(write.is_refused for write in writes)  # Later code is judged as if it had been mended.
        node = Node(op, site, inputs + own, (), recorded, made_at=self.clock) if recorded else None
        if node is not None:
            node.own, node.patches = len(own), any(operand.tensor.view != "base" for operand in written)
            node.write = next(iter(writes), None)
        results = [self._result(index, op, row, arguments, node, site) for index in range(len(row.outputs))]
        for operand in written if row.part else ():
            operand.tensor.sizes = None
            operand.tensor.contiguous = False if row.part == "turned" else operand.tensor.contiguous
        if self.mapped is not None and any(operand.tensor.storage in self.mapped for operand in operands):
            self._map(writes, results)
        if node is not None:
            for operand in written if not refused else ():
                operand.tensor.family.node = node
                self.edge(operand.tensor, site)
            for spec in row.saves:
                saves += self._result_saves(spec, op, row, results, node, arguments)
            node.saves = tuple(saves)
        return tuple(results) if row.tupled else results[0]

    def _map(self, writes: list[Write], results: list[object]) -> None:
        """An operand has a part for each element that `vmap` maps over: so has the result, not what is written."""
        assert self.mapped is not None
        for write in writes:
            if write.storage not in self.mapped and write.refusal is None:
                write.refusal = Refusal("unmapped", "certain", (), write.storage.site)
        self.mapped.update(result.storage for result in results if isinstance(result, Tensor))

    def _condition(self, spec: SaveSpec, arguments: Arguments, recorded: Need) -> Need:
        if not recorded or not spec.when or spec.when == ("others",):
            return recorded
        return any_of(operand.tensor.flows for name in spec.when for operand in operands_in(arguments.get(name)))

    def _saves(
        self, spec: SaveSpec, op: str, row: Effects, arguments: Arguments, recorded: Need, site: Site
    ) -> Iterator[Save]:
        need = self._condition(spec, arguments, recorded)
        if need and not spec.clone:
            given = list(operands_in(arguments.get(spec.what)))
            # The elements of a list all stand where the list does.
            apart = len({operand.site for operand in given}) == len(given) and arguments.get(spec.what) != given[:1]
            for operand in given:
                if spec.when == ("others",):
                    need = any_of(other.tensor.need for other in given if other is not operand)
                if need:
                    save = self._save(op, row, operand.tensor, operand.text, False, need, site)
                    save.view = spec.view
                    save.place = operand.site if apart and operand.site != site else None
                    yield save

    def _result_saves(
        self, spec: SaveSpec, op: str, row: Effects, results: list[object], node: Node, arguments: Arguments
    ) -> Iterator[Save]:
        if not spec.what.startswith("result") or spec.clone:
            return
        need = self._condition(spec, arguments, node.need)
        index = int(spec.what[6:] or 0)
        result = results[index] if index < len(results) else None
        if need and isinstance(result, Tensor):
            yield self._save(op, row, result, result.label, True, need, node.site)

    def _save(self, op: str, row: Effects, tensor: Tensor, text: str, is_result: bool, need: Need, site: Site) -> Save:
        counter = Counter(tensor.counter.value) if self.unchecked else tensor.counter
        save = Save(
            op, row.node or "", site, self.stack, text, tensor.storage, counter, counter.value, is_result, need,
            self.tick(), tensor.certain, bool(tensor.is_leaf and tensor.need), writes_before=len(tensor.storage.writes),
        )  # fmt: skip
        if tensor.inference:
            self.impasse("inference-saved", tensor, site, need)
        self.saved.append(save)
        return save

    def _result(self, index: int, op: str, row: Effects, arguments: Arguments, node: Node | None, site: Site) -> object:
        output = row.outputs[index]
        origin, source = self._origin(output, row, arguments)
        need = node.need if node is not None else NO
        if origin == "value":
            return None
        if origin == "parts":
            return Several(self.fresh(row, index, arguments, node, site), op, site, need, False, tied=False)
        if source is None or origin == "fresh":
            if output.many:
                return Several(None, op, site, need, node=node)
            return self.fresh(row, index, arguments, node, site)
        if output.many:
            of = source.tensor if origin in ("views", "view") else None
            contiguous = source.tensor.contiguous if layout.cuts_rows(row, arguments) else None
            return Several(of, op, site, need, contiguous, tied=origin == "views")
        if origin == "alias":
            return source.tensor
        if origin == "view":
            kept = row.contiguous or layout.cuts_rows(row, arguments)
            contiguous = source.tensor.contiguous if kept else (False if row.part == "turned" else None)
            part = layout.part_shown(row, source.tensor, arguments)
            return self.view(source.tensor, site, part=part, contiguous=contiguous)
        return self.fresh(row, index, arguments, node, site)

    def _origin(self, output: Output, row: Effects, arguments: Arguments) -> tuple[Origin, Operand | None]:
        source = next(operands_in(arguments.get(output.of)), None) if output.of else None
        if source is not None and layout.is_copied(row, output, source.tensor):
            return "fresh", source
        return "alias" if output.origin == "maybe" else output.origin, source

    def fresh(self, row: Effects, index: int, arguments: Arguments, node: Node | None, site: Site) -> Tensor:
        """The result of that index, on new memory."""
        tensors = [operand.tensor for value in arguments.values() for operand in operands_in(value)]
        dtype, precision = layout.type_of_result(row, index, tensors, arguments)
        contiguous = False if layout.keeps_order(row, tensors) else row.contiguous or None
        made = self.tensor(site, dtype=dtype, precision=precision, contiguous=contiguous)
        made.sizes = sizes.result(row.shape, (tensor.sizes for tensor in tensors))
        made.array = bool(tensors) and all(tensor.array for tensor in tensors)
        made.storage.filling = row.filling if row.filling != "ones" else ""  # Ones are weights, or a mask.
        made.family.node = node if made.dtype not in ("int", "bool") else None
        return made

    def element(self, several: Several) -> Tensor:
        """One of an unknown number of results."""
        if several.of is not None:
            kind: ViewKind = "multi" if several.tied else "view"
            made = self.view(several.of, several.site, kind, contiguous=several.contiguous)
            if several.op.endswith("unbind"):
                self.take_row(made, several.of)
            return made
        made = self.tensor(several.site, contiguous=None)
        if several.need:
            made.family.node = several.node or Node(several.op, several.site, (), (), several.need)
        return made

    def backward(
        self,
        site: Site,
        roots: Iterable[Operand],
        via: str = "backward",
        retain: bool = False,
        targets: Iterable[Operand] | None = None,
        histories: Iterable[Node | Family] = (),
    ) -> list[Family]:
        """A backward pass from `roots`, or (`via="return"`) one that the caller may run.

        Returns: the leaves whose `.grad` it added to.
        """
        roots = list(roots)
        wanted = list(targets) if targets is not None else None
        aims = frozenset(self.edges([operand.tensor for operand in wanted], site)) if wanted is not None else None
        origins = [*self.edges([operand.tensor for operand in roots], site), *histories]
        nodes = reachable(origins, aims, self.trace.effort)
        if via == "return":
            # A loss that has been differentiated is returned to be looked at.
            nodes = [node for node in nodes if not node.differentiated]
        stale, hidden = overwritten(nodes)
        kept = keeping(origins) if via != "return" else []
        event = Backward(self.tick(), site, self.stack, via, stale, hidden, wanted or [], kept)  # type: ignore[arg-type]
        event.cut = not all(each.tensor.need for each in (*roots, *event.targets)) or not reaches(origins, nodes, aims)
        self.trace.events.append(event)
        if not stale and (writes := run_custom(nodes, self.trace)):
            event.stale, event.hidden = overwritten(nodes)
            for write in writes:
                write.within = None  # from now on it is a write like others
        for operand in roots:
            operand.note_read(event.time)
        if via != "return":
            pass_through(nodes, retain, event.time)
        reached = list(leaves(nodes)) if via == "backward" else []
        for family in reached:
            if family.reached:
                self.write_gradient(family, "torch.Tensor.backward", site)
            family.reached = True
        return reached

    def write_gradient(self, family: Family, op: str, site: Site) -> None:
        """A library function modifies the gradient of a leaf, if somebody has a hold of it."""
        if (grad := gradient_operand(family, site, self.clock)) is not None:
            self.write(grad, op, site, NO, filler=op == "zero_grad").use = "statement"
