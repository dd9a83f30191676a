"""Habits about the memory itself: shared, kept as a variable, or written around autograd."""

from __future__ import annotations

from inplace_lint.judgement.intent import LIBRARY_WRITES, clone_put_back, is_taken_for_copy, is_used, puts_where_it_is
from inplace_lint.judgement.pair import Pair
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.judgement.second_names import is_compared_by_two_names, judge_second_name
from inplace_lint.judgement.tables import judge_table
from inplace_lint.torch_model.bindings import derived, is_of_context, is_variable, sources
from inplace_lint.torch_model.op_names import (
    EXCHANGE,
    LOAD_STATE_DICT,
    OPTIMIZER_STEP,
    PUT_BACK,
    SETITEM,
    base_name,
    twin_of,
)
from inplace_lint.torch_model.op_table import again, reshapes
from inplace_lint.torch_model.tensor import AutogradMeta, Tensor

APART = fact("apart", "the write changes nothing of what is read, as far as is known")
REFUSED = fact("refused", "PyTorch raises at the write")
UNSURE = fact("unsure", "the write perhaps changes other memory")
NOTHING_CHANGED = fact("nothing-changed", "a tensor is copied to where it is, or turned to how it is")
SHAPE_ALONE = fact("shape-alone", "only the shape of another tensor object on this memory was changed, and no value")
DONE_ALREADY = fact(
    "done-already", "the read makes of the new values what it makes of the old ones: `relu` of a `relu_`"
)
RESTORED = fact("restored", "the write puts back the values that were there when what is read was bound")
UNNAMED = fact("unnamed", "what was written has no name that could be read again")
OVERWRITTEN_WHERE_KEPT = fact(
    "overwritten-where-kept", "code that has no name for it overwrites what was kept", "captured"
)

EXCHANGED = silent(
    "exchanged",
    "assigning to `.data` swaps the memory on purpose, and whoever keeps the tensor follows",
    """
    import torch

    weight = torch.ones(3)
    kept = [weight]
    weight.data = torch.zeros(3)
    print(kept[0])
    """,
)
SHALLOW_COPY = suspect(
    "shallow-copy",
    "kept",
    "`copy.copy` of a tensor shares its memory, so the write changes the copy, too",
    """
    import copy
    import torch

    weight = torch.ones(2, 3)
    start = copy.copy(weight)
    first = weight[0]
    first += 2
    moved = start.norm()
    """,
)
CHANGED_TO_LOAD = silent(
    "changed-to-load",
    "a state is changed by itself, and then loaded: that the module has it already does no harm",
    """
    import torch
    from torch import nn



    def renewed(values):
        net = nn.Linear(2, 1)
        state = net.state_dict()
        for name, tensor in state.items():
            tensor[...] = values[name]
        net.load_state_dict(state)
    """,
)
TAKEN_FOR_COPY = suspect(
    "taken-for-copy",
    "kept",
    "a tensor that is compared or averaged with itself was taken for a copy of itself",
    """
    import torch
    from torch import nn

    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    start = list(net.parameters())
    net(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    moved = [(now - before).norm() for now, before in zip(net.parameters(), start)]
    """,
)
CHECKED = suspect(
    "checked",
    "kept",
    "what is put where it is already, after a check that may prevent it, was taken for a copy",
    """
    import torch


    class Table:
        def __init__(self):
            self.values = torch.ones(3)

        def merge(self, delta):
            values = self.values
            values += delta
            if values.isnan().any():
                raise ValueError("not merged")
            self.values = values


    table = Table()
    table.merge(torch.ones(3))
    """,
)
ARRAYS = silent(
    "arrays",
    "two names for one NumPy array are expected to show the same values",
    """
    import numpy as np

    counts = np.ones(3)
    shown = counts
    counts[0] = 7
    print(counts, shown)
    """,
)
ARRAY_BESIDE = silent(
    "array-beside",
    "an array and a tensor are kept on one memory so that a write to one shows in the other",
    """
    import torch

    lengths = torch.zeros(3)
    array = lengths.numpy()
    for i in range(3):
        array[i] = i
    total = lengths.sum()
    """,
)
CONTEXT = silent(
    "context",
    "a custom function keeps a tensor on `ctx` to update it",
    """
    import torch


    class Remember(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, bank):
            ctx.bank = bank
            ctx.save_for_backward(x, bank.clone())
            return x @ bank.t()

        @staticmethod
        def backward(ctx, grad):
            x, seen = ctx.saved_tensors
            for i, row in enumerate(x):
                ctx.bank[i] = 0.5 * ctx.bank[i] + 0.5 * row
            return grad @ seen, None


    x, bank = torch.rand(2, 2, requires_grad=True), torch.rand(2, 2)
    Remember.apply(x, bank).sum().backward()
    print(bank)
    """,
)
CONTEXT_KEPT = suspect(
    "context-kept",
    "captured",
    "what is kept on `ctx` is overwritten by another call, or through another attribute",
    """
    import torch


    class Project(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, bank):
            ctx.bank = bank
            return x @ bank

        @staticmethod
        def backward(ctx, grad):
            grad_x = grad @ ctx.bank.t()
            ctx.bank.mul_(0.9)
            return grad_x, None


    x, bank = torch.rand(2, 2, requires_grad=True), torch.eye(2)
    loss = Project.apply(x, bank).sum() + Project.apply(x * 2, bank).sum()
    loss.backward()
    """,
)
STEPPED_DATA = suspect(
    "stepped-data",
    "kept",
    "a parameter made of a tensor shares its memory, so the optimizer changes that tensor, too",
    """
    import torch
    from torch import nn

    data = torch.rand(8, 2)
    centers = nn.Parameter(data[:3])
    optimizer = torch.optim.SGD([centers], lr=0.1)
    torch.cdist(data, centers).sum().backward()
    optimizer.step()
    mean = data.mean(0)
    """,
)
LIBRARY_WRITE = silent(
    "library-write",
    "`optimizer.step()` and `load_state_dict()` are called to change tensors that others hold",
    """
    import torch

    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        weight.square().sum().backward()
        optimizer.step()
    print(weight)
    """,
)
VARIABLE = silent(
    "variable",
    "a parameter or buffer is kept as a variable, not for the values that it has by then",
    """
    import torch
    from torch import nn

    net = nn.Linear(3, 1)
    weights = [net.weight]
    with torch.no_grad():
        net.weight.add_(1)
    size = weights[0].norm()
    """,
)
USED_VARIABLE = suspect(
    "used-variable",
    "captured",
    "a parameter is overwritten for the sake of a result, which is used as a value of its own",
    """
    import torch
    from torch import nn


    def scaled(layer, scale):
        kernel = layer.weight.detach()
        kernel *= scale
        return kernel, layer.bias.detach() * scale


    layer = nn.Linear(2, 2)
    kernel, bias = scaled(layer, 2.0)
    result = layer(torch.ones(2))
    """,
)
AROUND_AUTOGRAD = silent(
    "around-autograd",
    "who writes through `detach()` or `.data` wants the tensor itself to change",
    """
    import torch

    x = torch.zeros(3, requires_grad=True)
    y = x * 2
    array = y.detach().numpy()
    array += 1
    y.sum().backward()
    """,
)


