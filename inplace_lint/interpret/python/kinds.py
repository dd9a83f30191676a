"""What kind of object a value is: `isinstance`, `type` and `callable`."""

from __future__ import annotations

import numbers
from collections import abc
from types import GeneratorType

from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.keys import Answer, Binary, IsInstance, Unary
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Class,
    Dict,
    Function,
    Instance,
    Library,
    List,
    Method,
    Partial,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import own_tensors
from inplace_lint.source import ir
from inplace_lint.source.spelling import last_word
from inplace_lint.torch_model.layer_bases import derives
from inplace_lint.torch_model.tensor import Tensor


def is_instance(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`isinstance(object, classinfo)`"""
    value = resolve(arguments.get(0, "object"))
    wanted = resolve(arguments.get(1, "classinfo"))
    classes = [resolve(ref.value) for ref in wanted.items] if isinstance(wanted, List) else [wanted]
    answers = [_is_object_of(value, cls) if isinstance(cls, Class) else _is_a(value, cls) for cls in classes]
    if True in answers:
        return Ref(True)
    if None in answers:
        if _is_of_another_kind(run, value, wanted):
            return Ref(False)
        return Ref(run.unknown(IsInstance(identity(value), identity(wanted))))
    return Ref(False)


_KINDS = frozenset(identity(Library(f"builtins.{name}")) for name in "dict list tuple set str int float bytes".split())


# Where classes are defined that Python's own containers and numbers may be instances of.
_OF_PYTHON = frozenset("builtins collections typing typing_extensions numbers abc types".split())
_ABSTRACT: dict[str, type] = {
    f"{module}.{name}": getattr(home, name)
    for module, home in (("collections.abc", abc), ("typing", abc), ("numbers", numbers))
    for name in home.__all__
    if name != "ByteString"  # Python warns of it since 3.12.
}
_PLAIN: dict[str, type] = {
    each.__name__: each for each in (list, tuple, set, dict, int, float, str, bytes, bool, slice)
}
_TYPES: dict[str, type] = {"list": list, "tuple": tuple, "set": set, "generator": GeneratorType}
# What `torch.Tensor` has the methods of (torch/_tensor.py).
_OF_TENSORS = frozenset("Collection Container Hashable Iterable Sized".split())


def _is_of_another_kind(run: Run, value: Value, wanted: Value) -> bool:
    """Whether the path has it already that an unknown is an instance of something that excludes `wanted`."""
    asked, others = identity(wanted), run.oracle.kinds.get(identity(value), set())
    return not others <= {asked} if asked in _KINDS else not others.isdisjoint(_KINDS)


def _is_object_of(value: Value, cls: Class) -> bool | None:
    """Whether a value is an object of a class of the program; None if nobody knows."""
    if value is None:
        return False
    own = own_tensors.class_of(value)
    return cls in own.lineage if own is not None else _is_a(value, cls)


_PARAMETERS = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})


def _is_computed(value: Unknown) -> bool:
    return isinstance(value.key.made, (Binary, Unary))


def _is_a(value: Value, cls: Value) -> bool | None:
    name = cls.name if isinstance(cls, Library) else ""
    if isinstance(value, Unknown):
        return False if name in _PARAMETERS and _is_computed(value) else None
    if not isinstance(cls, (Library, Class)):
        return None
    if isinstance(value, Tensor):
        return _is_tensor_a(value, name)
    if isinstance(value, Instance):
        return _is_instance_a(value, cls, name)
    kind = python_type(value)
    wanted = _PLAIN.get(name.removeprefix("builtins.")) or _ABSTRACT.get(name)
    if kind is None and wanted in (abc.Callable, abc.Hashable, slice):
        return None
    if wanted is not None:
        return kind is not None and issubclass(kind, wanted)
    if isinstance(cls, Class) and kind is not None:
        if isinstance(value, List) and value.cls is not None:
            return cls in value.cls.lineage
        return False if _has_objects_of_its_own(cls) else None
    return False if name and name.partition(".")[0] not in _OF_PYTHON else None


# Bases of classes whose objects only such classes make.
_PLAIN_BASES = frozenset({"builtins.object", "abc.ABC", "typing.Generic", "torch.nn.Module"})


def _has_objects_of_its_own(cls: Class) -> bool:
    """Whether what Python itself makes is no object of a class: it is not an enumeration, a protocol or the like."""
    in_view = all(isinstance(base, (Class, Library)) for each in cls.lineage for base in each.bases)
    given = [base for each in cls.lineage for base in each.code.bases]
    plain = all(base.keyword != "metaclass" or last_word(base.value) == "ABCMeta" for base in given)
    return in_view and plain and _PLAIN_BASES.issuperset(library_bases(cls))


def _is_tensor_a(tensor: Tensor, name: str) -> bool:
    if name == "torch.nn.Parameter":
        return tensor.autograd_meta.parameter
    return name in ("torch.Tensor", "torch.FloatTensor") or (
        name in _ABSTRACT and name.rpartition(".")[2] in _OF_TENSORS
    )


def _is_instance_a(value: Instance, cls: Library | Class, name: str) -> bool | None:
    if isinstance(cls, Class):
        return isinstance(value.cls, Class) and cls in value.cls.lineage
    bases = library_bases(value.cls) if isinstance(value.cls, Class) else [value.cls]
    if name == "torch.nn.Module":
        return True if any(base.startswith("torch.nn.") for base in bases) else None
    return name in bases or any(derives(base, name) for base in bases)


def python_type(value: Value) -> type | None:
    """What type Python has for a value; None if it is none of Python's own."""
    if isinstance(value, List):
        return _TYPES[value.kind]
    if isinstance(value, Dict):
        return dict
    return type(value) if value is None or isinstance(value, (bool, int, float, str, bytes)) else None


def is_type(value: Library) -> bool:
    """Whether it is one of Python's own types."""
    return value.name.removeprefix("builtins.") in _PLAIN


def type_of(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`type(object)`"""
    value = resolve(arguments.get(0, "object"))
    if isinstance(value, Instance):
        return Ref(Library(value.cls) if isinstance(value.cls, str) else value.cls)
    if isinstance(value, List) and value.cls is not None:
        return Ref(value.cls)
    if isinstance(value, List) and value.kind != "generator" and not value.fields:
        return Ref(Library(f"builtins.{value.kind}"))
    if isinstance(value, Dict) and value.makes is None:
        return Ref(Library("builtins.dict"))
    if isinstance(value, (bool, int, float, str, bytes)):
        return Ref(Library(f"builtins.{type(value).__name__}"))
    return Ref(run.unknown(Answer("type", (identity(value),))))


def is_callable(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`callable(object)`"""
    value = resolve(arguments.get(0, "object"))
    if isinstance(value, (Function, Method, Builtin, Partial, Class, Library)):
        return Ref(True)
    never = value is None or isinstance(value, (int, float, str, bytes, List, Dict, Tensor))
    return Ref(False if never else run.unknown(Answer("callable", (identity(value),))))
