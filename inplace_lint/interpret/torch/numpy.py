"""NumPy arrays: those that share memory with tensors, and what writes them."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Hashable

from inplace_lint.interpret.state.keys import Binary, Count, IsData, Made, Shape, Unary
from inplace_lint.interpret.state.plain_data import take_for_data
from inplace_lint.interpret.state.result_binding import result_binding
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import MOST_ITEMS, Arguments, Library, List, Passed, Ref, Unknown, resolve
from inplace_lint.interpret.torch import conversions
from inplace_lint.interpret.torch.ops import operand_of, unknown_call
from inplace_lint.interpret.torch.results import dtype_named, shape_of_data, size_of
from inplace_lint.source import ir
from inplace_lint.torch_model.op_names import with_out
from inplace_lint.torch_model.operands import Operand, operands_in
from inplace_lint.torch_model.regions import Shown
from inplace_lint.torch_model.sizes import Sizes
from inplace_lint.torch_model.spellings import ARRAY_FUNCTIONS
from inplace_lint.torch_model.subscript import Position, Subscript
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Tensor


def take(run: Run, arguments: Arguments) -> None:
    """NumPy refuses what requires grad: nothing that it is given does, nor what it would require grad with."""
    for passed in arguments.all():
        value = resolve(passed.ref.value)
        if isinstance(value, Tensor) and value.need and not value.need.certain:
            run.torch.refuted.update(value.need.assumptions)
        take_for_data(value)


def writes(name: str, arguments: Arguments) -> bool:
    """Whether a function writes an array that it is given."""
    if name == "random.shuffle":
        return True
    short = name.removeprefix("numpy.")
    kept = "copy" in arguments.keywords and resolve(arguments.keywords["copy"].ref.value) is False
    return short != name and (
        short in ARRAY_FUNCTIONS or "out" in arguments.keywords or (short == "nan_to_num" and kept)
    )


def write(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a function that writes its `out=`, or its first argument, and gives that back."""
    target = arguments.keywords.get("out") or next(iter(arguments.positional), None)
    result = unknown_call(run, name, arguments, node)
    gives = "out" in arguments.keywords
    if target is None or not write_to(run, name, target, node, gives):
        return Ref(result)
    return target.ref if gives else Ref(result)


def write_to(run: Run, name: str, target: Passed, node: ir.Node, gives: bool = False) -> bool:
    """Write an array, or a tensor through NumPy; False if the target is neither. `gives`: it is also given back."""
    operand = operand_of(run, target)
    if not isinstance(operand, Operand):
        return False
    run.torch.read(operand, name, overwrites=True)
    op = with_out(name) if gives else name
    run.torch.write(operand, op, run.site(node), NO, use="expression" if gives else "statement")
    return True


