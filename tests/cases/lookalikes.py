"""Nothing here concerns autograd: numbers, lists, NumPy, and names that end in an underscore."""

import collections

import numpy as np
import torch


class Session:
    def __init__(self):
        self.rows = []
        self.total = 0

    def add_(self, row):
        self.rows.append(row)
        return self

    def flush_(self):
        self.total += len(self.rows)
        return self.rows


def case_methods_of_other_classes():
    session = Session()
    same = session.add_(1)
    rows = session.add_(2).flush_()
    return [len(same.rows), len(rows), session.total]


def case_numbers():
    x = 1
    y = x
    x += 2
    x *= x
    return [x, y]


def case_lists():
    items = [1, 2]
    alias = items
    items += [3]
    items[0] = 5
    return [sum(alias), len(items)]


def case_dicts():
    counts = collections.Counter()
    same = counts
    counts["a"] += 1
    counts.update({"b": 2})
    return [same["a"], counts["b"]]


def case_sets():
    seen = {1}
    kept = seen
    seen |= {2}
    return [len(kept), len(seen)]


def case_strings():
    text = "a"
    kept = text
    text += "b"
    return [kept, text]


def case_numpy_arrays():
    array = np.ones(3)
    kept = array
    array += 1
    array[0] = 7
    kept.sort()
    return [float(array.sum()), float(kept.sum())]


def case_numpy_out():
    array = np.ones(3)
    np.add(array, 1, out=array)
    return float(array.sum())


def case_numpy_then_tensor():
    array = np.ones(3, dtype=np.float32)
    array *= 2
    return torch.from_numpy(array) + 1


def double_(values):
    return values * 2


def case_underscore_without_a_write():
    x = torch.randn(3)
    y = double_(x)
    return x + y


def case_underscore_names_of_values():
    class_ = 3
    lambda_ = 0.5
    lambda_ *= 2
    x = torch.ones(3)
    x_ = x * lambda_
    x_ += class_
    return x + x_


def case_rebinding_is_not_a_write():
    x = torch.randn(3, requires_grad=True)
    h = x.sigmoid()
    h = h * 2
    h = h + 1
    h = h**2
    h.sum().backward()
    return x.grad


def case_shape_arithmetic():
    x = torch.zeros(2, 3)
    rows = x.shape[0]
    total = rows
    rows *= 2
    size = list(x.size())
    size[0] += 1
    return [rows, total, torch.zeros(size)]


def case_python_number_of_a_tensor():
    x = torch.ones(3, requires_grad=True)
    total = x.sum().item()
    kept = total
    total += 1
    return [kept, total]


def case_integer_tensors():
    index = torch.zeros(3, dtype=torch.long)
    index += 1
    index[0] = 2
    return index


def case_boolean_masks():
    mask = torch.ones(3, dtype=torch.bool)
    mask &= torch.tensor([True, False, True])
    mask[0] = False
    return mask


def case_metadata():
    x = torch.ones(2, 3, requires_grad=True)
    h = x * 2
    h.requires_grad_()
    y = h + 1
    y.retain_grad()
    y.sum().backward()
    return y.grad


def case_generators_and_seeds():
    generator = torch.Generator()
    generator.manual_seed(0)
    return torch.empty(3).normal_(generator=generator)


def case_one_hot():
    labels = torch.tensor([0, 2])
    one_hot = torch.zeros(2, 3).scatter_(1, labels[:, None], 1.0)
    weight = torch.randn(3, requires_grad=True)
    (one_hot @ weight).sum().backward()
    return weight.grad


def case_masked_copy():
    x = torch.randn(3)
    filled = torch.empty_like(x).copy_(x).masked_fill_(x > 0, 0.0)
    return x + filled


def case_shuffled_array():
    generator = np.random.default_rng(0)
    order = np.concatenate([np.arange(3), np.array([3])])
    generator.shuffle(order)
    return torch.as_tensor(order)


def _counted(totals, counts, words):
    for length in words:
        totals[length] += 1
        counts[length] += words[length]
    return totals, counts


def case_totals_are_given_back_together():
    totals, counts = {1: torch.tensor(0.0)}, {1: torch.tensor(0.0)}
    for words in ({1: 2.0}, {1: 3.0}):
        totals, counts = _counted(totals, counts, words)
    return counts[1] / totals[1]


class Momentum:
    def __init__(self):
        self.state = {0: {"mean": torch.zeros(3)}}

    def step(self, gradient):
        mean = self.state[0]["mean"]
        update = mean.mul(0.9).add_(gradient)
        mean.lerp_(gradient, 0.1)
        return update


def case_state_that_an_object_keeps_for_itself():
    momentum = Momentum()
    first = momentum.step(torch.ones(3))
    return first + momentum.step(torch.ones(3))


def case_shape_of_what_was_overwritten():
    x = torch.linspace(-1, 1, 4)
    old = x
    x = x.relu_()
    return torch.zeros_like(old), torch.ones_like(old), old.new_zeros(2), old.new_full((2,), 1.0), x / old.shape[0]


def case_elements_detached_where_they_are_kept():
    x = torch.ones(3, requires_grad=True)
    logs = {"double": x * 2, "sine": x.sin()}
    for name in logs:
        logs[name] = logs[name].detach()
    for value in logs.values():
        value.mul_(2)
    return logs


class _States:
    def __init__(self):
        self.states = [torch.ones(2), torch.zeros(2)]

    def decayed(self):
        for i, state in enumerate(self.states):
            self.states[i] = state.detach()
        for state in self.states:
            state.mul_(0.9)
        return self.states


def case_states_detached_then_decayed():
    return _States().decayed()
