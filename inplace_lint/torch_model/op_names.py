"""The parts of op names, and names for operations outside the table: Python's forms, and calls of PyTorch taken as one.

An op of the table goes by its qualified name, `torch.Tensor.mul_`.
"""

from __future__ import annotations

SETITEM = "[]="
"""`x[i] = ...`"""

GETITEM = "torch.Tensor.__getitem__"
"""`x[i]`"""

EXCHANGE = ".data="
"""`x.data = ...`"""

OPTIMIZER_STEP = "optimizer.step"
LOAD_STATE_DICT = "load_state_dict"
ZERO_GRAD = "zero_grad"

RENORM = "max_norm"
"""An embedding scales the rows of its weight."""

ACCUMULATE = "torch.Tensor.backward"
"""A backward pass adds to gradients."""

RETURN = "return"
"""The entry point gives a tensor back, to be read by its caller."""

LATER_USE = "a later use"
"""What an object keeps is used again, after the entry point."""

PUT_BACK = "check"
"""`self.x = w`, where `w` is `self.x`, after a check of `w` that leads elsewhere."""

BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}
"""The methods that operators stand for."""

_OUT = "(out=)"
_IN_TRAINING = " in training"


def base_name(op: str) -> str:
    """The name of an op, wherever PyTorch has it: `mul_`, of `torch.Tensor.mul_`."""
    return op.rpartition(".")[2]


def twin_of(op: str) -> str:
    """The op that gives a new tensor where this one writes: `torch.Tensor.mul`, of `torch.Tensor.mul_`."""
    return op.removesuffix("_").removesuffix("=")


def augmented_op(operator: str) -> str:
    """The op of `x += ...`."""
    return f"{operator}="


def method_of(op: str) -> str:
    """The op that does the same by name: `torch.Tensor.add_` for `+=`; any other op itself."""
    return f"torch.Tensor.{BINARY[op[:-1]]}_" if is_augmented(op) else op


def sums_up(op: str) -> bool:
    """Whether an op adds to what is there, by its name: `add_`, `addmm_`, `index_add_`, `+=`."""
    return "add" in base_name(method_of(op))


def is_augmented(op: str) -> bool:
    """Whether an op is `+=` or the like."""
    return op.endswith("=") and op not in (SETITEM, EXCHANGE)


def with_out(op: str) -> str:
    """An op that was given `out=`."""
    return op + _OUT


def has_out(op: str) -> bool:
    """Whether an op was given `out=`."""
    return op.endswith(_OUT)


def in_training(layer: str) -> str:
    """What a layer does to its statistics in training."""
    return layer + _IN_TRAINING


def changes_statistics(op: str) -> bool:
    """Whether an op is what a layer does to its statistics in training."""
    return op.endswith(_IN_TRAINING)


def copies(op: str) -> bool:
    """Whether an op is `copy_`."""
    return base_name(op) == "copy_"


def takes_shape_only(op: str) -> bool:
    """Whether of the other tensor that an op is given only the shape or dtype counts (`expand_as`)."""
    return op.endswith("_as")
