"""Functions of Python's standard library that pass values on, copy containers or make them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from inplace_lint.interpret.python import calls
from inplace_lint.interpret.python.containers import items_of, kept_items
from inplace_lint.interpret.python.copies import (
    copy_entries,
    copy_items,
    copy_object,
    deep_copy,
    empty_list,
    shallow_copy,
)
from inplace_lint.interpret.python.namespaces import imported
from inplace_lint.interpret.python.unknown_items import shallow_copy as shallow_copy_of_unknown
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Dict,
    Function,
    Instance,
    List,
    Native,
    Partial,
    Passed,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.interpret.torch.module_tree import is_module
from inplace_lint.interpret.torch.ops import unknown_call
from inplace_lint.source import ir
from inplace_lint.torch_model.bindings import COPY
from inplace_lint.torch_model.tensor import Tensor


def _partial(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    if not arguments.positional:
        return Ref(unknown_call(run, name, arguments, node))
    first, *rest = arguments.positional
    keywords = {key: passed.ref for key, passed in arguments.keywords.items()}
    return Ref(Partial(first.ref.value, [passed.ref for passed in rest], keywords))


def same(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Gives back its first argument; as a decorator with arguments, a function that does."""
    if arguments.positional:
        return arguments.positional[0].ref
    return Ref(Native(name, lambda later: later.positional[0].ref.value if later.positional else None))


def _cached(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """A function that keeps its results; with settings alone, what makes one of a function."""
    function = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    if isinstance(function, Function):
        return Ref(replace(function, decoration=(*function.decoration, name)))
    return Ref(Native(name, lambda later: _cached(run, name, later, node).value if later.positional else None))


def _deepcopy(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(deep_copy(run, arguments.get(0, "x"), run.site(node)))


def _copy(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    value, binding = resolve(arguments.get(0, "x")), next((passed.ref.binding for passed in arguments.all()), None)
    if isinstance(value, List):
        return Ref(copy_items(run, empty_list(value), value))
    if isinstance(value, Dict):
        return Ref(copy_entries(run, Dict(makes=value.makes), value))
    if isinstance(value, Unknown):
        return Ref(shallow_copy_of_unknown(Ref(value, binding), value) or value)
    if isinstance(value, Tensor) and value.array:
        return Ref(deep_copy(run, value, run.site(node)))
    if isinstance(value, Tensor):
        return Ref(shallow_copy(run, value, run.site(node)), binding)
    if isinstance(value, Instance) and binding is not None and is_module(value):
        # Its parameters and submodules stand in the same dictionaries: who replaces one replaces it in both.
        return Ref(value, replace(binding, place=run.place(value, COPY), bound_at=run.torch.clock, source=binding))
    return Ref(copy_object(run, value) if isinstance(value, Instance) and not is_module(value) else value)


def _default_dict(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    made = arguments.get(0, "default_factory")
    return Ref(Dict(makes=made) if made is not None and len(arguments.positional) < 2 else Dict(open=True))


def _named_tuple(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    names = resolve(arguments.get(1, "field_names"))
    if isinstance(names, str):
        fields = tuple(names.replace(",", " ").split())
    elif isinstance(names, List):
        fields = tuple(str(resolve(ref.value)) for ref in names.items)
    else:
        return Ref(run.unknown(run.key(node)))

    def make(later: Arguments) -> Value:
        given = list(later.positional)
        given += [later.keywords[key] for key in fields[len(given) :] if key in later.keywords]
        made = List("tuple", fields=fields)
        for index, each in enumerate(given):
            place, site = run.place(made, index), run.site(each.node)
            made.items.append(run.store(place, each.text, "element", each.ref.value, site, each.ref))
        return made

    return Ref(Native("namedtuple", make, fields=fields))


def _deque(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`collections.deque`: a list with two ends, and perhaps a bound."""
    most = resolve(arguments.get(1, "maxlen"))
    made = List("list", most=most if isinstance(most, int) else None)
    kept_items(run, made, arguments, 0, node)
    return Ref(made)


def _one_of(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`random.choice`: one of the elements."""
    items = items_of(run, arguments, 0, node).items[:3]
    return items[run.oracle.choose(len(items))] if items else Ref(run.unknown(run.key(node)))


def _some_of(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`random.sample`, `random.choices`: a list of some of the elements."""
    items = items_of(run, arguments, 0, node)
    return Ref(copy_items(run, List("list", open=items.open), items))


def _drawn(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`random.randint`: some integer."""
    value = run.unknown(run.key(node))
    if isinstance(value, Unknown):
        value.is_whole = value.not_tensor = True
    return Ref(value)


def _namespace(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`types.SimpleNamespace`: an object with the attributes that it is given."""
    made = Instance(name, key=run.key(node), label="namespace", guess=arguments.open)
    for key, passed in arguments.keywords.items():
        place = run.place(made, key)
        made.give(key, run.store(place, key, "attribute", passed.ref.value, run.site(node), passed.ref))
    return Ref(made)


def _field(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`dataclasses.field`: the default of a field."""
    factory = arguments.keywords.get("default_factory")
    if factory is not None:
        return run.call(factory.ref, Arguments(), node)
    default = arguments.keywords.get("default")
    return default.ref if default is not None else Ref(run.unknown(run.key(node)))


def _replaced(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`dataclasses.replace`: another object with the same values, but for those given."""
    first = arguments.positional[0] if arguments.positional else None
    of = resolve(first.ref.value) if first is not None else None
    if first is None or not isinstance(of, Instance) or not isinstance(of.cls, Class):
        return Ref(run.unknown(run.key(node)))
    kept = {key: Passed(ref, first.node, "", run.torch.clock) for key, ref in of.attributes.items()}
    return Ref(calls.instantiate(run, of.cls, Arguments([], kept | arguments.keywords, of.guess), node))


def _pickled(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`pickle.dumps`: of an empty container, the same each time, as caches that go by arguments need it."""
    value = resolve(arguments.get(0, "obj"))
    empty = isinstance(value, (List, Dict)) and not value.items and not value.open
    return Ref(f"pickled {type(value).__name__}" if empty else unknown_call(run, name, arguments, node))


HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Ref]] = {
    "functools.partial": _partial,
    "functools.wraps": same,
    "functools.lru_cache": _cached,
    "functools.cache": _cached,
    "importlib.import_module": imported,
    "copy.deepcopy": _deepcopy,
    "copy.copy": _copy,
    "collections.defaultdict": _default_dict,
    "collections.deque": _deque,
    "typing.DefaultDict": _default_dict,
    "collections.namedtuple": _named_tuple,
    "types.SimpleNamespace": _namespace,
    "argparse.Namespace": _namespace,
    "pickle.dumps": _pickled,
    "random.randint": _drawn,
    "random.randrange": _drawn,
    "random.choice": _one_of,
    "random.sample": _some_of,
    "random.choices": _some_of,
    "dataclasses.field": _field,
    "dataclasses.replace": _replaced,
    "typing.cast": lambda run, name, arguments, node: (
        arguments.positional[-1].ref if arguments.positional else Ref(None)
    ),
}
