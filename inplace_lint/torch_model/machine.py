"""The abstract PyTorch at work: ops and backward passes, by the rows of the op table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from inplace_lint.effort import STEP
from inplace_lint.source.place import Site
from inplace_lint.torch_model import layout, sizes
from inplace_lint.torch_model.bound import Application, Arguments, clones_written, condition, origin_of
from inplace_lint.torch_model.effects import Effects, Origin, SaveSpec
from inplace_lint.torch_model.events import Backward, Mark, Read, Refusal, StaleSave, Via, Write
from inplace_lint.torch_model.gradients import gradient_operand
from inplace_lint.torch_model.graph import keeping, leaves, overwritten, pass_through, reachable, reaches, run_custom
from inplace_lint.torch_model.op_names import ACCUMULATE, ZERO_GRAD, base_name, takes_shape_only
from inplace_lint.torch_model.op_table import begins
from inplace_lint.torch_model.operands import Operand, operands_in
from inplace_lint.torch_model.refusal import judge_sources, refused_by_autograd
from inplace_lint.torch_model.regions import extent
from inplace_lint.torch_model.repeated import repeats
from inplace_lint.torch_model.taking import take_row
from inplace_lint.torch_model.tape import Tape
from inplace_lint.torch_model.tensor import (
    NO,
    AutogradMeta,
    Counter,
    Node,
    RequiresGrad,
    Save,
    Several,
    Tensor,
    ViewKind,
    any_of,
)

_NOTHING: Mapping[Write, Node] = {}
# So many events back, what a write adds may have been computed.
_MOST_TERMS = 12


class Machine(Tape):
    """Applies ops, and runs backward passes. All of its state is that of the tape."""

    __slots__ = ()

    def run(
        self,
        op: str,
        row: Effects,
        arguments: Arguments,
        site: Site,
        filler: bool = False,
        marks: frozenset[Mark] = frozenset(),
    ) -> object:
        """Apply one op.

        Returns: a `Tensor`, `Several`, None for a value that is no tensor, or a tuple of these.
        """
        given = [operand for value in arguments.values() for operand in operands_in(value)]
        self.trace.effort.spend(STEP * (5 + len(given)))
        call = Application(op, row, arguments, site, given[:1] if takes_shape_only(op) else given)
        origins = {origin_of(output, row, arguments, self.alike)[0] for output in row.outputs}
        if not row.metadata_only and origins != {"view"}:  # who takes a view looks at nothing yet
            self._read_all(call, filler)
        self._begin(call, origins)
        inputs, own = self._histories(call)
        saves = self._operand_saves(call) if not call.stopped else []
        writes = self._write_all(call, filler, marks | {"cloned"} if clones_written(call) else marks)
        node = self._node(call, inputs, own, writes)
        results = [self._result(index, op, row, arguments, node, site) for index in range(len(row.outputs))]
        _reshape(call)
        _leave_arrays(call, results)
        _note_beginnings(call, results)
        if call.mapped is not None:
            call.mapped.update(result.storage for result in results if isinstance(result, Tensor))
        if node is not None:
            self._record(node, call, writes, results, saves)
        return tuple(results) if row.tupled else results[0]

    def _read_all(self, call: Application, filler: bool) -> None:
        """Read the operands; what is overwritten only to be filled is not read."""
        operands, written = call.operands, call.written
        twins = call.row.compares and layout.is_one_twice(operand.tensor for operand in operands)
        for operand, other in zip(operands, reversed(operands), strict=True):
            if operand not in written:
                self.read(operand, call.op, twin=other if twins else None)
            elif not filler:
                self.read(operand, call.op, overwrites=True)

    def _begin(self, call: Application, origins: set[Origin]) -> None:
        """What autograd and `vmap` make of an op before it runs: is it recorded, refused, mapped?

        An array is written by NumPy, which records nothing.
        """
        of_array = any(operand.tensor.array for operand in call.written)
        recording = self.grad_mode and call.row.differentiable and not of_array
        if recording and (call.written or not origins <= {"alias"}):
            call.recorded = any_of(operand.tensor.need for operand in call.operands)
        call.stopped = any(
            refused_by_autograd(operand.tensor, call.recorded, self.grad_mode) for operand in call.written
        )
        if self.mapped is not None and any(operand.tensor.storage in self.mapped for operand in call.operands):
            call.mapped = self.mapped

    def _histories(self, call: Application) -> tuple[tuple[Node | AutogradMeta, ...], tuple[Node | AutogradMeta, ...]]:
        """What the node of an op continues: the history of what is read, and of what is written.

        What a written view continues is its base, which `CopySlices` patches.
        """
        if not call.recorded:
            return (), ()
        others = [operand.tensor for operand in call.read_only()] if not call.stopped else []
        own = tuple(operand.tensor.autograd_meta.history for operand in call.written if operand.tensor.need)
        return self.edges(others, call.site), own

    def _node(
        self,
        call: Application,
        inputs: tuple[Node | AutogradMeta, ...],
        own: tuple[Node | AutogradMeta, ...],
        writes: list[Write],
    ) -> Node | None:
        """The node of an op that is recorded."""
        if not call.recorded:
            return None
        node = Node(call.op, call.site, inputs + own, (), call.recorded, made_at=self.clock)
        node.own, node.patches = len(own), any(operand.tensor.view != "base" for operand in call.written)
        node.write = next(iter(writes), None)
        return node

    def _write_all(self, call: Application, filler: bool, marks: frozenset[Mark]) -> list[Write]:
        """Write what an op writes, judged beside the operands that it reads."""
        op, row, mapped, sources = call.op, call.row, call.mapped, tuple(call.read_only())
        unchecked = [each for name in row.unchecked for each in operands_in(call.arguments.get(name))]
        writes = [
            self.writing(each, op, call.site, call.recorded, filler, unchecked=each in unchecked)
            for each in call.written
        ]
        for write in writes:
            write.others, write.terms, write.marked = sources, self._terms(sources), marks
            if write.operand in unchecked and not (row.part or row.filling):
                write.rows_shared |= bool(write.operand.tensor.expanded)  # All of it gets what is meant for a part.
            judge_sources(write, [operand for operand in sources if operand not in unchecked])
            if mapped is not None and write.storage not in mapped and write.refusal is None:
                # An operand has a part for each element that `vmap` maps over, what is written has not.
                write.refusal = Refusal("unmapped", "certain", (), write.storage.site)
            self.emit(write)
        return writes

    def _terms(self, sources: tuple[Operand, ...]) -> tuple[Operand, ...]:
        """What operands that have no place of their own were computed from in the running statement."""
        terms: list[Operand] = []
        if all(source.binding is not None for source in sources):
            return ()
        for event in self.trace.events[-_MOST_TERMS:]:
            if isinstance(event, Read) and event.statement == self.statement and not event.overwrites:
                terms.append(event.operand)
        return tuple(terms)

    def _record(
        self, node: Node, call: Application, writes: list[Write], results: list[object], saves: list[Save]
    ) -> None:
        """Put the node of an op into the graph, with what it saves; after a refusal, as if the op had succeeded."""
        if not any(write.is_refused for write in writes):
            for operand in call.written:
                operand.tensor.autograd_meta.node = node
                self.edge(operand.tensor, node.site)
        for spec in call.row.saves:
            if (save := self._result_save(spec, call, results)) is not None:
                saves.append(save)
        node.saves = tuple(saves)

    def _operand_saves(self, call: Application) -> list[Save]:
        """What an op keeps of its operands for backward; the copy that it makes of an old value is nobody's."""
        saves: list[Save] = []
        for spec in call.row.saves:
            need = condition(spec, call.arguments, call.recorded)
            if need and not spec.clone:
                self._save_each(spec, call, need, saves)
        return saves

    def _save_each(self, spec: SaveSpec, call: Application, need: RequiresGrad, saves: list[Save]) -> None:
        """Keep an operand, or all that are given as a list."""
        given = list(operands_in(call.arguments.get(spec.what)))
        # The elements of a list all stand where the list does.
        apart = len({operand.site for operand in given}) == len(given) and call.arguments.get(spec.what) != given[:1]
        for operand in given:
            if spec.for_others:
                need = any_of(other.tensor.need for other in given if other is not operand)
            if need:
                save = self._save(call, operand.tensor, operand.text, False, need)
                save.view = spec.view
                save.place = operand.site if apart and operand.site != call.site else None
                saves.append(save)

    def _result_save(self, spec: SaveSpec, call: Application, results: list[object]) -> Save | None:
        """What an op keeps of its result for backward."""
        if (index := spec.result) is None or spec.clone:
            return None
        need = condition(spec, call.arguments, call.recorded)
        result = results[index] if index < len(results) else None
        return self._save(call, result, result.label, True, need) if need and isinstance(result, Tensor) else None

    def _save(self, call: Application, tensor: Tensor, text: str, is_result: bool, need: RequiresGrad) -> Save:
        counter = Counter(tensor.counter.value) if self.unchecked else tensor.counter
        save = Save(
            call.op, call.row.node or "", call.site, self.stack, text, tensor.storage, counter, counter.value,
            is_result, need, self.tick(), tensor.certain, bool(tensor.is_leaf and tensor.need),
            writes_before=len(tensor.storage.writes),
        )  # fmt: skip
        if tensor.inference:
            self.impasse("inference-saved", tensor, call.site, need)
        self.saved.append(save)
        return save

    def _result(self, index: int, op: str, row: Effects, arguments: Arguments, node: Node | None, site: Site) -> object:
        output = row.outputs[index]
        if output.origin == "value":
            return None
        origin, source, is_open = origin_of(output, row, arguments, self.alike)
        need = node.need if node is not None else NO
        if origin == "value":
            return None
        if origin == "parts":
            return Several(self.fresh(row, index, arguments, node, site), op, site, need, False, tied=False)
        if source is None or origin == "fresh":
            if output.many:
                return Several(None, op, site, need, node=node)
            made = self.fresh(row, index, arguments, node, site)
            if is_open and source is not None:
                self.leave_open(source.tensor, made)
            if base_name(op) == "clone":
                note_clone(made, next(operands_in(arguments.get("self", arguments.get("input"))), None))
            return made
        if is_open:
            source.tensor.storage.suppose(layout.told_if_same(row, source))
        if output.many:
            of = source.tensor if origin in ("views", "view") else None
            contiguous = source.tensor.contiguous if layout.cuts_rows(row, arguments) else None
            return Several(of, op, site, need, contiguous, tied=origin == "views", dim=arguments.get("dim", 0))
        if origin == "alias" and not layout.is_part_of_complex(row, source.tensor):
            return source.tensor
        if origin in ("alias", "view"):
            return self._view_of(source.tensor, op, row, arguments, site)
        return self.fresh(row, index, arguments, node, site)

    def _view_of(self, of: Tensor, op: str, row: Effects, arguments: Arguments, site: Site) -> Tensor:
        kept = row.contiguous or layout.cuts_rows(row, arguments)
        contiguous = of.contiguous if kept else (False if row.part == "turned" else None)
        known = sizes.viewed(base_name(op), of.sizes, arguments)
        part = layout.part_shown(row, of, arguments)
        return self.view(of, site, part=part, contiguous=contiguous, sizes=known)

    def fresh(self, row: Effects, index: int, arguments: Arguments, node: Node | None, site: Site) -> Tensor:
        """The result of that index, on new memory."""
        tensors = [operand.tensor for value in arguments.values() for operand in operands_in(value)]
        dtype, precision = layout.type_of_result(row, index, tensors, arguments)
        contiguous = False if layout.keeps_order(row, tensors) else row.contiguous or None
        made = self.tensor(site, dtype=dtype, precision=precision, contiguous=contiguous)
        made.sizes = sizes.result(row.shape, (tensor.sizes for tensor in tensors))
        shapes = {tensor.shape_of or tensor.storage for tensor in tensors} if row.shape == "broadcast" else set()
        made.shape_of = shapes.pop() if len(shapes) == 1 else None
        if arguments.get("keepdim") is True and tensors:
            made.sizes = sizes.reduced(tensors[0].sizes, arguments.get("dim"))
            made.collapsed = made.sizes is None
        made.storage.repeats = repeats(row, tensors, arguments)
        made.array = bool(tensors) and all(tensor.array for tensor in tensors)
        made.storage.filling = row.filling if row.filling != "ones" else ""  # Ones are weights, or a mask.
        made.autograd_meta.node = node if made.dtype not in ("int", "bool") else None
        made.autograd_meta.cut = node is None and any(tensor.autograd_meta.cut for tensor in tensors)
        return made

    def element(self, several: Several) -> Tensor:
        """One of an unknown number of results."""
        if several.of is not None:
            kind: ViewKind = "multi" if several.tied else "view"
            made = self.view(several.of, several.site, kind, contiguous=several.contiguous)
            if base_name(several.op) == "unbind" and several.dim != 0:
                made.sizes = sizes.viewed("select", several.of.sizes, {"dim": several.dim})
            elif base_name(several.op) == "unbind":
                take_row(made, several.of)
            return made
        made = self.tensor(several.site, contiguous=None)
        if several.need:
            made.autograd_meta.node = several.node or Node(several.op, several.site, (), (), several.need)
        return made

    def backward(
        self,
        site: Site,
        roots: Iterable[Operand],
        via: Via = "backward",
        retain: bool = False,
        targets: Iterable[Operand] | None = None,
        histories: Iterable[Node | AutogradMeta] = (),
        create: bool = False,
    ) -> list[AutogradMeta]:
        """A backward pass from `roots`, or (`via="return"`) one that the caller may run.

        Args:
            create: it is recorded (`create_graph=True`): another pass, through its gradients, is to come.

        Returns: the leaves whose `.grad` it added to.
        """
        roots = list(roots)
        wanted = list(targets) if targets is not None else None
        aims = frozenset(self.edges([operand.tensor for operand in wanted], site)) if wanted is not None else None
        unseen = list(histories)
        origins = [*self.edges([operand.tensor for operand in roots], site), *unseen]
        nodes = reachable(origins, aims, self.trace.effort)
        if via == "return":
            # A loss that has been differentiated is returned to be looked at.
            nodes = [node for node in nodes if not node.differentiated]
        stale, hidden = self._overwritten(nodes)
        kept = keeping(origins, not unseen) if via != "return" else []
        cut = not all(each.tensor.need for each in (*roots, *(wanted or ()))) or not reaches(origins, nodes, aims)
        time, stack, place = self.tick(), self.stack, len(self.trace.events)
        if not stale and (within := run_custom(nodes, self.trace)):
            stale, hidden = self._overwritten(nodes, within)
        # It began before what the program's own functions did in it.
        self.trace.events.insert(place, Backward(time, site, stack, via, stale, hidden, wanted or [], kept, cut))
        for operand in roots:
            operand.note_read(time)
        if via != "return" and not create:
            pass_through(nodes, retain, time)
        return self._accumulate(nodes, site) if via == "backward" else []

    def training_step(self, site: Site, roots: Iterable[Operand], histories: Iterable[Node | AutogradMeta]) -> None:
        """A backward pass that the caller surely runs: it releases what was saved, and may come to the step before."""
        unseen = list(histories)
        origins = [*self.edges([operand.tensor for operand in roots], site), *unseen]
        nodes = reachable(origins, None, self.trace.effort)
        kept = keeping(origins, not unseen, self.upstream)
        self.trace.events.append(Backward(self.tick(), site, self.stack, "return", [], [], [], kept))
        self.upstream |= {node for node in nodes if not node.op}
        pass_through(nodes, False, self.clock)

    def _overwritten(
        self, nodes: list[Node], within: Mapping[Write, Node] = _NOTHING
    ) -> tuple[list[StaleSave], list[StaleSave]]:
        """Saves whose memory was written since, as far as the path comes here if they were made."""
        stale, hidden = overwritten(nodes, within)
        if not self.refuted:
            return stale, hidden
        return list(filter(self._is_possible, stale)), list(filter(self._is_possible, hidden))

    def _is_possible(self, found: StaleSave) -> bool:
        return found.certainty == "certain" or not self.refuted.issuperset(found.assumptions)

    def _accumulate(self, nodes: list[Node], site: Site) -> list[AutogradMeta]:
        """Add to the gradients of the leaves that a backward pass has come to."""
        # What nobody knows, and the loss that it gave, may have come from any parameter.
        self.out_of_view(not nodes or not all(node.op for node in nodes))
        reached = list(leaves(nodes))
        for meta in reached:
            if meta.reached:
                self.write_gradient(meta, ACCUMULATE, site)
            meta.reached = True
        return reached

    def write_gradient(self, meta: AutogradMeta, op: str, site: Site) -> None:
        """A library function modifies the gradient of a leaf, if somebody has a hold of it."""
        if (grad := gradient_operand(meta, site, self.clock)) is not None:
            self.write(grad, op, site, NO, op == ZERO_GRAD, "statement")


