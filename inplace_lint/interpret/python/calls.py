"""Calls: of functions, classes, methods and modules of the program, and on to the libraries."""

from __future__ import annotations

from inplace_lint.effort import STEP, OutOfEffort
from inplace_lint.interpret.python import fields, made_by_new
from inplace_lint.interpret.python.annotated import note_declared
from inplace_lint.interpret.python.annotations import annotated_kind
from inplace_lint.interpret.python.call_results import note_result
from inplace_lint.interpret.python.decoding import decoding
from inplace_lint.interpret.python.passed_tensors import note_given, note_passed
from inplace_lint.interpret.python.preparing import construct, tells_only
from inplace_lint.interpret.state.annotation import annotation_of
from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.declared import declares_writes
from inplace_lint.interpret.state.keys import Answer, Parameter
from inplace_lint.interpret.state.names import look_up
from inplace_lint.interpret.state.naming import is_first
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.purpose import names_inference
from inplace_lint.interpret.state.result_binding import argument_binding, given_back
from inplace_lint.interpret.state.run import MOST_DEPTH, MOST_INSTALLED_DEPTH, Raised, Returned, Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import (
    MOST_ITEMS,
    Arguments,
    Builtin,
    Class,
    Dict,
    Frame,
    Function,
    Instance,
    Library,
    List,
    Method,
    Native,
    Partial,
    Passed,
    Ref,
    Super,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import called_attributes, loading, modules, own_tensors
from inplace_lint.interpret.torch.ops import apply, past_of, unfinished_call, unknown_call
from inplace_lint.interpret.torch.results import METHOD
from inplace_lint.interpret.torch.unseen_models import call_model
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import ir_text, root
from inplace_lint.source.walk import is_generator
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.modes import GRAD_MODES, NOT_DIFFERENTIABLE, UNCHANGED, GradMode, switch
from inplace_lint.torch_model.tensor import Tensor


def call_expression(run: Run, node: ir.Call) -> Ref:
    """The value of a call."""
    if isinstance(node.func, ir.Name) and node.func.id == "super":
        return Ref(_super(run))
    if isinstance(node.func, ir.Attr):
        function = run.get_attribute(run.evaluate(node.func.value), node.func.name, node.func)
    else:
        function = run.evaluate(node.func)
    arguments = Arguments()
    for argument in node.args:
        ref = run.evaluate(argument.value)
        passed = Passed(ref, argument.value, run.spelled(argument.value), run.torch.clock)
        if argument.star == "*":
            items = run.all_elements(ref, argument)
            known = items.items[: max(MOST_ITEMS - len(arguments.positional), 0)]
            arguments.positional.extend(Passed(item, argument.value, "", passed.at) for item in known)
            arguments.open |= items.open or len(known) < len(items.items)
        elif argument.star == "**":
            value = resolve(ref.value)
            if isinstance(value, Dict):
                for key, item in value.items.items():
                    if isinstance(key, Constant) and isinstance(key.value, str):
                        arguments.keywords[key.value] = Passed(item, argument.value, "", passed.at)
                    else:
                        arguments.unplaced.append(item)
                arguments.open |= value.open or bool(arguments.unplaced)
            else:
                arguments.open = True
        elif argument.keyword:
            arguments.keywords[argument.keyword] = passed
        else:
            arguments.positional.append(passed)
    given = call(run, function, arguments, node)
    if function.binding is not None and function.binding.kind == "attribute":
        called_attributes.note(run, function.binding, (given, *(passed.ref for passed in arguments.positional)))
    return given


def _super(run: Run) -> Value:
    for frame in reversed(run.stack):
        owner: Frame | None = frame
        while owner is not None:
            if owner.self_class is not None:
                receiver = next(iter(owner.variables.values()), None)
                if receiver is not None:
                    return Super(owner.self_class, receiver)
            owner = owner.parent
    return run.unknown(Answer("super"))


def call(run: Run, function: Ref, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a value."""
    value = resolve(function.value)
    if isinstance(value, Function):
        return call_function(run, value, arguments, node)
    if isinstance(value, Method):
        return call_function(run, value.function, arguments, node, value.receiver)
    if isinstance(value, Class):
        return Ref(instantiate(run, value, arguments, node))
    if isinstance(value, Instance):
        return modules.call_instance(run, function, value, arguments, node)
    if isinstance(value, Library):
        return run.call_library(value.name, arguments, node)
    if isinstance(value, Builtin):
        return run.call_method(value, arguments, node)
    if isinstance(value, Partial):
        merged = Arguments(
            [*(Passed(ref, node, "", run.torch.clock) for ref in value.args), *arguments.positional],
            {**{name: Passed(ref, node, "", run.torch.clock) for name, ref in value.keywords.items()},
             **arguments.keywords},
            arguments.open,
        )  # fmt: skip
        return call(run, Ref(value.function), merged, node)
    if isinstance(value, Native) and value.call is not None:
        return Ref(value.call(arguments))
    if isinstance(value, Unknown):
        value.not_tensor = True
        return Ref(call_model(run, value, arguments, node))
    return Ref(unknown_call(run, "", arguments, node))


def method(run: Run, receiver: Ref, name: str, extra: tuple[Passed, ...], node: ir.Node, at: ir.Expr) -> Ref:
    """Call a method of a tensor."""
    passed = Passed(receiver, at, run.spelled(at), run.torch.clock)
    return Ref(apply(run, METHOD + name, Arguments([passed, *extra]), node), receiver.binding)


def special_method(run: Run, receiver: Ref, name: str, extra: tuple[Ref, ...], node: ir.Node) -> Ref | None:
    """Call `__getitem__` and its like on an instance of a class of the program; None if it has none."""
    value = resolve(receiver.value)
    if not (isinstance(value, (Instance, List)) and isinstance(value.cls, Class)):
        return None
    member = class_member(run, value.cls, name)
    if member is None or not isinstance(member.value, Function):
        return None
    arguments = Arguments([Passed(ref, node, "", run.torch.clock) for ref in extra])
    began = run.torch.tick()
    result = call_function(run, member.value, arguments, node, receiver)
    if name == "__getitem__" and isinstance(value, Instance):
        loading.note_fetch(run, value, result, began)
    return result


def make_function(run: Run, code: ir.Function) -> Function:
    """A function value; its defaults are evaluated now, once, as Python does."""
    frame = run.frame
    function = Function(code, frame.module, frame if not frame.is_module else None)
    for param in code.params:
        if param.default is not None:
            function.defaults[param.name] = fields.default_of(run, param.default)
    function.decoration = tuple(_decoration(run, decorator) for decorator in code.decorators)
    function.mode = _mode(function)
    return function


def _decoration(run: Run, node: ir.Expr) -> str:
    target = node.func if isinstance(node, ir.Call) else node
    first, text = root(target, (ir.Attr,)), ir_text(target)
    if isinstance(first, ir.Name):
        value = look_up(run, first).value
        if isinstance(value, Library):
            return (value.name + text[len(first.id) :]).removeprefix("builtins.")
    return text


def _is_false(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and node.value is False


def _mode(function: Function) -> GradMode:
    """The mode in which a function runs, by its decorators and its name."""
    mode = UNCHANGED
    for name, node in zip(function.decoration, function.code.decorators, strict=True):
        if name in GRAD_MODES:
            off = isinstance(node, ir.Call) and any(_is_false(passed.value) for passed in node.args)
            inner = GRAD_MODES[name][off]
            mode = GradMode(inner.grad, mode.inference if inner.inference is None else inner.inference)
        elif "no_grad" in name or "inference_mode" in name or name == NOT_DIFFERENTIABLE:
            mode = GradMode(False, mode.inference)  # a decorator of the program, called for what it does
    if mode.grad is None and names_inference(function.code.name) and not _is_of_library(function):
        return GradMode(False, mode.inference)  # Nobody differentiates what is called so.
    return mode


def _is_of_library(function: Function) -> bool:
    """Whether an installed library or a stub has it: then who calls it may differentiate what it gives."""
    module = function.module
    return bool(module.installed) or module.program.stubs.at(module.path) is not None


# Units of effort for a call, besides what its statements cost.
_A_CALL = 10 * STEP

# Where an entry point is run alone, calls so deep are followed: a test that a helper decides stays decided.
_MOST_DEPTH_ALONE = 3

_CACHES = frozenset({"functools.lru_cache", "functools.cache"})
MANAGERS = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager"})


def call_function(
    run: Run, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None = None
) -> Ref:
    """Run a function of the program."""
    function = function.wrapper or function
    if (left := _left_out(run, function, arguments, node)) is not None:
        return left
    if is_generator(function.code) and MANAGERS & set(function.decoration):
        return Ref(run.enter_manager(function, arguments, node, receiver))
    if is_generator(function.code) and node is run.looping:
        run.looping = None
        return Ref(run.in_turn(function, arguments, node, receiver))
    run.torch.trace.effort.spend(_A_CALL)
    frame = new_frame(run, function)
    if is_generator(function.code):
        frame.yields = []
    began, steps = run.torch.clock, run.oracle.steps
    with decoding(run, function, receiver):
        result = _believed(run, frame, function, arguments, node, receiver)
    if function.module.library and not run.frame.module.library:
        _note_stub(run, function.module.library, resolve(result.value), run.site(node), steps)
    if frame.yields is not None:
        return Ref(List("generator", frame.yields, open=True, yielded=bool(frame.yields)))
    if not function.module.library:
        note_result(run, frame, result.value, arguments)
    if _CACHES & set(function.decoration):
        _share_cached(run, result.value)
    if function.module.library and function.code.name in ("__getitem__", "get") and _is_of_mapping(run, function):
        return _element(receiver, result)
    binding = result.binding if function.module.library else argument_binding(result, frame)
    return given_back(run, result, binding, max(began, frame.began), function.code)


def _is_of_mapping(run: Run, function: Function) -> bool:
    """Whether a method is one of what has entries by keys; the items of a data set are others."""
    return function.owner is not None and class_member(run, function.owner, "keys") is not None


def _element(container: Ref | None, found: Ref) -> Ref:
    """What a container of a library has: an element, as of any other container."""
    if container is None or found.binding is None or container.binding is None:
        return found
    found.binding.container = container.binding.label
    return container.has(found)


def _is_far(run: Run, function: Function) -> bool:
    """Whether a function is called neither by the entry point itself, nor of a library, nor to make its object."""
    if function.closure is not None or run.oracle.preparing or function.module.library:
        return False
    return sum(frame.parent is None for frame in run.stack) > 1 + _MOST_DEPTH_ALONE


def _installed_depth(run: Run) -> int:
    """How deep calls within installed libraries are by now, each with its wrappers."""
    return sum(frame.module.installed != "" and not frame.wraps for frame in run.stack)


def _left_out(run: Run, function: Function, arguments: Arguments, node: ir.Node) -> Ref | None:
    """What a call gives that is not followed; None if it is."""
    if (run.oracle.alone and _is_far(run, function)) or tells_only(run, function):
        return Ref(unknown_call(run, function.code.name, arguments, node))
    if function.module.installed and _installed_depth(run) >= MOST_INSTALLED_DEPTH:
        return Ref(unfinished_call(run, arguments, node))
    if len(run.stack) >= MOST_DEPTH or sum(frame.code is function.code for frame in run.stack) > 2:
        run.torch.trace.complete = False
        return Ref(unknown_call(run, function.code.name, arguments, node))
    return None


def _believed(
    run: Run, frame: Frame, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None
) -> Ref:
    """What a call gives; unknown where it raises what nobody catches: the program hardly ends, we mistake a value."""
    try:
        return executed(run, frame, function, arguments, node, receiver)
    except Raised:
        if run.catching:
            raise
        return Ref(unfinished_call(run, arguments, node, function.code))


def _share_cached(run: Run, value: Value) -> None:
    """A cache gives this to whoever calls with the same arguments."""
    for ref, _ in tensors_of(value):
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor) and not tensor.storage.is_blank(run.torch.clock):  # a buffer is to be written
            tensor.storage.share("cached", run.torch.clock)


def _note_stub(run: Run, module: str, value: Value, site: Site, steps: int) -> None:
    """A stub was run, from a user's file."""
    run.oracle.discount(steps)
    run.torch.trace.results.stubs[site] = module
    if not isinstance(value, (Tensor, Unknown)):
        run.torch.trace.results.objects.add(site)


def new_frame(run: Run, function: Function) -> Frame:
    """The frame of a call."""
    depth = run.frame.depth + (not function.module.library) if run.stack else 0
    frame = Frame(function.module, function.code.name, function.closure, depth=depth, self_class=function.owner)
    frame.code, frame.recorded, frame.wraps = function.code, run.torch.grad_mode, function.wraps
    function.module.program.look_into(function.module, function.code)
    run.past.append(frame)
    if not run.oracle.preparing:  # What makes an object up for another method calls nothing as the program does.
        run.executed.add(function.code)
    return frame


def executed(
    run: Run, frame: Frame, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None
) -> Ref:
    """What the body of a function gives back."""
    before = run.torch.situation()
    _enter(run, node, function, declares_writes(run, function, arguments, node))
    frame.began = run.torch.calls[-1] if run.torch.calls else 0
    frame.called_at = run.site(node) if function.module.library else None
    run.stack.append(frame)
    try:
        bind_parameters(run, frame, function, arguments, node, receiver)
        made = resolve(receiver.value) if receiver is not None else None
        if run.oracle.preparing and function.code.name == "__init__" and isinstance(made, Instance):
            construct(run, made, function.code)
        else:
            run.execute_block(function.code.body)
    except Returned as returned:
        return returned.ref
    except OutOfEffort:
        run.unended.add(function.code)
        raise
    finally:
        run.stack.pop()
        latest = run.torch.statement
        run.torch.resume(before)
        if run.stack and run.frame.module.library:  # What a stub does next is not done by the expression of a callback.
            run.torch.statement = latest if function.module.library else run.torch.tick()
    return Ref(None)


def _enter(run: Run, node: ir.Node, function: Function, declared: bool) -> None:
    """What a call changes for its own duration."""
    torch = run.torch
    if run.stack and not function.module.library:  # what a stub does is done where it is called
        torch.stack = (*torch.stack, run.site(node))
        torch.calls = (*torch.calls, torch.tick())
    torch.documented = torch.documented or declared
    if function.code.name == "__getitem__":
        torch.fetching = torch.tick()
    switch(torch, function.mode)


def bind_parameters(
    run: Run, frame: Frame, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None
) -> None:
    """Give the parameters of a call their values."""
    note_passed(run, function, arguments)
    positional = list(arguments.positional)
    if receiver is not None:
        positional.insert(0, Passed(receiver, node, "", run.torch.clock))
    keywords = dict(arguments.keywords)
    for param in function.code.params:
        site = Site(function.module.path, param.span)
        if param.kind == "args":
            run.bind(frame, param.name, _rest(run, function, positional, arguments.open), site, None, "parameter")
            positional = []
        elif param.kind == "kwargs":
            entries = {identity(name): passed.ref for name, passed in keywords.items()}
            run.bind(frame, param.name, Dict(entries, arguments.open), site, None, "parameter")
        elif (by_place := param.kind == "positional" and bool(positional)) or param.name in keywords:
            ref = (positional.pop(0) if by_place else keywords.pop(param.name)).ref
            note_declared(run, ref.value, param, function.module)
            note_given(run, function, site, ref)
            run.bind(frame, param.name, ref.value, site, ref, "parameter")
        elif param.name in function.defaults and (run.oracle.preparing or not arguments.open):
            run.bind(frame, param.name, function.defaults[param.name], site, None, "parameter")
        else:
            past = past_of(run, arguments.unplaced, node) if _may_be_tensor(param, function.module) else ()
            key, first = Parameter(function.module.path, param.span, run.key(node)), is_first(function.code, param)
            value = run.unknown(key, param.name, past, first=first)
            if isinstance(value, Unknown):
                value.annotation = annotation_of(param.annotation, function.module)
            run.bind(frame, param.name, value, site, None, "parameter")
    if positional and not (function.decoration or function.module.library):
        raise Raised  # It takes fewer: Python refuses the call.


def _rest(run: Run, function: Function, positional: list[Passed], is_open: bool) -> List:
    """The tuple that takes what comes after the other arguments; a stub only hands it on."""
    rest = List("tuple", [passed.ref for passed in positional], open=is_open)
    for i, each in enumerate(positional if not function.module.library else ()):
        rest.items[i] = run.ref(run.place(rest, i), each.text, "element", each.ref.value, None, each.ref, "arguments")
    return rest


def _may_be_tensor(param: ir.Param, module: ModuleFile) -> bool:
    return annotated_kind(param.annotation, module) in (None, "tensor")


_ENUMERATIONS = frozenset(f"enum.{name}" for name in "Enum IntEnum StrEnum Flag IntFlag".split())


def instantiate(run: Run, cls: Class, arguments: Arguments, node: ir.Node) -> Value:
    """An object of a class of the program."""
    bases = library_bases(cls)
    if not _ENUMERATIONS.isdisjoint(bases) and len(arguments.positional) == 1:
        return resolve(arguments.positional[0].ref.value)  # as its members are known by their values
    if run.oracle.alone and not run.oracle.preparing:
        return unknown_call(run, cls.code.name, arguments, node)
    if (made := made_by_new.made(run, cls, bases, arguments, node)) is not None:
        return made
    if (parameter := own_tensors.made(run, cls, arguments, node)) is not None:
        return parameter
    is_tuple = any(name.endswith(("NamedTuple", "namedtuple")) for name in bases)
    instance = Instance(cls, key=run.key(node), label=cls.code.name)
    modules.prepare(instance, bases)
    loading.note_data_set(cls, arguments)
    initializer = class_member(run, cls, "__init__")
    if initializer is not None and isinstance(initializer.value, Function):
        call_function(run, initializer.value, arguments, node, Ref(instance))
    elif bases and not is_tuple and not fields.has_fields(cls):
        modules.initialize(run, instance, bases, arguments, node)
    else:
        fields.initialize(run, cls, instance, arguments, node)
        later = class_member(run, cls, "__post_init__")
        if later is not None and isinstance(later.value, Function):
            call_function(run, later.value, Arguments(), node, Ref(instance))
    if is_tuple:
        refs = list(instance.attributes.values())
        return List("tuple", refs, fields=tuple(instance.attributes), cls=cls)
    return instance
