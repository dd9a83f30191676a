"""The result of an op as a value of the program: tensors with dtype and shape, and tuples of them."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Library, List, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch import asked_sizes
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import DtypeKind, Effects
from inplace_lint.torch_model.op_names import base_name
from inplace_lint.torch_model.sizes import Size, Sizes, Symbol, reduced
from inplace_lint.torch_model.tensor import YES, Several, Tensor, assumed

METHOD = "torch.Tensor."

_DTYPES: dict[str, tuple[DtypeKind, str]] = {
    "torch.float": ("float", "float32"),
    "torch.float32": ("float", "float32"),
    "torch.float64": ("float", "float64"),
    "torch.double": ("float", "float64"),
    "torch.float16": ("float", "float16"),
    "torch.half": ("float", "float16"),
    "torch.bfloat16": ("float", "bfloat16"),
    "torch.long": ("int", "int64"),
    "torch.int64": ("int", "int64"),
    "torch.int": ("int", "int32"),
    "torch.int32": ("int", "int32"),
    "torch.int16": ("int", "int16"),
    "torch.int8": ("int", "int8"),
    "torch.uint8": ("int", "uint8"),
    "torch.bool": ("bool", "bool"),
    "torch.complex64": ("complex", "complex64"),
    "torch.cfloat": ("complex", "complex64"),
}


def finished(run: Run, name: str, row: Effects, result: object, node: ir.Node, arguments: Arguments) -> Value:
    """The value of what an op of that name gave."""
    if name == "torch.tensor" and isinstance(result, Tensor) and result.dtype is None:
        _type_as_data(result, arguments)
    if name == "torch.full" and isinstance(result, Tensor) and result.dtype is None:
        _type_as(result, _dtype_of(resolve(arguments.get(1, "fill_value"))))
    if isinstance(result, Tensor):
        result.sizes = _sizes_of(name, row, result, arguments)
    value = _value_of(run, result, node, arguments)
    if isinstance(value, List):
        value.fields = row.fields
    return value


# What has the shape of its data, and what has one dimension unless it is told along which to look.
_OF_DATA = frozenset("torch.tensor torch.as_tensor torch.asarray torch.from_numpy".split())
# Of these the samples of the op table had one shape by chance.
_UNTOLD = frozenset({"torch.Tensor.new", "torch.expand_copy", "torch.ormqr", "torch.Tensor.ormqr"})
_ALONG = frozenset(f"torch.{of}unique{how}" for of in ("", "Tensor.") for how in ("", "_consecutive"))


def _sizes_of(name: str, row: Effects, result: Tensor, arguments: Arguments) -> Sizes | None:
    """The shape of a result, as far as it is known."""
    if name in _OF_DATA:
        data = resolve(arguments.get(0, "data"))
        if isinstance(data, Tensor):
            return data.sizes
        shape = shape_of_data(data)
        return tuple(shape) if shape is not None else None
    if name in _UNTOLD:
        return None
    if name in _ALONG and (len(arguments.positional) > 1 or "dim" in arguments.keywords):
        return None
    if _makes_one_number(row, arguments):
        return ()
    return _sizes_asked(row, arguments) or _sizes_left(row, arguments) or result.sizes


def _makes_one_number(row: Effects, arguments: Arguments) -> bool:
    """Whether an op puts all elements together: no `dim` is given."""
    if row.shape != "total" or arguments.open or resolve(arguments.get(len(row.params), "keepdim")) is True:
        return False
    return _dim(row, arguments) is None


def _dim(row: Effects, arguments: Arguments) -> Value:
    at = next((at for at, param in enumerate(row.params) if param.name == "dim"), len(row.params))
    return resolve(arguments.get(at, "dim"))


def _sizes_left(row: Effects, arguments: Arguments) -> Sizes | None:
    """The shape that is left where an op puts the elements along one dimension together."""
    if row.shape != "total" or arguments.open or not arguments.positional or "keepdim" in arguments.keywords:
        return None
    of, dim = resolve(arguments.positional[0].ref.value), _dim(row, arguments)
    if not isinstance(of, Tensor) or isinstance(dim, bool) or len(arguments.positional) > 2:
        return None
    return reduced(of.sizes, dim, keepdim=False)


def _sizes_asked(row: Effects, arguments: Arguments) -> Sizes | None:
    """The shape that a factory or a view was asked for."""
    names = [param.name for param in row.params if not param.keyword_only]
    if row.shape == 1 and (names[-1:] == ["steps"] or names == ["end"]):
        return (size_of(resolve(arguments.get(len(names) - 1, names[-1]))),)
    return _shape_asked(row, names, arguments)


def _shape_asked(row: Effects, names: list[str], arguments: Arguments) -> Sizes | None:
    """The shape that is given as a list, or as several numbers at the end."""
    shown = row.part == "whole" and names[1:] in (["size"], ["shape"])
    at = 1 if shown else _place_of_size(row, names)
    if arguments.open or at is None:
        return None
    given = [resolve(passed.ref.value) for passed in arguments.positional[at:]]
    if given and isinstance(given[0], List):
        given = [] if given[0].open else [resolve(ref.value) for ref in given[0].items]
    elif names[-1] not in ("size", "shape") or (shown and len(given) == 1 and not isinstance(given[0], int)):
        return None  # `x.view(y.shape)` has a whole shape
    of = resolve(arguments.get(0, names[0])) if shown else None
    return _sizes(given, asked_sizes.count(of) if isinstance(of, Tensor) else None)


def _sizes(given: list[Value], count: int | None) -> Sizes | None:
    """The numbers of a shape, of which one may be left to PyTorch; None if there are none.

    Args:
        count: how many elements there are, if that is known.
    """
    left = prod([size for size in given if isinstance(size, int) and size != -1])
    known = count is not None and all(isinstance(size, int) for size in given) and left > 0
    filled = count // left if known and count is not None else None
    return tuple([size_of(size) if size != -1 else filled for size in given]) or None


def _place_of_size(row: Effects, names: list[str]) -> int | None:
    """At which place a factory takes a shape."""
    if names[:1] == ["size"]:
        return 0
    return 1 if names[1:2] == ["size"] and row.filling else None


def size_of(value: Value) -> Size:
    """A number of a shape."""
    if isinstance(value, int):
        return value
    return Symbol(value.key) if isinstance(value, Unknown) else None


def _type_as_data(tensor: Tensor, arguments: Arguments) -> None:
    """What the Python numbers that `torch.tensor` is given tell of the dtype, and of what it is filled with."""
    data = resolve(arguments.get(0, "data"))
    shape = shape_of_data(data)
    tensor.storage.start = "drawn" if shape is not None and set(shape) <= {1} else ""
    dtype = _dtype_of(data) if shape is not None else ""
    _type_as(tensor, dtype)
    if dtype == "int64" and isinstance(data, List) and not data.open:
        numbers = [number for item in data.items if isinstance(number := resolve(item.value), int)]
        if len(numbers) == len(data.items):
            tensor.storage.repeats = len(set(numbers)) < len(numbers)


def _type_as(tensor: Tensor, dtype: str) -> None:
    if dtype:
        tensor.dtype, tensor.precision = _DTYPES[f"torch.{dtype}"]


# So many numbers of a list are looked at.
_MOST_NUMBERS = 256


def _dtype_of(data: Value) -> str:
    """The dtype of Python numbers in lists, of which one number may widen all; "" if not every one is known."""
    met: set[type] = set()
    rest, looked_at = [data], 0
    while rest and looked_at < _MOST_NUMBERS:
        value = rest.pop()
        looked_at += 1
        if isinstance(value, List) and value.items:
            rest += [resolve(item.value) for item in value.items]
        else:
            met.add(type(value))
    if float in met:
        return "float32"
    if rest or not met <= {bool, int}:
        return ""
    return "int64" if int in met else "bool"


def shape_of_data(data: Value) -> list[Size] | None:
    """The shape of Python numbers in lists; None if they are none, as far as is known."""
    shape: list[Size] = []
    while isinstance(data, List) and data.items and len(shape) < 8:
        shape.append(None if data.open else len(data.items))
        data = resolve(data.items[0].value)
    if isinstance(data, List) and not (data.items or data.open):
        return [*shape, 0]
    return shape if isinstance(data, (bool, int, float)) else None


def _value_of(run: Run, result: object, node: ir.Node, arguments: Arguments) -> Value:
    if isinstance(result, tuple):
        return several(run, (_value_of(run, part, node, arguments) for part in result), False)
    if isinstance(result, Several):
        count = _count(result.op, arguments)
        of = arguments.positional[0].ref if arguments.positional else None
        return several(run, (run.torch.element(result) for _ in range(count or run.turns)), count is None, of)
    if result is None:
        return run.unknown(run.key(node))
    if isinstance(result, Tensor):
        _keywords(run, result, arguments, node)
    return result


def several(run: Run, values: Iterable[Value], more: bool, of: Ref | None = None) -> List:
    """The results of an op that gives several, in places of their own; `of` is what they may be views of."""
    made, whole = List("tuple", open=more), resolve(of.value) if of is not None else None
    for value in values:
        is_part = isinstance(value, Tensor) and isinstance(whole, Tensor) and value.storage is whole.storage
        place = run.place(made, len(made.items))
        made.items.append(run.ref(place, "", "element", value, None, of if is_part else None))
    return made


def _count(op: str, arguments: Arguments) -> int | None:
    if base_name(op) not in ("chunk", "tensor_split"):
        return None
    index = 0 if op.startswith(METHOD) else 1
    values = [passed.ref.value for passed in arguments.positional[-1:] if index or len(arguments.positional) > 1]
    for value in [*(passed.ref.value for passed in arguments.positional[1:2]), *values]:
        if isinstance(value, int) and 0 < value <= 16:
            return value
    named = arguments.keywords.get("chunks")
    return named.ref.value if named and isinstance(named.ref.value, int) else None


def _keywords(run: Run, tensor: Tensor, arguments: Arguments, node: ir.Node) -> None:
    """`requires_grad=`, `dtype=` and `device=`, which factories and casts take."""
    dtype, device = arguments.keywords.get("dtype"), arguments.keywords.get("device")
    given = [resolve(passed.ref.value) for passed in (dtype, device) if passed is not None]
    tensor.made_with += tuple(value.key for value in given if isinstance(value, Unknown))
    if dtype is not None and isinstance(dtype.ref.value, Library) and dtype.ref.value.name in _DTYPES:
        tensor.dtype, tensor.precision = _DTYPES[dtype.ref.value.name]
    asked = arguments.keywords.get("requires_grad")
    if asked is not None and tensor.is_leaf:
        value = resolve(asked.ref.value)
        if value is True:
            tensor.autograd_meta.need = YES
        elif isinstance(value, Unknown):
            tensor.autograd_meta.need = assumed(f"`{asked.text or 'requires_grad'}`", "is true")


def dtype_named(name: str) -> tuple[DtypeKind, str] | None:
    """Kind and precision of `torch.float32`, `np.float32` and their like."""
    if name in ("numpy.float", "numpy.int"):  # Python's own, of other sizes
        return None
    return _DTYPES.get(name.replace("numpy.", "torch.", 1))
