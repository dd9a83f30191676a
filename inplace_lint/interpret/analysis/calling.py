"""Calls an entry point: binds its arguments, runs its body, and reads what it gives back, and what it leaves."""

from __future__ import annotations

from collections.abc import Mapping

from inplace_lint.interpret.analysis.fed_back import hand_over
from inplace_lint.interpret.analysis.kept_twice import read_kept_twice
from inplace_lint.interpret.analysis.returning import read_attributes, read_kept, read_result
from inplace_lint.interpret.python.calls import MANAGERS
from inplace_lint.interpret.python.made_up import bind_arguments
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.run import Raised, Returned, Run
from inplace_lint.interpret.state.values import Frame, Function, Instance, Ref, resolve
from inplace_lint.interpret.torch import custom_functions
from inplace_lint.source.place import Site
from inplace_lint.source.syntax import is_initializer
from inplace_lint.source.walk import is_generator
from inplace_lint.torch_model.modes import switch


def frame_of(run: Run, function: Function) -> Frame:
    """The frame of a function or method that no other one calls."""
    frame = Frame(function.module, function.code.name, function.closure, self_class=function.owner, code=function.code)
    run.past.append(frame)
    return frame


def called(
    run: Run,
    frame: Frame,
    function: Function,
    receiver: Ref | None,
    context: Instance | None,
    given: Mapping[str, Ref] = {},
) -> Ref | None:
    """Call an entry point, perhaps with arguments that are known; what it gave back, None if it raised."""
    run.stack.append(frame)
    try:
        bind_arguments(run, frame, function, receiver)
        hand_over(run, frame, function, given)
        if context is not None and function.code.name == "backward":
            _incoming_gradients(run, frame, function)
            custom_functions.give_saved(run, context, function)
        if run.entering is not None:
            run.entering(frame)
        run.execute_block(function.code.body)
    except Returned as returned:
        read_result(run, returned)
        return returned.ref
    except Raised:
        return None
    finally:
        _read_what_is_left(run, frame, function)
        if run.oracle.alone:
            _call_what_is_inside(run, frame)
        run.stack.pop()
    return Ref(None)


def _read_what_is_left(run: Run, frame: Frame, function: Function) -> None:
    """Read what a call has left for those who brought its arguments: a constructor has not finished its own object."""
    site = Site(frame.module.path, function.code.span)
    brought = [ref.value for ref in frame.variables.values() if is_argument(ref)]
    name = function.code.name
    # What a context manager has yielded was for its block, which is over.
    yielded = frame.yields or () if MANAGERS.isdisjoint(function.decoration) else ()
    read_kept(run, brought[name == "__init__" or is_initializer(name) :], yielded, site)
    writes = [write for write in run.torch.trace.writes_since(0) if not run.was_preparing(write.time)]
    read_attributes(run, function.code, writes, site)
    read_kept_twice(run, function, writes, site)


def _call_what_is_inside(run: Run, outer: Frame) -> None:
    """Call the functions that a function has made and not called: others will."""
    made = [resolve(ref.value) for ref in outer.variables.values()]
    for function in made:
        if (
            isinstance(function, Function)
            and function.closure is outer
            and function.code not in run.executed
            and facts(function.code).write_rows
        ):
            call_inside(run, outer, function)


def call_inside(run: Run, outer: Frame, function: Function) -> None:
    """Call a function that an entry point has made."""
    run.executed.add(function.code)
    inner = Frame(function.module, function.code.name, outer, depth=outer.depth, code=function.code)
    inner.yields = [] if is_generator(function.code) else None
    run.past.append(inner)
    before = run.torch.situation()
    switch(run.torch, function.mode)
    try:
        called(run, inner, function, None, None)
    finally:
        run.torch.resume(before)


def is_argument(ref: Ref) -> bool:
    """Whether it is what a parameter was given."""
    return ref.binding is not None and ref.binding.kind == "parameter"


def _incoming_gradients(run: Run, frame: Frame, function: Function) -> None:
    """The arguments of a custom backward are the gradients that it was handed."""
    for param in function.code.params[1:]:
        if param.kind != "positional":
            continue
        site = Site(function.module.path, param.span)
        gradient = run.torch.tensor(site, label=param.name)
        gradient.storage.share("gradient", run.torch.clock)
        run.bind(frame, param.name, gradient, site, None, "parameter")
