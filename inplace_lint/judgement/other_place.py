"""Habits about another name, attribute or element for memory that was overwritten."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from inplace_lint.judgement import taken_out
from inplace_lint.judgement.buffers import judge_buffer
from inplace_lint.judgement.callees import ARGUMENT_CHANGED, judge_callee
from inplace_lint.judgement.in_passing import judge_in_passing
from inplace_lint.judgement.intent import for_output, is_average, is_collected, is_working_memory
from inplace_lint.judgement.memory import APART
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, fact, silent, suspect
from inplace_lint.judgement.tables import judge_registered
from inplace_lint.judgement.taken_by_name import AVERAGE
from inplace_lint.judgement.taken_out import judge_named_at_once, judge_taken_out
from inplace_lint.judgement.windows import judge_window
from inplace_lint.torch_model.bindings import alias_path, common_source, derived, is_chosen, passed_from, sources
from inplace_lint.torch_model.op_names import RETURN, SETITEM, copies, has_out
from inplace_lint.torch_model.op_table import adds, fills
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.regions import at_opposite_ends, shifted_up

UNRELATED = fact("unrelated", "the two places have nothing to do with each other in the program")
OTHER_NAME = fact("other-name", "another name for the memory was used to change it", "alias")
KEPT_AND_CHANGED = fact("kept-and-changed", "what was kept is changed under another name", "captured")

GRADIENT = silent(
    "gradient",
    "who reads `.grad` wants the gradient as it is by then, clipped or scaled",
    """
    import torch
    from torch import nn

    net = nn.Linear(2, 1, bias=False)
    flat = torch.rand(2)
    net.weight.grad = flat.view_as(net.weight)
    net(torch.ones(2)).sum().backward()
    flat /= flat.norm()
    step = net.weight.grad * 0.1
    """,
)
DECAYED_GRADIENT = suspect(
    "decayed-gradient",
    "captured",
    "a step adds parameters to `.grad` itself, as weight decay, and that is read as the gradient afterwards",
    """
    import torch


    class Decayed(torch.optim.Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": 0.1})

        @torch.no_grad()
        def step(self, closure=None):
            for p in self.param_groups[0]["params"]:
                grad = p.grad
                grad.add_(p, alpha=0.01)
                p.sub_(grad, alpha=0.1)


    weight = torch.ones(3, requires_grad=True)
    optimizer = Decayed([weight])
    weight.exp().sum().backward()
    optimizer.step()
    print(weight.grad)
    """,
)
WORKING_MEMORY = silent(
    "working-memory",
    "what an object keeps as `workspace` or `scratch` is there to be overwritten",
    """
    import torch


    class Sums:
        def __init__(self):
            self.workspace = torch.zeros(4)

        def total(self, values):
            sums = self.workspace
            sums.copy_(values)
            total = sums
            total *= 2
            return total.abs()


    sums = Sums()
    result = sums.total(torch.ones(4))
    print(sums.workspace)
    """,
)
LOOP_VARIABLE = silent(
    "loop-variable",
    "a loop over tensors changes each of them on purpose",
    """
    import torch

    sample = torch.ones(3)
    middle = sample * 2
    for each in (sample, middle):
        each += 1
    result = sample * middle
    """,
)
PARAMETER_PASSED = silent(
    "parameter-passed",
    "a parameter of a module is passed as a variable, to be used as it is by then",
    """
    import torch
    from torch import nn


    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.rand(2, 2))

        def forward(self, x):
            return self.scaled(self.weight, x)

        def scaled(self, weight, x):
            with torch.no_grad():
                self.weight.clamp_(0, 1)
            return x @ weight


    result = Layer()(torch.ones(2))
    """,
)
NAMED_AFTER = silent(
    "named-after",
    "a name like `data_2d` stands for `data` in another shape",
    """
    import torch

    data = torch.rand(6)
    data_2d = data
    data_2d.add_(1)
    result = data * 2
    """,
)
FILLED = silent(
    "filled",
    "another name for a tensor that is being filled shows what it is filled with",
    """
    import torch

    buffer = torch.ones(3)
    buffer.mul_(2)
    part = buffer
    part[0] = 5
    result = buffer.clone()
    """,
)
CHOSEN = silent(
    "chosen",
    "what is chosen from a list stands for elements of that list, which a loop changes",
    """
    import torch

    values = [torch.rand(3) for _ in range(4)]
    chosen = [values[i] for i in (2, 0)]
    for each in values:
        each += 1
    print(chosen[0])
    """,
)
BUFFER_PART = silent(
    "buffer-part",
    "what is kept of a buffer before it has values shows what it is filled with",
    """
    import torch

    packed = torch.empty(2)
    parts = [packed[i].view(1) for i in range(2)]
    packed.copy_(torch.ones(2))
    result = torch.cat(parts)
    """,
)
SHIFTED_TARGETS = suspect(
    "shifted-targets",
    "kept",
    "inputs and targets are cut out of one sequence, and what is masked in the targets is lost for the inputs",
    """
    import torch

    tokens = torch.arange(6)
    inputs, labels = tokens[:-1], tokens[1:]
    labels[:2] = -100
    result = inputs * 1
    """,
)
OPPOSITE_ENDS = silent(
    "opposite-ends",
    "a position that is counted from the end, `-n + i`, is another one than a position counted from the front",
    """
    import torch


    class Pipe:
        def __init__(self, width):
            self.width = width

        def blend(self, a, b, width):
            width = min(a.shape[1], width)
            for i in range(width):
                b[:, i] = a[:, -width + i]
            return b

        @torch.no_grad()
        def __call__(self, shape):
            circle = torch.randn(shape)
            return self.blend(circle, circle, self.width)
    """,
)


def judge_other_place(pair: Pair) -> Reason:
    """Another place than what was written is read, which has or had the same memory."""
    in_statement = pair.write.use in ("statement", "rebound")
    if DECAYED_GRADIENT.on and _is_decayed(pair):
        return DECAYED_GRADIENT
    if GRADIENT.on and _is_gradient(pair.held) and in_statement:
        return GRADIENT
    if WORKING_MEMORY.on and is_working_memory(pair.read, pair.held):
        return WORKING_MEMORY
    if (buffer := judge_buffer(pair)) is not None:
        return buffer
    if SHIFTED_TARGETS.on and _is_shifted_target(pair):
        return SHIFTED_TARGETS
    reason = _judge_kept(pair) if pair.is_kept else _judge_named(pair)
    return reason if reason.kind is None else _judge_extent(pair, reason)


def _is_gradient(held: Binding) -> bool:
    """Whether what is read is `.grad`, or a name that stands for it."""
    kept = next((link for link in links_of(held) if link.kind != "name"), None)
    named = held.kind != "name" or held.label in _GRADIENTS
    return kept is not None and kept.keeper == "gradient" and (kept is held or named)


def _is_decayed(pair: Pair) -> bool:
    """Whether a call that is over has added to a gradient what is a parameter, and no gradient."""
    added = adds(pair.write.op) and any(other.tensor.is_leaf and other.tensor.need for other in pair.write.others)
    over = not set(pair.write.calls) <= set(pair.read.calls)
    return added and over and _is_gradient(pair.held) and pair.covered()


_GRADIENTS = frozenset("g grad gradient d_p".split())


def _judge_extent(pair: Pair, reason: Reason) -> Reason:
    """Whether the write reaches what is read, and is seen there as it was meant."""
    if BUFFER_PART.on and _was_buffer(pair):
        return BUFFER_PART
    if pair.apart():
        return APART
    if OPPOSITE_ENDS.on and at_opposite_ends(pair.tensor.region, pair.target.region):
        return OPPOSITE_ENDS
    if reason is taken_out.FILLED_AS_RESULT:
        return reason  # What is returned was filled row by row.
    if reason.kind == "captured":
        return reason if pair.covered() else APART
    if pair.tensor.sizes == ():
        return reason if pair.within() else APART  # Who named one number wants that number.
    if _is_given_back(pair):
        return ARGUMENT_CHANGED
    return judge_in_passing(pair) or judge_window(pair, reason)


def _was_buffer(pair: Pair) -> bool:
    """Whether there was nothing in the memory when a place was given it, or a part of it but one and the same value."""
    since, storage = pair.held.bound_at, pair.write.storage
    filled = fills(pair.write.op) or (pair.read.reader == RETURN and pair.callee() is not None)
    shown = bool(pair.held.region) and (pair.held.kind == "attribute" or filled)
    return storage.is_blank(since) or (shown and storage.is_constant(since))


_TARGETS = frozenset("label labels target targets tgt trg y gold".split())


def _is_shifted_target(pair: Pair) -> bool:
    """Whether what goes by a name for targets is written, and the same sequence, shifted, is read as something else."""
    if _names_targets(pair.held) or not _names_targets(pair.written):
        return False
    mine, written = pair.held.region or (), pair.written.region or ()
    if pair.apart() or not (shifted_up(written, mine) or shifted_up(mine, written)):
        return False
    ours = {source.place for source in sources(pair.held)}
    return any(source.place in ours for source in sources(pair.written))


def _names_targets(binding: Binding) -> bool:
    """Whether a variable, attribute or key says that a model is to give this."""
    return binding.name.rpartition("_")[2] in _TARGETS


def _is_given_back(pair: Pair) -> bool:
    """Whether a function gave back the part that it was given, which its caller takes for another value."""
    return pair.is_given_back() and pair.covered() and judge_callee(pair) is ARGUMENT_CHANGED


def _chain(pair: Pair) -> Iterator[Binding]:
    """The binding that was written, and the callers' bindings that it came from."""
    yield pair.written
    yield from passed_from(pair.written)


