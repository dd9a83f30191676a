"""Entry points of a file: its own code, each function, each method on a made-up object, and what frameworks drive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from inplace_lint.interpret.analysis.another_call import wants_another_call
from inplace_lint.interpret.analysis.between_objects import kept_of_others, read_what_is_kept
from inplace_lint.interpret.analysis.called_by_bases import callers_in_bases
from inplace_lint.interpret.analysis.driven import DRIVEN, driver_of, runs_without_gradients
from inplace_lint.interpret.analysis.fed_back import differentiate_before, fed_back, hand_over
from inplace_lint.interpret.analysis.grad_modes import CALLED_WITHOUT_GRADIENTS, only_without_gradients
from inplace_lint.interpret.analysis.kept_twice import read_kept_twice
from inplace_lint.interpret.analysis.later_methods import readers_of_kept, until_next_step
from inplace_lint.interpret.analysis.models_given_back import call_models
from inplace_lint.interpret.analysis.returning import read_attributes, read_kept, read_result
from inplace_lint.interpret.python.earlier_calls import note_earlier_calls
from inplace_lint.interpret.python.made_up import bind_arguments, constructed
from inplace_lint.interpret.state import purpose
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.names import global_cell, module_frame
from inplace_lint.interpret.state.program import ModuleFile, flat
from inplace_lint.interpret.state.run import Raised, Returned, Run
from inplace_lint.interpret.state.values import (
    Cell,
    Class,
    Frame,
    Function,
    Instance,
    List,
    Value,
    resolve,
)
from inplace_lint.interpret.torch import called_attributes, custom_functions
from inplace_lint.interpret.torch.loading import is_loader
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import called_name, ir_text
from inplace_lint.source.syntax import is_initializer
from inplace_lint.source.walk import is_generator
from inplace_lint.torch_model.events import MODULE
from inplace_lint.torch_model.modes import NO_GRAD, GradMode, switch
from inplace_lint.torch_model.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point: a function, a method of a class or what drives it, or (with neither) the file's own code."""

    module: ModuleFile
    function: ir.Function | None = None
    owner: ir.ClassDef | None = None

    @property
    def name(self) -> str:
        """As a user would call it."""
        if self.function is None:
            return MODULE
        return f"{self.owner.name}.{self.function.name}" if self.owner else self.function.name

    @property
    def is_program(self) -> bool:
        """Whether a program starts here: with a file's own code, or a function that needs no arguments."""
        if self.function is None or not self.module.runs:
            return self.module.runs
        given = (param.default is not None or param.kind in ("args", "kwargs") for param in self.function.params)
        return self.owner is None and all(given)


# So many loaders are given back.
_MOST_LOADERS = 4


def entries(module: ModuleFile) -> Iterator[Entry]:
    """All entry points of a file, kernels in another language than PyTorch's left out."""
    yield Entry(module)
    for statement in flat(module.code.body):
        if isinstance(statement, ir.FunctionDef) and not any(map(_makes_kernel, statement.function.decorators)):
            yield Entry(module, statement.function)
        elif isinstance(statement, ir.ClassDef):
            for member in statement.body:
                if isinstance(member, ir.FunctionDef):
                    yield Entry(module, member.function, statement)
            if statement.bases:
                yield Entry(module, DRIVEN, statement)


def _makes_kernel(decorator: ir.Expr) -> bool:
    """Whether a decorator compiles a function for Triton, Numba or Taichi."""
    called = decorator.func if isinstance(decorator, ir.Call) else decorator
    return ir_text(called).startswith(("triton.", "numba.", "nb.", "cuda.jit", "njit", "ti.", "tl."))


def start(run: Run, entry: Entry) -> None:
    """Interpret an entry point on one path."""
    run.turns += entry.is_program
    if entry.function is None:
        _run_file(run, entry.module)
        return
    frame = module_frame(run, entry.module)
    run.stack.append(frame)
    try:
        _run_function(run, entry)
    finally:
        run.stack.pop()


def _run_file(run: Run, module: ModuleFile) -> None:
    run.stack.append(module_frame(run, module))
    try:
        run.execute_block(module.code.body)
    except (Raised, Returned):
        pass
    finally:
        run.stack.pop()


def handles_data(entry: Entry) -> bool:
    """Whether names say that nobody differentiates what an entry point is given."""
    return purpose.handles_data(entry.module, entry.function.name if entry.function else "", entry.owner)


def _runs_without_gradients(run: Run, function: Function, entry: Entry) -> bool:
    """Whether an entry point says, or what drives it, that no gradients are recorded."""
    if function.mode.grad is False or purpose.is_for_inference(entry.module, entry.owner):
        return True
    if purpose.computes_gradient(function.code):
        return True
    if any(isinstance(each, ir.Call) and called_name(each) in _KERNELS for each in function.code.decorators):
        return True
    # torch.nn.utils.parametrize calls `right_inverse` so.
    return function.code.name == "right_inverse" or runs_without_gradients(run, function)


