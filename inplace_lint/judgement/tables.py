"""Habits about tables: what a module computes when it is made, and looks up in each call, and what it has in them."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_lint.judgement.intent import for_output, is_average, is_named_for_output, keeps_product
from inplace_lint.judgement.pair import Pair, links_of, reached_by_attribute
from inplace_lint.judgement.reason import Reason, silent, suspect
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.labels import is_own, last_name
from inplace_lint.torch_model.op_names import method_of as method
from inplace_lint.torch_model.op_table import again
from inplace_lint.torch_model.operands import Binding

TABLE_CHANGED = suspect(
    "table-changed",
    "captured",
    "a call changes the table that its module has computed once, under another name, for a value of its own",
    """
    import torch
    from torch import nn


    class Rotary(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("frequencies", 1 / 10 ** (torch.arange(4) / 4))

        def forward(self, x, scale):
            frequencies = self.frequencies[: x.shape[-1]]
            frequencies /= scale
            return x * frequencies


    rotary, x = Rotary(), torch.ones(4)
    first, second = rotary(x, 2), rotary(x, 2)
    """,
)

REGISTERED = silent(
    "registered",
    "an object has a tensor under one name as an attribute and in a table, by which it changes all that it has",
    """
    import torch


    class Module:
        def __init__(self, **tensors):
            self.table = {}
            for name, tensor in tensors.items():
                self.table[name] = tensor
                setattr(self, name, tensor)


    class Scale(Module):
        def __init__(self):
            super().__init__(scale=torch.rand(2))

        def step(self, gradient):
            for tensor in self.table.values():
                tensor.sub_(gradient.mul(0.1))

        def forward(self, x):
            return x * self.scale


    scale = Scale()
    scale.step(torch.ones(2))
    result = scale.forward(torch.ones(2))
    """,
)


def judge_table(pair: Pair) -> Reason | None:
    """A table is looked up that an earlier call has changed; None if it is none, or was meant to be changed."""
    if not TABLE_CHANGED.on or pair.read.overwrites:
        return None
    changed = table_changed(pair.write)
    return TABLE_CHANGED if changed is not None and changed.place == pair.held.place and pair.covered() else None


def table_changed(write: Write) -> Binding | None:
    """The attribute with the table that a write has changed by another name, for the value; None if there is none."""
    binding = write.operand.binding
    if binding is None or binding.kind not in ("name", "parameter") or binding.read_at < write.time:
        return None
    if binding.kind == "parameter" and _is_in_procedure(write, binding):
        return None
    table = next((link for link in links_of(binding) if link.kind == "attribute"), None)
    if table is None or write.documented or not is_own(table.label):
        return None
    if is_named_for_output(last_name(table.label)) or for_output(binding):
        return None
    return table if changes_further(write) and _was_computed(write, table) else None


def _is_in_procedure(write: Write, passed: Binding) -> bool:
    """Whether a function was called to change what it is passed: it gives nothing, and keeps nothing made of it."""
    if not write.calls or write.gave(-1) != "nothing":
        return False
    return not keeps_product(write, passed, write.calls[-1])


def _was_computed(write: Write, table: Binding) -> bool:
    """Whether what a write changes was computed once: no parameter, and nothing that starts somewhere to go on."""
    tensor, storage = write.operand.tensor, write.storage
    computed = not (tensor.is_parameter or tensor.external)
    return computed and not (storage.start or storage.is_constant(table.bound_at))


def changes_further(write: Write) -> bool:
    """Whether a write, made once more, changes what it gave."""
    return not is_average(write) and again(method(write.op)) == "further"


def settles(write: Write) -> bool:
    """Whether a write, made once more with the same arguments, finds nothing left to change."""
    return again(method(write.op)) in ("same", "settled")


def judge_registered(held: Binding, chain: Iterable[Binding]) -> Reason | None:
    """Whether what an attribute holds was changed by way of a table that has it by the same name."""
    return REGISTERED if REGISTERED.on and any(_is_registered(held, link) for link in chain) else None


def _is_registered(attribute: Binding, link: Binding) -> bool:
    """Whether what is written was taken out of a table that has, by its name, what an attribute has."""
    if attribute.kind != "attribute" or attribute.source is None:
        return False
    key = Constant(attribute.key) if isinstance(attribute.key, str) else None
    links = list(links_of(link))
    at = next((
        index for index, each in enumerate(links)
        if each.kind == "element" and each.key == key and each.source is not None
        and each.source.place == attribute.source.place
    ), None)  # fmt: skip
    if at is None or at == 0:
        return at == 0
    way = links[at - 1].way  # One that a call has made is no way to change the object.
    return way is None or reached_by_attribute(way)
