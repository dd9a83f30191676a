"""Gradients that are scaled more than once, because backward passes add to them in between."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.judgement.pair import links_of
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Trace, Write
from inplace_lint.torch_model.op_names import ACCUMULATE, ZERO_GRAD, base_name, method_of
from inplace_lint.torch_model.tensor import Storage

_SCALING = frozenset({"mul_", "div_", "true_divide_"})


def scaled_again(trace: Trace) -> Iterator[tuple[Write, Site]]:
    """Writes that scale a gradient, by a number, which they have scaled before, and where backward has added to it.

    What masks a gradient, or clips it to a norm that is computed of it, changes little the second time.
    """
    scaled: dict[Storage, Site] = {}
    added: dict[Storage, Site] = {}
    for write in trace.events:
        if not isinstance(write, Write) or not _is_of_gradient(write):
            continue
        memory = write.storage
        if write.op == ACCUMULATE:
            if memory in scaled:
                added[memory] = write.site
        elif base_name(method_of(write.op)) in _SCALING and not write.others:
            if scaled.get(memory) == write.site and memory in added:
                yield write, added[memory]
            scaled[memory] = write.site
            added.pop(memory, None)
        elif write.op == ZERO_GRAD or write.filler:
            scaled.pop(memory, None)


def _is_of_gradient(write: Write) -> bool:
    """Whether what is written is kept as the gradient of a leaf."""
    return any(link.keeper == "gradient" for link in links_of(write.operand.binding))