def judge_memory(pair: Pair) -> Reason | None:
    """What the memory, or what it is kept as, tells; None if nothing."""
    told = _judge_facts(pair) or _judge_copies(pair) or judge_second_name(pair) or judge_table(pair)
    return told or _judge_arrays(pair) or _judge_owner(pair)


def _judge_facts(pair: Pair) -> Reason | None:
    write = pair.write
    if write.is_refused:
        return REFUSED
    if not write.certain:
        return UNSURE
    if reshapes(write.op) and _is_of_another_object(pair):
        return SHAPE_ALONE
    if "unmoved" in write.marks or puts_where_it_is(write):
        return NOTHING_CHANGED
    if _makes_the_same(pair):
        return DONE_ALREADY
    return RESTORED if _is_restored(pair) else None


def _is_of_another_object(pair: Pair) -> bool:
    """Whether what is read is surely another object than what was written: an array, or a detached tensor."""
    ours, theirs = pair.tensor, pair.target
    return ours.array != theirs.array or (ours.detached_from is None) != (theirs.detached_from is None)


def _makes_the_same(pair: Pair) -> bool:
    """Whether who reads does to each element what the write has done to it, which changes nothing once more."""
    written, reader = (twin_of(base_name(op)).lower() for op in (pair.write.op, pair.read.reader))
    return written == reader and again(pair.write.op) == "same"


def _is_restored(pair: Pair) -> bool:
    """Whether a clone is copied to what it was made of, which had the same values when what is read was bound.

    If no write is in view between the two, there was perhaps one out of view, or nothing to put back.
    """
    write, count = pair.write, pair.write.storage.count_until
    clone = clone_put_back(write)
    return clone is not None and count(pair.held.bound_at) == count(clone.made_at) < count(write.time - 1)


def _judge_copies(pair: Pair) -> Reason | None:
    if EXCHANGED.on and pair.write.op == EXCHANGE and pair.is_kept:
        return EXCHANGED
    if SHALLOW_COPY.on and _is_of_shallow_copy(pair) and pair.covered():
        return SHALLOW_COPY
    return _judge_comparison(pair)


def _is_of_shallow_copy(pair: Pair) -> bool:
    """Whether either what is read or what was written is a copy of the other, which was there at the write."""
    ours, theirs = pair.tensor.counter, pair.target.counter
    return ours.copied != theirs.copied and ours.copied_at < pair.write.time


