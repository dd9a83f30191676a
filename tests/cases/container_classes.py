"""Containers of one's own and of the standard library, and what calls give out of them."""

import collections
import dataclasses
import json
import typing
from collections.abc import MutableMapping

import torch
from torch import nn


def _targets(kept):
    return kept["returns"][:-1], kept["values"][:-1]


def _advantages(kept):
    returns, values = _targets(kept)
    returns -= values  # warning: [IPL304]
    return returns


def _advantages_anew(kept):
    returns, values = _targets(kept)
    return returns - values


def _kept_and_used(compute):
    kept = {"returns": torch.arange(4.0), "values": torch.ones(4)}
    advantages = compute(kept)
    returns, _ = _targets(kept)
    return advantages, returns


def case_part_of_what_is_kept_comes_in_a_tuple():
    return _kept_and_used(_advantages)


def case_part_of_what_is_kept_comes_in_a_tuple_cured():
    return _kept_and_used(_advantages_anew)


class Penalties(list):
    def __call__(self, scores):
        for penalty in self:
            scores = penalty(scores)
        return scores


def _halved(scores):
    scores.mul_(0.5)  # warning: [IPL304]
    return scores


def _halved_anew(scores):
    return scores * 0.5


def case_list_of_a_class_of_its_own():
    penalties = Penalties()
    penalties.append(_halved)
    raw = []
    scores = torch.ones(3)
    raw.append(scores)
    return penalties(scores), torch.stack(raw)


def case_list_of_a_class_of_its_own_cured():
    penalties = Penalties()
    penalties.append(_halved_anew)
    raw = []
    scores = torch.ones(3)
    raw.append(scores)
    return penalties(scores), torch.stack(raw)


class Output(typing.NamedTuple):
    hidden: torch.Tensor
    steps: int = 1

    def total(self):
        return self.hidden.sum()


def case_fields_of_a_named_tuple():
    x = torch.randn(3, requires_grad=True)
    output = Output(x.exp())._replace(steps=2)
    output.hidden.add_(output.steps)  # error: [IPL202]
    output.total().backward()
    return x.grad


@dataclasses.dataclass
class Settings:
    weight: typing.Any = 0.0


def case_field_that_something_out_of_view_gives():
    x = torch.randn(3, requires_grad=True)
    y = x.exp()
    if Settings(**json.loads('{"weight": 1}')).weight > 0:
        y += 1  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_history_in_a_default_dictionary():
    history = collections.defaultdict(list)
    state = torch.zeros(3)
    for _ in range(3):
        state += 1.0  # warning: [IPL304]
        history["state"].append(state)
    return torch.stack(history["state"])


def case_history_in_a_default_dictionary_cured():
    history = collections.defaultdict(list)
    state = torch.zeros(3)
    for _ in range(3):
        state = state + 1.0
        history["state"].append(state)
    return torch.stack(history["state"])


class _Rig(nn.Module):
    def __init__(self):
        super().__init__()
        self.centers = nn.Parameter(torch.ones(2, 3))

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(index)
        return self.centers[index]


def case_rows_of_a_parameter_one_by_one():
    for center in _Rig():
        center += 1  # error: [IPL102]


def case_rows_of_a_parameter_one_by_one_without_grad():
    rig = _Rig()
    with torch.no_grad():
        for center in rig:
            center += 1
    return rig.centers.detach()


class _Mapping(MutableMapping):
    def __init__(self, **entries):
        self._entries = dict(entries)

    def __getitem__(self, key):
        return self._entries[key]

    def __delitem__(self, key):
        raise KeyError(key)

    def __iter__(self):
        return iter(self._entries)

    def __len__(self):
        return len(self._entries)


class _Written(_Mapping):
    """A mapping whose places are filled, not replaced."""

    def __setitem__(self, key, value):
        self._entries[key].copy_(value)  # error: [IPL201]


def case_update_of_a_mapping_sets_its_items():
    layer, data = torch.nn.Linear(3, 3), _Written(h=torch.zeros(1, 3))
    for _ in range(2):
        data.update(zip(["h"], [layer(data["h"])]))
    sum(value.sum() for value in data.values()).backward()


class _Replaced(_Mapping):
    def __setitem__(self, key, value):
        self._entries[key] = value


def case_update_of_a_mapping_replaces_its_items():
    layer, data = torch.nn.Linear(3, 3), _Replaced(h=torch.zeros(1, 3))
    for _ in range(2):
        data.update(zip(["h"], [layer(data["h"])]))
    sum(value.sum() for value in dict(data).values()).backward()
    return layer.weight.grad


@dataclasses.dataclass
class Scratch:
    rows: int
    filled: torch.Tensor = dataclasses.field(init=False)
    weights: torch.Tensor

    def __post_init__(self):
        self.filled = torch.zeros(self.rows)


def case_fields_that_the_object_fills_itself():
    scratch = Scratch(2, torch.ones(2))
    part = scratch.filled[:1]
    part.fill_(3.0)
    return scratch.filled * scratch.weights


class Layers(nn.Sequential):
    def __init__(self, sizes):
        super().__init__()
        for i, (before, after) in enumerate(zip(sizes, sizes[1:], strict=False)):
            setattr(self, f"layer{i}", nn.Linear(before, after))


def case_a_sequence_runs_what_became_its_attributes():
    x = torch.ones(2, 3)
    y = Layers([3, 4, 2])(x)
    x.mul_(2)  # error: [IPL201]
    y.sum().backward()
    return x


def case_a_sequence_runs_what_became_its_attributes_cured():
    x = torch.ones(2, 3)
    y = Layers([3, 4, 2])(x)
    x = x.mul(2)
    y.sum().backward()
    return x


class Rows:
    def __init__(self, table):
        self.table = table

    def __getitem__(self, key):
        return self.table[key]

    def __setitem__(self, key, value):
        self.table[key] = value


def case_an_object_hands_ranges_on():
    y = torch.ones(4, 3, requires_grad=True).tanh()
    Rows(y)[1:].mul_(2)  # error: [IPL202]
    y.sum().backward()


def case_an_object_sets_ranges():
    y = torch.ones(4, 3, requires_grad=True).tanh()
    rows = Rows(y * 2)
    rows[:, 1] = 0
    rows[0, 0].sum().backward()
    return y


class ByPair:
    def __init__(self, table):
        self.entries = {("a", "b"): table}

    def __getitem__(self, key):
        return self.entries[key] if isinstance(key, tuple) else self.entries["a", key]


def case_an_object_is_asked_for_a_pair():
    y = torch.ones(4, 3, requires_grad=True).tanh()
    table = ByPair(y)
    table["a", "b"].mul_(2)  # error: [IPL202]
    y.sum().backward()
