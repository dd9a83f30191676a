"""`Effects`: the closed vocabulary for what an op, or a user's function, does to tensors.

A row of the op table is one overload of one callable. It says which arguments are written,
what each output is (fresh memory, an alias or a view of an argument), and what autograd saves
for backward, and when. Nothing else about an op is known to the interpreter.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

ParamKind = Literal["tensor", "tensors", "int", "ints", "number", "bool", "str", "dtype", "other"]
Origin = Literal["fresh", "alias", "view", "views", "maybe", "value"]
DtypeKind = Literal["float", "int", "bool", "complex"]


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of an overload."""

    name: str
    kind: ParamKind
    optional: bool = False
    keyword_only: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """Where one output comes from.

    `fresh`: new memory. `alias`: the very tensor given as `of`. `view`: another tensor on the
    memory of `of`. `views`: several views of `of` that autograd ties together (`chunk`).
    `maybe`: a view of `of`, the same tensor, or a copy, as its layout decides (`reshape`).
    `value`: no tensor at all (`size()`, `item()`).
    `many`: a list or tuple of unknown length of such outputs.
    """

    origin: Origin
    of: str | None = None
    many: bool = False


@dataclass(frozen=True, slots=True)
class SaveSpec:
    """What autograd keeps for backward.

    `what` names a parameter or an output (`result`, or `result0`, `result1`... of several).
    The save is made when any of the parameters in `when` requires grad; an empty `when` means
    whenever the op is recorded at all, and `others` that, of a list of operands, another one than
    the saved does (`einsum`). `clone` marks the copy that an in-place op makes of its
    old value: it costs memory, and nobody can overwrite it.
    """

    what: str
    when: tuple[str, ...] = ()
    clone: bool = False


@dataclass(frozen=True, slots=True)
class Effects:
    """One overload.

    Args:
        params: its parameters in order. For a method the first is `self`; for a module they are
            those of `forward`, and the tensors that the module owns (`weight`) may be named in
            `writes` and `saves` besides.
        given: constants that select this row (`{"inplace": True}`, `{"training": False}`),
            arguments of the call or attributes of the module.
        writes: parameters whose memory is modified.
        outputs: one entry for a single result, several for a tuple; `tupled` tells a tuple of
            one from a single result.
        saves: what is kept for backward.
        differentiable: False if no result ever requires grad (`argmax`, comparisons).
        dtype: kind of the result where it is not that of the arguments.
        contiguous: False if results are not contiguous although the arguments are (`transpose`).
        metadata_only: reads shape, dtype or device, never values (`size`, `dim`).
        node: autograd's name for the op (`SigmoidBackward0`).
        source: how the row was obtained.
    """

    params: tuple[Param, ...]
    given: tuple[tuple[str, object], ...] = ()
    writes: tuple[str, ...] = ()
    outputs: tuple[Output, ...] = (Output("fresh"),)
    tupled: bool = False
    saves: tuple[SaveSpec, ...] = ()
    differentiable: bool = True
    dtype: DtypeKind | None = None
    contiguous: bool = True
    metadata_only: bool = False
    node: str | None = None
    source: Literal["probed", "schema", "manual"] = "manual"


@dataclass(frozen=True, slots=True)
class ModuleSpec:
    """A class of `torch.nn`: how it is built, what it owns, and what calling it does.

    Args:
        init: constructor parameters in order, with their defaults where these are constants.
        parameters: names of `nn.Parameter`s that it creates (`weight`), which require grad.
        buffers: names of its buffers (`running_mean`).
        forward: overloads of its call; `given` refers to constructor arguments and `training`.
    """

    init: tuple[tuple[str, object], ...]
    parameters: tuple[str, ...] = ()
    buffers: tuple[str, ...] = ()
    forward: tuple[Effects, ...] = field(default=())
