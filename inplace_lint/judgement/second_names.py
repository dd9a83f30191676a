"""Habits about containers, objects and modules with two names: what they hold is written by one, and read by the other.

What is in a container has one place, whatever name the container goes by. The way to it tells the names apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from inplace_lint.judgement.intent import parted
from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, suspect
from inplace_lint.torch_model.bindings import is_copy, is_given_back, origin
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.op_names import EXCHANGE, base_name, changes_statistics
from inplace_lint.torch_model.operands import Binding, BindingKind, Operand, Way

ADDED_UP = suspect(
    "added-up",
    "captured",
    "others of a list are added to what the first of them keeps, which was taken for a sum of its own",
    """
    import torch


    def average(states):
        mean = states[0]
        for key in mean:
            for other in states[1:]:
                mean[key] += other[key]
            mean[key] /= len(states)
        return mean


    states = [{"weight": torch.rand(2)} for _ in range(3)]
    mean = average(states)
    size = states[0]["weight"].norm()
    """,
)
SECOND_NAME = suspect(
    "second-name",
    "captured",
    "a second name for a container or object goes on with other values, as if it were a copy",
    """
    import torch

    batch = {"image": torch.rand(4)}
    noisy = batch
    noisy["image"] += torch.rand(4)
    result = noisy["image"].mean() / batch["image"].mean()
    """,
)
COPIED_CONTAINER = suspect(
    "copied-container",
    "captured",
    "copying a dictionary, list or object copies no tensors, so both have the changed one",
    """
    import torch

    batch = {"image": torch.rand(4)}
    clipped = dict(batch)
    clipped["image"].clamp_(max=0.5)
    ratio = batch["image"].mean() / clipped["image"].mean()
    """,
)
COPIED_MODULE = suspect(
    "copied-module",
    "captured",
    "`copy.copy` of a module shares its parameters, so the copy has the changed ones",
    """
    import copy
    import torch
    from torch import nn

    net = nn.Linear(2, 1)
    other = copy.copy(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.rand(3, 4, 2):
        loss = (net(x) - other(x).detach() - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """,
)
STILL_NETWORK = suspect(
    "still-network",
    "captured",
    "a network called `target`, `teacher` or `old` is a second name for the one that is trained, and changes with it",
    """
    import torch
    from torch import nn

    net = nn.Linear(2, 1)
    target_net = net
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.rand(3, 4, 2):
        loss = (net(x) - target_net(x).detach() - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """,
)
SHARED_STATISTICS = suspect(
    "shared-statistics",
    "captured",
    "a module was given another one's buffers in a copied dictionary, so training one changes what both have",
    """
    import torch
    from torch import nn

    online, target = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    target._buffers = online._buffers.copy()
    target(torch.rand(4, 2))
    result = online.eval()(torch.rand(4, 2))
    """,
)


@dataclass(slots=True, eq=False)
class TwoNames:
    """What has something, by two ways: the bindings in which it was, when it was read, and when it was written."""

    read: Binding
    written: Binding


def judge_second_name(pair: Pair) -> Reason | None:
    """What is read is in something that was written by another name; None if the names tell nothing."""
    if not pair.covered():
        return None
    if ADDED_UP.on and _adds_up(pair):
        return ADDED_UP
    if COPIED_CONTAINER.on and _is_of_copied_container(pair):
        return COPIED_CONTAINER
    if SHARED_STATISTICS.on and _has_anothers_statistics(pair):
        return SHARED_STATISTICS
    names = two_names(pair)
    return _judge_names(pair, names) if names is not None else None


def _judge_names(pair: Pair, names: TwoNames) -> Reason | None:
    """What the two names tell of that which has what is read."""
    if COPIED_MODULE.on and _is_of_copy(pair, names):
        return COPIED_MODULE
    if STILL_NETWORK.on and _is_of_still_network(pair, names):
        return STILL_NETWORK
    return SECOND_NAME if SECOND_NAME.on and _goes_on(pair, names) and not is_of_result(pair) else None


def _is_of_copied_container(pair: Pair) -> bool:
    """Whether what is read and what was written are in a container and its copy, or in two copies of it."""
    written = next((link for link in links_of(pair.written) if link.kind in ("attribute", "element")), None)
    if written is None or written.owner == pair.held.owner or pair.held.region != written.region:
        return False  # A copy has the very tensors, no views of them.
    if pair.tensor.is_parameter and pair.held.kind == "element" and isinstance(pair.held.key, int):
        return False  # Lists of parameters are copied to go through them more than once.
    first = origin(written)
    # Who changes a model by its state has no use for a copy of the dictionary.
    of_state = first.place != written.place and first.keeper == "state_dict"
    return of_state or origin(pair.held).place == first.place


def _has_anothers_statistics(pair: Pair) -> bool:
    """Whether a layer in training has written what it was given in a dictionary that another one has made."""
    return changes_statistics(pair.write.op) and _given_by(pair.written) == pair.held.place


def _given_by(binding: Binding) -> tuple[object, object] | None:
    """The attribute of that name of another object that a dictionary had under its name; None if there is none."""
    element = binding.source
    if element is None or element.kind != "element" or element.source is None or binding.kind != "attribute":
        return None
    first = element.source
    return first.place if first.kind == "attribute" and first.key == binding.key else None


def is_compared_by_two_names(pair: Pair) -> bool:
    """Whether a tensor is compared with itself, as part of a container or object that goes by two names."""
    twin, place = pair.read.twin, pair.held.place
    if twin is None:
        return False
    mine, theirs = _way_to(place, pair.read.operand), _way_to(place, twin)
    while mine is not None and theirs is not None:
        one, other = _named(mine.binding), _named(theirs.binding)
        if one.place != other.place:
            if _had_one_name(mine.binding, theirs.binding, pair.write):
                return False  # The write is in both, as who gave it a second name knew.
            # A loop may compare all of several with one of them.
            return _is_of_loop(mine.binding) == _is_of_loop(theirs.binding)
        mine, theirs = _way_on(mine, one), _way_on(theirs, other)
    return False


def _had_one_name(one: Binding, other: Binding, write: Write) -> bool:
    """Whether something got its second name after a write, and not from the call that wrote."""
    links = (link for each in (one, other) for link in links_of(each))
    given = any(link.bound_at > write.time and (link.is_result or is_given_back(link)) for link in links)
    return parted(one, other) > write.time and not given


def two_names(pair: Pair) -> TwoNames | None:
    """The two names that something had when a part of it was written; None if it was read by the same one."""
    place, time = pair.held.place, pair.write.time
    mine, theirs = _way_to(place, pair.read.operand), _way_to(place, pair.write.operand)
    while mine is not None and theirs is not None:
        held = next((link for link in links_of(mine.binding) if link.bound_at < time), None)
        if held is None:
            return None
        one, other = _named(held), _named(theirs.binding)
        if one.place != other.place:
            return TwoNames(one, other)
        mine, theirs = _way_on(mine, one), _way_on(theirs, other)
    return None


def _is_of_loop(binding: Binding) -> bool:
    return any(link.in_loop for link in links_of(binding))


def _ways(binding: Binding | None, way: Way | None) -> Iterator[tuple[Binding, Way | None]]:
    """A binding and those that its value was read from, nearest first, each with the way by which it was reached."""
    for link in links_of(binding):
        yield link, way
        way = link.way


def _way_to(place: tuple[object, object], operand: Operand) -> Way | None:
    """How a place was reached where an operand came from."""
    return next((way for link, way in _ways(operand.binding, operand.way) if link.place == place), None)


def _way_on(way: Way, binding: Binding) -> Way | None:
    """How one of the bindings of a way was reached in turn."""
    return next((each for link, each in _ways(way.binding, way.of) if link is binding), None)


def _named(binding: Binding) -> Binding:
    """The binding that a parameter stands for."""
    while binding.kind == "parameter" and binding.source is not None:
        binding = binding.source
    return binding


def _adds_up(pair: Pair) -> bool:
    """Whether what was written was reached by a name for an element of a list, of which others were added to it.

    It may have been put under a key of another dictionary by then.
    """
    operand = pair.write.operand
    if pair.held.keeper == "optimizer" or is_of_result(pair) or _replaces_all(pair.write):
        return False
    entry = None if _adds_lists(pair.write) else _entry_begun(operand)
    return any(_is_sum_of(pair, begun) for begun in (_name_of_holder(operand), entry) if begun)


def _adds_lists(write: Write) -> bool:
    return base_name(write.op).startswith("_foreach")


def _added(write: Write) -> list[Operand]:
    """What a write adds; of an op on lists only the elements of a list that a loop goes through."""
    added = [*write.others, *write.terms]
    if not _adds_lists(write):
        return added
    return [each for each in added if (name := _name_of_holder(each)) is not None and _is_of_loop(name)]


def _is_sum_of(pair: Pair, begun: Binding) -> bool:
    """Whether a sum was begun with one of several: who reads by its name, or what the call gave, has the sum."""
    added = [each for each in _added(pair.write) if not _is_unpacked_with(_name_of_holder(each), begun)]
    read = pair.read.operand
    mine = set(_passed(begun, None, "element"))
    others = {place for each in added for place in _passed(each.binding, each.way, "element")}
    if pair.write.storage.made_at > begun.bound_at:
        return False  # It is a sum of its own, begun by that name.
    if begun.place in set(_passed(read.binding, read.way, begun.kind)):
        return False
    return any(list_ == one and key != other for list_, key in mine for one, other in others)


def _is_unpacked_with(name: Binding | None, other: Binding) -> bool:
    """Whether two names were given elements of one tuple by one statement, as `for target, source in pairs` does."""
    one, two = name.source if name is not None else None, other.source
    if name is None or one is None or two is None or name.site is None or other.site is None:
        return False
    together = name.site.span.row == other.site.span.row and one.owner == two.owner
    return together and one.kind == two.kind == "element" and one.place != two.place


def _entry_begun(operand: Operand) -> Binding | None:
    """The entry of a dictionary that a loop has begun with a value of another one, to add more to it."""
    entry = operand.binding
    return entry if entry is not None and entry.kind == "element" and entry.source is not None else None


def _replaces_all(write: Write) -> bool:
    """Whether nothing of what was there goes into what is put there."""
    return write.filler and all(term.tensor.storage is not write.storage for term in write.terms)


def _name_of_holder(operand: Operand) -> Binding | None:
    """The variable by which something was reached."""
    way = next((way for _, way in _ways(operand.binding, operand.way) if way is not None), None)
    while way is not None:
        named = _named(way.binding)
        if named.kind == "name":
            return named
        way = way.of
    return None


def is_of_result(pair: Pair) -> bool:
    """Whether what is read was reached by what a call gave."""
    return any(
        is_given_back(link)
        for _, way in _ways(pair.read.operand.binding, pair.read.operand.way)
        if way is not None
        for link in links_of(way.binding)
    )


def _passed(binding: Binding | None, way: Way | None, kind: BindingKind) -> Iterator[tuple[object, object]]:
    """The places of a kind that a value went through, and those by which it was reached."""
    links = list(_ways(binding, way))
    for link, each in links[:_MOST_LINKS]:
        if link.kind == kind:
            yield link.place
        if each is not None:
            yield from _passed(each.binding, each.of, kind)


_MOST_LINKS = 8


def _is_of_copy(pair: Pair, names: TwoNames) -> bool:
    """Whether parameters are shared with a copy of their module, and one of the two was read, the other written.

    A copy that is part of a larger module is there to share them.
    """
    if not pair.tensor.is_parameter:
        return False
    copies = [each for each in (names.read, names.written) if any(map(is_copy, links_of(each)))]
    return len(copies) == 1 and copies[0].kind == "name"


def second_network(read: Read, held: Binding, write: Write) -> Binding | None:
    """The second name of the network that was read, trained by its first one."""
    written = write.operand.binding
    names = two_names(Pair(read, write, held, written)) if written is not None else None
    return names.read if names is not None else None


def shared_networks(trace: Trace) -> Iterator[tuple[Write, str, str]]:
    """Assignments that give parameters of a network which is not trained the memory of those of another one.

    Yields: the write, and how the source spells the two networks.
    """
    for write in trace.events:
        if isinstance(write, Write) and write.op == EXCHANGE and write.source is not None and STILL_NETWORK.on:
            mine, theirs = _network_of(write.operand), _network_of(write.source)
            if _breaks_promise(mine, theirs):
                yield write, mine, theirs


def _network_of(operand: Operand) -> str:
    """How the source spells the model of which something is a parameter; "" if that is not known."""
    kept = next((link for link in links_of(operand.binding) if link.kind == "attribute"), None)
    return kept.container if kept is not None and operand.tensor.is_parameter else ""


def _is_of_still_network(pair: Pair, names: TwoNames) -> bool:
    """Whether a network was trained by one name, and read by another that promises one which is not."""
    one, other = names.read, names.written
    if not pair.tensor.is_parameter or one.chosen or not _breaks_promise(one.label, other.label):
        return False
    return any(link.place == other.place for link in links_of(one))


def _breaks_promise(still: str, trained: str) -> bool:
    """Whether a network that shares its parameters with a trained one goes by a name for one that is not trained."""
    return trained != "" and names_still_network(still) and not names_still_network(trained)


def names_still_network(label: str) -> bool:
    """Whether a network goes by a name for one that is not trained by steps, and not for a part that two share."""
    words = {word for word in re.split(r"[_\d]+", label.rpartition(".")[2].lower()) if word}
    return not _STILL.isdisjoint(words) and words - _STILL <= _NETWORKS


_STILL = frozenset({"target", "targ", "teacher", "old", "frozen", "ema", "momentum", "reference", "ref"})
_NETWORKS = frozenset(
    "net network nn model policy actor critic agent q qf v value dqn encoder generator student online".split()
)


def _goes_on(pair: Pair, names: TwoNames) -> bool:
    """Whether one variable was bound to another, what it holds was changed, and is read by the new name, too."""
    one, other = names.read, names.written
    if one.kind != "name" or other.read_at < pair.write.time:
        return False
    if pair.tensor.is_parameter or changes_statistics(pair.write.op):
        return False  # Whoever trains a model by one of its names trains it.
    if other.kind == "element" and pair.write.operand.is_own:
        return False  # It was put into a list to be called there, and changes itself.
    if other.kind == "attribute" and any(link.kind == "parameter" for link in links_of(other)):
        return False  # An object was given it to work on.
    return any(link.place == one.place for link in links_of(other))
