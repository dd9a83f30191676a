"""Executes statements."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from inplace_lint.interpret.python import calls, counters, indices, iteration, loops, overloading, subscripts
from inplace_lint.interpret.python.annotated import note_asserted
from inplace_lint.interpret.python.annotations import annotated_array, annotated_tensor
from inplace_lint.interpret.python.checked import note_checked
from inplace_lint.interpret.python.contexts import closed_afterwards, entered
from inplace_lint.interpret.python.decorating import decorate, introduce, wrap
from inplace_lint.interpret.python.deleting import delete
from inplace_lint.interpret.python.evaluate import combine
from inplace_lint.interpret.python.late_statements import late_statements
from inplace_lint.interpret.python.renewed import note_both_ways, note_chosen
from inplace_lint.interpret.python.repeated_positions import note_repeated
from inplace_lint.interpret.python.telling_turns import taken_first
from inplace_lint.interpret.state.branches import Branch
from inplace_lint.interpret.state.conditions import leave_out, note_branch, truth, was_left_out, was_not_given
from inplace_lint.interpret.state.keys import Converted, Derived
from inplace_lint.interpret.state.names import import_module, import_name, whole_base
from inplace_lint.interpret.state.naming import names_finisher
from inplace_lint.interpret.state.run import Jumped, Raised, Returned, Run
from inplace_lint.interpret.state.values import (
    Class,
    Dict,
    Frame,
    Function,
    Instance,
    Library,
    List,
    Ref,
    Unknown,
    resolve,
)
from inplace_lint.interpret.torch.operators import augmented
from inplace_lint.interpret.torch.unseen_models import own_layer
from inplace_lint.interpret.torch.uses import note_bound, note_dropped, note_product, note_put_back, own_writes
from inplace_lint.source import ir
from inplace_lint.source.spelling import member_name, root
from inplace_lint.torch_model.op_names import RETURN
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import Tensor


def execute_block(run: Run, body: tuple[ir.Stmt, ...]) -> None:
    """Execute statements in order."""
    for statement in body:
        execute(run, statement)


def execute(run: Run, statement: ir.Stmt) -> None:
    """Execute one statement; a docstring is none."""
    if isinstance(statement, ir.ExprStmt) and isinstance(statement.value, ir.Const):
        return
    run.oracle.step()
    if not run.frame.module.library:  # what a stub does belongs to the statement that calls it
        run.oracle.place = statement
        run.torch.statement = run.torch.tick()
        run.reached.add(statement)
        if run.oracle.preparing and isinstance(statement, ir.Assign):
            run.oracle.note_assignment(statement, run.frame.depth)
    if run.observe is None:
        _EXECUTORS[type(statement)](run, statement)
        return
    try:
        _EXECUTORS[type(statement)](run, statement)
    finally:
        run.observe(run, statement)


def _expression(run: Run, node: ir.ExprStmt) -> None:
    began = run.torch.statement
    # `quantize(x)[0]` drops all that the call gives.
    discarded = root(node.value.element if isinstance(node.value, ir.Comprehension) else node.value, (ir.Index,))
    if isinstance(discarded, ir.Call):
        if run.oracle.preparing and _finishes(discarded.func):
            return
        if not run.frame.module.library:
            run.torch.trace.results.discarded.add(run.site(discarded))
    note_dropped(run, node.value, resolve(run.evaluate(node.value).value), began)
    note_product(run, node)


def _finishes(function: ir.Expr) -> bool:
    return isinstance(function, ir.Attr) and names_finisher(function.name)


def _assign(run: Run, node: ir.Assign) -> None:
    began = run.torch.statement
    leave_out(run, node)
    ref = run.evaluate(node.value)
    value = resolve(ref.value)
    if isinstance(value, List) and isinstance(node.value, ir.Sequence):
        # `a, b = x, y` binds the variables to one another; the tuple is only notation.
        parts = [iteration.unwrapped(item, value) for item in value.items]
        if any(isinstance(target, ir.Sequence) for target in node.targets):
            ref = Ref(List(value.kind, parts, value.open))
            run.displayed = (ref.value, value.items)
    if isinstance(value, Unknown) and node.annotation is not None:
        value.is_data |= annotated_array(node.annotation)
        if annotated_tensor(run, node.annotation):
            value = run.promote(value, run.site(node))
    elif isinstance(value, Tensor) and value.external and annotated_array(node.annotation):
        value.array = True  # It has proved to be several numbers on a path before.
        value.take_for_constant()
    if isinstance(value, Tensor) and not run.frame.module.library:
        for write in own_writes(run, began, value):
            note_bound(write, node.targets, node.value)
        note_put_back(run, node, began)
    note_checked(run, node, ref)
    for target in node.targets:
        iteration.assign(run, target, ref)
        if isinstance(value, Tensor) and isinstance(target, ir.Name):
            ref = run.frame.variables.get(target.id, ref)  # `a = b = value`: the names are of one another
    if isinstance(node.value, ir.IfExp):
        note_chosen(run, node.targets)
    note_product(run, node)


def _declare(run: Run, node: ir.Declare) -> None:
    """A declaration without a value does nothing."""


def _augmented(run: Run, node: ir.AugAssign) -> None:
    if isinstance(node.target, ir.Index):
        _augmented_item(run, node, node.target)
    else:
        target = run.evaluate(node.target)
        if isinstance(target.value, Unknown) and _adds_what_a_layer_gives(run, node):
            run.guess(target.value, run.site(node.target))
        value = run.evaluate(node.value)
        result = _in_place(run, node, target, value)
        if result is not None:
            iteration.assign(run, node.target, result)
    note_product(run, node)


def _adds_what_a_layer_gives(run: Run, node: ir.AugAssign) -> bool:
    """Whether a module gives a variable to one of its layers, and changes it by what comes of that."""
    target = node.target
    return isinstance(target, ir.Name) and any(
        bool(call.args)
        and isinstance(first := call.args[0].value, ir.Name)
        and first.id == target.id
        and bool(own_layer(run, call))
        for call in _calls_in_turn(node.value)
    )


def _calls_in_turn(node: ir.Expr) -> Iterator[ir.Call]:
    """The calls whose results go into a value: `attn` and `norm`, of `gamma * attn(norm(x))`."""
    if isinstance(node, ir.Binary):
        yield from _calls_in_turn(node.left)
        yield from _calls_in_turn(node.right)
    elif isinstance(node, ir.Call):
        yield node
        if node.args:
            yield from _calls_in_turn(node.args[0].value)


def _augmented_item(run: Run, node: ir.AugAssign, target: ir.Index) -> None:
    """`base[index] op= value`: reads the item, changes it, and puts it back."""
    base = run.evaluate(target.value)
    index = indices.index_of(run, target.index)
    item = subscripts.get(run, base, index, target)
    shared = subscripts.is_view(base, item)
    result = _in_place(run, node, item, run.evaluate(node.value))
    if result is not None or (not shared and isinstance(resolve(base.value), Tensor)):
        if isinstance(copied := resolve(item.value), Tensor):
            copied.storage.copied = ""  # it is put back
        subscripts.set(run, base, index, result if result is not None else item, target)
        note_repeated(run, node, base, index)
    elif shared:
        subscripts.put_back(run, base, index)


_SIZES = frozenset({"shape", "ndim"})


def _has_shape(run: Run, value: Unknown, node: ir.AugAssign) -> bool:
    """Whether a value was asked for its shape, which no number has: then it is a tensor, unless that is ruled out."""
    return not _SIZES.isdisjoint(value.parts) and isinstance(run.guess(value, run.site(node.target)), Tensor)


def _in_place(run: Run, node: ir.AugAssign, target: Ref, value: Ref) -> Ref | None:
    """`target op= value`; a reference if the target must be bound anew."""
    left = resolve(target.value)
    if isinstance(left, Tensor):
        if node.op == "@":
            return Ref(combine(run, "@", target, value, node, node.target, node.value))
        augmented(run, node.op, target, value, node)
        return None
    if (own := overloading.augmented(run, node.op, target, value, node)) is not None:
        return own
    if (number := counters.counted_on(run, node, left)) is not None:
        return Ref(number)
    if isinstance(left, Unknown) and isinstance(left.key.made, Converted):
        run.promote(left, run.site(node.target))
        return _in_place(run, node, target, value)
    if isinstance(left, Unknown) and isinstance(resolve(value.value), Tensor) and _has_shape(run, left, node):
        return _in_place(run, node, target, value)
    if isinstance(left, Unknown):
        run.maybe_write_sites.add(run.site(node))
    elif left is not None and target.binding is not None and target.binding.kind == "name":
        run.non_tensor_write_sites.add(run.site(node))
    if _grows(run, node, target, value):
        return None
    return _bound_anew(run, node, target, value)


# By which method containers do what an operator asks them for.
_GROWING = {"+": "extend", "|": "update"}


def _grows(run: Run, node: ir.AugAssign, target: Ref, value: Ref) -> bool:
    """Whether `target op= value` puts elements or entries into a container, or into one of modules."""
    left = resolve(target.value)
    inside = left.children if isinstance(left, Instance) else left
    is_list = isinstance(inside, List) and inside.kind == ("list" if node.op == "+" else "set")
    if node.op not in _GROWING or not (is_list or (node.op == "|" and isinstance(inside, Dict))):
        return False
    run.call(run.get_attribute(target, _GROWING[node.op], node), run.passing(node.value, value), node)
    return True


def _bound_anew(run: Run, node: ir.AugAssign, target: Ref, value: Ref) -> Ref:
    """What `target op= value` gives that is computed as `target op value`."""
    result, left = Ref(combine(run, node.op, target, value, node, node.target, node.value)), resolve(target.value)
    made = resolve(result.value)
    if isinstance(left, Unknown) and isinstance(resolve(value.value), Unknown) and isinstance(made, Unknown):
        # `sums[key] += terms[key]`, `x -= self.mean`
        return Ref(run.unknown(Derived(left.key, run.key(node)), left.label, made.history, made.is_data))
    return result


def _if(run: Run, node: ir.If) -> None:
    if _only_raises(node.body):
        if _surely(run, node.test):
            raise Raised
        execute_block(run, node.orelse)
        return
    run.oracle.begin_test()
    holds = not was_not_given(run, node) and (
        was_left_out(run, node) or truth(run, run.evaluate(node.test).value, node.test, taken_first(run, node))
    )
    branch, since = Branch(node, holds, run.frame.code, run.frame.module), run.torch.clock
    note_branch(run, branch)
    execute_block(run, node.body if holds else node.orelse)
    note_both_ways(run, branch, since)


def _surely(run: Run, test: ir.Expr) -> bool:
    """Whether a condition is known to hold; asking makes no paths."""
    oracle = run.oracle
    asked, silent = oracle.asked, oracle.silent
    oracle.silent = True
    try:
        value = run.value_of(test)
        known = not isinstance(value, (Unknown, Tensor)) and oracle.asked == asked
        return known and truth(run, value, test) and oracle.asked == asked
    finally:
        oracle.silent = silent


def _only_raises(body: tuple[ir.Stmt, ...]) -> bool:
    return bool(body) and isinstance(body[-1], ir.Raise) and len(body) <= 2


def _with(run: Run, node: ir.With) -> None:
    entered(run, node, lambda: execute_block(run, node.body))


def _try(run: Run, node: ir.Try) -> None:
    closed_afterwards(lambda: _tried(run, node), lambda: execute_block(run, node.final))


def _tried(run: Run, node: ir.Try) -> None:
    run.catching += bool(node.handlers)
    try:
        try:
            execute_block(run, node.body)
        finally:
            run.catching -= bool(node.handlers)
        execute_block(run, node.orelse)
    except Raised:
        if not node.handlers:
            raise
        name, handler = node.handlers[0]
        if name:
            run.bind(run.frame, name, run.unknown(run.key(node)), run.site(node), None)
        execute_block(run, handler)


def _return(run: Run, node: ir.Return) -> None:
    began = run.torch.statement
    ref = run.evaluate(node.value) if node.value is not None else Ref(None)
    value = resolve(ref.value)
    given = (ref, *value.items) if isinstance(value, List) else (ref,)
    for inner in (*given[:1], *_computed_items(node.value, given[1:])):
        if isinstance(tensor := resolve(inner.value), Tensor):
            for write in own_writes(run, began, tensor):
                write.note_use("returned")
    for inner in given:
        if inner.binding is not None:
            inner.binding.note_read(run.torch.tick())
            _read_if_changed(run, inner, inner.binding, node)
    raise Returned(ref, node.value)


def _read_if_changed(run: Run, ref: Ref, binding: Binding, node: ir.Return) -> None:
    """Read a part of what an object keeps that a function gives its caller, if another one has changed it since."""
    tensor, source = resolve(ref.value), binding.source
    if len(run.stack) < 2 or binding.depth != run.frame.depth or not isinstance(tensor, Tensor):
        return
    if binding.kind != "name" or source is None or source.kind != "attribute" or not binding.region:
        return
    last = tensor.storage.writes[-1][0] if tensor.storage.writes else None
    if last is not None and last.time > binding.bound_at and len(last.stack) > len(run.torch.stack):
        run.torch.read(Operand(tensor, run.site(node), binding, run.torch.clock, binding.label), RETURN)


def _computed_items(node: ir.Expr | None, items: Sequence[Ref]) -> Sequence[Ref]:
    """The results among the items of a tuple; in `return f(x.add_(1)), x`, `x` is none."""
    if not isinstance(node, ir.Sequence) or len(node.items) != len(items):
        return items
    return [item for item, each in zip(items, node.items, strict=True) if not isinstance(each, ir.Name)]


def _raise(run: Run, node: ir.Raise) -> None:
    raise Raised


def _jump(run: Run, node: ir.Jump) -> None:
    raise Jumped(node.kind)


def _scope(run: Run, node: ir.Scope) -> None:
    if node.kind == "global":
        run.frame.globals_declared.update(node.names)


def _function(run: Run, node: ir.FunctionDef) -> None:
    function = calls.make_function(run, node.function)
    run.frame.variables[member_name(node.function) if run.frame.of_class else node.function.name] = Ref(function)
    decorate(run, function, node.function.decorators, node)
    wrap(run, function, node.function.decorators, node)


def _class(run: Run, node: ir.ClassDef) -> None:
    bases: list[object] = []
    names: list[str] = []
    for base in node.bases:
        if base.keyword is None:
            value = whole_base(run, run.value_of(base.value))
            bases.append(value)
            if isinstance(value, Library):
                names.append(value.name)
    outer = run.frame
    around = outer.parent if outer.is_module or outer.of_class else outer
    frame = Frame(outer.module, node.name, around, depth=outer.depth, of_class=True)
    late = late_statements(node) if outer.is_module else ()
    cls = Class(node, outer.module, tuple(bases), frame, tuple(names), late)
    outer.module.program.circles.append(frame.variables)
    run.stack.append(frame)
    try:
        for statement in node.body:
            if not late or isinstance(statement, ir.FunctionDef):
                execute(run, statement)
    finally:
        run.stack.pop()
    for ref in frame.variables.values():
        if isinstance(ref.value, Function) and ref.value.closure is frame:
            for function in (ref.value, ref.value.inner):
                if function is not None:
                    function.owner, function.closure = cls, frame.parent
    outer.variables[node.name] = Ref(cls)
    introduce(run, cls)
    decorate(run, cls, node.decorators, node)


def _import(run: Run, node: ir.Import) -> None:
    run.frame.variables[node.name] = import_module(run, node)


def _import_from(run: Run, node: ir.ImportFrom) -> None:
    for name, alias in node.names:
        if alias != "*":
            run.frame.variables[alias] = import_name(run, node, name)


_EXECUTORS: dict[type, Callable[[Run, Any], None]] = {
    ir.Assign: _assign,
    ir.Declare: _declare,
    ir.AugAssign: _augmented,
    ir.ExprStmt: _expression,
    ir.If: _if,
    ir.While: loops.execute_while,
    ir.For: loops.execute_for,
    ir.With: _with,
    ir.Try: _try,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: note_asserted,
    ir.Jump: _jump,
    ir.Delete: delete,
    ir.Scope: _scope,
    ir.FunctionDef: _function,
    ir.ClassDef: _class,
    ir.Import: _import,
    ir.ImportFrom: _import_from,
}
