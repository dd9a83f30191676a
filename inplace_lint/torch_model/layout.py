"""Dtype and memory layout, as far as they decide which tensors share memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from inplace_lint.torch_model.effects import KINDS, DtypeKind, Effects, Output
from inplace_lint.torch_model.operands import Operand, operands_in
from inplace_lint.torch_model.regions import Shown
from inplace_lint.torch_model.tensor import Assumption, Tensor, same

# What a tensor of unknown dtype may well have, if it has that kind of elements; so have whole models `bfloat16`.
_USUAL = frozenset({"float32", "bfloat16", "int64", "bool"})


def is_copied(row: Effects, output: Output, tensor: Tensor) -> bool | None:
    """Whether an op that copies only if it must copies a tensor; None where that is open."""
    if output.origin == "maybe":  # a conversion, of what perhaps has the right dtype
        return is_converted(tensor, row.dtypes[0] if row.dtypes else None)
    if output.when == "contiguous":
        return None if tensor.contiguous is None else not tensor.contiguous
    return output.when == "real" and tensor.dtype in ("complex", None)


def is_converted(tensor: Tensor, wanted: str | None) -> bool | None:
    """Whether a tensor has another dtype than the one that is wanted; None where that is open."""
    if wanted is None:
        return True
    if tensor.precision is not None:
        return tensor.precision != wanted
    return None if wanted in _USUAL and may_be(tensor, KINDS[wanted]) else True


def may_be(tensor: Tensor, kind: DtypeKind) -> bool:
    """Whether a tensor may well have elements of a kind, to which it is converted.

    Who converts to whole numbers has others; and what requires no grad, such as a mask, is converted to join floats.
    """
    if kind == "float" and tensor.dtype is None:
        return bool(tensor.need)
    return tensor.dtype == kind


def told_if_same(row: Effects, operand: Operand) -> Assumption:
    """What must hold for an op that copies only if it must to give an operand itself, or a view of it."""
    what = f"{row.dtypes[0]} already" if row.dtypes else "contiguous"
    return Assumption(operand.spelled, f"is {what}")


def cuts_rows(row: Effects, arguments: Mapping[str, object]) -> bool:
    """Whether a view consists of whole rows, so that it is contiguous where its base is."""
    return row.part == "rows" and arguments.get("dim", 0) == 0


def part_shown(row: Effects, of: Tensor, arguments: Mapping[str, object]) -> Shown:
    """Which elements a view has: all, all with its dimensions in another order, the main diagonal, or others."""
    if row.part == "real" or row.part == "imaginary":
        return row.part
    if row.part == "diagonal" and arguments.keys() <= {"self", "input"}:
        return "diagonal"
    if row.part == "turned" and not (of.sizes is not None and len(of.sizes) < 2):
        kinds = [param.kind for param in row.params]
        dims = [arguments.get(param.name) for param in row.params if param.kind == "int"]
        if "ints" in kinds or not dims:
            return "turned"
        return "turned" if all(isinstance(dim, int) for dim in dims) and len(set(dims)) > 1 else "whole"
    return "whole" if row.part in ("whole", "turned") else "view"


def is_part_of_complex(row: Effects, of: Tensor) -> bool:
    """Whether an op gives a view of complex numbers where it gives real ones themselves: `torch.real`."""
    return row.part == "real" and of.dtype == "complex"


def turns_nothing(row: Effects, arguments: Mapping[str, object]) -> bool:
    """Whether an op such as `transpose_` is asked for the order of dimensions that there is."""
    written = [each.tensor for name in row.writes for each in operands_in(arguments.get(name))]
    return row.part == "turned" and [part_shown(row, each, arguments) for each in written] == ["whole"]


def keeps_order(row: Effects, tensors: Sequence[Tensor]) -> bool:
    """Whether a result is not contiguous because the (first) operand is not: so do elementwise ops."""
    first = tensors[0] if tensors else None
    return first is not None and first.contiguous is False and not first.expanded and not row.dense


def overlap(sizes: Sequence[int | None], strides: Sequence[int | None]) -> bool:
    """Whether a tensor surely has several elements in one place of memory; None is an unknown number."""
    if len(sizes) != len(strides):
        return False
    known = [(stride, size) for stride, size in zip(strides, sizes, strict=True) if stride is not None and size != 1]
    extent: int | None = 1
    for stride, size in sorted(known, key=lambda pair: pair[0]):
        if extent is not None and stride < extent:
            return True
        extent = extent + (size - 1) * stride if extent is not None and size is not None else None
    return False


def is_one_twice(tensors: Iterable[Tensor]) -> bool:
    """Whether two tensors are one and the same."""
    pair = list(tensors)
    return len(pair) == 2 and same(pair[0], pair[1])


def result_dtype(tensors: Iterable[Tensor]) -> DtypeKind | None:
    """Kind of the result of an op that promotes its operands."""
    kinds = [tensor.dtype for tensor in tensors]
    if not kinds:
        return None
    for kind in ("complex", "float"):
        if kind in kinds:
            return kind
    if None in kinds:
        return None
    return "int" if "int" in kinds else "bool"


# These arguments of an op say where in its first one.
_PLACES = frozenset({"index", "mask"})


def type_of_result(
    row: Effects, output: int, tensors: Sequence[Tensor], arguments: Mapping[str, object]
) -> tuple[DtypeKind | None, str | None]:
    """Kind and precision of what is made of tensors, each None where it is not known."""
    told = row.dtypes[output] if output < len(row.dtypes) else None
    if any(param.name in _PLACES for param in row.params):
        tensors = tensors[:1]  # what is put in or taken out, and where, changes no dtype
    kind = KINDS[told] if told is not None else result_dtype(tensors)
    if told is not None and told != kind:
        return kind, told
    if kind in ("int", "bool") and told is None:
        if any(isinstance(value, float) for value in arguments.values()):
            return "float", "float32"
        if row.whole:
            return KINDS[row.whole], row.whole
    return kind, "bool" if kind == "bool" else _shared_precision(tensors, kind)


def _shared_precision(tensors: Iterable[Tensor], kind: DtypeKind | None) -> str | None:
    """The precision of all operands that decide that of a result of a kind, if it is one."""
    deciding = ("complex", "float", None) if kind == "complex" else (kind, None)
    precisions = {tensor.precision for tensor in tensors if tensor.dtype in deciding}
    return precisions.pop() if len(precisions) == 1 else None