def _judge_named(pair: Pair) -> Reason:
    """The read is through a variable."""
    held, chain = pair.held, list(_chain(pair))
    if LOOP_VARIABLE.on and _is_of_loop(pair, chain):
        laid_over = taken_out.LAID_OVER.on and any(link.is_vector_slice for link in links_of(pair.written))
        return taken_out.LAID_OVER if laid_over else LOOP_VARIABLE
    if PARAMETER_PASSED.on and held.kind == "parameter" and pair.tensor.autograd_meta.parameter:
        return PARAMETER_PASSED
    if NAMED_AFTER.on and any(_is_named_after(link, held) for link in chain):
        return NAMED_AFTER
    if FILLED.on and _shows_filling(pair):
        return FILLED
    return OTHER_NAME if _is_related(pair, chain) else UNRELATED


def _is_related(pair: Pair, chain: list[Binding]) -> bool:
    """Whether one of two names comes from the other, or both from the same place."""
    held = pair.held
    # All of it gets other values, as if the attribute were given another tensor.
    if copies(pair.write.op) or has_out(pair.write.op):
        chain = [*chain, *_shortened_by(held, chain)]
    return any(derived(link, held) or derived(held, link) for link in chain) or common_source(held, pair.written)


def _shortened_by(held: Binding, chain: list[Binding]) -> Iterator[Binding]:
    """The attributes, or their elements, for which a callee of the function with that name has local names."""
    for link in chain:
        if link.kind == "name" and link.depth > held.depth and link.source is not None:
            yield from (link.source,) if link.source.kind in ("attribute", "element") else ()


