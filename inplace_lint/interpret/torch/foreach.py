"""Ops on lists of tensors, `torch._foreach_mul_(parameters, 0.9)`: the op on each of them."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, List, Passed, Ref, Value, resolve
from inplace_lint.interpret.torch.ops import bind, run_row, unknown_call
from inplace_lint.interpret.torch.overloads import choose
from inplace_lint.interpret.torch.results import METHOD, several
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import Effects, SaveSpec
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.op_table import table

PREFIX = "torch._foreach_"

# Methods of tensors that do the same; `Tensor.maximum` takes no numbers.
_METHODS = {"maximum": "clamp_min", "maximum_": "clamp_min_", "minimum": "clamp_max", "minimum_": "clamp_max_"}

# These keep tensors that the methods would not (`torch/csrc/autograd/generated/VariableTypeManual.cpp`: they
# are differentiated by formulas for lists), found by writing to each argument before backward.
_KEEPING = frozenset({"add", "sub", "mul", "div", "addcmul", "addcdiv"})


def call(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call `torch._foreach_...`."""
    op = name.removeprefix(PREFIX)
    lists = [run.elements(passed.ref, node) for passed in arguments.all() if isinstance(_value(passed), List)]
    if not arguments.positional or not isinstance(_value(arguments.positional[0]), List):
        return Ref(unknown_call(run, name, arguments, node))
    turns = min(len(each.items) for each in lists)
    began = run.torch.clock

    def complete(write: Write) -> None:
        write.op, write.meant = name, "statement"
        history = write.operand.tensor.autograd_meta.node
        if history is not None and history.made_at > began:  # all are checked before any is written
            write.refusal = None

    with emitting(run.torch, complete):
        results = [_one(run, op, _turn(run, arguments, turn, node), node) for turn in range(turns)]
    return Ref(several(run, results, any(each.open for each in lists)))


def _value(passed: Passed) -> Value:
    return resolve(passed.ref.value)


def _turn(run: Run, arguments: Arguments, turn: int, node: ir.Node) -> Arguments:
    """The arguments for one tensor: of each list its element."""

    def one(passed: Passed) -> Passed:
        if not isinstance(_value(passed), List):
            return passed
        text = f"{passed.text}[{turn}]" if passed.text.replace(".", "").isidentifier() else ""
        ref = run.elements(passed.ref, node).items[turn]
        place = (run.key(node), (passed.text, turn))
        taken = run.ref(place, text, "name", ref.value, run.site(node), ref)  # by a loop over the list
        if taken.binding is not None:
            taken.binding.in_loop = True
        return Passed(taken, passed.node, text or (ref.binding.label if ref.binding else ""), passed.at)

    keywords = {key: one(passed) for key, passed in arguments.keywords.items()}
    given = [one(passed) for passed in arguments.positional]
    if len(given) > 3:
        keywords["value"] = given[3]  # which `addcmul` takes by name only
    return Arguments(given[:3], keywords)


def _one(run: Run, op: str, arguments: Arguments, node: ir.Node) -> Value:
    name = METHOD + _METHODS.get(op, op)
    row = choose(run, table().overloads(name), arguments)
    if row is None:
        return unknown_call(run, PREFIX + op, arguments, node)
    if op in _KEEPING:
        row = _keeping(row, arguments)
    return run_row(run, name, row, bind(run, row, arguments, node), node, arguments)


def _keeping(row: Effects, arguments: Arguments) -> Effects:
    """The same row, saving every tensor that is given."""
    tensors = [param.name for param in row.params if param.kind == "tensor"]
    return replace(row, saves=tuple(SaveSpec(name) for name in tensors))
