"""Parameters of callables that have neither a schema nor a Python signature."""

from __future__ import annotations

import inspect
from dataclasses import replace

import torch.nn.functional
import torch.nn.init

from inplace_lint.runtime.op_table.names import BINARY, COMPARISONS, Function, aten_name, base, operators
from inplace_lint.runtime.op_table.schema import Overload, aten_overloads, python_overload
from inplace_lint.torch_model.effects import Output, Param, ParamKind
from inplace_lint.torch_model.op_table import read_row

CASTS = "bfloat16 bool byte cdouble cfloat chalf char double float half int long short".split()
# the tensor itself where dtype, layout and device are right already; not every dtype is tried
CONVERSIONS = frozenset({*CASTS, "to", "type", "type_as", "cpu", "as_tensor", "asarray"})
_FACTORY = ["*", "dtype:dtype=", "device:other=", "requires_grad:bool=", "pin_memory:bool="]
_TO = ["non_blocking:bool=", "copy:bool=", "*", "memory_format:other="]

_SIGNATURES: dict[str, list[list[str]]] = {
    **{f"torch.Tensor.{name}": [["self:tensor", "*", "memory_format:other="]] for name in CASTS},
    **{f"torch.Tensor.{name}": [["self:tensor"]] for name in "ndimension nelement dim data_ptr tolist".split()},
    **{f"torch.Tensor.{name}": [["self:tensor"]] for name in "element_size storage untyped_storage has_names".split()},
    "torch.Tensor.numel": [["self:tensor"]],
    "torch.Tensor.item": [["self:tensor"]],
    "torch.Tensor.numpy": [["self:tensor", "*", "force:bool="]],
    "torch.Tensor.cpu": [["self:tensor", "memory_format:other="]],
    "torch.Tensor.size": [["self:tensor", "dim:int="]],
    "torch.Tensor.stride": [["self:tensor", "dim:int="]],
    "torch.Tensor.storage_offset": [["self:tensor"]],
    "torch.Tensor.is_contiguous": [["self:tensor", "memory_format:other="]],
    "torch.Tensor.type": [["self:tensor"], ["self:tensor", "dtype:dtype", "non_blocking:bool="]],
    "torch.Tensor.type_as": [["self:tensor", "other:tensor"]],
    "torch.Tensor.requires_grad_": [["self:tensor", "requires_grad:bool="]],
    "torch.Tensor.new_tensor": [["self:tensor", "data:other", *_FACTORY]],
    "torch.Tensor.new": [["self:tensor", "size:ints="]],
    "torch.Tensor.apply_": [["self:tensor", "callable:other"]],
    "torch.Tensor.map_": [["self:tensor", "tensor:tensor", "callable:other"]],
    "torch.Tensor.as_subclass": [["self:tensor", "cls:other"]],
    "torch.Tensor.retain_grad": [["self:tensor"]],
    "torch.Tensor.to": [
        ["self:tensor", "other:tensor", *_TO],
        ["self:tensor", "dtype:dtype", *_TO],
        ["self:tensor", "device:other=", "dtype:dtype=", *_TO],
    ],
    "torch.tensor": [["data:other", *_FACTORY]],
    "torch.as_tensor": [["data:tensor", *_FACTORY], ["data:other", *_FACTORY]],
    "torch.asarray": [["obj:tensor", *_FACTORY, "copy:bool="], ["obj:other", *_FACTORY, "copy:bool="]],
    "torch.from_numpy": [["ndarray:other"]],
    "torch.numel": [["input:tensor"]],
    "torch.is_tensor": [["obj:other"]],
    "torch.meshgrid": [["tensors:tensors", "*", "indexing:str="]],
    "torch.broadcast_tensors": [["tensors:tensors"]],
    "torch.cartesian_prod": [["tensors:tensors"]],
    "torch.block_diag": [["tensors:tensors"]],
    "torch.einsum": [["equation:str", "operands:tensors"]],
    "torch.atleast_1d": [["tensor:tensor"], ["tensors:tensors"]],
    "torch.atleast_2d": [["tensor:tensor"], ["tensors:tensors"]],
    "torch.atleast_3d": [["tensor:tensor"], ["tensors:tensors"]],
    "torch.chain_matmul": [["matrices:tensors"]],
    "torch.is_grad_enabled": [[]],
    "torch.is_inference_mode_enabled": [[]],
    "torch.get_default_dtype": [[]],
    "torch.can_cast": [["from_:dtype", "to:dtype"]],
    "torch.promote_types": [["type1:dtype", "type2:dtype"]],
    "torch.unique": [
        ["input:tensor", "sorted:bool=", "return_inverse:bool=", "return_counts:bool=", "dim:int="],
    ],
    "torch.unique_consecutive": [["input:tensor", "return_inverse:bool=", "return_counts:bool=", "dim:int="]],
    "torch.nonzero": [["input:tensor", "*", "as_tuple:bool=", "out:tensor="]],
    "torch.Tensor.nonzero": [["self:tensor", "*", "as_tuple:bool="]],
    "torch.arange": [
        ["end:number", *_FACTORY, "out:tensor="],
        ["start:number", "end:number", "step:number=", *_FACTORY, "out:tensor="],
    ],
}  # fmt: skip


def _by_hand(rows: list[list[str]]) -> list[Overload]:
    lists = (Output("fresh", many=True),)
    written = [("out",) if "out:tensor=" in row else () for row in rows]
    returned = [lists if row[:1] == ["tensors:tensors"] else (Output("fresh"),) for row in rows]
    return [
        Overload(read_row({"params": row}).params, w, r, schema="by hand")
        for row, w, r in zip(rows, written, returned, strict=True)
    ]


def overloads(qualified: str, function: Function) -> list[Overload]:
    """All overloads of a callable, in the order in which a call should try them."""
    space, name = base(qualified)
    if qualified in _SIGNATURES:
        return _by_hand(_SIGNATURES[qualified])
    if space == "torch.Tensor" and name in operators():
        return _operator(name)
    if inspect.isfunction(function):
        twin = getattr(torch.nn.functional, f"{name}_with_indices", None)
        if space == "torch.nn.functional" and twin is not None:
            function = twin
        if space == "torch.nn.init":  # `normal` is a deprecated spelling of `normal_`
            function = getattr(torch.nn.init, f"{name}_", function)
        found = python_overload(function)
        if found is not None:
            return _with_max_norm(found)
    found_aten = aten_overloads(aten_name(qualified), method=space == "torch.Tensor")
    if not found_aten and space == "torch.nn.functional":
        return aten_overloads(name, method=False)
    return found_aten


def _with_max_norm(overload: Overload) -> list[Overload]:
    """An embedding writes its weight, but only if it is given a norm to keep to."""
    given = tuple(replace(p, optional=False) if p.name == "max_norm" else p for p in overload.params)
    return [overload] if given == overload.params else [replace(overload, params=given), overload]


def _operator(name: str) -> list[Overload]:
    stem = name.strip("_")
    binary = stem in COMPARISONS or any(stem in (op, f"r{op}", f"i{op}") for op in BINARY)
    if not binary:
        return [Overload((Param("self", "tensor"),), schema="by hand")]
    kinds: tuple[ParamKind, ...] = ("tensor", "number")
    return [Overload((Param("self", "tensor"), Param("other", kind)), schema="by hand") for kind in kinds]
