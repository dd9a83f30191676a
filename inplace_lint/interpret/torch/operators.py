"""Operators on tensors: `a + b`, `a += b`."""

from __future__ import annotations

from functools import partial

from inplace_lint.interpret.state.made_of import stands_for_several
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Passed, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch.ops import apply
from inplace_lint.interpret.torch.results import METHOD
from inplace_lint.source import ir
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.op_names import BINARY, augmented_op, method_of
from inplace_lint.torch_model.tensor import Tensor


def binary(run: Run, op: str, left: Ref, right: Ref, node: ir.Node, left_node: ir.Expr, right_node: ir.Expr) -> Value:
    """`left op right` where at least one is a tensor."""
    name = BINARY[op]
    at = run.torch.clock
    passed = [Passed(ref, place, run.spelled(place), at) for ref, place in ((left, left_node), (right, right_node))]
    arrays = any(isinstance(each, Tensor) and each.array for each in (resolve(left.value), resolve(right.value)))
    for each in passed:
        if isinstance(unknown := resolve(each.ref.value), Unknown) and _goes_with_tensors_only(op, unknown, arrays):
            run.promote(unknown, run.site(node))
    if not isinstance(resolve(left.value), Tensor):
        if not isinstance(resolve(left.value), (int, float)) or op in ("+", "*", "==", "!=", "&", "|", "^"):
            passed.reverse()
            other = _tensor_by_history(run, passed[1], node)
            if isinstance(other, Unknown):
                return _with_unknown(run, name, passed, node)
        elif op == "**":
            return apply(run, "torch.pow", Arguments(passed), node)
        else:
            return apply(run, METHOD + "neg", Arguments(passed[1:]), node)
    elif isinstance(_tensor_by_history(run, passed[1], node), Unknown):
        return _with_unknown(run, name, passed, node)
    return apply(run, METHOD + name, Arguments(passed), node)


def _goes_with_tensors_only(op: str, unknown: Unknown, arrays: bool) -> bool:
    """Whether what stands beside a tensor is one: it is a factor of `@`, or no number, as `x[:3]`, and no array."""
    return not unknown.not_tensor and (op == "@" or (stands_for_several(unknown.key) and not arrays))


def _tensor_by_history(run: Run, passed: Passed, node: ir.Node) -> Value:
    """What an unknown callee made of tensors that require grad, combined with a tensor, is one too."""
    value = resolve(passed.ref.value)
    if isinstance(value, Unknown) and value.history:
        return run.promote(value, run.site(node))
    return value


def _with_unknown(run: Run, name: str, passed: list[Passed], node: ir.Node) -> Value:
    """The other operand may be a number: nothing is known to be saved."""
    tensor = passed[0].ref
    number = Passed(Ref(1.0), passed[1].node, "", passed[1].at)
    return apply(
        run, METHOD + name, Arguments([Passed(tensor, passed[0].node, passed[0].text, passed[0].at), number]), node
    )


def augmented(run: Run, op: str, target: Ref, value: Ref, node: ir.AugAssign) -> None:
    """`target op= value` on a tensor: the in-place method."""
    called = augmented_op(op)
    passed = [
        Passed(target, node.target, run.spelled(node.target), run.torch.clock),
        Passed(value, node.value, run.spelled(node.value), run.torch.clock),
    ]
    if isinstance(_tensor_by_history(run, passed[1], node), Unknown):
        passed[1] = Passed(Ref(1.0), node.value, "", run.torch.clock)
    with emitting(run.torch, partial(_as_statement, called)):
        apply(run, method_of(called), Arguments(passed), node)


def _as_statement(op: str, write: Write) -> None:
    write.op, write.meant = op, "statement"