def note_clone(made: Tensor, of: Operand | None) -> None:
    """A clone of a whole tensor has its values, wherever they are put back."""
    if of is not None and extent(of.tensor.region) == ():
        made.storage.clone_of = of.tensor.storage


def _note_beginnings(call: Application, results: list[object]) -> None:
    """What an op draws, or computes from what was drawn, is but a start for what comes."""
    drawn = begins(call.op)
    known = {operand.tensor.storage for operand in call.operands}
    made = {result.storage for result in results if isinstance(result, Tensor)} - known
    for storage in made:
        if drawn or any(source.start == "drawn" for source in known):
            storage.start = "drawn"
        elif call.row.filling == "ones":
            storage.start = "ones"
    for operand in call.written if drawn else ():
        operand.tensor.storage.start = "drawn"


def _leave_arrays(call: Application, results: Iterable[object]) -> None:
    """What a function of PyTorch makes of arrays is a tensor: `torch.tensor(rows)`."""
    if call.op.startswith("torch.") and not call.op.startswith("torch.Tensor."):
        for result in results:
            if isinstance(result, Tensor) and all(result is not operand.tensor for operand in call.operands):
                result.array = False


def _reshape(call: Application) -> None:
    """An op such as `transpose_` has changed the shape of what it is applied to."""
    if call.row.part:
        for operand in call.written:
            operand.tensor.sizes = None
            operand.tensor.contiguous = False if call.row.part == "turned" else operand.tensor.contiguous
