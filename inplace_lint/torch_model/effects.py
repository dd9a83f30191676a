"""`Effects`: the closed vocabulary for what an op, or a user's function, does to tensors.

A row of the op table is one overload of one callable. It says which arguments are written,
what each output is (fresh memory, an alias or a view of an argument), and what autograd saves
for backward, and when. Nothing else about an op is known to the interpreter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ParamKind = Literal["tensor", "tensors", "int", "ints", "number", "bool", "str", "dtype", "other"]
Origin = Literal["fresh", "alias", "view", "views", "parts", "maybe", "value"]
Condition = Literal["", "contiguous", "real"]
DtypeKind = Literal["float", "int", "bool", "complex"]
KINDS: Mapping[str, DtypeKind] = {
    **dict.fromkeys(("float", "float16", "float32", "float64", "bfloat16"), "float"),
    **dict.fromkeys(("int", "int8", "int16", "int32", "int64", "uint8"), "int"),
    **dict.fromkeys(("complex", "complex32", "complex64", "complex128"), "complex"),
    "bool": "bool",
}
"""The kinds of the dtypes, which may stand for them where the dtype itself is not known."""
Whole = Literal["float32", "int64"]
Part = Literal["", "whole", "turned", "rows", "diagonal", "real", "imaginary", "expanded", "windows", "resized"]
Filling = Literal["", "none", "zeros", "ones", "constant", "drawn", "given"]
Repeats = Literal["", "always", "rows", "never"]
Purpose = Literal["", "fill", "value"]
Again = Literal["", "same", "settled", "further"]
Shape = Literal["broadcast", "total"] | int | None

REQUIRED = "<required>"
COMPUTED = "<computed>"
"""What stands for the default of a constructor parameter that has none, or none that is a constant."""


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
    `maybe`: the same tensor where it has the right dtype, or a copy (`to`).
    `value`: no tensor at all (`size()`, `item()`).
    `parts`: several views of one new memory.
    `many`: a list or tuple of unknown length of such outputs.
    `when`: it is new memory where `of` is not `contiguous`, or not `real`.
    """

    origin: Origin
    of: str | None = None
    many: bool = False
    when: Condition = ""


@dataclass(frozen=True, slots=True)
class SaveSpec:
    """What autograd keeps for backward.

    `what` names a parameter or an output (`result`, or `result0`, `result1`... of several).
    The save is made when any of the parameters in `when` requires grad; an empty `when` means
    whenever the op is recorded at all, and `others` that, of a list of operands, another one than
    the saved does (`einsum`). `clone` marks the copy that an in-place op makes of its
    old value: it costs memory, and nobody can overwrite it. `view` marks a view of what is saved
    (the transpose of a weight): it keeps the memory that a parameter had before `weight.data = ...`.
    `gpu`: only what runs on a GPU keeps it (cuDNN).
    """

    what: str
    when: tuple[str, ...] = ()
    clone: bool = False
    view: bool = False
    gpu: bool = False

    @property
    def result(self) -> int | None:
        """Which output is kept; None if a parameter is."""
        return int(self.what[6:] or 0) if self.what.startswith("result") else None

    @property
    def for_others(self) -> bool:
        """Whether an element of a list is kept only if another one requires grad."""
        return self.when == ("others",)


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
        dtypes: for each output its dtype, or the kind of it, where it is not that of the arguments.
        whole: the dtype that comes of whole numbers, where it is not theirs (`div`, `sum`).
        contiguous: False if results are not contiguous although the arguments are (`transpose`).
        dense: new results are contiguous although the first tensor given is not (`matmul`).
        part: what a view shows of its source, or an in-place op leaves of its target's shape: all
            elements (`whole`), all with their dimensions in another order (`turned`), the main
            `diagonal`, `rows` if it cuts along `dim`, each several times (`expanded`), `windows` that may overlap;
            `resized` if the target has any other shape.
        filling: with what memory is made, or filled up so that nothing of what was there is left: with
            nothing yet (`none`, as `empty` does), the same everywhere (`zeros`, `ones`, or another
            `constant`), random numbers (`drawn`), or what was `given`.
        repeats: whether elements of a new result are very likely equal, as classes and counts are: `always`, in
            the `rows` that are left if one dimension is given, or `never`.
        shape: of a new result: that of the arguments, `broadcast`; no dimension unless `dim` is given, `total`; or the
            number of dimensions.
        unchecked: written parameters that may be expanded, and others that may overlap with what is
            written, without PyTorch's refusing it.
        passes: parameters to which backward hands the very gradient of the result, if they have its shape (`add`).
        compares: of one tensor given twice it always gives the same.
        moves: its result has elements of the first tensor in other places (`flip`).
        purpose: `fill` if the write is what one calls it for, so that its result may be bound; `value` if one calls
            it for the result: applied once more, it gives yet another value.
        levels: the result, and its gradient, tell nothing of an element that is far below zero, or below the others.
        again: what comes of applying it to its own result: the `same`, and the same gradient; the same if it is given
            the same arguments (`settled`); or it goes on, and leads `further` from where it began (`sub_`).
        metadata_only: reads shape, dtype or device, never values (`size`, `dim`).
        fields: the names that the results have, if they have some (`x.max(0).values`).
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
    dtypes: tuple[str | None, ...] = ()
    whole: Whole | None = None
    contiguous: bool = True
    dense: bool = False
    part: Part = ""
    filling: Filling = ""
    repeats: Repeats = ""
    shape: Shape = None
    unchecked: tuple[str, ...] = ()
    passes: tuple[str, ...] = ()
    compares: bool = False
    moves: bool = False
    purpose: Purpose = ""
    levels: bool = False
    again: Again = ""
    metadata_only: bool = False
    fields: tuple[str, ...] = ()
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
