"""Writes that autograd does not see, to tensors of a graph that is differentiated afterwards."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator

from inplace_lint.judgement.broken_saves import broken
from inplace_lint.judgement.filled_anew import is_filled_anew
from inplace_lint.judgement.intent import LIBRARY_WRITES, is_average, others_need, puts_where_it_is
from inplace_lint.judgement.pair import links_of
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Backward, Read, Trace, Write
from inplace_lint.torch_model.graph import reachable
from inplace_lint.torch_model.op_names import EXCHANGE, LOAD_STATE_DICT, RETURN, SETITEM, base_name, copies, method_of
from inplace_lint.torch_model.op_table import levels, shifts
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.regions import apart, meet
from inplace_lint.torch_model.tensor import YES, AutogradMeta, Node, Storage, Tensor


def hidden_changes(trace: Trace) -> Iterator[tuple[Write, Read]]:
    """Writes that no gradient sees, to a result that is differentiated through afterwards.

    Of a tensor that perhaps requires no grad, those that put in what does, if it does, or what parameters have a
    share in.
    """
    reported = {id(found.write) for found in broken(trace)}
    moved = set(_moved_along_gradients(trace))
    for event in trace.events:
        if not isinstance(event, Read) or not event.grad_mode or event.operand.tensor.detached_from is not None:
            continue
        if event.operand.tensor.storage in moved:
            continue
        writes = event.operand.tensor.storage.writes
        trace.effort.spend(len(writes))
        for write, _, _ in writes:
            if write.time > event.time or id(write) in reported or _is_masked_out(write, event):
                continue
            if _is_hidden(write, event):
                if _is_for_nothing(event, trace):
                    break
                reported.add(id(write))
                yield write, event


def _moved_along_gradients(trace: Trace) -> Iterator[Storage]:
    """The variables of searches: what is moved along gradients beside autograd is differentiated anew after that.

    Who may differentiate the gradients themselves, with `create_graph`, wants the step to be seen.
    """
    passes = {event.site for event in trace.events if isinstance(event, Backward) and event.via == "grad"}
    for write in trace.writes_since(0) if passes else ():
        put_in = (*write.others, *write.terms) if write.operand.tensor.detached_from is not None else ()
        if any(_is_gradient(each, passes) and not each.tensor.need for each in put_in):
            yield write.storage


def _is_hidden(write: Write, read: Read) -> bool:
    """Whether what is read was changed so that no gradient sees it."""
    tensor = read.operand.tensor
    unseen = _unseen if tensor.need.certain and not tensor.is_leaf else _loses_gradient
    return (unseen(write, tensor) and not _averages_state(write, read)) or _hides(write, read)


def _unseen(write: Write, tensor: Tensor) -> bool:
    written = write.operand.tensor
    elsewhere = write.storage is not tensor.storage  # `x.data = ...` leaves the old memory as it was
    if elsewhere or write.op in LIBRARY_WRITES or write.is_refused or "custom" in write.marks:
        return False
    if apart(written.region, tensor.region):
        return False
    if shifts(write.op) and not others_need(write):
        return False
    if written.detached_from is not None:
        return written.detached_from is tensor.autograd_meta
    same = not write.grad_mode and written.autograd_meta is tensor.autograd_meta and write.had_need == YES
    return same and _overwrites_history(write)


def _is_for_nothing(read: Read, trace: Trace) -> bool:
    """Whether a tensor is read only to be copied to itself, or to make what is filled anew: that has no gradient."""
    if is_filled_anew(read, trace):
        return True
    storage = read.operand.tensor.storage
    first = storage.count_until(read.time)
    return any(
        write.statement == read.statement and write.op == read.reader and puts_where_it_is(write)
        for write, _, _ in storage.writes[first : first + 1]
    )


def _averages_state(write: Write, read: Read) -> bool:
    """Whether an average is brought up to date that an object keeps, and had before the running calls began."""
    tensor = read.operand.tensor
    kept = next((link for link in links_of(read.operand.binding) if link.kind == "attribute"), None)
    if kept is None or tensor.need.certain or not is_average(write):
        return False
    running = write.calls[kept.depth - 1 : kept.depth]
    by_other_call = kept.depth > 0 and all(began > kept.bound_at for began in running)
    return kept.bound_at < write.time and (tensor.external or by_other_call)


def _hides(write: Write, read: Read) -> bool:
    """Whether a block without gradients gives computed values to a part of what may have a history, read after it.

    A function that records nothing says so as a whole; and what an object brings along is brought up to date so.
    """
    tensor, meta = read.operand.tensor, read.operand.tensor.autograd_meta
    if write.grad_mode or write.is_refused or write.documented or write.operand.tensor.autograd_meta is not meta:
        return False
    if write.calls != read.calls or read.reader == RETURN or (tensor.external and _is_kept(write.operand)):
        return False
    has_history = tensor.need and not meta.parameter and not tensor.is_leaf
    return bool(has_history and write.op == SETITEM and not write.filler and write.others)


def _is_kept(operand: Operand) -> bool:
    """Whether an object keeps what was written, by whatever name."""
    return any(link.kind == "attribute" for link in links_of(operand.binding))


def _loses_gradient(write: Write, tensor: Tensor) -> bool:
    """Whether a write through `.data` or `detach()` puts in what requires grad, and gets none this way.

    Copying a parameter as it is, or writing what is kept, is how weights and averages of them are set.
    """
    meta, binding = tensor.autograd_meta, write.operand.binding
    if write.operand.tensor.detached_from is not meta or meta.parameter or not write.grad_mode:
        return False
    if (
        write.op in LIBRARY_WRITES
        or write.is_refused
        or (binding is not None and binding.kind in ("attribute", "element"))
    ):
        return False
    computed = not (tensor.is_leaf or write.filler) and any(each.tensor.need for each in write.others)
    return computed or (binding is not None and _shares_parameters(write, tensor))


def computed_parameters(trace: Trace) -> Iterator[tuple[Write, Read]]:
    """Parameters that are set to what is computed from others, and then used: the others get no gradient.

    Weights that are updated, averaged or rounded are computed from themselves, too, or are not used any more; but a
    step along a gradient whose size is a parameter is there to learn that.
    """
    set_to: dict[AutogradMeta, Write] = {}
    passes: set[Site | None] = set()
    for event in trace.events:
        if isinstance(event, Backward) and event.via == "grad":
            passes.add(event.site)
        if isinstance(event, Write):
            meta = event.operand.tensor.detached_from or event.operand.tensor.autograd_meta
            if meta.parameter and event.op != LOAD_STATE_DICT:
                set_to.pop(meta, None)
                if _is_computed_from_others(event, meta) or _is_lost_step(event, passes, trace):
                    set_to[meta] = event
        elif isinstance(event, Read) and _is_use(event):
            write = set_to.pop(event.operand.tensor.autograd_meta, None)
            if write is not None and not _is_converted(write, event):
                yield write, event


def _is_use(read: Read) -> bool:
    """Whether a layer reads what may be a parameter, while gradients are recorded."""
    return read.grad_mode and read.operand.tensor.detached_from is None and _is_layer(read)


def _is_converted(write: Write, read: Read) -> bool:
    """Whether a function has made the layer, and is over when that is used: it puts it in the place of others."""
    over = not set(write.calls) <= set(read.calls)
    return over and write.storage.made_in == write.calls


def _is_layer(read: Read) -> bool:
    """Whether a layer reads a parameter, or a model of which nothing else is known."""
    unseen = not read.operand.text and not read.reader.startswith("torch.") and read.reader != RETURN
    return unseen or read.reader.startswith("torch.nn.") or base_name(read.reader) in _LAYERS


# What people write layers with, wherever that is defined: a habit, which no op knows.
_LAYERS = frozenset("functional_call linear conv1d conv2d conv3d bilinear embedding matmul mm bmm addmm einsum".split())


def _is_computed_from_others(write: Write, meta: AutogradMeta) -> bool:
    if not write.grad_mode or not (copies(write.op) or write.op == EXCHANGE) or write.is_refused:
        return False
    put_in = write.others if write.source is None else (write.source,)
    computed = [each.tensor for each in put_in if each.tensor.need and not each.tensor.is_leaf]
    shares = {leaf for each in computed for leaf in _parameters(each)}
    return bool(shares) and meta not in shares


def _is_lost_step(write: Write, passes: Container[Site | None], trace: Trace) -> bool:
    """Whether a parameter is moved along a gradient where something was to be learned by that."""
    return _is_step_of_learned_size(write, passes) or _is_step_along_recorded(write, trace)


def _is_step_of_learned_size(write: Write, passes: Container[Site | None]) -> bool:
    """Whether a parameter is moved along a gradient, unseen by autograd, so far as another parameter says.

    Args:
        passes: where `autograd.grad` has given gradients.
    """
    aside = write.operand.tensor.detached_from is not None and base_name(method_of(write.op)) in _STEPS
    if not (aside or write.op == EXCHANGE) or not write.grad_mode or write.is_refused:
        return False
    put_in = write.others if write.source is None else (write.source,)
    nodes = list(_factors(each.tensor.autograd_meta.history for each in put_in if each.tensor.need.certain))
    if not any(map(_has_learned_factor, nodes)):
        return False
    return any(node.op == _GRADIENT for node in nodes) or any(_is_gradient(term, passes) for term in write.terms)


def _is_step_along_recorded(write: Write, trace: Trace) -> bool:
    """Whether a parameter is moved, unseen by autograd, along a gradient that was recorded, and serves nothing else.

    Who records a gradient (`create_graph=True`) is to differentiate it; a penalty would do so.
    """
    aside = write.operand.tensor.detached_from is not None and base_name(method_of(write.op)) in _STEPS
    if not aside or not write.grad_mode or write.is_refused:
        return False
    put_in = write.others if write.source is None else (write.source,)
    along = {node for node in _factors(each.tensor.autograd_meta.history for each in put_in) if node.op == _GRADIENT}
    return bool(along) and not any(
        isinstance(event, Read)
        and event.operand.tensor.autograd_meta.node in along
        and event.statement != write.statement
        and event.reader.startswith("torch.")
        for event in trace.events
    )


def _is_gradient(term: Operand, passes: Container[Site | None]) -> bool:
    return term.tensor.made_site in passes or (term.binding is not None and term.binding.keeper == "gradient")


def _has_learned_factor(node: Node) -> bool:
    leaves = (source for source in node.inputs if isinstance(source, AutogradMeta))
    return node.op != _GRADIENT and any(leaf.parameter for leaf in leaves)


# How people write the step of an optimizer: others of the table's ops do the same to a gradient, and mean else.
_STEPS = frozenset({"add_", "sub_", "addcmul_", "copy_"})
_GRADIENT = "torch.autograd.grad"


def _factors(roots: Iterable[Node | AutogradMeta]) -> Iterator[Node]:
    """The nodes of a graph, without those behind what `autograd.grad` gave."""
    todo, seen = list(roots), set[int]()
    while todo:
        node = todo.pop()
        if isinstance(node, AutogradMeta) or id(node) in seen:
            continue
        seen.add(id(node))
        yield node
        if node.op != _GRADIENT:
            todo += node.inputs


def _shares_parameters(write: Write, tensor: Tensor) -> bool:
    """Whether parameters have a share in what a write puts in, and none in what it changes."""
    put_in = [each.tensor for each in write.others if each.tensor.need.certain]
    shares = {leaf for each in put_in if not (write.filler and each.is_leaf) for leaf in _parameters(each)}
    return bool(shares - _parameters(tensor))


def _parameters(tensor: Tensor) -> set[AutogradMeta]:
    """The parameters that a tensor is computed from."""
    history = tensor.autograd_meta.history
    nodes = reachable([history])
    leaves = [history, *(source for node in nodes for source in node.inputs)]
    return {leaf for leaf in leaves if isinstance(leaf, AutogradMeta) and leaf.parameter}


def _overwrites_history(write: Write) -> bool:
    """Whether what a write changes had a history: not the part of a plain tensor that nothing was put into."""
    before = [earlier for earlier, _, _ in write.storage.writes if earlier.time < write.time]
    if not before or before[0].had_need:
        return True
    ours = write.operand.tensor.region
    regions = (earlier.operand.tensor.region for earlier in before if others_need(earlier))
    return ours is None or any(theirs is None or meet(ours, theirs) for theirs in regions)


def _is_masked_out(write: Write, read: Read) -> bool:
    """Whether backward gives what was written no gradient, as a constant: it is as good as minus infinity."""
    return "masked" in write.marks and (read.reader == RETURN or levels(read.reader))
