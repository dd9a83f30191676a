"""Applies ops of the table to the values of a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inplace_lint.interpret.state.beneath import beneath, items_in
from inplace_lint.interpret.state.keys import Attribute, OfArrays, OfValues
from inplace_lint.interpret.state.naming import names_reader
from inplace_lint.interpret.state.plain_data import take_for_positions
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Dict,
    Library,
    List,
    Passed,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.interpret.torch import rates
from inplace_lint.interpret.torch.frozen_models import note_freezing
from inplace_lint.interpret.torch.loading import gives_data
from inplace_lint.interpret.torch.overloads import FIRST, choose
from inplace_lint.interpret.torch.results import finished
from inplace_lint.source import ir
from inplace_lint.source.class_names import names_model
from inplace_lint.source.place import Site
from inplace_lint.torch_model.effects import Effects, Param
from inplace_lint.torch_model.events import Mark, Refusal
from inplace_lint.torch_model.layout import turns_nothing
from inplace_lint.torch_model.op_names import with_out
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.operands import Operand, operands_in
from inplace_lint.torch_model.refusal import judge_sources
from inplace_lint.torch_model.sizes import is_elementwise
from inplace_lint.torch_model.tensor import AutogradMeta, Node, Tensor, any_of


def is_filler(row: Effects) -> bool:
    """Whether the purpose of an op is the write, so that its result may be bound."""
    return bool(row.writes) and (row.purpose == "fill" or bool(row.filling) or bool(row.part))


def apply(run: Run, name: str, arguments: Arguments, node: ir.Node, called: str = "") -> Value:
    """Call an op of the table; `called` is the name that the program has for it.

    The result is unknown if the op, or this use of it, is not in the table.
    """
    rows = table().overloads(name)
    arguments = _in_torch_words(arguments)
    out = arguments.keywords.get("out")
    row = choose(run, rows, arguments)
    if row is None and rows and (name.endswith("_") or _is_factory(rows[0])):
        # An option that the table does not know does not undo the write; a size may be a tensor.
        row = rows[0]
    if row is None:
        return unknown_function(run, name, arguments, node)
    bound = bind(run, row, arguments, node)
    places = {param.name: index for index, param in enumerate(row.params)}
    zero = rates.row_at_zero(rows, lambda param: arguments.get(places.get(param), param)) if len(rows) > 1 else None
    return run_either(run, zero, called or name, row, bound, node, arguments, out)


def run_either(
    run: Run,
    zero: tuple[Effects, Unknown] | None,
    name: str,
    row: Effects,
    bound: Mapping[str, object],
    node: ir.Node,
    arguments: Arguments,
    out: Passed | None = None,
) -> Value:
    """Apply a chosen row, or the one for a rate that is 0 by default, on the paths where nothing copies."""
    if zero is not None and run.torch.alike:
        row, rate = zero
        rates.suppose(bound, rate)
    made = run_row(run, name, row, bound, node, arguments, out)
    if zero is not None and not run.torch.alike:
        rates.leave_open(run, bound, made)
    return made


def _is_factory(row: Effects) -> bool:
    """Whether an op makes tensors of no tensors: `torch.rand(n)`, where PyTorch takes a tensor `n` for a number."""
    return not any(param.kind in ("tensor", "tensors") and param.name != "out" for param in row.params)


_NUMPY_WORDS = {"axis": "dim", "keepdims": "keepdim", "x": "input"}


def _in_torch_words(arguments: Arguments) -> Arguments:
    """The same arguments, with NumPy's keywords replaced by PyTorch's."""
    if not _NUMPY_WORDS.keys() & arguments.keywords.keys():
        return arguments
    keywords = {_NUMPY_WORDS.get(key, key): passed for key, passed in arguments.keywords.items()}
    return Arguments(arguments.positional, keywords, arguments.open)


def run_row(
    run: Run,
    name: str,
    row: Effects,
    bound: Mapping[str, object],
    node: ir.Node,
    arguments: Arguments,
    out: Passed | None = None,
) -> Value:
    """Apply a chosen row to bound arguments."""
    target = operand_of(run, out) if out is not None else None
    if isinstance(target, Operand):
        return _with_out(run, name, row, bound, node, [target])[0]
    targets = list(operands_in(bound.get("out"))) if out is not None else []
    if targets:
        made = List("tuple", [Ref(None, each.binding) for each in targets], fields=row.fields)
        for ref, tensor in zip(made.items, _with_out(run, name, row, bound, node, targets), strict=True):
            ref.value = tensor
        return made
    unfilled = _UNMOVED if turns_nothing(row, bound) else _UNMARKED
    marks = marks_of_value(bound.get("value")) if name in _FILLING else unfilled
    given = {k: v for k, v in bound.items() if k != "out"}
    note_positions(run, row, given)
    result = run.torch.run(name, row, given, run.site(node), is_filler(row), marks=marks)
    return finished(run, name, row, result, node, arguments)


# What PyTorch calls positions, and what is put there.
_POSITIONS = ("index", "indices")
_PUT = ("src", "source", "values")


def note_positions(run: Run, row: Effects, given: Mapping[str, object]) -> None:
    """Note what the positions in a call tell: they are whole numbers, and what is put there has the dtype of the rest.

    PyTorch says "Expected self.dtype to be equal to src.dtype", and refuses all else.
    """
    for name in _POSITIONS:
        for operand in operands_in(given.get(name)):
            take_for_positions(run, operand.tensor)
    target = given.get("self")
    if "self" in row.writes and isinstance(target, Operand) and not given.keys().isdisjoint(_POSITIONS):
        put = [operand.tensor for name in _PUT for operand in operands_in(given.get(name))]
        if any(tensor.dtype == "int" for tensor in put):
            take_for_positions(run, target.tensor)


# Whose `value` is what stands there afterwards: of other ops, it is a factor or is put into places that are chosen.
_FILLING = frozenset({"torch.Tensor.masked_fill_", "torch.Tensor.fill_"})


# Its exponential is zero, also beside others that are small.
_AS_GOOD_AS_MINUS_INFINITY = -1e3


_UNMARKED: frozenset[Mark] = frozenset()
_MASKED: frozenset[Mark] = frozenset({"masked"})
_UNMOVED: frozenset[Mark] = frozenset({"unmoved"})


def marks_of_value(value: object) -> frozenset[Mark]:
    """What is to be said of a write that puts in a value: whether a softmax makes zero of it."""
    masks = isinstance(value, (int, float)) and value <= _AS_GOOD_AS_MINUS_INFINITY
    return _MASKED if masks else _UNMARKED


def _with_out(
    run: Run, name: str, row: Effects, bound: Mapping[str, object], node: ir.Node, targets: Sequence[Operand]
) -> list[Tensor]:
    """Write the results of an op into tensors that are given for that."""
    operands = [operand for key, value in bound.items() if key != "out" for operand in operands_in(value)]
    for operand in operands:
        run.torch.read(operand, name)
    need = any_of(operand.tensor.need for operand in (*operands, *targets))
    refused = run.torch.grad_mode and need and row.differentiable
    for target in targets:
        event = run.torch.writing(target, with_out(name), run.site(node), need, filler=True)
        if refused:
            event.refusal = Refusal("out-with-grad", "certain" if need.certain else "assumed", need.assumptions)
            run.torch.refuted.update(need.assumptions)
        else:
            event.refusal = event.refusal if event.refusal and event.refusal.kind in ("expanded", "inference") else None
            if event.refusal is None and is_elementwise(name):
                judge_sources(event, operands)
        event.others = tuple(operands)
        run.torch.emit(event)
        if target.tensor.is_empty:
            target.tensor.sizes = None  # It was given to become as large as the result.
        refused = False  # it raises once
    return [target.tensor for target in targets]


# Libraries that know arrays, and no gradients.
_OF_ARRAYS = frozenset(
    "numpy scipy sklearn skimage pandas cv2 PIL librosa soundfile h5py pyarrow faiss onnxruntime openvino tensorrt "
    "ctranslate2 tflite_runtime xgboost lightgbm gym gymnasium cupy mxnet paddle polars warp".split()
)
# Libraries whose tensors are never written: an in-place operator gives a new one.
_OF_VALUES = frozenset("eagerpy jax tensorflow".split())


def unknown_call(
    run: Run, name: str, arguments: Arguments, node: ir.Node, of_data: bool = False, through: Node | None = None
) -> Value:
    """A callee that is not in view reads its arguments and gives something new.

    Args:
        of_data: it is a method of something that requires no grad, or cuts the graph.
        through: what it records for backward, beside the past of its arguments.
    """
    note_freezing(name, arguments)
    operands, unknowns = _taken(run, arguments)
    histories = _histories(run, operands, unknowns, arguments)
    mapped = any(unknown.is_mapped for unknown in unknowns)
    for operand in operands:
        mapped |= run.torch.mapped is not None and operand.tensor.storage in run.torch.mapped
        run.torch.read(operand, name, overwrites=_receives(name, arguments))
        run.torch.escape(operand, name)
    if not (name.startswith("torch.") or name in _LOOKING_ON):
        objects = any(map(_is_object, arguments.all()))
        run.torch.out_of_view(bool(histories) or objects)
        run.torch.handed_at = run.torch.clock if objects else run.torch.handed_at
    if through is not None:
        through.inputs = (*through.inputs, *histories)
        histories = (through,)
    # What is made while no gradients are recorded requires none, and no array does.
    library, key = name.partition(".")[0], run.key(node)
    made = OfArrays(key) if library in _OF_ARRAYS else OfValues(key) if library in _OF_VALUES else key
    of_data = of_data or (run.frame.self_class is not None and gives_data(run.frame.self_class))
    is_data = not run.torch.grad_mode or made is not key or (of_data and not histories)
    return run.unknown(made, run.spelled(node), histories, is_data, mapped)


def unknown_function(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Value:
    """A function of a library that is not in view: what it makes of tensors without gradients has none either."""
    return unknown_call(run, name, arguments, node, of_data=_computes_of_data(run, name, arguments))


def _computes_of_data(run: Run, name: str, arguments: Arguments) -> bool:
    """Whether a function, which has no parameters of its own, is given tensors, and none that may require grad."""
    last = name.rpartition(".")[2]
    of_torch = name.startswith("torch.")
    if not (of_torch or (last.islower() and not names_model(last))):
        return False
    operands, unknowns = _taken(run, arguments)
    known = all(not operand.tensor.need and (of_torch or not operand.tensor.external) for operand in operands)
    return bool(operands or unknowns) and known and all(unknown.is_data for unknown in unknowns)


_RECEIVING = ("torch.distributed.recv", "torch.distributed.irecv")


def _receives(name: str, arguments: Arguments) -> bool:
    """Whether a callee is given memory only to put there what another process sends."""
    if name == "torch.distributed.P2POp":
        op = resolve(arguments.get(0, "op"))
        return isinstance(op, Library) and op.name in _RECEIVING
    return name in _RECEIVING


# Functions of Python that only look at what they are given.
_LOOKING_ON = frozenset({"print", "float"})


def _is_object(passed: Passed) -> bool:
    """Whether a callee can reach more through an argument than a tensor, or what nobody knows."""
    value = resolve(passed.ref.value)
    return not isinstance(value, (Tensor, Unknown, int, float, str, type(None)))


def unfinished_call(run: Run, arguments: Arguments, node: ir.Node, callee: ir.Function | None = None) -> Value:
    """What a callee gives that was run, and not to its end."""
    is_data = callee is not None and names_reader(callee)
    return run.unknown(run.key(node), run.spelled(node), _histories(run, *_taken(run, arguments), arguments), is_data)


def _taken(run: Run, arguments: Arguments) -> tuple[list[Operand], list[Unknown]]:
    """The tensors, and the unknown values, that a callee may look into."""
    operands: list[Operand] = []
    unknowns: list[Unknown] = []
    for passed in arguments.all():
        value = resolve(passed.ref.value)
        refs = items_in(value)
        run.torch.trace.effort.spend(len(refs))
        unknowns += [part for part in (value, *(ref.value for ref in refs)) if isinstance(part, Unknown)]
        operands += _operands(run, passed)
    return operands, unknowns


def _histories(
    run: Run, operands: Iterable[Operand], unknowns: Iterable[Unknown], arguments: Arguments
) -> tuple[Node | AutogradMeta, ...]:
    """What a value that was computed of all that has for a past, and of what lies deeper in its arguments."""
    deeper = list(beneath(arguments))
    run.torch.trace.effort.spend(len(deeper))
    histories = past_of_all(run, (*unknowns, *(value for value, _ in deeper if isinstance(value, Unknown))))
    tensors = [(operand.tensor, operand.site) for operand in operands]
    tensors += [(value, run.site(node)) for value, node in deeper if isinstance(value, Tensor)]
    for tensor, site in tensors if run.torch.grad_mode else ():
        if tensor.need:
            histories.update(dict.fromkeys(run.torch.edges([tensor], site)))
    return tuple(histories)


def past_of_all(run: Run, unknowns: Iterable[Unknown]) -> dict[Node | AutogradMeta, None]:
    """The pasts of unknown values together, each once."""
    found: dict[Node | AutogradMeta, None] = {}
    for unknown in unknowns:
        run.torch.trace.effort.spend(len(unknown.history))
        found.update(dict.fromkeys(unknown.history))
    return found


def past_of(run: Run, refs: Iterable[Ref], node: ir.Node) -> tuple[Node | AutogradMeta, ...]:
    """The past of a value that is one of these: nobody knows which."""
    passed = [Passed(ref, node, "", run.torch.clock) for ref in refs]
    given = Arguments(passed)
    return _histories(run, *_taken(run, given), given) if passed else ()


def _operands(run: Run, passed: Passed) -> list[Operand]:
    """The tensors in an argument of a callee that may take anything."""
    bound = operand_of(run, passed, promoting=False)
    if isinstance(bound, Operand):
        return [bound]
    return [item for item in bound if isinstance(item, Operand)] if isinstance(bound, list) else []


def operand_of(run: Run, passed: Passed, promoting: bool = True) -> object:
    """An argument as the abstract PyTorch takes it: operand, list of operands, or constant.

    Args:
        promoting: a list that holds what was computed from tensors is one of tensors.
    """
    value = resolve(passed.ref.value)
    site = run.site(passed.node)
    if isinstance(value, Tensor):
        return Operand(value, site, passed.ref.binding, passed.at, passed.text or value.label, passed.ref.way)
    if isinstance(value, (List, Dict)):
        refs = value.items if isinstance(value, List) else list(value.items.values())
        return [operand for ref in refs if (operand := _element(run, passed, ref, site, promoting)) is not None]
    return value


def _element(run: Run, passed: Passed, ref: Ref, site: Site, promoting: bool) -> Operand | None:
    """A tensor in a list. An element of a display in the call itself is the variable it was read from.

    What a call gave, as `map` calls a function for each element, is the value that there is since.
    """
    value = resolve(ref.value)
    if isinstance(value, Unknown) and value.history and promoting:
        value = run.promote(value, run.site(passed.node))
    if not isinstance(value, Tensor):
        return None
    binding, at, way = ref.binding, passed.at, passed.ref.has(ref).way
    here = binding is not None and binding.depth == run.frame.depth and not binding.is_result
    if binding is not None and here and binding.bound_at >= run.torch.statement and binding.source is not None:
        binding, at, way = binding.source, binding.bound_at, binding.way
    return Operand(value, site, binding, at, binding.label if binding else value.label, way)


def bind(run: Run, row: Effects, arguments: Arguments, node: ir.Node) -> dict[str, object]:
    """Arguments by parameter; an unknown that must be a tensor becomes one."""
    positional = [param for param in row.params if not param.keyword_only]
    bound: dict[str, object] = {}
    for index, passed in enumerate(arguments.positional):
        param = positional[min(index, len(positional) - 1)] if positional else None
        if param is None:
            continue
        value = _bound(run, param, passed, param.name not in row.writes)
        if param.name in bound and isinstance(value, Operand):
            earlier = bound[param.name]
            bound[param.name] = [*earlier, value] if isinstance(earlier, list) else [earlier, value]
        else:
            bound.setdefault(param.name, value)
    kinds = {param.name: param for param in row.params}
    for name, passed in arguments.keywords.items():
        wanted = "self" if name == "input" and "self" in kinds else name
        if wanted in kinds:
            bound[wanted] = _bound(run, kinds[wanted], passed, wanted not in row.writes)
    return bound


def _bound(run: Run, param: Param, passed: Passed, reads_only: bool) -> object:
    value = resolve(passed.ref.value)
    meant = [passed.ref] if param.kind == "tensor" and (not param.optional or _is_where_to(param, value)) else []
    if param.kind == "tensors" and isinstance(value, List):
        meant = value.items
    # Nothing else is taken there, whatever there may be at other times; what is written there is for others to prove.
    proves = reads_only and param.name in FIRST
    for ref in meant:
        unknown = resolve(ref.value)
        if isinstance(unknown, Unknown) and (not unknown.not_tensor or (proves and not unknown.is_whole)):
            run.promote(unknown, run.site(passed.node))
    return operand_of(run, passed)


def _is_where_to(param: Param, value: Value) -> bool:
    """Whether an attribute is told as the place for a result: it holds a tensor there, not None."""
    return param.name == "out" and isinstance(value, Unknown) and isinstance(value.key.made, Attribute)


def known(name: str) -> bool:
    """Whether the op table has a row for a qualified name."""
    return bool(table().overloads(name))