# Decorators of `torch.library`, and of what they give: PyTorch runs such functions with gradients switched off.
_KERNELS = frozenset({"custom_op", "register_kernel"})


def _run_function(run: Run, entry: Entry) -> None:
    run.on_data = handles_data(entry)
    function, receiver = _callee(run, entry)
    if function is None:
        return
    run.prepared.append((0, run.torch.tick()))
    run.stack.pop()
    run.stack.append(Frame(entry.module, "<caller>", depth=-1))
    recorded = not _runs_without_gradients(run, function, entry)
    switch(run.torch, GradMode(recorded, bool(function.mode.inference)))
    frame = Frame(function.module, function.code.name, function.closure, self_class=function.owner, code=function.code)
    frame.yields = [] if is_generator(function.code) else None
    if entry.function is DRIVEN and entry.owner is not None:
        frame.called_at = Site(entry.module.path, entry.owner.span)
    run.past.append(frame)
    context = None
    if custom_functions.is_custom_function(function.owner) and function.code.name in ("forward", "backward"):
        context = custom_functions.make_context(run)
        receiver = Cell(context)
        switch(run.torch, NO_GRAD)
    if function.code.name == "__getitem__":
        run.torch.fetching = run.torch.tick()
    began = run.torch.tick()
    try:
        run.returned = _called(run, frame, function, receiver, context)
    finally:
        if context is not None and function.code.name == "backward":
            custom_functions.note_writes_to_saved(run, context, began)
        elif context is not None:
            values = [resolve(cell.value) for cell in frame.cells.values() if _is_argument(cell)]
            custom_functions.judge(run, context, [value for value in values if isinstance(value, Tensor)], 0)
    run.in_view = frozenset(run.executed), frozenset(run.stood_in)
    called_attributes.want_others(run)
    if context is None and run.entering is None:
        _call_on(run, function, receiver, began)
        if receiver is not None:
            _call_again(run, function, receiver)
        _call_what_was_brought(run, frame)
        _take_from_loaders(run, frame, function)
        _call_what_was_made(run, frame, receiver)
        call_models(run, frame, receiver)


def _call_on(run: Run, function: Function, receiver: Cell | None, began: int) -> None:
    """Call it once more with the state that it has given back, if it goes on from that in place."""
    state, first = fed_back(run, function, began), run.returned
    if state:
        frame = Frame(
            function.module, function.code.name, function.closure, self_class=function.owner, code=function.code
        )
        run.past.append(frame)
        _called(run, frame, function, receiver, None, state)
        differentiate_before(run, state, first)


def _call_again(run: Run, function: Function, receiver: Cell) -> None:
    """Call what is likely called later on the same object, if that meets what this call has left."""
    again = [function] if wants_another_call(run, function, receiver) else []
    above = callers_in_bases(run, function, receiver)
    for each in (*readers_of_kept(run, function, receiver), *until_next_step(function), *above, *again):
        each.module.program.look_into(each.module, each.code)
        frame = Frame(each.module, each.code.name, each.closure, self_class=each.owner, code=each.code)
        run.past.append(frame)
        if each is not function:
            recorded = not _stays_without(run, each)
            # What its file calls only without gradients is called where the object was given its tensors.
            alike = not recorded and each.mode.grad is None and _has_inference_tensors(receiver)
            switch(run.torch, GradMode(recorded, bool(each.mode.inference or alike)))
        _called(run, frame, each, receiver, None)


def _has_inference_tensors(receiver: Cell) -> bool:
    """Whether an object keeps tensors that were made for inference only."""
    instance = resolve(receiver.value)
    held = instance.held.values() if isinstance(instance, Instance) else ()
    return any(isinstance(tensor := resolve(cell.value), Tensor) and tensor.inference for cell in held)


def _stays_without(run: Run, function: Function) -> bool:
    """Whether what is called later is called without gradients."""
    if function.mode.grad is False or runs_without_gradients(run, function):
        return True
    owner = function.owner.code if function.owner is not None else None
    return CALLED_WITHOUT_GRADIENTS.on and only_without_gradients(function.module, function.code, owner)


def _take_from_loaders(run: Run, frame: Frame, function: Function) -> None:
    """Take batches from a loader that was given back, in two epochs: who gets it does."""
    returned = resolve(run.returned.value) if run.returned is not None else None
    given = [run.returned] if run.returned is not None else []
    for cell in returned.items[:_MOST_LOADERS] if isinstance(returned, List) else given:
        if is_loader(resolve(cell.value)):
            run.stack.append(frame)
            try:
                for _ in range(2):
                    run.elements(Cell(cell.value), function.code)
            except Raised:
                pass
            finally:
                run.stack.pop()
            return  # One tells of the others.