def _judge_comparison(pair: Pair) -> Reason | None:
    """What is compared with what it came from, or put back there, was taken for a copy."""
    if TAKEN_FOR_COPY.on and is_compared_by_two_names(pair):
        return TAKEN_FOR_COPY if pair.covered() else None
    if pair.held.place == pair.written.place or not pair.covered():
        return None
    if CHANGED_TO_LOAD.on and pair.read.reader == LOAD_STATE_DICT and derived(pair.written, pair.held):
        return CHANGED_TO_LOAD
    if pair.read.reader == PUT_BACK:
        return CHECKED if CHECKED.on else None
    taken = TAKEN_FOR_COPY.on and is_taken_for_copy(pair.read, pair.held, pair.write)
    return TAKEN_FOR_COPY if taken else None


def _judge_arrays(pair: Pair) -> Reason | None:
    if ARRAYS.on and pair.target.array and pair.tensor.array:
        return ARRAYS
    if ARRAY_BESIDE.on and pair.target.array != pair.tensor.array:
        constant = pair.write.storage.is_constant(pair.written.bound_at)
        are_fields = pair.held.kind == pair.written.kind == "attribute"
        return ARRAY_BESIDE if constant or are_fields or _is_filled_as_tensor(pair) else None
    return None


def _is_filled_as_tensor(pair: Pair) -> bool:
    """Whether a new array got a name as a tensor before anything was in it, by which its items are filled."""
    write, written = pair.write, pair.written
    named = pair.held.kind == written.kind == "name" and pair.held.depth == written.depth
    made_here = not write.operand.tensor.external and not pair.tensor.external
    return named and made_here and write.op == SETITEM and not write.storage.count_until(written.bound_at)


def _judge_owner(pair: Pair) -> Reason | None:
    """What it tells whose memory was written: of a `ctx`, of an optimizer, of a module, of a tensor with a history."""
    return _judge_context(pair) or _judge_library(pair) or _judge_variable(pair) or _judge_detached(pair)


def _judge_library(pair: Pair) -> Reason | None:
    """An optimizer, or loading a state, writes what it was given for that."""
    if STEPPED_DATA.on and _is_data(pair) and pair.covered():
        return STEPPED_DATA
    known = pair.write.op in LIBRARY_WRITES and _is_known(pair) and not _is_laid_over(pair)
    return LIBRARY_WRITE if LIBRARY_WRITE.on and known else None


def _judge_variable(pair: Pair) -> Reason | None:
    """A parameter or buffer is kept."""
    if not (VARIABLE.on and pair.is_kept and not pair.held.detached and _is_variable(pair)):
        return None
    if USED_VARIABLE.on and is_used(pair.write):
        return USED_VARIABLE if pair.covered() else APART
    return VARIABLE


def _judge_detached(pair: Pair) -> Reason | None:
    """A tensor without its history is written, and that with the history is read."""
    history = pair.target.detached_from
    if not AROUND_AUTOGRAD.on or history is None:
        return None
    if pair.tensor.need.certain and pair.read.grad_mode:
        return AROUND_AUTOGRAD
    return AROUND_AUTOGRAD if _is_of_leaf(pair, history) else None


def _is_of_leaf(pair: Pair, history: AutogradMeta) -> bool:
    """Whether a leaf is read, be it without its history: nothing but `d = leaf.data; d.mul_(2)` can change it."""
    is_leaf = history.node is None and history.need.certain and not pair.held.detached
    return is_leaf and pair.tensor.detached_from is history


def _judge_context(pair: Pair) -> Reason | None:
    """What a custom function keeps on its `ctx` is written."""
    if not is_of_context(pair.written):
        return None
    if CONTEXT_KEPT.on and is_of_context(pair.held) and pair.held.place != pair.written.place:
        return CONTEXT_KEPT if pair.covered() else APART
    return CONTEXT if CONTEXT.on else None


def _is_data(pair: Pair) -> bool:
    """Whether an optimizer has written a leaf on the memory of what is no parameter, and was not made of one."""
    tensor = pair.tensor
    apart = (
        tensor.detached_from is None
        and tensor.autograd_meta is not pair.target.autograd_meta
        and not tensor.autograd_meta.parameter
    )
    return apart and pair.write.op == OPTIMIZER_STEP and not tensor.storage.filling


def _is_known(pair: Pair) -> bool:
    """Whether what is read is not cut off from the gradient, or the parameter that is written came from there."""
    return not pair.held.detached or any(link is pair.held for link in sources(pair.written))


def _is_laid_over(pair: Pair) -> bool:
    """Whether a parameter has become part of what is kept in a place, by `vector_to_parameters`."""
    return pair.written.is_vector_slice and any(link.place == pair.held.place for link in sources(pair.written))


def _is_variable(pair: Pair) -> bool:
    """Whether a parameter or buffer is kept; the groups of an optimizer, which others wrap, are of parameters."""
    lent = _family(pair.tensor).brought and pair.written.kind == "parameter" and not pair.write.documented
    return (pair.tensor.is_parameter and not lent) or is_variable(pair.held) or pair.held.key == "param_groups"


def _family(tensor: Tensor) -> AutogradMeta:
    return tensor.detached_from or tensor.autograd_meta
