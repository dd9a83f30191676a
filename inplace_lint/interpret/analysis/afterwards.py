"""What happens after an entry point has run: what it made and kept is called and taken from, as a program would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from inplace_lint.interpret.analysis.another_call import wants_another_call
from inplace_lint.interpret.analysis.between_objects import kept_of_others, read_what_is_kept
from inplace_lint.interpret.analysis.called_by_bases import callers_in_bases, passes_collected
from inplace_lint.interpret.analysis.calling import call_inside, called, frame_of, is_argument
from inplace_lint.interpret.analysis.driven import runs_without_gradients
from inplace_lint.interpret.analysis.fed_back import differentiate_before, fed_back
from inplace_lint.interpret.analysis.grad_modes import CALLED_WITHOUT_GRADIENTS, only_without_gradients
from inplace_lint.interpret.analysis.later_methods import readers_of_kept, until_next_step
from inplace_lint.interpret.analysis.models_given_back import call_models
from inplace_lint.interpret.analysis.trained_again import train_again
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import Frame, Function, Instance, List, Ref, resolve
from inplace_lint.interpret.torch.loading import is_loader
from inplace_lint.source.place import Site
from inplace_lint.torch_model.modes import GradMode, switch
from inplace_lint.torch_model.tensor import Tensor

# So many loaders are given back.
_MOST_LOADERS = 4


@dataclass(frozen=True, slots=True)
class Finished:
    """An entry point that has run: its function, with the frame and the object that it had, and when that began."""

    function: Function
    frame: Frame
    receiver: Ref | None
    began: int


def go_on(run: Run, done: Finished) -> None:
    """Do what comes afterwards, one after the other."""
    for step in _STEPS:
        step(run, done)


def _feed_back(run: Run, done: Finished) -> None:
    """Call it once more with the state that it has given back, if it goes on from that in place."""
    function = done.function
    state, first = fed_back(run, function, done.began), run.returned
    if state:
        called(run, frame_of(run, function), function, done.receiver, None, state)
        differentiate_before(run, state, first)


def _train_again(run: Run, done: Finished) -> None:
    """Train with a module that leaves the graph of a step in its own memory."""
    train_again(run, done.function, done.receiver)


def _call_again(run: Run, done: Finished) -> None:
    """Call what is likely called later on the same object, if that meets what this call has left."""
    function, receiver = done.function, done.receiver
    if receiver is None:
        return
    again = [function] if wants_another_call(run, function, receiver) else []
    above = callers_in_bases(run, function, receiver)
    run.torch.trace.collected = any(passes_collected(each, function.code.name) for each in above)
    onwards = until_next_step(function)
    for each in (*readers_of_kept(run, function, receiver), *onwards, *above, *again):
        each.module.program.look_into(each.module, each.code)
        frame = frame_of(run, each)
        if each is not function:
            recorded = not _stays_without(run, each)
            # What its file calls only without gradients is called where the object was given its tensors.
            alike = not recorded and each.mode.grad is None and _has_inference_tensors(receiver)
            switch(run.torch, GradMode(recorded, bool(each.mode.inference or alike)))
        given = {name: Ref(value) for name, value in each.defaults.items()} if each in onwards else {}
        called(run, frame, each, receiver, None, given)


def _has_inference_tensors(receiver: Ref) -> bool:
    """Whether an object keeps tensors that were made for inference only."""
    instance = resolve(receiver.value)
    held = instance.held.values() if isinstance(instance, Instance) else ()
    return any(isinstance(tensor := resolve(ref.value), Tensor) and tensor.inference for ref in held)


def _stays_without(run: Run, function: Function) -> bool:
    """Whether what is called later is called without gradients."""
    if function.mode.grad is False or runs_without_gradients(run, function):
        return True
    owner = function.owner.code if function.owner is not None else None
    return CALLED_WITHOUT_GRADIENTS.on and only_without_gradients(function.module, function.code, owner)


def _take_from_loaders(run: Run, done: Finished) -> None:
    """Take batches from a loader that was given back, in two epochs: who gets it does."""
    returned = resolve(run.returned.value) if run.returned is not None else None
    given = [run.returned] if run.returned is not None else []
    for ref in returned.items[:_MOST_LOADERS] if isinstance(returned, List) else given:
        if is_loader(resolve(ref.value)):
            run.stack.append(done.frame)
            try:
                for _ in range(2):
                    run.elements(Ref(ref.value), done.function.code)
            except Raised:
                pass
            finally:
                run.stack.pop()
            return  # One tells of the others.


def _call_what_was_brought(run: Run, done: Finished) -> None:
    """Call methods of objects whose state another one has loaded, if they write what that keeps of it."""
    outer = done.frame
    kept, writers = kept_of_others(run, [ref.value for ref in outer.variables.values() if is_argument(ref)])
    for method, other in writers:
        method.module.program.look_into(method.module, method.code)
        called(run, frame_of(run, method), method, other, None)
    if kept and outer.code is not None:
        read_what_is_kept(run, kept, Site(outer.module.path, outer.code.span))


def _call_what_was_made(run: Run, done: Finished) -> None:
    """Call the function that a function has made and given back, or kept: who gets it does, or another method."""
    outer, receiver = done.frame, done.receiver
    made = resolve(run.returned.value) if run.returned is not None else None
    if isinstance(made, Function) and made.closure is outer and made.code not in run.executed:
        call_inside(run, outer, made)
    instance = resolve(receiver.value) if receiver is not None else None
    for ref in list(instance.held.values()) if isinstance(instance, Instance) else ():
        kept = resolve(ref.value)
        own = isinstance(kept, Function) and kept.closure is outer and kept.code not in run.executed
        if own and isinstance(kept, Function) and facts(kept.code).write_rows:
            call_inside(run, outer, kept)


def _call_layers(run: Run, done: Finished) -> None:
    """Call the layers in a row that it has made."""
    call_models(run, done.frame, done.receiver)


_STEPS: tuple[Callable[[Run, Finished], None], ...] = (
    _feed_back,
    _train_again,
    _call_again,
    _call_what_was_brought,
    _take_from_loaders,
    _call_what_was_made,
    _call_layers,
)
