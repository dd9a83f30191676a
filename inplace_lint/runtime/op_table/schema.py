"""Overloads as PyTorch declares them: parameters, what is written, what is returned."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, get_args

import torch

from inplace_lint.runtime.op_table.binding import fits
from inplace_lint.runtime.op_table.samples import Arguments
from inplace_lint.torch_model.effects import Output, Param, ParamKind

_KINDS: dict[str, ParamKind] = {
    "Tensor": "tensor",
    "List[Tensor]": "tensors",
    "List[Optional[Tensor]]": "tensors",
    "int": "int",
    "SymInt": "int",
    "List[int]": "ints",
    "List[SymInt]": "ints",
    "number": "number",
    "Scalar": "number",
    "float": "number",
    "bool": "bool",
    "str": "str",
}


@dataclass(frozen=True)
class Overload:
    """One way to call a name, with what its schema promises."""

    params: tuple[Param, ...]
    writes: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = (Output("fresh"),)
    tupled: bool = False
    schema: str = ""


def _param(arg: Any, name: str) -> Param:
    text = str(arg.type)
    inner = re.fullmatch(r"Optional\[(.*)\]", text)
    optional = inner is not None or arg.has_default_value()
    kind = _KINDS.get(inner.group(1) if inner else text, "other")
    if name.endswith("dtype"):
        kind = "dtype"
    elif name in ("layout", "device", "memory_format", "generator", "pin_memory"):
        kind = "other"
    return Param(name, kind, optional, arg.kwarg_only)


def _output(ret: Any, names: dict[str, str]) -> Output:
    text = str(ret.type)
    if "Tensor" not in text:
        return Output("value")
    many = text.startswith("List")
    if ret.alias_info is None:
        return Output("fresh", many=many)
    of = next((names[letter] for letter in sorted(ret.alias_info.before_set) if letter in names), None)
    if of is None:
        # `Tensor(a)[]` loses its letter in the schema's type: the only aliased argument is meant
        of = next(iter(names.values()))
    return Output("alias" if ret.alias_info.is_write else "view", of, many)


def _read(schema: Any, method: bool) -> Overload:
    args = [arg for arg in schema.arguments if not _is_out(arg)]
    outs = [arg for arg in schema.arguments if _is_out(arg)]
    rename = {"self": "self" if method else "input"}
    if method:
        args.sort(key=lambda arg: arg.name != "self")
    letters = {
        letter: rename.get(arg.name, arg.name)
        for arg in args
        if arg.alias_info is not None
        for letter in arg.alias_info.before_set
    }
    params = [_param(arg, rename.get(arg.name, arg.name)) for arg in args]
    if outs:
        params.append(Param("out", "tensor" if len(outs) == 1 else "tensors", True, True))
    writes = [rename.get(a.name, a.name) for a in args if a.alias_info is not None and a.alias_info.is_write]
    returns = [_output(ret, letters) for ret in schema.returns] if not outs else [Output("fresh")] * len(outs)
    if not returns:
        returns = [Output("value")]
    return Overload(
        tuple(sorted(params, key=lambda p: p.keyword_only)),
        tuple(writes),
        tuple(returns),
        len(returns) > 1,
        f"{schema.name}.{schema.overload_name}".rstrip("."),
    )


def _is_out(arg: Any) -> bool:
    return bool(arg.kwarg_only and arg.alias_info is not None and arg.alias_info.is_write)


def _usable(schema: Any) -> bool:
    name = f"{schema.name}.{schema.overload_name}".rstrip(".")
    if not torch._C._dispatch_has_kernel(name) or "Dimname" in schema.overload_name:
        return False
    types = [str(arg.type) for arg in [*schema.arguments, *schema.returns]]
    return any("Tensor" in text for text in types) and not any(a.name in ("names", "dimname") for a in schema.arguments)


def aten_overloads(name: str, method: bool) -> list[Overload]:
    """The overloads of `aten::name` as Python shows them; `out=` variants become an optional parameter."""
    schemas = [s for s in torch._C._jit_get_schemas_for_operator(f"aten::{name}") if _usable(s)]
    resolve: dict[tuple[Param, ...], Overload] = {}
    with_out: set[tuple[Param, ...]] = set()
    for schema in schemas:
        overload = _read(schema, method)
        if method and (not overload.params or (overload.params[0].name, overload.params[0].kind) != ("self", "tensor")):
            continue
        if overload.params and overload.params[-1].name == "out":
            with_out.add(overload.params)
            continue
        resolve.setdefault(overload.params, overload)
    if method:
        return _ordered(resolve.values())
    return _ordered(_give_out(overload, with_out) for overload in resolve.values())


def _give_out(overload: Overload, with_out: set[tuple[Param, ...]]) -> Overload:
    signature = [(p.name, p.kind) for p in overload.params]
    for params in with_out:
        # factories' `out` variants lack dtype, layout and device
        kept = [(p.name, p.kind) for p in params[:-1]]
        if kept == signature or (kept == [s for s in signature if s in kept] and not _has_tensor(overload.params)):
            return replace(overload, params=(*overload.params, params[-1]), writes=(*overload.writes, "out"))
    return overload


def _has_tensor(params: Iterable[Param]) -> bool:
    return any(p.kind in ("tensor", "tensors") for p in params)


_RANK = {"tensors": 0, "tensor": 1, "bool": 2, "int": 3, "ints": 4, "number": 5}


def _ordered(overloads: Iterable[Overload]) -> list[Overload]:
    """As Python's own parser tries them: tensors before numbers, shorter signatures first."""

    def key(overload: Overload) -> tuple[object, ...]:
        required = [p for p in overload.params if not p.optional]
        kinds = tuple(_RANK.get(p.kind, 6) for p in overload.params)
        return (len(required), kinds, overload.schema)

    return sorted(overloads, key=key)


