"""`to`, `type`, `type_as` and their like: the same tensor if nothing changes, otherwise a copy."""

from __future__ import annotations

from inplace_lint.interpret.state.keys import Attribute, Equal, Key, Metadata
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Library, Passed, Unknown, Value, resolve
from inplace_lint.interpret.torch.ops import apply, operand_of
from inplace_lint.interpret.torch.results import METHOD, dtype_named
from inplace_lint.source import ir
from inplace_lint.torch_model import layout
from inplace_lint.torch_model.labels import is_own
from inplace_lint.torch_model.op_names import base_name
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import Assumption, Node, Tensor, same


def converted(run: Run, name: str, source: Passed, arguments: Arguments, node: ir.Node) -> Value:
    """What a method that converts gives of a tensor, `source`."""
    operand = operand_of(run, source)
    if not isinstance(operand, Operand):
        return None
    tensor = operand.tensor
    same = _told_if_same(run, operand, arguments) if not _is_known_to_differ(run, arguments) else None
    if same is not None and (not same or run.torch.alike):
        for condition in same:
            tensor.storage.suppose(condition)
        return tensor
    made = apply(run, METHOD + "clone", Arguments([source]), node, called=METHOD + name)
    if isinstance(made, Tensor):
        _type(run, made, arguments)
        if same is not None:
            run.torch.leave_open(tensor, made)
        elif tensor.precision is None or _is_open(arguments):
            run.torch.converted.add(made.storage)
    return made


def is_conversion_of(made: Value, tensor: Tensor) -> bool:
    """Whether a tensor is another one with perhaps another dtype: it has the same values."""
    node = made.autograd_meta.node if isinstance(made, Tensor) else None
    while isinstance(node, Node) and base_name(node.op) in _CONVERTING and len(node.inputs) == 1:
        source = node.inputs[0]
        if source is tensor.autograd_meta.history:
            return True
        node = source if isinstance(source, Node) else None
    return False


NAMES = frozenset("to type type_as float half bfloat16 double contiguous".split())
_CONVERTING = NAMES | {"clone"}


def _is_open(arguments: Arguments) -> bool:
    """Whether a dtype is asked for that only callers know."""
    return any(isinstance(value, Tensor) and value.precision is None for value in _values(arguments))


def _type(run: Run, tensor: Tensor, arguments: Arguments) -> None:
    """Give a copy the dtype that was asked for."""
    for value in _values(arguments):
        if isinstance(value, Unknown):
            like = run.described.get(value.key, tensor if _asks_for(value) != "dtype" else None)
        else:
            like = value if isinstance(value, Tensor) else tensor
        named = dtype_named(value.name) if isinstance(value, Library) else None
        if named is not None or like is not tensor:
            tensor.dtype, tensor.precision = named or ((like.dtype, like.precision) if like else (None, None))
    if tensor.dtype in ("int", "bool"):
        tensor.autograd_meta.node = None


def _told_if_same(run: Run, operand: Operand, arguments: Arguments) -> list[Assumption] | None:
    """What must hold for a conversion to make no copy; None if it surely does."""
    if resolve(arguments.get(None, "copy")) is True:
        return None
    asked = [passed for passed in arguments.all() if not isinstance(resolve(passed.ref.value), bool)]
    conditions: list[Assumption] = []
    for passed in asked:
        wanted = resolve(passed.ref.value)
        own = isinstance(wanted, Unknown) and _is_of_itself(run, operand.tensor, wanted)
        more = [] if own else _told_if_kept(operand, passed, wanted)
        if more is None:
            return None
        conditions += more
    return conditions if asked else None


def _is_of_itself(run: Run, tensor: Tensor, wanted: Unknown) -> bool:
    """Whether a tensor is asked for its own dtype or device, perhaps by another name of it."""
    like = run.described.get(wanted.key)
    return wanted.key in tensor.made_with or (like is not None and same(like, tensor))


def _is_known_to_differ(run: Run, arguments: Arguments) -> bool:
    """Whether a dtype that is asked for was compared on this path, and is another one: `if dtype != grad.dtype`."""
    asked = {value.key for value in _values(arguments) if isinstance(value, Unknown) and _asks_for(value) == "dtype"}
    return bool(asked) and any(
        not holds and isinstance(key, Key) and isinstance(key.made, Equal) and not asked.isdisjoint(key.made.sides)
        for key, (holds, _) in run.oracle.remembered.items()
    )


