"""The abstract PyTorch at work: ops and backward passes, by the rows of the op table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_lint.effort import STEP
from inplace_lint.source.place import Site
from inplace_lint.torch_model import layout, sizes
from inplace_lint.torch_model.bound import Arguments, condition, origin_of
from inplace_lint.torch_model.effects import Effects, SaveSpec
from inplace_lint.torch_model.events import (
    Backward,
    Mark,
    Operand,
    Refusal,
    Via,
    Write,
    operands_in,
)
from inplace_lint.torch_model.gradients import gradient_operand
from inplace_lint.torch_model.graph import keeping, leaves, overwritten, pass_through, reachable, reaches, run_custom
from inplace_lint.torch_model.op_names import ACCUMULATE, ZERO_GRAD
from inplace_lint.torch_model.refusal import judge_sources, refused_by_autograd
from inplace_lint.torch_model.tape import Tape
from inplace_lint.torch_model.tensor import (
    NO,
    AutogradMeta,
    Counter,
    Node,
    RequiresGrad,
    Save,
    Several,
    Storage,
    Tensor,
    ViewKind,
    any_of,
    take_row,
)


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
        operands = [operand for value in arguments.values() for operand in operands_in(value)]
        self.trace.effort.spend(STEP * (5 + len(operands)))
        if op.endswith("_as"):
            del operands[1:]  # Of the other tensor only the shape or dtype counts.
        written = [operand for name in row.writes for operand in operands_in(arguments.get(name))]
        origins = {origin_of(output, row, arguments)[0] for output in row.outputs}
        if not row.metadata_only and origins != {"view"}:  # who takes a view looks at nothing yet
            self._read_all(op, row, operands, written, filler)
        recorded = NO
        if self.grad_mode and row.differentiable and (written or not origins <= {"alias"}):
            recorded = any_of(operand.tensor.need for operand in operands)
        stopped = any(refused_by_autograd(operand.tensor, recorded, self.grad_mode) for operand in written)
        inputs, own = self._histories(operands, written, recorded, stopped, site)
        specs = row.saves if not stopped else ()
        saves = [save for spec in specs for save in self._saves(spec, op, row, arguments, recorded, site)]
        mapped = self.mapped if any(self._is_mapped(operand) for operand in operands) else None
        cloned = any(spec.clone and condition(spec, arguments, recorded) for spec in row.saves)
        marks = marks | {"cloned"} if cloned else marks
        writes = self._write_all(op, row, arguments, operands, written, site, recorded, filler, marks, mapped)
        node = Node(op, site, inputs + own, (), recorded, made_at=self.clock) if recorded else None
        if node is not None:
            node.own, node.patches = len(own), any(operand.tensor.view != "base" for operand in written)
            node.write = next(iter(writes), None)
        results = [self._result(index, op, row, arguments, node, site) for index in range(len(row.outputs))]
        if row.part:
            _reshape(written, row)
        if mapped is not None:
            mapped.update(result.storage for result in results if isinstance(result, Tensor))
        if node is not None:
            self._record(node, op, row, arguments, writes, written, results, saves)
        return tuple(results) if row.tupled else results[0]

    def _read_all(self, op: str, row: Effects, operands: list[Operand], written: list[Operand], filler: bool) -> None:
        """Read the operands; what is overwritten only to be filled is not read."""
        twins = row.compares and layout.is_one_twice(operand.tensor for operand in operands)
        for operand, other in zip(operands, reversed(operands), strict=True):
            if operand not in written:
                self.read(operand, op, twin=other if twins else None)
            elif not filler:
                self.read(operand, op, overwrites=True)

    def _histories(
        self, operands: list[Operand], written: list[Operand], recorded: RequiresGrad, stopped: bool, site: Site
    ) -> tuple[tuple[Node | AutogradMeta, ...], tuple[Node | AutogradMeta, ...]]:
        """What the node of an op continues: the history of what is read, and of what is written.

        What a written view continues is its base, which `CopySlices` patches.
        """
        if not recorded:
            return (), ()
        others = [operand.tensor for operand in operands if operand not in written] if not stopped else []
        own = tuple(operand.tensor.family.history for operand in written if operand.tensor.need)
        return self.edges(others, site), own

    def _is_mapped(self, operand: Operand) -> bool:
        """Whether `vmap` maps over an operand."""
        return self.mapped is not None and operand.tensor.storage in self.mapped

    def _write_all(
        self,
        op: str,
        row: Effects,
        arguments: Arguments,
        operands: list[Operand],
        written: list[Operand],
        site: Site,
        recorded: RequiresGrad,
        filler: bool,
        marks: frozenset[Mark],
        mapped: set[Storage] | None,
    ) -> list[Write]:
        """Write what an op writes, judged beside the operands that it reads."""
        sources = tuple(operand for operand in operands if operand not in written)
        unchecked = [each for name in row.unchecked for each in operands_in(arguments.get(name))]
        writes = [self.writing(each, op, site, recorded, filler, unchecked=each in unchecked) for each in written]
        for write in writes:
            write.others, write.marked = sources, marks
            if write.operand in unchecked and not (row.part or row.filling):
                write.rows_shared |= bool(write.operand.tensor.expanded)  # All of it gets what is meant for a part.
            judge_sources(write, [operand for operand in sources if operand not in unchecked])
            if mapped is not None and write.storage not in mapped and write.refusal is None:
                # An operand has a part for each element that `vmap` maps over, what is written has not.
                write.refusal = Refusal("unmapped", "certain", (), write.storage.site)
            self.emit(write)
        return writes

    def _record(
        self,
        node: Node,
        op: str,
        row: Effects,
        arguments: Arguments,
        writes: list[Write],
        written: list[Operand],
        results: list[object],
        saves: list[Save],
    ) -> None:
        """Put the node of an op into the graph, with what it saves; after a refusal, as if the op had succeeded."""
        if not any(write.is_refused for write in writes):
            for operand in written:
                operand.tensor.family.node = node
                self.edge(operand.tensor, node.site)
        for spec in row.saves:
            saves += self._result_saves(spec, op, row, results, node, arguments)
        node.saves = tuple(saves)

    def _saves(
        self, spec: SaveSpec, op: str, row: Effects, arguments: Arguments, recorded: RequiresGrad, site: Site
    ) -> Iterator[Save]:
        need = condition(spec, arguments, recorded)
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
        need = condition(spec, arguments, node.need)
        index = int(spec.what[6:] or 0)
        result = results[index] if index < len(results) else None
        if need and isinstance(result, Tensor):
            yield self._save(op, row, result, result.label, True, need, node.site)

    def _save(
        self, op: str, row: Effects, tensor: Tensor, text: str, is_result: bool, need: RequiresGrad, site: Site
    ) -> Save:
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
        if output.origin == "value":
            return None
        origin, source = origin_of(output, row, arguments)
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
                take_row(made, several.of)
            return made
        made = self.tensor(several.site, contiguous=None)
        if several.need:
            made.family.node = several.node or Node(several.op, several.site, (), (), several.need)
        return made

    def backward(
        self,
        site: Site,
        roots: Iterable[Operand],
        via: Via = "backward",
        retain: bool = False,
        targets: Iterable[Operand] | None = None,
        histories: Iterable[Node | AutogradMeta] = (),
    ) -> list[AutogradMeta]:
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
        cut = not all(each.tensor.need for each in (*roots, *(wanted or ()))) or not reaches(origins, nodes, aims)
        time, stack, place = self.tick(), self.stack, len(self.trace.events)
        if not stale and (within := run_custom(nodes, self.trace)):
            stale, hidden = overwritten(nodes, within)
        # It began before what the program's own functions did in it.
        self.trace.events.insert(place, Backward(time, site, stack, via, stale, hidden, wanted or [], kept, cut))
        for operand in roots:
            operand.note_read(time)
        if via != "return":
            pass_through(nodes, retain, time)
        reached = list(leaves(nodes)) if via == "backward" else []
        for family in reached:
            if family.reached:
                self.write_gradient(family, ACCUMULATE, site)
            family.reached = True
        return reached

    def write_gradient(self, family: AutogradMeta, op: str, site: Site) -> None:
        """A library function modifies the gradient of a leaf, if somebody has a hold of it."""
        if (grad := gradient_operand(family, site, self.clock)) is not None:
            self.write(grad, op, site, NO, op == ZERO_GRAD, "statement")


def _reshape(written: list[Operand], row: Effects) -> None:
    """An op such as `transpose_` has changed the shape of what it is applied to."""
    for operand in written:
        operand.tensor.sizes = None
        operand.tensor.contiguous = False if row.part == "turned" else operand.tensor.contiguous
