"""Parameters that are overwritten for a result: who computes something of weights means to leave them as they are."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.judgement.intent import is_named_in_place
from inplace_lint.judgement.reason import suspect
from inplace_lint.torch_model.events import Trace, Write
from inplace_lint.torch_model.op_names import base_name
from inplace_lint.torch_model.op_table import gives_value

SPENT_PARAMETER = suspect(
    "spent-parameter",
    "captured",
    "who computes sizes or distances of weights behind the back of autograd means to leave the weights alone",
    """
    import torch

    layer = torch.nn.Linear(2, 2)
    size = layer.weight.detach().abs_().sum()
    result = layer(torch.ones(2)) / size
    """,
)


def spent_parameters(trace: Trace) -> Iterator[Write]:
    """Writes of parameters where autograd does not see it, of which only the result is used.

    `weight.detach().abs_()` gives the sizes of the weights, and leaves nothing of their signs.
    """
    if not SPENT_PARAMETER.on or is_named_in_place(trace.entry):
        return
    for write in trace.events:
        if isinstance(write, Write) and _is_spent(write):
            yield write


# Who limits, masks or scales weights may go on with them; nobody trains their sizes, or their distances.
_VALUES = frozenset({"abs_", "sub_", "neg_"})
_USED = ("bound", "expression", "returned")


def _is_spent(write: Write) -> bool:
    target = write.operand.tensor
    if not target.is_parameter or write.documented or write.refusal is not None or not write.certain:
        return False
    aside = target.detached_from is not None or not write.grad_mode
    return aside and write.use in _USED and (gives_value(write.op) or base_name(write.op) in _VALUES)