def _annotated(parameter: inspect.Parameter) -> ParamKind:
    text = str(parameter.annotation).replace("typing.", "")
    default = parameter.default
    if re.search(r"(list|tuple|List|Tuple|Sequence)\[.*Tensor", text):
        return "tensors"
    if "Tensor" in text:
        return "tensor"
    if isinstance(default, bool) or text in ("bool", "<class 'bool'>", "bool | None", "Optional[bool]"):
        return "bool"
    if re.search(r"list|tuple|List|Tuple|Broadcasting|Sequence|size", text):
        return "ints"
    if "float" in text or isinstance(default, float):
        return "number"
    if "int" in text:
        return "int"
    if text == "None":  # how BroadcastingList[int] prints
        return "ints"
    if "dtype" in text.lower():
        return "dtype"
    if "str" in text or isinstance(default, str):
        return "str"
    if isinstance(default, int):
        return "int"
    return "tensor" if parameter.name in ("self", "input", "tensor", "other") else "other"


def python_overload(function: Callable[..., object]) -> Overload | None:
    """The parameters of a function written in Python; None if it takes `*args`."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        return None
    return Overload(tuple(python_param(p) for p in parameters))


def python_param(parameter: inspect.Parameter) -> Param:
    """One parameter of a Python function, its kind guessed from annotation and default."""
    return Param(
        parameter.name,
        _annotated(parameter),
        parameter.default is not parameter.empty or type(None) in get_args(parameter.annotation),
        parameter.kind is parameter.KEYWORD_ONLY,
    )


def refined(overload: Overload, samples: Iterable[Arguments]) -> Overload:
    """A Python function's kinds, where annotations are missing or wrong, by what its samples pass."""
    if overload.schema:
        return overload
    params = list(overload.params)
    for sample in samples:
        values = {**dict(zip((p.name for p in params), sample.args, strict=False)), **sample.kwargs}
        for i, param in enumerate(params):
            value = values.get(param.name)
            if value is not None and not (param.kind != "other" and fits(param.kind, value)):
                params[i] = replace(param, kind=_kind_of_value(value))
    return replace(overload, params=tuple(params))


def _kind_of_value(value: object) -> ParamKind:
    kinds: tuple[ParamKind, ...] = ("tensor", "bool", "ints", "number", "str", "dtype", "tensors")
    if isinstance(value, list | tuple) and not value:
        return "other"
    return next((kind for kind in kinds if fits(kind, value)), "other")
