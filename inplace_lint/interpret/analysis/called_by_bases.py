"""Methods that a class defines for one of its bases to call: the base says with what, and what it does afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from inplace_lint.interpret.state.asked import callers_in
from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, Instance, Ref, resolve
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.class_names import OWN_NAMES
from inplace_lint.source.spelling import ir_text
from inplace_lint.source.walk import last_row, nodes

COLLECTED_ARGUMENTS = silent(
    "collected-arguments",
    "a base calls the method with what it has collected itself, as message passing does, and nobody else has",
    """
    import torch
    from torch import nn


    class Passing(nn.Module):
        def propagate(self, edges, **features):
            collected = self.collect(edges, features)
            return self.message(**collected).sum(0)

        def message(self, x_j):
            return self.weight(x_j)


    class Difference(Passing):
        def message(self, x_i, x_j):
            return torch.cat([x_i, x_j.sub_(x_i)], -1)
    """,
)

# So many methods of bases are called after a method that they call.
_MOST_CALLERS = 2
# So long may a method of a base be that is run for each class below it.
_MOST_ROWS = 60


def callers_in_bases(run: Run, function: Function, receiver: Ref) -> list[Function]:
    """The inherited methods that call a method, if that has written what it did not make itself."""
    instance = resolve(receiver.value)
    cls = instance.cls if isinstance(instance, Instance) else None
    if not isinstance(cls, Class) or function.code.name.startswith("__") or not _has_written_for_others(run):
        return []
    return list(islice(_inherited_callers(run, cls, function.code.name), _MOST_CALLERS))


def passes_collected(caller: Function, name: str) -> bool:
    """Whether a method calls another one of its object with `**` of what is no dictionary of its own callers."""
    own = caller.code.params[0].name if caller.code.params else ""
    passed_on = {param.name for param in caller.code.params if param.kind == "kwargs"}
    return COLLECTED_ARGUMENTS.on and any(
        each.star == "**" and not (isinstance(each.value, ir.Name) and each.value.id in passed_on)
        for call in nodes(caller.code.body)
        if isinstance(call, ir.Call) and ir_text(call.func) == f"{own}.{name}"
        for each in call.args
    )


def templates(run: Run, cls: Class) -> list[Function]:
    """The inherited methods that do their work through what bases leave to a class: `train_step` calls its `loss`."""
    methods = {name for name, ref in cls.frame.variables.items() if isinstance(ref.value, Function)}
    own = [
        name for name in methods if name[:2] != "__" and not any(_is_defined(each, name) for each in cls.lineage[1:])
    ]
    calling = (method for name in sorted(own) for method in _inherited_callers(run, cls, name))
    return list(islice(dict.fromkeys(each for each in calling if _is_short(each)), _MOST_CALLERS))


def _is_defined(base: Class, name: str) -> bool:
    """Whether a base says itself what a method does, and does not leave that to the classes below."""
    ref = base.frame.variables.get(name)
    method = ref.value if ref is not None else None
    if not isinstance(method, Function):
        return False
    method.module.program.look_into(method.module, method.code)
    known = facts(method.code)
    used = {name for names in known.used.values() for name in names if name[0] != "("}
    return bool(known.write_rows or used - OWN_NAMES)


def _is_short(function: Function) -> bool:
    body = function.code.body
    return not function.module.library and bool(body) and last_row(body[-1]) - function.code.span.row < _MOST_ROWS


def _has_written_for_others(run: Run) -> bool:
    """Whether arguments, or what the object keeps, were written in place."""
    return any(
        (write.operand.tensor.external or run.made_up(write.storage)) and not run.was_preparing(write.time)
        for write in run.torch.trace.writes_since(0)
    )


def _inherited_callers(run: Run, cls: Class, name: str) -> Iterator[Function]:
    for base in cls.lineage[1:]:
        calling = callers_in(base, name)
        for ref in base.frame.variables.values():
            method = ref.value
            if not isinstance(method, Function) or method.code.name not in calling:
                continue
            found = class_member(run, cls, method.code.name)
            if found is not None and found.value is method:
                method.module.program.look_into(method.module, method.code)
                yield method