def _call_what_was_brought(run: Run, outer: Frame) -> None:
    """Call methods of objects whose state another one has loaded, if they write what that keeps of it."""
    kept, writers = kept_of_others(run, [cell.value for cell in outer.cells.values() if _is_argument(cell)])
    for method, other in writers:
        method.module.program.look_into(method.module, method.code)
        frame = Frame(method.module, method.code.name, method.closure, self_class=method.owner, code=method.code)
        run.past.append(frame)
        _called(run, frame, method, other, None)
    if kept and outer.code is not None:
        read_what_is_kept(run, kept, Site(outer.module.path, outer.code.span))


def _called(
    run: Run,
    frame: Frame,
    function: Function,
    receiver: Cell | None,
    context: Instance | None,
    given: Mapping[str, Cell] = {},
) -> Cell | None:
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
        return returned.cell
    except Raised:
        return None
    finally:
        _read_what_is_left(run, frame, function)
        if run.oracle.alone:
            _call_what_is_inside(run, frame)
        run.stack.pop()
    return Cell(None)


def _read_what_is_left(run: Run, frame: Frame, function: Function) -> None:
    """Read what a call has left for those who brought its arguments: a constructor has not finished its own object."""
    site = Site(frame.module.path, function.code.span)
    brought = [cell.value for cell in frame.cells.values() if _is_argument(cell)]
    name = function.code.name
    read_kept(run, brought[name == "__init__" or is_initializer(name) :], frame.yields or (), site)
    writes = [write for write in run.torch.trace.writes_since(0) if not run.was_preparing(write.time)]
    read_attributes(run, function.code, writes, site)
    read_kept_twice(run, function, writes, site)


def _call_what_is_inside(run: Run, outer: Frame) -> None:
    """Call the functions that a function has made and not called: others will."""
    made = [resolve(cell.value) for cell in outer.cells.values()]
    for function in made:
        if (
            isinstance(function, Function)
            and function.closure is outer
            and function.code not in run.executed
            and facts(function.code).write_rows
        ):
            _call_inside(run, outer, function)


def _call_what_was_made(run: Run, outer: Frame, receiver: Cell | None) -> None:
    """Call the function that a function has made and given back, or kept: who gets it does, or another method."""
    made = resolve(run.returned.value) if run.returned is not None else None
    if isinstance(made, Function) and made.closure is outer and made.code not in run.executed:
        _call_inside(run, outer, made)
    instance = resolve(receiver.value) if receiver is not None else None
    for cell in list(instance.held.values()) if isinstance(instance, Instance) else ():
        kept = resolve(cell.value)
        own = isinstance(kept, Function) and kept.closure is outer and kept.code not in run.executed
        if own and isinstance(kept, Function) and facts(kept.code).write_rows:
            _call_inside(run, outer, kept)


def _call_inside(run: Run, outer: Frame, function: Function) -> None:
    run.executed.add(function.code)
    inner = Frame(function.module, function.code.name, outer, depth=outer.depth, code=function.code)
    inner.yields = [] if is_generator(function.code) else None
    run.past.append(inner)
    _called(run, inner, function, None, None)


def _is_argument(cell: Cell) -> bool:
    return cell.binding is not None and cell.binding.kind == "parameter"


def _incoming_gradients(run: Run, frame: Frame, function: Function) -> None:
    """The arguments of a custom backward are the gradients that it was handed."""
    for param in function.code.params[1:]:
        if param.kind != "positional":
            continue
        site = Site(function.module.path, param.span)
        gradient = run.torch.tensor(site, label=param.name)
        gradient.storage.share("gradient", run.torch.clock)
        run.bind(frame, param.name, gradient, site, None, "parameter")


def _callee(run: Run, entry: Entry) -> tuple[Function | None, Cell | None]:
    assert entry.function is not None
    if entry.owner is None:
        found = global_cell(run, entry.module, entry.function.name)
        value = found.value if found is not None else None
        return (value, None) if isinstance(value, Function) and value.code is entry.function else (None, None)
    found = global_cell(run, entry.module, entry.owner.name)
    cls = found.value if found is not None else None
    if not isinstance(cls, Class) or cls.code is not entry.owner:
        return None, None
    run.on_data = run.on_data or purpose.is_among_data(entry.module, cls)
    if entry.function is DRIVEN:
        driver = driver_of(run, cls)
        return (driver, Cell(constructed(run, cls, driver.code))) if driver is not None else (None, None)
    member = cls.frame.cells.get(entry.function.name)
    function = member.value if member is not None else None
    if not isinstance(function, Function) or function.code is not entry.function:
        return None, None
    if "staticmethod" in function.decoration:
        return function, None
    if "classmethod" in function.decoration:
        return function, Cell(cls)
    return function, Cell(_made_up(run, cls, entry))


def _made_up(run: Run, cls: Class, entry: Entry) -> Value:
    """An object to run a method on, of which other methods may have been called before."""
    instance = constructed(run, cls, entry.function)
    if "training" in instance.held:
        note_earlier_calls(run, instance, entry.module)
    return instance