def _told_if_kept(operand: Operand, passed: Passed, wanted: Value) -> list[Assumption] | None:
    """What must hold for one thing asked for to change nothing; None if it does."""
    tensor = operand.tensor
    if isinstance(wanted, Library) and (dtype := dtype_named(wanted.name)) is not None:
        copied = layout.is_converted(tensor, dtype[1])
        return [Assumption(operand.spelled, f"is {dtype[1]} already")] if copied is None else None if copied else []
    if isinstance(wanted, Tensor):
        return _told_if_like(operand, passed, wanted)
    if wanted == "cpu":
        return []
    if isinstance(wanted, str) or _is_device(passed, wanted):
        # What was computed is where the program computes, and so is what a module keeps, and what is given beside
        # another tensor; what was given, or loaded, is brought there.
        there = tensor.need or _is_of_object(operand) or _is_of_another(passed, wanted)
        return [Assumption(operand.spelled, f"is on `{passed.text}` already")] if there else None
    if not isinstance(wanted, Unknown) or not _may_be_usual(tensor):
        return None
    owner = _owner(passed)
    if tensor.precision is not None:
        asked = owner or passed.text
        spelled = f"`{asked}`" if asked else "the dtype asked for"
        return [Assumption(spelled, f"is {tensor.precision}{' already' if owner else ''}")]
    what = f"the dtype of `{owner}`" if owner else f"`{passed.text}`"
    return [Assumption(operand.spelled, f"has {what} already")]


def _is_of_object(operand: Operand) -> bool:
    """Whether an object has made a tensor that it keeps in an attribute, and converts it in one of its methods."""
    binding = operand.binding
    return binding is not None and binding.kind == "attribute" and is_own(binding.label) and not operand.tensor.external


def _is_of_another(passed: Passed, wanted: Value) -> bool:
    """Whether a tensor is to be where another one is that goes by a name of its own: `labels.to(logits.device)`."""
    made = wanted.key.made if isinstance(wanted, Unknown) and isinstance(wanted.key, Key) else None
    return isinstance(made, Metadata) and made.name == "device" and passed.text.removesuffix(".device").isidentifier()


def _told_if_like(operand: Operand, passed: Passed, like: Tensor) -> list[Assumption] | None:
    """What must hold for a tensor to have the dtype of another one."""
    tensor, name = operand.tensor, passed.text or like.label
    if tensor is like or (tensor.precision is not None and tensor.precision == like.precision):
        return []
    if like.precision is not None:
        copied = layout.is_converted(tensor, like.precision)
        return [Assumption(operand.spelled, f"is {like.precision} already")] if copied is None else None
    if not _may_be_usual(tensor) or not layout.may_be(like, "float"):
        return None
    if tensor.precision is not None:
        return [Assumption(f"`{name}`", f"is {tensor.precision} already")]
    return [Assumption(operand.spelled, f"has the dtype of `{name}` already")]


def _may_be_usual(tensor: Tensor) -> bool:
    """Whether a tensor perhaps has the dtype that most have; masks and the like are converted to it."""
    return tensor.precision == "float32" or (tensor.precision is None and layout.may_be(tensor, "float"))


def _is_device(passed: Passed, wanted: Value) -> bool:
    return _asks_for(wanted) == "device" or "device" in passed.text.lower() or "rank" in passed.text.lower()


def _owner(passed: Passed) -> str:
    """Of `x.dtype`, how `x` is spelled."""
    asked = _asks_for(resolve(passed.ref.value)) == "dtype"
    return passed.text.removesuffix(".dtype") if asked and passed.text.endswith(".dtype") else ""


def _asks_for(value: Value) -> str:
    made = value.key.made if isinstance(value, Unknown) and isinstance(value.key, Key) else None
    return made.name if isinstance(made, (Metadata, Attribute)) else ""


def _values(arguments: Arguments) -> list[Value]:
    return [resolve(passed.ref.value) for passed in arguments.all()]
