"""Dtype and memory layout, as far as they decide who shares memory with whom."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from inplace_lint.torch_model.effects import DtypeKind, Effects
from inplace_lint.torch_model.tensor import Tensor, same

_SHAPE_OPS = frozenset({"reshape", "flatten", "ravel", "reshape_as", "unflatten", "Flatten", "Unflatten"})
_CASTS = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16"}
_INTEGER_CASTS = {"long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8", "bool": "bool"}


def converts(op: str, tensor: Tensor, arguments: Mapping[str, object]) -> Literal["alias", "view", "fresh"]:
    """What an op gives that copies only if it must. Where that is not known, a copy is assumed."""
    name = op.rpartition(".")[2]
    if name in _SHAPE_OPS:
        return "view" if tensor.contiguous else "fresh"
    if name == "contiguous":
        return "alias" if tensor.contiguous else "fresh"
    if name in _CASTS or name in _INTEGER_CASTS:
        wanted = _CASTS.get(name) or _INTEGER_CASTS[name]
        return "alias" if tensor.precision == wanted else "fresh"
    if name == "resolve_conj":
        return "alias" if tensor.dtype not in ("complex", None) else "fresh"
    if name in ("squeeze", "expand_as", "positive", "conj", "real"):
        return "view"
    if name.startswith("atleast"):
        return "alias" if name == "atleast_1d" else "view"
    if "dropout" in name:
        return "alias" if name == "dropout" else "view"
    return "fresh"


_COMPACT = frozenset(
    "matmul mm bmm addmm linear Linear cat stack embedding Embedding __getitem__ index_select gather sort topk "
    "softmax log_softmax Softmax LogSoftmax layer_norm LayerNorm contiguous reshape "
    "reshape_as flatten ravel sum mean std var norm prod max min amax amin logsumexp median".split()
)
_ORDERS = frozenset({"t", "transpose", "swapaxes", "swapdims", "permute", "movedim", "moveaxis", "adjoint"})
_CUTS = frozenset({"chunk", "split", "unbind", "tensor_split", "select", "narrow"})

_UNCHECKED = frozenset(
    "fill_ zero_ masked_fill_ index_fill_ t_ squeeze_ unsqueeze_ transpose_ swapaxes_ swapdims_ as_strided_".split()
)


def cuts_rows(op: str, arguments: Mapping[str, object]) -> bool:
    """Whether a view consists of whole rows, so that it is contiguous where its base is."""
    return op.rpartition(".")[2] in _CUTS and arguments.get("dim", 0) == 0


_KEEPING = frozenset(
    "view view_as reshape reshape_as flatten ravel unflatten unsqueeze squeeze transpose t permute movedim moveaxis "
    "swapaxes swapdims contiguous adjoint values _values".split()
)


def part_shown(op: str, of: Tensor, arguments: Mapping[str, object]) -> Literal["whole", "turned", "diagonal", "view"]:
    """Which elements a view has: all, all with its dimensions in another order, the main diagonal, or others."""
    name = op.rpartition(".")[2]
    if name == "diagonal" and arguments.keys() <= {"self", "input"}:
        return "diagonal"
    if name in _ORDERS and not (of.sizes is not None and len(of.sizes) < 2):
        dims = [value for key, value in arguments.items() if key not in ("self", "input")]
        if name == "permute" or not dims:
            return "turned"
        return "turned" if all(isinstance(dim, int) for dim in dims) and len(set(dims)) > 1 else "whole"
    return "whole" if name in _KEEPING else "view"


def keeps_order(op: str, tensors: Sequence[Tensor]) -> bool:
    """Whether a result is not contiguous because the (first) operand is not: so do elementwise ops."""
    first = tensors[0] if tensors else None
    shuffled = first is not None and first.contiguous is False and not first.expanded
    return shuffled and op.rpartition(".")[2] not in _COMPACT


def rearranges(op: str) -> bool:
    """Whether an op changes the order of the dimensions."""
    return op.rpartition(".")[2].rstrip("_") in _ORDERS


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


def reshapes(op: str) -> bool:
    """Whether an in-place op changes the shape of what it is applied to."""
    return rearranges(op) or op.rpartition(".")[2] in ("squeeze_", "unsqueeze_", "as_strided_", "resize_", "set_")


# Found by giving their weights other memory between forward and backward: that left the gradients as they were.
_SAVING_VIEWS = frozenset(
    "Linear linear einsum bmm PReLU prelu GRU RNN LSTMCell GRUCell RNNCell MultiheadAttention "
    "multi_head_attention_forward InstanceNorm1d InstanceNorm2d InstanceNorm3d instance_norm".split()
)


def saves_views(op: str) -> bool:
    """Whether an op keeps a view of its weight (the transpose) for backward, in place of the weight itself."""
    return op.rpartition(".")[2] in _SAVING_VIEWS


def checks_overlap(op: str) -> bool:
    """Whether an op refuses to write an expanded tensor."""
    return op.rpartition(".")[2] not in _UNCHECKED


def writes_through(op: str) -> bool:
    """Whether an op picks elements, and writes those of an expanded tensor with all that share their memory."""
    return op.rpartition(".")[2] in ("masked_fill_", "index_fill_", "index_put_")


def checks_source(op: str) -> bool:
    """Whether an op refuses to read memory that it overwrites in part."""
    return checks_overlap(op) and op.rpartition(".")[2] != "masked_scatter_"


FLOAT_FACTORIES = frozenset(
    f"torch.{name}"
    for name in "rand randn zeros ones empty linspace logspace eye normal hann_window hamming_window blackman_window "
    "bartlett_window kaiser_window".split()
)


_BLANK = frozenset({"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"})
_CONSTANT = frozenset(
    f"{before}{name}{after}" for name in ("zeros", "full") for before in ("", "new_") for after in ("", "_like")
)


def filling(op: str) -> Literal["none", "constant", "values"]:
    """What an op makes a tensor with: no values yet, the same everywhere, or others."""
    name = op.rpartition(".")[2]
    return "none" if name in _BLANK else "constant" if name in _CONSTANT else "values"


_FLOATING = frozenset(
    "div divide true_divide reciprocal exp exp2 expm1 log log2 log10 log1p sqrt rsqrt sin cos tan asin acos atan atan2 "
    "sinh cosh tanh sigmoid erf erfc lgamma digamma logit softmax log_softmax logsumexp".split()
)


def gives_floats(op: str) -> bool:
    """Whether an op makes floating-point numbers of integers."""
    return op.rpartition(".")[2] in _FLOATING


_INDEX_RESULTS = frozenset("max min sort topk kthvalue mode median nanmedian cummax cummin unique msort frexp".split())


def is_index(op: str, output: int) -> bool:
    """Whether an output of an op that gives several is made of positions (`max(dim)`, `topk`)."""
    name = op.rpartition(".")[2]
    return output == 1 and (name in _INDEX_RESULTS or "max_pool" in name or "MaxPool" in name)


_COMPARING = frozenset(
    "sub subtract rsub eq ne equal allclose isclose dist mse_loss l1_loss smooth_l1_loss huber_loss".split()
)


def compares_one(op: str, tensors: Iterable[Tensor]) -> bool:
    """Whether an op tells how two tensors differ that are one and the same."""
    if op.rpartition(".")[2] not in _COMPARING:
        return False
    compared = list(tensors)
    return len(compared) == 2 and same(compared[0], compared[1])


def trains(op: str) -> bool:
    """Whether the `training` of an op is True unless it is given."""
    return op.rpartition(".")[2] not in ("alpha_dropout", "feature_alpha_dropout", "rrelu", "batch_norm")


def cast_to(op: str) -> str | None:
    """The precision that `double()` and its like give."""
    name = op.rpartition(".")[2]
    return _CASTS.get(name) or _INTEGER_CASTS.get(name)


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


_BITWISE = re.compile(r"bitwise_|__r?(and|or|xor|lshift|rshift)__$")
_COUNTS = frozenset("sum prod cumsum cumprod nansum".split())


def type_of_result(
    op: str, row: Effects, tensors: Sequence[Tensor], arguments: Mapping[str, object]
) -> tuple[DtypeKind | None, str | None]:
    """Kind and precision of what is made of tensors, each None where it is not known."""
    name = op.rpartition(".")[2]
    kind = row.dtype or result_dtype(tensors)
    if op in FLOAT_FACTORIES or (kind in ("int", "bool") and not row.dtype and _is_floating(op, arguments)):
        return "float", cast_to(op) or "float32"
    if kind in ("int", "bool") and name in _COUNTS:
        return "int", "int64"
    if row.dtype == "int" and not _BITWISE.match(name) and name not in _INTEGER_CASTS:
        return "int", "int64" if not arguments.get("out_int32") else None
    return kind, cast_to(op) or ("bool" if kind == "bool" else _shared_precision(tensors, kind == "int"))


def _is_floating(op: str, arguments: Mapping[str, object]) -> bool:
    """Whether an op makes floats of whole numbers."""
    rounded = arguments.get("rounding_mode") is not None
    return (gives_floats(op) and not rounded) or any(isinstance(value, float) for value in arguments.values())


def _shared_precision(tensors: Iterable[Tensor], whole: bool) -> str | None:
    """The precision of all operands that are of whole numbers, or of all others, if it is one."""
    precisions = {tensor.precision for tensor in tensors if (tensor.dtype in ("int", "bool")) == whole}
    return precisions.pop() if len(precisions) == 1 else None