def _is_of_loop(pair: Pair, chain: list[Binding]) -> bool:
    own = {link.place for link in links_of(pair.held)}
    taken = [link for link in takewhile(lambda link: link.place not in own, chain) if link.in_loop]
    if not taken or _is_given_back(pair):
        return False
    return not any(is_collected(link, pair.write) for link in taken)


_SHAPES = ("1d", "2d", "3d", "4d", "flat", "flattened", "view", "reshaped")


def _is_named_after(other: Binding, binding: Binding) -> bool:
    """Whether a name says that it stands for another shape of what is elsewhere: `data_2d`, of `data`."""
    name, _, shape = other.label.rpartition("_")
    return name == binding.label and shape in _SHAPES


def _shows_filling(pair: Pair) -> bool:
    """Whether the new name is one more for what is filled by the old one, too, or by a call that has it as `out`."""
    if len(pair.write.stack) > pair.held.depth and for_output(pair.written):
        return True
    if pair.write.op != SETITEM and not pair.write.filler:
        return False
    return for_output(pair.written) or _is_changed_by(pair) or _is_given_for_result(pair)


def _is_given_for_result(pair: Pair) -> bool:
    """Whether the memory got a new name by which an op was given it for its result, but not as an operand."""
    itself = any(other.tensor.storage is pair.write.storage for other in pair.write.others)
    return has_out(pair.write.op) and derived(pair.written, pair.held) and not itself


def _is_changed_by(pair: Pair) -> bool:
    """Whether the memory was changed through this very place, before another name was used for it."""
    return any(
        earlier.operand.binding is not None
        and earlier.operand.binding.place == pair.held.place
        for earlier in pair.write.storage.latest(pair.write.time - 1)
    )  # fmt: skip


def _judge_kept(pair: Pair) -> Reason:
    """The read is through an attribute or element."""
    chain = list(_chain(pair))
    way = next((way for link in chain if (way := alias_path(link, pair.held)) is not None), None)
    if way is not None:
        return judge_taken_out(pair, way)
    if CHOSEN.on and is_chosen(pair.held) and pair.written.in_loop:
        return CHOSEN
    if (reason := judge_registered(pair.held, chain) or judge_named_at_once(pair, chain)) is not None:
        return reason
    if any(derived(pair.held, link) for link in chain) or common_source(pair.held, pair.written):
        averaged = pair.held.keeper == "optimizer" and is_average(pair.write)
        return AVERAGE if AVERAGE.on and averaged else KEPT_AND_CHANGED
    return UNRELATED
