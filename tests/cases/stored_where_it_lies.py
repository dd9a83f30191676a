"""What is stored in the place where it lies already is nothing else there; elsewhere it is taken for another value."""

import torch
from torch import nn


def spread(row):
    return nn.init.uniform_(row, 1.0, 2.0)


class Rows(nn.Module):
    """An object of it is made and called elsewhere."""

    def start(self):
        for i in range(self.count):
            self.weight.data[i] = spread(self.weight.data[i])


def case_rows_are_put_back_where_they_lie():
    weight = nn.Parameter(torch.zeros(3, 4))
    for i in range(3):
        weight.data[i] = spread(weight.data[i])
    return weight.detach().mean() >= 1.0


class Rollout:
    def __init__(self):
        self.rewards, self.returns = torch.arange(1.0, 5.0), torch.zeros(4)


def discounted(rollout):
    returns, total = rollout.rewards, 0.0
    for i in reversed(range(4)):
        total = rollout.rewards[i] + 0.9 * total
        returns[i] = total  # warning: [IPL304]
    return returns


def case_sums_are_put_elsewhere():
    rollout = Rollout()
    rollout.returns[:] = discounted(rollout)
    return rollout.returns - rollout.rewards


def discounted_of(rewards):
    returns, total = rewards, 0.0
    for i in reversed(range(4)):
        total = rewards[i] + 0.9 * total
        returns[i] = total
    return returns


def case_sums_are_put_elsewhere_cured():
    rollout = Rollout()
    rollout.returns[:] = discounted_of(rollout.rewards.clone())
    return rollout.returns - rollout.rewards


def case_sums_are_put_back():
    rollout = Rollout()
    rollout.rewards[:] = discounted_of(rollout.rewards[:])
    return rollout.rewards


class Inverses:
    def __init__(self, parts):
        self.count, self.parts = parts, []

    def start(self, part):
        self.parts.append(torch.eye(3))
        for _ in range(3):
            self.add(part)
        self.parts[part] = self.parts[part].to("cpu")

    def add(self, part):
        self.parts[part][0] -= self.parts[part].sum(0)

    def diagonals(self):
        return torch.cat([torch.diagonal(self.parts[part]).reshape(-1) for part in range(self.count)])


def inverted(parts):
    inverses = Inverses(parts)
    for part in range(parts):
        inverses.start(part)
    return inverses.diagonals()


def case_part_of_a_list_is_put_back():
    return inverted(2)


def case_part_of_a_list_is_put_there_again():
    path = [torch.zeros(3)]
    for step in range(2):
        path.append(path[-1])
        path[-1][0] += step + 1  # warning: [IPL304]
    return torch.stack(path)


def case_part_of_a_list_is_put_there_again_cured():
    path = [torch.zeros(3)]
    for step in range(2):
        path.append(path[-1].clone())
        path[-1][0] += step + 1
    return torch.stack(path)


def limited(values, most):
    values *= most
    return values


class Attack:
    """It is used elsewhere."""

    def start(self, delta: torch.Tensor, most: float):
        delta.data = limited(delta.data, most)
        return delta.data.sum()


def case_result_goes_to_where_the_argument_came_from():
    delta = torch.arange(3.0)
    delta.data = limited(delta.data, 0.5)
    return delta.data.sum()


def limited_under_another_name(values, most):
    values *= most  # warning: [IPL305]
    return values


def case_result_goes_to_a_second_name():
    delta = torch.arange(3.0)
    less = delta
    less = limited_under_another_name(less, 0.5)
    return delta + less


def case_result_goes_to_a_second_name_cured():
    delta = torch.arange(3.0)
    less = delta.clone()
    less = limited(less, 0.5)
    return delta + less


def limited_beside(values, most):
    values *= most  # warning: [IPL302]
    return values


def case_result_is_used_beside_the_argument():
    delta = torch.arange(3.0)
    delta.data = limited_beside(delta.data, 0.5) - delta.data
    return delta.sum()


def case_result_is_used_beside_the_argument_cured():
    delta = torch.arange(3.0)
    delta.data = delta.data * 0.5 - delta.data
    return delta.sum()


def masked(x, mask):
    x = x * mask
    mask[mask == 0] = -1  # warning: [IPL305]
    return x + mask


def case_another_argument_is_written():
    x, mask = torch.arange(3.0), torch.tensor([0.0, 1.0, 1.0])
    for _ in range(2):
        x = masked(x, mask)
    return x


def masked_by_copy(x, mask):
    return x * mask + mask.masked_fill(mask == 0, -1)


def case_another_argument_is_written_cured():
    x, mask = torch.arange(3.0), torch.tensor([0.0, 1.0, 1.0])
    for _ in range(2):
        x = masked_by_copy(x, mask)
    return x
