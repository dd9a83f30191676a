"""Objects and arguments that the program does not show: made up to run a method on, or for what a caller would pass."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from inplace_lint.interpret.python import fields
from inplace_lint.interpret.python.annotated import class_named, note_container
from inplace_lint.interpret.python.annotations import annotated_array, annotated_kind, may_be_none, spelled
from inplace_lint.interpret.python.earlier_calls import note_earlier_calls
from inplace_lint.interpret.python.preparing import construct
from inplace_lint.interpret.state import offered
from inplace_lint.interpret.state.annotation import Annotation, annotation_of
from inplace_lint.interpret.state.asked import supplied_to, used_in
from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.keys import Element, Field, Key, MadeUp, Parameter, key_of
from inplace_lint.interpret.state.names import dotted
from inplace_lint.interpret.state.naming import is_first, names_counter, names_rate
from inplace_lint.interpret.state.oracle import Unprepared
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Raised, Returned, Run
from inplace_lint.interpret.state.supplied import Supplied
from inplace_lint.interpret.state.values import (
    Class,
    Dict,
    Frame,
    Function,
    Instance,
    Library,
    List,
    Option,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.interpret.torch import modules
from inplace_lint.interpret.torch.loading import is_data_set
from inplace_lint.interpret.torch.module_tree import GIVING_ITSELF
from inplace_lint.interpret.torch.unseen_layers import take_for_parameter
from inplace_lint.source import ir
from inplace_lint.source.bound import pairs
from inplace_lint.source.class_names import names_model
from inplace_lint.source.place import Site
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.spellings import is_inplace_option

# A longer list that is a default is no choice of options.
_MOST_OPTIONS = 8


def constructed(run: Run, cls: Class, method: ir.Function | None) -> Instance:
    """An object to run a method on: constructed with the defaults, other arguments unknown."""
    instance = Instance(cls, key=MadeUp(cls.code.name), label="self", guess=True)
    modules.prepare(instance, library_bases(cls))
    fields.prepare(run, cls, instance)
    function = _initializer(run, cls)
    if function is not None and method is not function.code and _uses_itself(method):
        _construct(run, instance, function)
    return instance


def _initializer(run: Run, cls: Class) -> Function | None:
    """The constructor, or what follows the one that is generated for a dataclass."""
    found = class_member(run, cls, "__init__")
    if found is None and fields.has_fields(cls):
        found = class_member(run, cls, "__post_init__")
    return found.value if found is not None and isinstance(found.value, Function) else None


def recognize(run: Run, value: Value, name: str, used: Iterable[str]) -> None:
    """Make up the object that a caller brings, if it is clear of which class of the file it is.

    Args:
        used: what is used of it (see `offered.class_for`).
    """
    module = run.frame.module
    if not isinstance(value, Unknown) or resolve(value) is not value or module.library or module.installed:
        return
    if run.entering is not None or _depth(value.key) >= _MOST_DEPTH:
        return
    cls = class_named(run, value.annotation)
    if cls is None or not offered.fits(cls, used):
        cls = offered.class_for(run, module, name, used)
    if cls is None:
        factory = offered.factory_for(run, module, name, used)
        if factory is not None:
            value.stand_in = _made_by(run, value, factory)
        return
    if cls.code in run.oracle.effort.costly:
        return
    function = _initializer(run, cls)
    if function is not None and sum(frame.code is function.code for frame in run.stack) >= _MOST_DEPTH:
        return
    brought = isinstance(value.key, Key) and isinstance(value.key.made, Parameter)
    instance = Instance(cls, key=value.key, label=value.label, guess=True, brought=brought)
    modules.prepare(instance, library_bases(cls))
    fields.prepare(run, cls, instance, given=True)
    value.stand_in = instance
    if function is not None:
        began = run.torch.tick()
        _construct(run, instance, function)
        run.prepared.append((began, run.torch.tick()))
        note_earlier_calls(run, instance, module)


def _made_by(run: Run, value: Unknown, factory: Function) -> Instance | None:
    """What a function makes of its defaults, if that is an object."""
    began = run.torch.tick()
    frame = Frame(factory.module, factory.code.name, factory.closure, depth=1, code=factory.code)
    run.executed.add(factory.code)
    made = resolve(_prepared(run, frame, factory, None).value)
    run.prepared.append((began, run.torch.tick()))
    if not isinstance(made, Instance):
        return None
    made.key, made.label, made.guess = value.key, value.label, True
    return made


# So deep are objects made up that others are made of.
_MOST_DEPTH = 2


def _depth(key: Hashable) -> int:
    depth = 0
    while isinstance(key, Key):
        made = key.made
        depth += isinstance(made, Parameter) and made.call is not None
        key = made.call if isinstance(made, Parameter) else getattr(made, "of", None)
    return depth


def _construct(run: Run, instance: Instance, function: Function) -> None:
    """Run the constructor of an object that is made up."""
    frame = Frame(function.module, "__init__", function.closure, depth=1, self_class=function.owner, code=function.code)
    _prepared(run, frame, function, instance)
    instance.held.setdefault("training", Ref(run.unknown(Field("training"), "self.training")))


def _prepared(run: Run, frame: Frame, function: Function, instance: Instance | None) -> Ref:
    """What a constructor, or another function that makes an object, gives back when it is run with its defaults."""
    function.module.program.look_into(function.module, function.code)
    run.past.append(frame)
    run.stack.append(frame)
    preparing, run.oracle.preparing = run.oracle.preparing, True
    try:
        bind_arguments(run, frame, function, Ref(instance) if instance is not None else None, defaults=True)
        if instance is not None:
            construct(run, instance, function.code)
        else:
            run.execute_block(function.code.body)
    except Returned as returned:
        return returned.ref
    except (Raised, Unprepared):
        pass
    finally:
        run.stack.pop()
        run.oracle.preparing = preparing
    return Ref(None)


def _uses_itself(method: ir.Function | None) -> bool:
    """Whether a method mentions its object."""
    if method is None or not method.params:
        return False
    return not facts(method).mentions.isdisjoint((method.params[0].name, "super", "locals"))


def bind_arguments(run: Run, frame: Frame, function: Function, receiver: Ref | None, defaults: bool = False) -> None:
    """Parameters of an entry point: unknown, but for what annotations and defaults tell."""
    for index, param in enumerate(function.code.params):
        site = Site(function.module.path, param.span)
        if index == 0 and receiver is not None:
            run.bind(frame, param.name, receiver.value, site, None, "parameter")
            continue
        value = _given_before(run, function, receiver, param) or _unknown(run, function, param, defaults, receiver)
        recognize(run, value, param.name, _used(function, param) | _used_by_called(run, function, param))
        run.bind(frame, param.name, value, site, None, "parameter")


def _used(function: Function, param: ir.Param) -> set[str]:
    """What a function uses of an argument, and, where a constructor keeps it, what the methods of its class do."""
    used = set(facts(function.code).used.get(param.name, ()))
    if function.owner is not None and function.code.name == "__init__":
        itself = function.code.params[0].name
        for kept, value in (pair for statement in function.code.body for pair in pairs(statement)):
            if _itself(value) == param.name and isinstance(kept, ir.Attr) and isinstance(kept.value, ir.Name):
                used |= used_in(function.owner, f"{itself}.{kept.name}")
    return used


def _used_by_called(run: Run, function: Function, param: ir.Param) -> set[str]:
    """What the functions and constructors of its file that a function passes a model to use of that."""
    used: set[str] = set()
    for node in nodes(function.code.body) if names_model(param.name) else ():
        called = _function_called(function.module, node.func) if isinstance(node, ir.Call) else None
        if called is not None and isinstance(node, ir.Call):
            run.frame.module.program.look_into(function.module, called)
            params = called.params[1:] if called.name == "__init__" else called.params
            for own, arg in zip(params, node.args, strict=False):
                if not arg.keyword and not arg.star and _is_named(arg.value, param.name):
                    used |= facts(called).used.get(own.name, frozenset())
    return used


def _function_called(module: ModuleFile, func: ir.Expr) -> ir.Function | None:
    statement = module.bindings.get(func.id) if isinstance(func, ir.Name) else None
    if isinstance(statement, ir.ClassDef):
        methods = (each.function for each in statement.body if isinstance(each, ir.FunctionDef))
        return next((each for each in methods if each.name == "__init__"), None)
    return statement.function if isinstance(statement, ir.FunctionDef) else None


def _is_named(node: ir.Expr, name: str) -> bool:
    return isinstance(node, ir.Name) and node.id == name


def _itself(value: ir.Expr) -> str:
    """The variable that an expression gives: `model.to(device).eval()` gives `model`."""
    while isinstance(value, ir.Call) and isinstance(value.func, ir.Attr) and value.func.name in GIVING_ITSELF:
        value = value.func.value
    return value.id if isinstance(value, ir.Name) else ""


def _given_before(run: Run, function: Function, receiver: Ref | None, param: ir.Param) -> Value:
    """The model of which a constructor has kept values: `EMA(model).update(model)`; None for what may be another."""
    cls = receiver.value.cls if receiver is not None and isinstance(receiver.value, Instance) else None
    if not names_model(param.name) or not isinstance(cls, Class):
        return None
    initializer = class_member(run, cls, "__init__")
    made = initializer.value if initializer is not None else None
    if not isinstance(made, Function) or made.code is function.code:
        return None
    made.module.program.look_into(made.module, made.code)
    same = next((each for each in made.code.params if each.name == param.name), None)
    return _unknown(run, made, same, False, None) if same is not None and _takes_values(made.code, same) else None


_VALUES = frozenset({"state_dict", "data", "detach"})


def _takes_values(code: ir.Function, model: ir.Param) -> bool:
    """Whether a constructor takes values out of a model, and does not keep the model."""
    inside = list(nodes(code.body))
    given = [node.value for node in inside if isinstance(node, ir.Assign)]
    kept = any(isinstance(value, ir.Name) and value.id == model.name for value in given)
    return not kept and any(isinstance(node, ir.Attr) and node.name in _VALUES for node in inside)


def _unknown(run: Run, function: Function, param: ir.Param, defaults: bool, receiver: Ref | None) -> Value:
    if param.kind == "args":
        return List("tuple", open=True)
    if param.kind == "kwargs":
        return Dict(open=True)
    if param.name == "torch":  # who imports it late hands it on
        return Library("torch")
    default, supplied = function.defaults.get(param.name, ...), None
    if default is ... and defaults and function.owner is not None and function.code.name == "__init__":
        supplied = supplied_to(function.owner, function.code, param)
        default = _supplied(run, function.module, supplied)
    kind = annotated_kind(param.annotation, function.module)
    default = _as_rate(default, param, kind)
    apart = run.oracle.alone and not is_inplace_option(param.name)
    if default is not ... and not apart and _stands(run, default, param, kind, defaults):
        if run.entering is not None:
            return default
        return _option(key_of(Parameter(function.module.path, param.span)), param.name, default)
    made_for = resolve(receiver.value) if receiver is not None else None
    caller = made_for.key if isinstance(made_for, Instance) and isinstance(made_for.key, Key) else None
    is_data = annotated_array(param.annotation)
    key, first = Parameter(function.module.path, param.span, caller), is_first(function.code, param)
    value = run.unknown(key, param.name, is_data=is_data, first=first)
    if isinstance(value, Unknown):
        run.proven.reads[value.key] = 0
        value.annotation = annotation_of(param.annotation, function.module)
        if value.annotation is None and supplied is not None and supplied.kind == "object":
            prefix, _, name = supplied.value.rpartition(".")
            value.annotation = Annotation(name, (), function.module, prefix)
        _declare(run, value, function, param, default)
    return value


def _supplied(run: Run, module: ModuleFile, supplied: Supplied | None) -> Any:
    """A text or class that a file supplies where it makes objects of a class; `...` if it is none."""
    if supplied is None or supplied.kind == "object":
        return ...
    named = supplied.value if supplied.kind == "text" else dotted(run, module, supplied.value)
    return named if isinstance(named, (str, Class, Library)) else ...


def _as_rate(default: Any, param: ir.Param, kind: str | None) -> Any:
    """A default, which is a rate if that is what its parameter is for: `dropout=0`."""
    return float(default) if type(default) is int and (kind == "float" or names_rate(param.name)) else default


def _declare(run: Run, value: Unknown, function: Function, param: ir.Param, default: Value) -> None:
    """Note what the annotation and the default of a parameter tell of its value."""
    annotation, kind = param.annotation, annotated_kind(param.annotation, function.module)
    note_container(run, value)
    if kind in ("int", "float", "str", "bool", "other") or isinstance(default, float) or _has_numbers(default):
        value.not_tensor = True
        value.usual = default if isinstance(default, float) else None
    elif kind in ("tensor", "int tensor") and default is ... and not (run.oracle.alone and may_be_none(annotation)):
        is_parameter = value.annotation is not None and value.annotation.name == "Parameter"
        take = take_for_parameter if is_parameter else Run.promote
        tensor = take(run, value, Site(function.module.path, param.span))
        if kind == "int tensor":
            tensor.dtype = "bool" if "Bool" in spelled(param.annotation) else "int"
    value.is_whole = kind == "int" or (kind is None and (names_counter(param.name) or _counts_items(function)))


def _has_numbers(default: Value) -> bool:
    """Whether it is a list or tuple of numbers: who gives something else there gives such a one, or a number."""
    items = default.items if isinstance(default, List) else []
    return bool(items) and all(isinstance(resolve(ref.value), (int, float)) for ref in items)


def _counts_items(function: Function) -> bool:
    """Whether its arguments number the items of a data set."""
    owner = function.owner
    return function.code.name == "__getitem__" and owner is not None and is_data_set(owner)


def _option(key: Key, label: str, default: Value) -> Value:
    """An argument that has its default until that is tested; so has each element of a list."""
    if isinstance(default, (bool, int, str, type(None))):
        return Option(key, label, default)
    if isinstance(default, List) and not default.open and len(default.items) <= _MOST_OPTIONS:
        items = [resolve(ref.value) for ref in default.items]
        if all(isinstance(item, str) for item in items):
            options = (Option(key_of(Element(key, i)), f"{label}[{i}]", item) for i, item in enumerate(items))
            return List(default.kind, [Ref(option) for option in options])
    return default


def _stands(run: Run, default: Value, param: ir.Param, kind: str | None, defaults: bool) -> bool:
    """Whether a parameter is taken to have its default: where callers rarely give another value, or it matters little.

    Args:
        kind: what the annotation says.
        defaults: whether defaults are wanted: for the construction of an object.
    """
    if defaults and (default is not None or kind != "tensor"):
        return not isinstance(default, float)
    if isinstance(default, bool):
        return default is False and is_inplace_option(param.name) and run.entering is None  # a summary tells of both
    return not defaults and isinstance(default, (int, str))
