"""Entry points of a file: its own code, each function, each method on a made-up object, and what frameworks drive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.findings.analysis import Names
from inplace_lint.interpret.analysis.afterwards import Finished, go_on
from inplace_lint.interpret.analysis.calling import called, frame_of, is_argument
from inplace_lint.interpret.analysis.driven import DRIVEN, driver_of, runs_without_gradients
from inplace_lint.interpret.python.calls import make_function
from inplace_lint.interpret.python.earlier_calls import note_earlier_calls
from inplace_lint.interpret.python.made_up import constructed
from inplace_lint.interpret.state import purpose
from inplace_lint.interpret.state.names import global_ref, module_frame
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Raised, Returned, Run
from inplace_lint.interpret.state.top_statements import flat
from inplace_lint.interpret.state.values import Class, Frame, Function, Ref, Value, resolve
from inplace_lint.interpret.torch import called_attributes, custom_functions
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import LAMBDA, called_name, ir_text, last_word, member_name
from inplace_lint.source.walk import is_generator, nodes
from inplace_lint.torch_model.events import MODULE
from inplace_lint.torch_model.modes import NO_GRAD, GradMode, switch
from inplace_lint.torch_model.tensor import Tensor


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry point: a function, a method of a class or what drives it, or (with neither) the file's own code.

    `kept_as` is the variable that keeps a function without a name, or a table of such.
    """

    module: ModuleFile
    function: ir.Function | None = None
    owner: ir.ClassDef | None = None
    kept_as: str = ""

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
        return self.owner is None and all(given) and not is_lambda(self.function)


def is_lambda(function: ir.Function) -> bool:
    """Whether a function is a `lambda`: no name leads to it, and what keeps it belongs to the file's own code."""
    return function.name == LAMBDA


def names_of(entry: Entry) -> Names:
    """The names of an entry point's function, and of its class."""
    name = entry.function.name if entry.function is not None and not is_lambda(entry.function) else None
    return name, entry.owner.name if entry.owner is not None else None


def entries(module: ModuleFile) -> Iterator[Entry]:
    """All entry points of a file, kernels in another language than PyTorch's left out."""
    if not _only_calls_another(module.code.body):
        yield Entry(module)
    for statement in flat(module.code.body):
        if isinstance(statement, ir.FunctionDef) and not any(map(_makes_kernel, statement.function.decorators)):
            yield Entry(module, statement.function)
        elif isinstance(statement, ir.Assign):
            yield from _of_lambdas(module, statement)
        elif isinstance(statement, ir.ClassDef):
            for member in statement.body:
                if isinstance(member, ir.FunctionDef):
                    yield Entry(module, member.function, statement)
                elif isinstance(member, ir.Assign):
                    yield from _of_lambdas(module, member)
            if any(base.keyword is None for base in statement.bases):
                yield Entry(module, DRIVEN, statement)


# Top-level statements that do nothing but define.
_DEFINING = (ir.FunctionDef, ir.ClassDef, ir.Import, ir.ImportFrom)


def _only_calls_another(body: tuple[ir.Stmt, ...]) -> bool:
    """Whether a file's own code is but definitions, and `main()`: that is an entry point itself, and does the same."""
    functions = {each.function.name: each.function for each in body if isinstance(each, ir.FunctionDef)}
    called = [each for each in body if starts_program(each)]
    if len(called) != 1 or not isinstance(called[0], ir.If) or called[0].orelse or len(called[0].body) != 1:
        return False
    only = called[0].body[0]
    call = only.value if isinstance(only, ir.ExprStmt) else None
    if not isinstance(call, ir.Call) or not isinstance(call.func, ir.Name) or call.args:
        return False
    function = functions.get(call.func.id)
    others = (each for each in body if each is not called[0] and not isinstance(each, _DEFINING))
    return function is not None and not function.params and all(map(_is_constant, others))


