"""The use of an in-place op's result: discarded, rebound to the same name, or bound to another one."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.names import look_up
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Instance, Library, List, Value, resolve
from inplace_lint.interpret.torch.ops import known
from inplace_lint.interpret.torch.results import METHOD
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text, root_name
from inplace_lint.source.walk import form, nodes
from inplace_lint.torch_model import op_table
from inplace_lint.torch_model.events import Detach, DiscardedResult, Write
from inplace_lint.torch_model.tensor import Tensor

# Functions of `torch.distributed` that write their first argument and give nothing back.
_COLLECTIVES = frozenset(
    "all_reduce reduce broadcast all_reduce_coalesced all_gather_into_tensor reduce_scatter reduce_scatter_tensor "
    "all_to_all_single scatter recv irecv".split()
)


def note_dropped(run: Run, node: ir.Expr, value: Value, began: int) -> None:
    """An expression stands alone: in-place ops that its value came through were run for what they do.

    Args:
        value: what the expression gave.
        began: when the statement began.
    """
    if isinstance(value, Tensor):
        for write in own_writes(run, began, value):
            write.note_use("statement")
        if not run.frame.module.library:
            _note_lost(run, node, value)
    changes = list(run.torch.trace.changes_since(began))
    if changes and isinstance(node, ir.Call):
        chain = {run.site(each) for each in _changed_on(run, node)}
        for change in changes:
            if change.site in chain or (isinstance(change, Detach) and change.site == run.site(node)):
                run.torch.trace.results.uses[change.time] = "statement"


# How names of modules end.
_MODULES = ("model", "module", "net", "network", "layer")


def _note_lost(run: Run, node: ir.Expr, value: Tensor) -> None:
    """A tensor is what a statement gives: if the method has but given a new one, the author expected more of it."""
    function = node.func if isinstance(node, ir.Call) else None
    if not isinstance(function, ir.Attr) or function.name == "contiguous":  # which changes no value
        return
    owned = _changed_first(function.value)
    if not isinstance(owned, (ir.Name, ir.Attr)):
        return
    twin = known(f"{METHOD}{function.name}_")
    if not (twin or op_table.shows_itself(METHOD + function.name)) or function.name.endswith("_"):
        return
    if twin and _hands_on_keywords(node):
        return
    owner = resolve(run.evaluate(owned).value)
    text = ir_text(function.value)
    if not isinstance(owner, Tensor) or (not twin and (owner.external or text.endswith(_MODULES))):
        return  # what has `to` may as well be a module
    if not twin and owned is not function.value:
        return  # `x.copy_(y).to(dtype)` has done what it is for
    if not owner.array and owner is not value:
        lost = DiscardedResult(run.torch.clock, run.site(node), run.torch.stack, function.name, text)
        run.torch.trace.events.append(lost)


def _hands_on_keywords(node: ir.Expr) -> bool:
    """Whether a call hands on whatever keywords there are: it calls a method of the program."""
    return isinstance(node, ir.Call) and any(passed.star == "**" for passed in node.args)


def _changed_first(node: ir.Expr) -> ir.Expr:
    """What in-place methods have changed before: `x` of `x.mul_(2).add(1)`."""
    while isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name.endswith("_"):
        node = node.func.value
    return node


def note_bound(write: Write, targets: tuple[ir.Expr, ...], value: ir.Expr) -> None:
    """The result of an in-place op, `value`, was given the name of what it overwrote, or another one."""
    names = {ir_text(target) for target in targets if isinstance(target, (ir.Name, ir.Attr))}
    binding = write.operand.binding
    itself = write.operand.text in names or (binding is not None and binding.label in names)
    itself = itself or form(_changed_first(value)) in [form(each) for each in targets]  # `x[0] = x[0].mul_(2)`
    write.note_use("rebound" if itself else "bound")


# Methods that put their argument into a container, or its values into a tensor.
_KEEPING = frozenset("add append appendleft copy_ extend insert".split())


def note_product(run: Run, node: ir.Assign | ir.AugAssign | ir.ExprStmt) -> None:
    """A statement keeps something in an object or container that the running function was given: its product."""
    if run.frame.code is None or run.frame.module.library:
        return
    kept, places = _kept(node)
    if not kept or not any(_is_given(run, place) for place in places):
        return
    if not any(isinstance(each, ir.Const) or _is_written(run, each) for each in kept):
        run.torch.trace.results.products[run.frame.began] = run.torch.tick()


def _kept(node: ir.Assign | ir.AugAssign | ir.ExprStmt) -> tuple[list[ir.Expr], list[ir.Attr | ir.Index]]:
    """What a statement keeps, and where."""
    if isinstance(node, ir.ExprStmt):
        call = node.value
        if isinstance(call, ir.Call) and isinstance(call.func, ir.Attr) and call.func.name in _KEEPING:
            return [each.value for each in call.args], [call.func]
        return [], []
    if isinstance(node, ir.AugAssign) and isinstance(node.target, ir.Index):  # `self.counts[label] += 1` keeps a label
        return [node.target.index], [node.target]
    targets = node.targets if isinstance(node, ir.Assign) else (node.target,)
    return [node.value], [each for each in targets if isinstance(each, (ir.Attr, ir.Index))]


def _is_written(run: Run, node: ir.Expr) -> bool:
    """Whether a name stands for a tensor itself that the running function has written."""
    ref = run.frame.variables.get(node.id) if isinstance(node, ir.Name) else None
    value = resolve(ref.value) if ref is not None else None
    last = value.storage.writes[-1:] if isinstance(value, Tensor) else []
    return any(write.calls == run.torch.calls for write, _, _ in last)


def _is_given(run: Run, place: ir.Attr | ir.Index) -> bool:
    """Whether a place belongs to an argument of the running function that is no tensor."""
    first = root_name(place)
    if run.frame.code is None or first not in run.frame.variables:
        return False
    value = resolve(run.frame.variables[first].value)
    return isinstance(value, (List, Dict, Instance)) and any(each.name == first for each in run.frame.code.params)


def note_put_back(run: Run, node: ir.Assign, began: int) -> None:
    """A call within an assignment has written what comes from where the result goes: `p.data = clip(p.data)`."""
    if not any(len(write.stack) > len(run.torch.stack) for write in run.torch.trace.writes_since(began)):
        return
    names = {_owner(target) for target in node.targets}
    for part in nodes((node.value,)):
        if isinstance(part, ir.Call):
            spelled = names & {_owner(each.value) for each in part.args}
            if spelled or "_" in names:
                run.torch.trace.results.put_back[run.site(part)] = frozenset(spelled)


def _owner(node: ir.Expr) -> str:
    """How a tensor is spelled, whether `p`, `p.data` or `p.detach()` stands for it."""
    if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name == "detach":
        return _owner(node.func.value)
    return _owner(node.value) if isinstance(node, ir.Attr) and node.name == "data" else ir_text(node)


def own_writes(run: Run, began: int, tensor: Tensor) -> list[Write]:
    """Writes of the running frame to `tensor` since the statement began."""
    found = run.torch.trace.writes_since(began - 1)
    return [write for write in found if write.operand.tensor is tensor and write.use == "expression"]


def _changed_on(run: Run, call: ir.Call) -> Iterator[ir.Expr]:
    """What a call that stands alone goes on to change: `x.mul_(2).diagonal().add_(1)`, `all_reduce(x.div_(n))`.

    `loss.div_(3).backward()` is the loss as before, too.
    """
    function = call.func
    if isinstance(function, ir.Attr) and function.name == "backward":
        yield function.value
    elif isinstance(function, ir.Attr) and (function.name.endswith("_") or known(f"{METHOD}{function.name}_")):
        yield from _receivers(function.value)  # `x.mul_(2).add(1)` was meant to add in place.
    elif call.args and _is_collective(run, function):
        yield from _receivers(call.args[0].value)


def _receivers(node: ir.Expr) -> Iterator[ir.Expr]:
    """An expression, and what its value came out of: receivers of methods, owners of attributes and items."""
    while True:
        yield node
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr):
            node = node.func.value
        elif isinstance(node, (ir.Attr, ir.Index)):
            node = node.value
        else:
            return


def _is_collective(run: Run, function: ir.Expr) -> bool:
    if not (isinstance(function, ir.Attr) and function.name in _COLLECTIVES and isinstance(function.value, ir.Name)):
        return False
    found = look_up(run, function.value).value
    return isinstance(found, Library) and found.name == "torch.distributed"