def array(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """A new NumPy array."""
    for passed in arguments.all():
        for operand in operands_in(operand_of(run, passed)):
            run.torch.read(operand, name)
    made = run.torch.tensor(run.site(node))
    made.array = True
    made.sizes = _sizes(name.removeprefix("numpy."), arguments)
    wanted = resolve(arguments.keywords["dtype"].ref.value) if "dtype" in arguments.keywords else None
    named = dtype_named(wanted.name) if isinstance(wanted, Library) else None
    if named is not None:
        made.dtype, made.precision = named
    return Ref(made)


def read_from_file(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """An array, unless it may be any object, or a file of several arrays."""
    path = resolve(arguments.get(0, "file"))
    several = isinstance(path, str) and path.endswith(".npz")
    if several or resolve(arguments.get(None, "allow_pickle")) is True:
        return Ref(unknown_call(run, name, arguments, node))
    return array(run, name, arguments, node)


def elementwise(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """A number for a number, and an array for all else."""
    values = [resolve(passed.ref.value) for passed in arguments.all()]
    if any(isinstance(value, Unknown) for value in values) and not any(isinstance(value, Tensor) for value in values):
        return Ref(unknown_call(run, name, arguments, node))  # It is an array if that is seen of it.
    if len(values) != 1 or not isinstance(values[0], (int, float)):
        return array(run, name, arguments, node)
    try:
        return Ref(_OF_NUMBERS[name.removeprefix("numpy.")](float(values[0])))
    except (ValueError, OverflowError):
        return Ref(run.unknown(run.key(node)))


def computed(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """A new array, if one is given; `where(condition)` alone gives a tuple of positions."""
    values = [resolve(passed.ref.value) for passed in arguments.all()]
    known = any(isinstance(value, Tensor) and value.array for value in values)
    known = known and (name != "numpy.where" or len(values) > 1)
    return array(run, name, arguments, node) if known else Ref(unknown_call(run, name, arguments, node))


_OF_NUMBERS: dict[str, Callable[[float], float]] = {
    "abs": abs,
    "sin": math.sin,
    "cos": math.cos,
    "exp": math.exp,
    "log": math.log,
    "sqrt": math.sqrt,
}


def _sizes(maker: str, arguments: Arguments) -> Sizes | None:
    """How many dimensions a new array has; not of one with objects or fields, which gives these themselves."""
    dtype = resolve(arguments.keywords["dtype"].ref.value) if "dtype" in arguments.keywords else None
    if arguments.open or isinstance(dtype, (List, Unknown)) or (isinstance(dtype, Library) and _is_object(dtype)):
        return None
    if maker in ("arange", "linspace"):
        return (None,)
    first = resolve(arguments.get(0, "object" if maker == "array" else "shape"))
    if maker == "array":
        shape = shape_of_data(first)
        return tuple(shape) if shape else None
    if maker in ("concatenate", "stack"):
        return _joined(first, maker == "stack")
    if maker not in ("zeros", "ones", "full", "empty"):
        return None
    if isinstance(first, List):
        return None if first.open else tuple([size_of(resolve(item.value)) for item in first.items])
    return (size_of(first),) if isinstance(first, int) or _is_number(first) else None


def _joined(given: object, adds_one: bool) -> Sizes | None:
    """How many dimensions an array has that is put together: as each part, or one more."""
    for ref in given.items if isinstance(given, List) else ():
        part = resolve(ref.value)
        known = part.sizes if isinstance(part, Tensor) else shape_of_data(part)
        if known:
            return (None,) * (len(known) + adds_one)
    return None


_SHAPE = re.compile("shape|size|dim")


def _is_number(value: object) -> bool:
    """Whether an unknown value is a number, and no shape, as far as its name and what it was made of tell."""
    if not isinstance(value, Unknown):
        return False
    if value.label and _SHAPE.search(value.label) is None:
        return True
    made = value.key.made
    return value.is_whole or isinstance(made, (Count, Binary, Unary)) or (isinstance(made, Shape) and bool(made.query))


def _is_object(dtype: Library) -> bool:
    return dtype.name in ("builtins.object", "numpy.object_")


def takes_number(tensor: Tensor, taken: Subscript) -> bool:
    """Whether a subscript takes one number of an array: that is a copy, where PyTorch gives a view."""
    known = tensor.array and tensor.sizes is not None and all(isinstance(cut, Position) for cut in taken)
    return known and len(taken) == len(tensor.sizes or ())


def number(run: Run, operand: Operand, key: Hashable) -> Unknown:
    """One number of an array, as it is now."""
    run.torch.read(operand, "item")
    value = run.unknown(Count(key))
    assert isinstance(value, Unknown)
    value.not_tensor = True
    return value


def empty(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """A new array; one with a single dimension, of objects, keeps what is put into it as a list does."""
    size, dtype = resolve(arguments.get(0, "shape")), resolve(arguments.get(1, "dtype"))
    of_objects = isinstance(dtype, Library) and _is_object(dtype)
    if not of_objects or not isinstance(size, (int, Unknown)):
        return array(run, name, arguments, node)
    count = size if isinstance(size, int) and 0 <= size <= MOST_ITEMS else None
    items = [Ref(None) for _ in range(2 if count is None else count)]
    return Ref(List("list", items, open=count is None, count=size.key if isinstance(size, Unknown) else None))


def as_array(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """An array on the memory of a tensor or array, unless another dtype is asked for; of all else a new one."""
    ref = arguments.positional[0].ref if arguments.positional else Ref(None)
    value = resolve(ref.value)
    typed = "dtype" in arguments.keywords or len(arguments.positional) > 1
    copies = (typed and not isinstance(value, Tensor)) or resolve(arguments.get(None, "copy")) is True
    if not isinstance(value, (Tensor, Unknown)) or copies:
        return array(run, name, arguments, node)
    if isinstance(value, Unknown):
        value = run.promote(value, run.site(node))
        value.array, value.autograd_meta = True, AutogradMeta(NO)
    if typed:
        asked = Arguments(arguments.positional[1:], arguments.keywords, arguments.open)
        value = conversions.converted(run, "astype", arguments.positional[0], asked, node)
        if not isinstance(value, Tensor):
            return array(run, name, arguments, node)
    made = of_tensor(run, value, node)
    return Ref(made, result_binding(run, made, ref))


def view(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """An array on the memory of another one, where NumPy gives that; also the methods of that name."""
    ref = arguments.positional[0].ref if arguments.positional else Ref(None)
    value = resolve(ref.value)
    if not isinstance(value, Tensor) or not value.array:
        return array(run, name, arguments, node)
    short = name.rpartition(".")[2]
    if short in _SHAPING and not value.contiguous:
        return array(run, name, arguments, node)
    turned = short in _TURNING
    part: Shown = "turned" if turned else "whole"
    made = run.torch.view(value, run.site(node), part=part, contiguous=False if turned else value.contiguous)
    return Ref(made, result_binding(run, made, ref))


def of_tensor(run: Run, tensor: Tensor, node: ir.Node) -> Tensor:
    """The array that shares the memory of a tensor, or of another array."""
    made = run.torch.data(tensor, run.site(node))
    made.array = True
    return made


def from_numpy(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """A tensor on the memory of an array."""
    ref = arguments.positional[0].ref if arguments.positional else Ref(None)
    value = resolve(ref.value)
    if isinstance(value, Tensor):
        if not value.array and name != "torch.from_numpy":
            return Ref(value, result_binding(run, value, ref))
        if value.external and not value.array:
            value.array = True  # It has proved to be several numbers on a path before.
            value.take_for_constant()
        made = run.torch.data(value, run.site(node))
        made.array, made.detached_from = False, None
        return Ref(made, ref.binding)
    if isinstance(value, Unknown) and not value.not_tensor:
        if isinstance(value.key.made, Made) or name == "torch.from_numpy":
            run.proven.facts.add(IsData(value.key))  # Nobody makes a tensor of what a call returns if it is one.
        array = run.promote(value, run.site(node))
        array.array, array.autograd_meta = True, AutogradMeta(NO)
        return from_numpy(run, name, arguments, node)
    return Ref(run.torch.tensor(run.site(node), NO, contiguous=None))


def generator(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`RandomState(...)` and `default_rng(...)` have what the module has."""
    return Ref(Library("numpy.random"))


# At which position functions of `numpy.random` take a shape, without which they give a number.
_SIZES = {
    **dict.fromkeys("rand randn random random_sample standard_normal permutation".split(), 0),
    **dict.fromkeys("exponential poisson choice standard_gamma".split(), 1),
    **dict.fromkeys("normal uniform integers randint beta gamma binomial laplace multivariate_normal".split(), 2),
}


def drawn(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Random numbers: an array if a shape is given."""
    many = len(arguments.positional) > _SIZES[name.rpartition(".")[2]] or "size" in arguments.keywords
    return array(run, name, arguments, node) if many else Ref(unknown_call(run, name, arguments, node))


_MAKERS = ("zeros ones full array zeros_like ones_like full_like eye stack concatenate arange linspace").split()

# What gives an array of its own for an array.
COMPUTED = frozenset(
    "argsort sort cumsum cumprod diff clip maximum minimum where sign log1p expm1 tanh floor ceil round rint square "
    "power pad roll tile repeat argwhere log2 log10 arctan2 hypot mod add subtract multiply divide true_divide isnan "
    "isfinite logical_and logical_or logical_not greater less equal outer".split()
)

# What gives the same elements in another order; in the same one; and that only if memory has it.
_TURNING = frozenset("transpose swapaxes moveaxis rollaxis flip fliplr flipud rot90".split())
_SHAPING = frozenset("reshape ravel ascontiguousarray".split())
VIEWS = _TURNING | _SHAPING | frozenset("squeeze expand_dims atleast_1d atleast_2d atleast_3d".split())

HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Ref]] = {
    "torch.from_numpy": from_numpy,
    "torch.as_tensor": from_numpy,
    "torch.asarray": from_numpy,
    "torch.from_dlpack": from_numpy,
    "torch.utils.dlpack.from_dlpack": from_numpy,
    "numpy.from_dlpack": as_array,
    "numpy.asarray": as_array,
    "numpy.asanyarray": as_array,
    **{f"numpy.{name}": array for name in _MAKERS},
    **{f"numpy.{name}": elementwise for name in _OF_NUMBERS},
    **{f"numpy.{name}": computed for name in COMPUTED},
    "numpy.empty": empty,
    **{f"numpy.{name}": read_from_file for name in ("load", "loadtxt", "genfromtxt", "fromfile")},
    **{f"numpy.{name}": view for name in VIEWS},
    **{f"numpy.random.{name}": generator for name in ("RandomState", "default_rng")},
    **{f"numpy.random.{name}": drawn for name in _SIZES},
}
