"""The fields of dataclasses and named tuples, with their generated `__init__`; and what defaults are."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.state.keys import Attribute, Field, Key, key_of
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Instance,
    List,
    Native,
    Option,
    Passed,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.torch_model.tensor import Tensor


def initialize(run: Run, cls: Class, instance: Instance, arguments: Arguments, node: ir.Node) -> None:
    """Give an object the fields that its class and the bases of it declare."""
    positional = list(arguments.positional)
    for name, default in _declared(cls):
        ref = _value(run, instance, name, default, positional, arguments)
        if ref is None:
            continue
        label = f"{cls.code.name}.{name}"
        instance.held[name] = made = run.ref(run.place(instance, name), label, "attribute", ref.value, None, ref)
        if made.binding is not None:
            run.hold(made.binding, ref.value, run.site(node))


def prepare(run: Run, cls: Class, instance: Instance, given: bool = False) -> None:
    """Give an object that is made up the containers that its fields start with; other fields may have any value.

    Flags and the like are options, as the arguments of a constructor that is written out are.

    Args:
        given: somebody else has made it, who may have put more into its lists.
    """
    for name, default in _declared(cls):
        if isinstance(default, ir.Call) and any(each.keyword == "default_factory" for each in default.args):
            label = f"self.{name}"
            made = run.evaluate(default)
            if given and isinstance(made.value, List):
                made.value.open = True
            instance.held[name] = run.ref(run.place(instance, name), label, "attribute", made.value, None, None)
        elif (
            isinstance(default, ir.Const)
            and isinstance(default.value, (bool, int, str, type(None)))
            and has_fields(cls)
        ):
            key = key_of(Attribute(instance.key, name))
            instance.held[name] = Ref(Option(key, f"{instance.label}.{name}", default.value))
        elif isinstance(default, ir.Const) and isinstance(default.value, float) and has_fields(cls):
            key, label = key_of(Attribute(instance.key, name)), f"{instance.label}.{name}"
            instance.held[name] = Ref(_number(run, key, label, default.value))


def _number(run: Run, key: Key, label: str, usual: float) -> Value:
    """A rate, or the like, of which the default tells little: it may be 0 to leave a layer out."""
    number = run.unknown(key, label)
    if isinstance(number, Unknown):
        number.not_tensor, number.usual = True, usual
    return number


def has_fields(cls: Class) -> bool:
    """Whether a class is a dataclass, whatever it inherits besides (the outputs of models are dicts, too)."""
    return any(last_word(_called(each)) == "dataclass" for base in cls.lineage for each in base.code.decorators)


def fields_of(value: Value) -> tuple[str, ...]:
    """What `_fields` of a named tuple, or of a class of such, has."""
    if isinstance(value, Class) and any(
        each.endswith("NamedTuple") for base in value.lineage for each in base.library_bases
    ):
        return tuple(name for name, _ in _declared(value))
    return value.fields if isinstance(value, (List, Native)) else ()


def _called(decorator: ir.Expr) -> ir.Expr:
    return decorator.func if isinstance(decorator, ir.Call) else decorator


def _declared(cls: Class) -> Iterator[tuple[str, ir.Expr | None]]:
    """The fields, those of bases first, and their defaults."""
    for base in reversed(cls.lineage):
        for statement in base.code.body:
            if isinstance(statement, ir.Declare) and isinstance(statement.target, ir.Name):
                yield statement.target.id, None
            elif isinstance(statement, ir.Assign) and statement.annotation:
                target = statement.targets[0]
                if isinstance(target, ir.Name):
                    yield target.id, statement.value


def _value(
    run: Run, instance: Instance, name: str, default: ir.Expr | None, positional: list[Passed], arguments: Arguments
) -> Ref | None:
    """What a field is given: an argument, of which the `positional` are taken away, or its default; None if nothing."""
    told = {each.keyword: each.value for each in default.args} if isinstance(default, ir.Call) else {}
    init = told.get("init")
    if isinstance(init, ir.Const) and init.value is False:
        # Without a default, the object gives it a value itself.
        return run.evaluate(default) if default is not None and {"default", "default_factory"} & told.keys() else None
    if positional:
        return positional.pop(0).ref
    if name in arguments.keywords:
        return arguments.keywords[name].ref
    if default is None:
        return None
    if arguments.open:
        return Ref(run.unknown(Field(name, identity(instance)), name))
    ref = run.evaluate(default)
    if isinstance(shared := resolve(ref.value), Tensor) and "default_factory" not in told:
        shared.storage.share("default", run.torch.clock)
    return ref


def default_of(run: Run, node: ir.Expr) -> Value:
    """The default of a parameter: made once for all, but what a call has named before is no older than the call."""
    began, default = run.torch.clock, run.evaluate(node).value
    own = isinstance(default, Tensor) and (run.frame.code is None or default.storage.made_at > began)
    if own and isinstance(default, Tensor) and not default.external:
        default.storage.share("default", run.torch.clock)
    return default
