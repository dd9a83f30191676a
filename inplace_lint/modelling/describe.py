"""Describes a function or a module of a library by rows, from running it on the abstract PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from inplace_lint.effort import Effort
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.analysis.summary import given_to, paths_of
from inplace_lint.interpret.state.keys import key_of
from inplace_lint.interpret.state.values import Class, Frame, Instance, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch.module_tree import bases_of, is_module, own_tensors, submodules
from inplace_lint.modelling.names import Named, own_method
from inplace_lint.modelling.rows import Effect, Row, Unsayable, effect_of, row_of
from inplace_lint.source import ir
from inplace_lint.source.spelling import ir_text
from inplace_lint.torch_model.effects import COMPUTED, REQUIRED
from inplace_lint.torch_model.spellings import is_inplace_option
from inplace_lint.torch_model.tensor import Tensor

MOST_PATHS = 16
# What one function may cost; few that do more can be described.
MOST_EFFORT = 200_000
_DIMENSIONS = frozenset({"dim", "axis"})
_KINDS = {"bool": "bool", "int": "int", "float": "number", "str": "str"}


@dataclass(slots=True)
class _Given:
    """What a function is given on the abstract PyTorch.

    Args:
        options: parameters, or attributes of the module, with the values that they shall have.
        wanting: the only tensor that requires grad; "" if all may.
        tensors: the names of the tensors that there were.
        receiver: the object of a method.
    """

    options: Row
    wanting: str = ""
    tensors: dict[str, Tensor] = field(default_factory=dict)
    receiver: Instance | None = None
    entered: bool = False
    effort: Effort = field(default_factory=partial(Effort, MOST_EFFORT))

    def prepare(self, entry: Entry, frame: Frame) -> None:
        """Change what the function was given."""
        self.entered = True
        assert entry.function is not None
        for param in entry.function.params:
            ref = frame.variables.get(param.name)
            if ref is not None:
                ref.value = self.options.get(param.name, _opened(param.name, ref.value))
        first = entry.function.params[0].name if entry.owner is not None else ""
        receiver = resolve(frame.variables[first].value) if first else None
        if isinstance(receiver, Instance):
            self.receiver = receiver
            for name, ref in list(receiver.attributes.items()):
                receiver.held[name] = Ref(self.options.get(name, _opened(name, ref.value)))
        self.tensors.update(given_to(frame))
        for name, tensor in given_to(frame):
            if self.wanting and name != self.wanting:
                tensor.take_for_constant()


def _opened(name: str, value: Value) -> Value:
    """An option may have any value of its kind, not only its default."""
    if not isinstance(resolve(value), (str, int)) or isinstance(value, Unknown) or name in _DIMENSIONS:
        return value
    return Unknown(key_of(("any", name)), name, not_tensor=True, is_whole=isinstance(value, int))


def rows_for(named: Named) -> list[Row] | Row:
    """The rows of a function, or the entry of a module; empty if they would say no more than is assumed.

    Raises:
        Unsayable: a row cannot say what it does.
    """
    entry = named.entry
    if entry is None or entry.function is None:
        return []
    if any(param.kind == "args" for param in entry.function.params):
        raise Unsayable("takes any number of arguments")
    return _module(entry) if entry.owner is not None else _function(entry)


def _function(entry: Entry) -> list[Row]:
    assert entry.function is not None
    asking = [param for param in entry.function.params if is_inplace_option(param.name)]
    rows = _choices(entry, [(param.name, _constant(param.default)) for param in asking], ())
    return [] if all(effect.is_usual for effect, _ in rows) else [row for _, row in rows]


def _choices(entry: Entry, asking: Sequence[tuple[str, object]], own: Sequence[str]) -> list[tuple[Effect, Row]]:
    """The rows for each value of the option that has it write its input."""
    if not asking:
        return [_described(entry, {}, own)]
    name, default = asking[0]
    if len(asking) > 1 or default is not False:
        raise Unsayable("is asked for writes in another way")
    return [_described(entry, {name: value}, own) for value in (False, True)]


def _described(entry: Entry, options: Row, own: Sequence[str]) -> tuple[Effect, Row]:
    assert entry.function is not None
    given = _Given(options)
    effect = _effect(entry, given, own)
    names = [name for name in given.tensors if "." not in name or name in own]
    alone: dict[str, Sequence[str]] = {}
    if effect.saves and len(names) > 1:
        for name in names:
            alone[name] = _effect(entry, replace(given, wanting=name, tensors={}), own).saves
    fitting = [name for name in effect.saves if not alone or any(name in kept for kept in alone.values())]
    effect = replace(effect, saves=tuple(fitting))
    params = entry.function.params[1:] if entry.owner is not None else entry.function.params
    return effect, row_of(effect, _spelled(params, names), alone, options)


def _effect(entry: Entry, given: _Given, own: Sequence[str]) -> Effect:
    paths, complete = paths_of(entry, partial(given.prepare, entry), MOST_PATHS, given.effort)
    if not given.entered:
        raise Unsayable("is not what its definition says")
    return effect_of(paths, complete, own)


def _spelled(params: Sequence[ir.Param], tensors: Sequence[str]) -> list[str]:
    """The parameters as rows have them."""
    texts: list[str] = []
    for param in params:
        if param.kind == "kwargs":
            continue
        if param.kind == "keyword" and "*" not in texts:
            texts.append("*")
        kind = "tensor" if param.name in tensors else _kind(param)
        texts.append(f"{param.name}:{kind}{'' if param.default is None else '='}")
    return texts


def _kind(param: ir.Param) -> str:
    told = ir_text(param.annotation) if param.annotation is not None else ""
    if told.rpartition(".")[2] == "Tensor":
        return "tensor"
    default = _constant(param.default)
    return _KINDS.get(told or type(default).__name__, "other") if default is not REQUIRED else _KINDS.get(told, "other")


def _constant(node: ir.Expr | None) -> object:
    """The value of a default; `COMPUTED` if that is no constant."""
    if node is None:
        return REQUIRED
    if isinstance(node, ir.Const) and isinstance(node.value, (bool, int, float, str)):
        return node.value
    return COMPUTED


def _module(entry: Entry) -> Row:
    """The entry of a module that owns all that it does: no layers within it have tensors of their own."""
    assert entry.owner is not None
    seen = _Given({})
    paths_of(entry, partial(seen.prepare, entry), 1, seen.effort)
    if seen.effort.exhausted:
        raise Unsayable("too many paths")
    receiver = seen.receiver
    if receiver is None or not is_module(receiver):
        return {}
    _require_alone(receiver)
    owned = {name: tensor for name, ref in own_tensors(receiver) if isinstance(tensor := resolve(ref.value), Tensor)}
    init = _initializer(receiver, entry.owner)
    held = dict(init)
    asking = [(name, held[name]) for name in receiver.attributes if is_inplace_option(name) and name in held]
    if not asking and any(map(is_inplace_option, held)):
        raise Unsayable("is asked for writes in another way")
    rows = _choices(entry, asking, [f"self.{name}" for name in owned])
    if all(effect.is_usual for effect, _ in rows):
        return {}
    table: Row = {"init": [list(pair) for pair in init]} if init else {}
    return {**table, **_owned(owned), "forward": [row for _, row in rows]}


def _owned(tensors: Mapping[str, Tensor]) -> Row:
    """The tensors of a module, as its entry has them."""
    parameters = sorted(name for name, tensor in tensors.items() if tensor.autograd_meta.parameter)
    kinds = {"parameters": parameters, "buffers": sorted(tensors.keys() - set(parameters))}
    return {kind: names for kind, names in kinds.items() if names}


def _require_alone(receiver: Instance) -> None:
    inner = [resolve(ref.value) for _, ref in submodules(receiver)][1:]
    if receiver.children is not None or any(list(own_tensors(each)) for each in inner if isinstance(each, Instance)):
        raise Unsayable("consists of layers")
    for name, ref in receiver.attributes.items():
        value = resolve(ref.value)
        if isinstance(value, Unknown) and not value.not_tensor and name != "training":
            raise Unsayable("holds what nobody knows")


def _initializer(receiver: Instance, owner: ir.ClassDef) -> list[tuple[str, object]]:
    """The parameters of the constructor with their defaults."""
    function = own_method(owner, "__init__")
    if function is None:
        if not isinstance(receiver.cls, Class) or len(receiver.cls.lineage) > 1 or bases_of(receiver) != _PLAIN:
            raise Unsayable("inherits its constructor")
        return []
    params = function.params[1:]
    if any(param.kind == "args" for param in params):
        raise Unsayable("takes any number of arguments")
    return [(param.name, _constant(param.default)) for param in params if param.kind != "kwargs"]


_PLAIN = ["torch.nn.Module"]
