"""Lists, dicts, attributes and hooks: they keep the tensor, not its values."""

import dataclasses
import functools

import torch
import torch.nn.functional as F
from torch import nn


def case_kept_in_a_list():
    x = torch.randn(4)
    features = [x]
    x = x.relu_()  # warning: [IPL304]
    features.append(x)
    return features


def case_kept_in_a_list_cured():
    x = torch.randn(4)
    features = [x]
    x = x.relu()
    features.append(x)
    return features


def case_kept_as_a_clone():
    x = torch.randn(4)
    features = [x.clone()]
    x = x.relu_()
    features.append(x)
    return features


def case_kept_after_the_write():
    x = torch.randn(4)
    features = []
    for _ in range(2):
        x = x * 2
        x.relu_()
        features.append(x)
    return features


def case_appended_then_written_in_the_next_turn():
    x = torch.zeros(2)
    history = []
    for _ in range(3):
        x += 1  # warning: [IPL304]
        history.append(x)
    return torch.stack(history)


def case_appended_then_written_in_the_next_turn_cured():
    x = torch.zeros(2)
    history = []
    for _ in range(3):
        x += 1
        history.append(x.clone())
    return torch.stack(history)


def case_appended_then_rebound_in_the_next_turn():
    x = torch.zeros(2)
    history = []
    for _ in range(3):
        x = x + 1
        history.append(x)
    return torch.stack(history)


def case_kept_in_a_dict():
    h = torch.randn(4)
    outputs = {"before": h}
    h.tanh_()  # warning: [IPL304]
    outputs["after"] = h * 1
    return [outputs["before"], outputs["after"]]


def case_kept_in_a_dict_cured():
    h = torch.randn(4)
    outputs = {"before": h}
    h = h.tanh()
    outputs["after"] = h * 1
    return [outputs["before"], outputs["after"]]