def _is_constant(statement: ir.Stmt) -> bool:
    """Whether a statement is a text, or gives a name a value that no call makes."""
    if not isinstance(statement, (ir.ExprStmt, ir.Assign)):
        return False
    return not any(isinstance(node, (ir.Call, ir.Index)) for node in nodes((statement,)))


def starts_program(statement: ir.Stmt) -> bool:
    """Whether a statement is `if __name__ == "__main__":`."""
    test = statement.test if isinstance(statement, ir.If) else None
    return test is not None and any(isinstance(node, ir.Name) and node.id == "__name__" for node in nodes(test))


def _of_lambdas(module: ModuleFile, statement: ir.Assign) -> Iterator[Entry]:
    kept_as = last_word(statement.targets[0])
    yield from (Entry(module, function, kept_as=kept_as) for function in _kept_lambdas(statement.value))


def _kept_lambdas(value: ir.Expr) -> Iterator[ir.Function]:
    """The functions without a name that a variable of the file keeps: `act = lambda x: ...`, or a table of such."""
    if isinstance(value, ir.Lambda):
        yield value.function
    elif isinstance(value, ir.Dict):
        for _, item in value.items:
            yield from _kept_lambdas(item)
    elif isinstance(value, ir.Sequence):
        for item in value.items:
            yield from _kept_lambdas(item)


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
    if purpose.is_handed_gradients(function.code):
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
    frame = frame_of(run, function)
    frame.yields = [] if is_generator(function.code) else None
    if entry.function is DRIVEN and entry.owner is not None:
        frame.called_at = Site(entry.module.path, entry.owner.span)
    context = None
    if custom_functions.is_custom_function(function.owner) and function.code.name in ("forward", "backward"):
        context = custom_functions.make_context(run)
        receiver = Ref(context)
        switch(run.torch, NO_GRAD)
    if function.code.name == "__getitem__":
        run.torch.fetching = run.torch.tick()
    began = run.torch.tick()
    try:
        run.returned = called(run, frame, function, receiver, context)
    finally:
        if context is not None and function.code.name == "backward":
            custom_functions.note_writes_to_saved(run, context, began)
        elif context is not None:
            values = [resolve(ref.value) for ref in frame.variables.values() if is_argument(ref)]
            custom_functions.judge(run, context, [value for value in values if isinstance(value, Tensor)], 0)
    run.in_view = frozenset(run.executed), frozenset(run.stood_in)
    called_attributes.want_others(run)
    if context is None and run.entering is None:
        go_on(run, Finished(function, frame, receiver, began))


def _callee(run: Run, entry: Entry) -> tuple[Function | None, Ref | None]:
    assert entry.function is not None
    if is_lambda(entry.function):
        return make_function(run, entry.function), None
    if entry.owner is None:
        found = global_ref(run, entry.module, entry.function.name)
        value = found.value if found is not None else None
        return (value, None) if isinstance(value, Function) and value.code is entry.function else (None, None)
    found = global_ref(run, entry.module, entry.owner.name)
    cls = found.value if found is not None else None
    if not isinstance(cls, Class) or cls.code is not entry.owner:
        return None, None
    run.on_data = run.on_data or purpose.is_among_data(entry.module, cls)
    if entry.function is DRIVEN:
        driver = driver_of(run, cls)
        return (driver, Ref(constructed(run, cls, driver.code))) if driver is not None else (None, None)
    member = cls.frame.variables.get(member_name(entry.function))
    function = member.value if member is not None else None
    if not isinstance(function, Function) or function.code is not entry.function:
        return None, None
    if "staticmethod" in function.decoration:
        return function, None
    if "classmethod" in function.decoration:
        return function, Ref(cls)
    return function, Ref(_made_up(run, cls, entry))


def _made_up(run: Run, cls: Class, entry: Entry) -> Value:
    """An object to run a method on, of which other methods may have been called before."""
    instance = constructed(run, cls, entry.function)
    if "training" in instance.held:
        note_earlier_calls(run, instance, entry.module)
    return instance
