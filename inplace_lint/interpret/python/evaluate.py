"""Evaluates expressions: each gives a reference, the value with the binding it was read from, if any."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from inplace_lint.interpret.python import (
    attributes,
    calls,
    generators,
    indices,
    iteration,
    overloading,
    plain,
    subscripts,
)
from inplace_lint.interpret.python.comparisons import compare
from inplace_lint.interpret.python.copies import copies_all, copy_entries
from inplace_lint.interpret.python.methods import is_foreign
from inplace_lint.interpret.python.overloading import is_overloaded
from inplace_lint.interpret.state.branches import Branch
from inplace_lint.interpret.state.conditions import note_branch, truth
from inplace_lint.interpret.state.keys import Binary, Joined, Unary
from inplace_lint.interpret.state.names import look_up
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import (
    Builtin,
    Dict,
    Frame,
    List,
    Native,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch.operators import binary
from inplace_lint.interpret.torch.ops import past_of_all
from inplace_lint.source import ir
from inplace_lint.torch_model.op_names import RETURN
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import Tensor

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "**": plain.power,
}


def evaluate(run: Run, node: ir.Expr) -> Ref:
    """The value of an expression."""
    run.oracle.step()
    found = _EVALUATORS[type(node)](run, node)
    if run.look is not None:
        run.look(run, node, found)
    return found


def value_of(run: Run, node: ir.Expr) -> Value:
    """The value of an expression, without its binding."""
    return resolve(evaluate(run, node).value)


def _const(run: Run, node: ir.Const) -> Ref:
    return Ref(node.value)


def _attr(run: Run, node: ir.Attr) -> Ref:
    found = run.get_attribute(evaluate(run, node.value), node.name, node)
    if isinstance(found.value, Builtin):
        owner = resolve(found.value.receiver.value)
        if isinstance(owner, Unknown):
            if is_foreign(node.name):
                run.proven.rule_out(owner.key)
            return attributes.of_unknown(run, found.value, node)
        if isinstance(owner, Tensor) and run.proven.guessed and is_foreign(node.name):
            run.proven.withdraw(owner)
    return found


def _index(run: Run, node: ir.Index) -> Ref:
    base, text = evaluate(run, node.value), None
    index = indices.index_of(run, node.index)
    if isinstance(value := resolve(base.value), str):
        text = indices.of_text(value, index)
    return text or subscripts.get(run, base, index, node)


def _slice(run: Run, node: ir.Slice) -> Ref:
    return Ref(indices.index_of(run, node))


def _sequence(run: Run, node: ir.Sequence) -> Ref:
    made = List(node.kind)
    for item in node.items:
        if isinstance(item, ir.Starred):
            inner = run.all_elements(evaluate(run, item.value), item)
            made.grow(inner.items, inner.open)
            continue
        ref = evaluate(run, item)
        made.items.append(_element(run, made, len(made.items), ref, item))
    return Ref(made)


def _element(run: Run, owner: object, key: object, ref: Ref, node: ir.Expr) -> Ref:
    return run.store(run.place(owner, key), run.spelled(node), "element", ref.value, run.site(node), ref)


def _starred(run: Run, node: ir.Starred) -> Ref:
    return evaluate(run, node.value)


def _dict(run: Run, node: ir.Dict) -> Ref:
    made = Dict()
    for key_node, value_node in node.items:
        ref = evaluate(run, value_node)
        if key_node is None:
            other = resolve(ref.value)
            if isinstance(other, Dict):
                copy_entries(run, made, other)
            else:
                made.open, made.rest = True, ref
            continue
        key = entry_key(resolve(evaluate(run, key_node).value))
        made.items[key] = _element(run, made, key, ref, value_node)
    return Ref(made)


def _call(run: Run, node: ir.Call) -> Ref:
    if isinstance(node.func, ir.Name) and node.func.id == "next" and node.args:
        run.first_of = node.args[0].value
    return calls.call_expression(run, node)


def _binary(run: Run, node: ir.Binary) -> Ref:
    left, right = evaluate(run, node.left), evaluate(run, node.right)
    return Ref(combine(run, node.op, left, right, node, node.left, node.right))


def combine(run: Run, op: str, left: Ref, right: Ref, node: ir.Node, left_node: ir.Expr, right_node: ir.Expr) -> Value:
    """`left op right` on two values."""
    a, b = resolve(left.value), resolve(right.value)
    if (is_overloaded(a) or is_overloaded(b)) and (found := overloading.binary(run, op, left, right, node)):
        return found.value
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return binary(run, op, left, right, node, left_node, right_node)
    if (joined := _of_containers(run, op, a, b)) is not None:
        return joined
    unknowns = [side for side in (a, b) if isinstance(side, Unknown)]
    function = _PYTHON.get(op) if not unknowns and plain.is_short(op, a, b) else None
    if function is not None and (found := plain.computed(function, a, b)) is not None:
        return found.value
    return _of_unknowns(run, Binary(op, identity(a), identity(b)), node, unknowns)


def _of_containers(run: Run, op: str, a: Value, b: Value) -> List | Dict | None:
    """Two containers in one, or a list several times; None for other operators and values."""
    if isinstance(a, List) and isinstance(b, List) and op == "+":
        joined = List(a.kind, list(a.items), a.open)
        joined.grow(b.items, b.open)
        return joined
    if isinstance(a, List) and op == "*":
        return _repeat(run, a, b)
    if isinstance(b, List) and op == "*":
        return _repeat(run, b, a)
    if not (isinstance(a, Dict) and isinstance(b, Dict) and op == "|"):
        return None
    made = Dict()
    for each in (a, b):
        copy_entries(run, made, each)
    return made


def _of_unknowns(run: Run, key: Hashable, node: ir.Node, unknowns: Sequence[Unknown]) -> Value:
    """What is computed of unknown values; without gradients, nothing that requires one."""
    may_have_history = [each for each in unknowns if not each.not_tensor]
    of_data = bool(may_have_history) and not (run.torch.grad_mode and not all(x.is_data for x in may_have_history))
    return run.unknown(key, run.spelled(node), tuple(past_of_all(run, unknowns)), of_data)


def _repeat(run: Run, items: List, times: Value) -> List:
    for ref in items.items:
        value = resolve(ref.value)
        if isinstance(value, Tensor) and times != 1:
            value.storage.share("repeated", run.torch.clock, tuple([each.binding for each in items.items]))
    count = min(times, 8) if isinstance(times, int) else 2
    one = len(items.items) == 1 and not items.open
    made = List(items.kind, [], items.open, count=times.key if one and isinstance(times, Unknown) else None)
    made.grow(items.items * max(count, 0), not isinstance(times, int) or times > 8)
    return made


def _unary(run: Run, node: ir.Unary) -> Ref:
    ref = evaluate(run, node.value)
    value = resolve(ref.value)
    if node.op == "not":
        return Ref(not truth(run, ref.value, node))
    if is_overloaded(value) and (found := overloading.unary(run, node.op, ref, node)):
        return found
    if isinstance(value, Tensor):
        name = {"-": "neg", "~": "bitwise_not", "+": "positive"}[node.op]
        return calls.method(run, ref, name, (), node, node.value)
    if isinstance(value, int) and node.op == "~":
        return Ref(~value)
    if isinstance(value, (int, float)) and node.op != "~":
        return Ref(-value if node.op == "-" else +value)
    unknowns = [value] if isinstance(value, Unknown) else []
    return Ref(_of_unknowns(run, Unary(node.op, identity(value)), node, unknowns))


def _compare(run: Run, node: ir.Compare) -> Ref:
    left_node, left = node.left, evaluate(run, node.left)
    result: Value = True
    for op, right_node in node.rest:
        right = evaluate(run, right_node)
        result = compare(run, op, left, right, node, left_node, right_node)
        left_node, left = right_node, right
        if len(node.rest) > 1 and not truth(run, result, node):
            return Ref(False)
    return Ref(result)


def _boolop(run: Run, node: ir.BoolOp) -> Ref:
    # The operators of a chain hang on the left, so a long one is not descended into.
    chain = [node]
    while isinstance(chain[-1].left, ir.BoolOp):
        chain.append(chain[-1].left)
    ref = evaluate(run, chain[-1].left)
    for part in reversed(chain):
        if truth(run, ref.value, part.left) == (part.op == "and"):
            ref = evaluate(run, part.right)
    return ref


def _ifexp(run: Run, node: ir.IfExp) -> Ref:
    run.oracle.begin_test()
    holds = truth(run, evaluate(run, node.test).value, node.test)
    note_branch(run, Branch(node, holds, run.frame.code, run.frame.module))
    return evaluate(run, node.then if holds else node.orelse)


def _lambda(run: Run, node: ir.Lambda) -> Ref:
    return Ref(calls.make_function(run, node.function))


def _comprehension(run: Run, node: ir.Comprehension) -> Ref:
    outer = run.frame
    frame = Frame(outer.module, outer.name, outer, depth=outer.depth, self_class=outer.self_class)
    run.past.append(frame)
    made: List | Dict = Dict() if node.kind == "dict" else List(node.kind)
    run.stack.append(frame)
    try:
        _clause(run, node, 0, made)
    finally:
        run.stack.pop()
    return Ref(made)


def _clause(run: Run, node: ir.Comprehension, depth: int, made: List | Dict) -> None:
    if depth == len(node.clauses):
        _collect(run, node, made)
        return
    clause = node.clauses[depth]

    def turn(item: Ref) -> None:
        iteration.assign(run, clause.target, item, in_loop=True)
        if all(truth(run, evaluate(run, condition).value, condition) for condition in clause.conditions):
            _clause(run, node, depth + 1, made)

    taken = _taken(run, clause.iter)
    generator = resolve(taken.value)
    if isinstance(generator, Native) and generator.around is not None:
        made.open = True
        generator.around(turn)
        return
    source = run.elements(taken, clause.iter)
    made.open |= source.open
    for item in iteration.bounded(run, source):
        turn(item)


# So many elements are gathered wherever loops are cut short: `a, b, c, d = (torch.zeros(2) for _ in range(4))`.
_FEW = 8


def _taken(run: Run, node: ir.Expr) -> Ref:
    """What a comprehension goes through."""
    short = run.oracle.short
    run.oracle.short = short and not _is_few(node)
    try:
        return generators.taken(run, node)
    finally:
        run.oracle.short = short


def _is_few(node: ir.Expr) -> bool:
    """Whether this is a range of few numbers that is spelled out."""
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Name) or node.func.id != "range":
        return False
    numbers = [each.value.value for each in node.args if isinstance(each.value, ir.Const)]
    return len(numbers) == len(node.args) == 1 and isinstance(numbers[0], int) and numbers[0] <= _FEW


def _collect(run: Run, node: ir.Comprehension, made: List | Dict) -> None:
    key = entry_key(value_of(run, node.key)) if node.key is not None else None
    ref = evaluate(run, node.element)
    if (
        copies_all(node)
        and ref.binding is not None
        and ref.binding.source is not None
        and not ref.binding.source.is_result
    ):
        ref = Ref(ref.value, ref.binding.source)  # the variable is only notation
    if isinstance(made, Dict):
        made.items[key] = _element(run, made, key, ref, node.element)
    else:
        made.items.append(_element(run, made, len(made.items), ref, node.element))


def _named(run: Run, node: ir.Named) -> Ref:
    ref = evaluate(run, node.value)
    return run.bind(run.frame, node.target.id, ref.value, run.site(node.target), ref)


def _yield(run: Run, node: ir.Yield) -> Ref:
    ref = evaluate(run, node.value) if node.value is not None else Ref(None)
    if node.kind == "await":
        return ref
    frame = next((frame for frame in reversed(run.stack) if frame.yields is not None or frame.around is not None), None)
    if frame is not None and frame.around is not None:
        around, frame.around = frame.around, None
        around(ref)
    elif frame is not None and frame.yields is not None:
        for item in run.elements(ref, node).items if node.kind == "from" else [ref]:
            place = run.place(frame, f"yield {len(frame.yields)}")
            frame.yields.append(run.ref(place, iteration.YIELDED, "element", item.value, run.site(node), item))
            if frame.each is not None:
                frame.each(iteration.as_yielded(run, frame.yields[-1]))
            elif frame.depth <= 1:
                _read_at_once(run, item, node)
    return Ref(run.unknown(run.key(node)))


def _read_at_once(run: Run, given: Ref, node: ir.Yield) -> None:
    """Read what an entry point yields: its caller does, before the generator goes on."""
    for ref, _ in tensors_of(given.value):
        tensor, binding = resolve(ref.value), ref.binding or given.binding
        if isinstance(tensor, Tensor) and binding is not None:
            run.torch.read(Operand(tensor, run.site(node), binding, run.torch.clock, binding.label), RETURN)


def _text(run: Run, node: ir.Text) -> Ref:
    values = [part if isinstance(part, str) else run.value_of(part) for part in node.parts]
    parts = [_spelled(value) for value in values]
    known = [part for part in parts if part is not None]
    return Ref("".join(known) if len(known) == len(parts) else run.unknown(Joined(tuple(map(identity, values)))))


# A longer text is no name; a loop may double one over and over.
_LONGEST_PART = 1_000


def _spelled(value: Value) -> str | None:
    """How an f-string spells a value, if that is known."""
    if isinstance(value, str):
        return value if len(value) <= _LONGEST_PART else None
    return str(value) if isinstance(value, int) and value.bit_length() <= 64 else None


def _opaque(run: Run, node: ir.Opaque) -> Ref:
    for part in node.parts:
        evaluate(run, part)
    return Ref(run.unknown(run.key(node)))


_EVALUATORS: dict[type, Callable[[Run, Any], Ref]] = {
    ir.Const: _const,
    ir.Name: look_up,
    ir.Attr: _attr,
    ir.Index: _index,
    ir.Slice: _slice,
    ir.Sequence: _sequence,
    ir.Starred: _starred,
    ir.Dict: _dict,
    ir.Call: _call,
    ir.Binary: _binary,
    ir.Unary: _unary,
    ir.Compare: _compare,
    ir.BoolOp: _boolop,
    ir.IfExp: _ifexp,
    ir.Lambda: _lambda,
    ir.Comprehension: _comprehension,
    ir.Named: _named,
    ir.Yield: _yield,
    ir.Text: _text,
    ir.Opaque: _opaque,
}
