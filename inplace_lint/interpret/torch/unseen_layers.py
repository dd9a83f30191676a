"""Layers and parameters that callers bring.

What is known to be of a class of `torch.nn` has the parameters that such a layer makes: leaves, unless it is frozen.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from inplace_lint.interpret.state.keys import Named, Tuple
from inplace_lint.interpret.state.naming import named
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Unknown, identity, resolve
from inplace_lint.source.place import Site
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.tensor import NO, Tensor, assumed


def take_for_parameter(run: Run, value: Unknown, site: Site) -> Tensor:
    """An unknown is a parameter."""
    tensor = run.promote(value, site)
    meta = tensor.autograd_meta
    if value.not_tensor:
        return tensor
    if meta.node is not None:
        meta.node, meta.need, meta.brought = None, assumed(named(value.label)), True
    meta.parameter, tensor.contiguous = True, True  # as layers make them
    return tensor


def note_parameter(run: Run, layer: Unknown, name: str, value: Unknown, declared: str, site: Site) -> None:
    """Note that an attribute is a parameter, if all classes that a layer may be of make one of that name.

    Args:
        declared: the class that an annotation of the layer names; empty if there is none.
    """
    specs = [table().module(each) for each in set(_proven(run, layer)) or {declared}]
    if not specs or value.not_tensor or not all(spec is not None and name in spec.parameters for spec in specs):
        return
    tensor = take_for_parameter(run, value, site)
    if _is_frozen(run, layer):
        tensor.autograd_meta.need = NO


def _is_frozen(run: Run, layer: Unknown) -> bool:
    """Whether all parameters of a layer, of which one stands for the others, require no grad."""
    some = run.parameters.get(layer.key)
    tensor = resolve(some.value) if some is not None else None
    return isinstance(tensor, Tensor) and not tensor.autograd_meta.need


def _proven(run: Run, layer: Unknown) -> Iterator[str]:
    """The classes of which a layer is one on this path, as `isinstance` has told."""
    for asked in run.oracle.kinds.get(identity(layer), ()):
        for each in asked.items if isinstance(asked, Tuple) else (asked,):
            yield _name(each)


def _name(cls: Hashable) -> str:
    """The full name of a class of a library, by what identifies it; empty if it is another."""
    return cls.name if isinstance(cls, Named) else ""