class Recorder(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.before = None

    def forward(self, x):
        h = self.linear(x)
        self.before = h
        h = F.relu(h, inplace=True)  # warning: [IPL304]
        return h


def case_kept_in_an_attribute():
    net = Recorder()
    out = net(torch.randn(2, 3))
    return [net.before * 1, out]


class RecorderCured(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.before = None

    def forward(self, x):
        h = self.linear(x)
        self.before = h
        h = F.relu(h)
        return h


def case_kept_in_an_attribute_cured():
    net = RecorderCured()
    out = net(torch.randn(2, 3))
    return [net.before * 1, out]


def case_one_tensor_in_three_slots():
    counts = [torch.zeros(2)] * 3
    counts[0] += 1  # warning: [IPL306]
    return counts


def case_one_tensor_in_three_slots_cured():
    counts = [torch.zeros(2) for _ in range(3)]
    counts[0] += 1
    return counts


def case_one_number_in_three_slots():
    counts = [0] * 3
    counts[0] += 1
    return counts


def case_slots_rebound():
    states = [torch.zeros(2)] * 3
    states[0] = states[0] + 1
    return states


def case_pyramid_levels_are_added_in_place():
    maps = [torch.randn(1, 2, size, requires_grad=True) for size in (8, 4)]
    lateral = [m * 2 for m in maps]
    lateral[0] += F.interpolate(lateral[1], scale_factor=2)
    (lateral[0].square().sum() + lateral[1].sum()).backward()
    return maps[1].grad


def case_list_of_tensors_filled_one_by_one():
    x = torch.randn(3, requires_grad=True)
    outs = [torch.zeros(3), torch.zeros(3)]
    for i, out in enumerate(outs):
        out += x * i
    torch.stack(outs).sum().backward()
    return x.grad


def case_saved_list_element():
    x = torch.randn(3, requires_grad=True)
    steps = [x.tanh()]
    steps[-1] += 1  # error: [IPL202]
    steps[-1].sum().backward()
    return x.grad


def case_stacked_before_the_write():
    h = torch.ones(3)
    stacked = torch.stack([h, h * 2])
    h.zero_()
    return stacked


def case_tuple_result():
    x = torch.randn(2, 3)
    values, indices = x.max(dim=-1)
    values += 1
    return values, indices


def case_concatenated_skip():
    x = torch.randn(3)
    skips = [x * 1]
    x = x * 2
    x.relu_()
    return torch.cat([x, skips.pop()])


def case_concatenated_overwritten_skip():
    x = torch.randn(3)
    skips = [x]
    x = F.relu(x, inplace=True)  # warning: [IPL304]
    return torch.cat([x * 2, skips.pop()])


def case_concatenated_overwritten_skip_cured():
    x = torch.randn(3)
    skips = [x]
    x = F.relu(x)
    return torch.cat([x * 2, skips.pop()])


def case_total_starts_as_one_of_the_terms():
    losses = {"a": torch.rand(()) * 2, "b": torch.rand(())}
    total = losses["a"]
    total += losses["b"]  # warning: [IPL304]
    return total, {name: value.clone() for name, value in losses.items()}


def case_shorthand_for_an_entry():
    state = {"momentum_buffer": torch.zeros(2)}
    buf = state["momentum_buffer"]
    buf += 1
    return state["momentum_buffer"] * 2


def _clipped(batch):
    out = dict(batch)
    out["image"][out["image"] > 0.5] = 0.0  # warning: [IPL304]
    return out


def case_shallow_copy_of_a_batch():
    batch = {"image": torch.rand(2)}
    clipped = _clipped(batch)
    return clipped["image"] + batch["image"]


def _whitened(batch):
    batch["image"] -= batch["image"].mean()
    return batch


def case_callee_gives_the_container_back():
    batch = {"image": torch.rand(2)}
    batch = _whitened(batch)
    return batch["image"] * 2


_TABLES = {}


def _table(n):
    if n not in _TABLES:
        _TABLES[n] = torch.rand(n)
    return _TABLES[n]


def case_global_cache_written_by_its_user():
    table = _table(3)
    table *= 2  # warning: [IPL306]
    return table, _table(3)


@functools.cache
def _cached(n):
    return torch.arange(n) / n


def case_result_of_a_cached_function():
    steps = _cached(4)
    steps *= 2  # warning: [IPL306]
    return steps, _cached(4)


class _Items:
    def __init__(self):
        self.items = [{"points": torch.rand(3)} for _ in range(2)]

    def __getitem__(self, index):
        points = self.items[index]["points"]
        points *= 0.5  # warning: [IPL304]
        return points


def case_items_are_fetched_again():
    items = _Items()
    return [items[0].clone(), items[0].clone()]


def case_total_starts_as_one_of_the_terms_cured():
    losses = {"a": torch.rand(()) * 2, "b": torch.rand(())}
    total = losses["a"].clone()
    total += losses["b"]
    return total, {name: value.clone() for name, value in losses.items()}


def case_shallow_copy_of_a_batch_cured():
    batch = {"image": torch.rand(2)}
    clipped = {"image": batch["image"].masked_fill(batch["image"] > 0.5, 0.0)}
    return clipped["image"] + batch["image"]


def case_global_cache_written_by_its_user_cured():
    table = _table(4) * 2
    return table[:3], _table(4)[:3]


def case_result_of_a_cached_function_cured():
    return _cached(4) * 2, _cached(4)


class _CopiedItems:
    def __init__(self):
        self.items = [{"points": torch.rand(3)} for _ in range(2)]

    def __getitem__(self, index):
        return self.items[index]["points"] * 0.5


def case_items_are_fetched_again_cured():
    items = _CopiedItems()
    return [items[0].clone(), items[0].clone()]


def _frames(x):
    for _ in range(2):
        yield x
        x.mul_(2)  # warning: [IPL304]


def case_yielded_and_then_overwritten():
    frames = list(_frames(torch.rand(2)))
    return torch.stack(frames)


def case_yielded_and_then_overwritten_cured():
    x = torch.rand(2)
    return torch.stack([x, x * 2])


def _scaled(x):
    for _ in range(2):
        yield x
        x.mul_(2)


def case_yielded_and_used_at_once():
    return [x * 1 for x in _scaled(torch.rand(2))]


def case_one_value_for_all_keys():
    totals = dict.fromkeys(("a", "b"), torch.zeros(()))
    totals["a"] += 1  # warning: [IPL306]
    return list(totals.values())


def case_one_value_for_all_keys_cured():
    totals = {name: torch.zeros(()) for name in ("a", "b")}
    totals["a"] += 1
    return list(totals.values())


@dataclasses.dataclass
class _Meter:
    total: torch.Tensor = torch.zeros(())  # noqa: RUF009

    def update(self, value):
        self.total += value  # warning: [IPL306]


def case_default_of_a_dataclass():
    first, second = _Meter(), _Meter()
    first.update(1.0)
    return second.total.clone() - first.total.clone() + 1


@dataclasses.dataclass
class _OwnMeter:
    total: torch.Tensor = dataclasses.field(default_factory=lambda: torch.zeros(()))

    def update(self, value):
        self.total += value


def case_default_of_a_dataclass_cured():
    first, second = _OwnMeter(), _OwnMeter()
    first.update(1.0)
    return second.total.clone() - first.total.clone() + 1


class _Counter:
    total = torch.zeros(())

    def add(self, value):
        self.total += value  # warning: [IPL306]


def case_attribute_of_a_class():
    first, second = _Counter(), _Counter()
    first.add(1.0)
    return second.total - first.total + 1


class _OwnCounter:
    def __init__(self):
        self.total = torch.zeros(())

    def add(self, value):
        self.total += value


def case_attribute_of_a_class_cured():
    first, second = _OwnCounter(), _OwnCounter()
    first.add(1.0)
    return second.total - first.total + 1


def case_one_buffer_many_times():
    received = 2 * [torch.zeros(2)]
    for index, buffer in enumerate(received):
        buffer.fill_(index)  # warning: [IPL306]
    return received


def case_one_buffer_many_times_cured():
    received = [torch.zeros(2) for _ in range(2)]
    for index, buffer in enumerate(received):
        buffer.fill_(index)
    return received


def case_list_put_into_a_dictionary_by_default():
    records = {}
    for x in torch.ones(2, 3):
        y = x.exp()
        records.setdefault("exp", []).append(y)
        y.mul_(2)  # warning: [IPL304]
    return torch.stack(records["exp"]).sum()


def case_list_put_into_a_dictionary_by_default_cured():
    records = {}
    for x in torch.ones(2, 3):
        y = x.exp()
        records.setdefault("exp", []).append(y)
        y = y * 2
    return torch.stack(records["exp"]).sum()
