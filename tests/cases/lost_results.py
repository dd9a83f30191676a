"""Results that are thrown away, and statements that only look so."""

import torch
from torch import nn


def case_mask_filled_into_nowhere():
    scores = torch.zeros(2, 3)
    mask = torch.tensor([True, False, True])
    scores.masked_fill(mask, -1.0)  # warning: [IPL308]
    return scores.softmax(-1)


def case_mask_filled_into_nowhere_cured():
    scores = torch.zeros(2, 3)
    mask = torch.tensor([True, False, True])
    scores = scores.masked_fill(mask, -1.0)
    return scores.softmax(-1)


def case_converted_into_nowhere():
    count = torch.full((3,), 1.5)
    count.to(torch.int64)  # warning: [IPL308]
    return count / 2


def case_converted_into_nowhere_cured():
    count = torch.full((3,), 1.5)
    count = count.to(torch.int64)
    return count // 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)


def case_modules_and_sets_change_themselves():
    net, seen = Net(), set()
    net.to(torch.float64)
    net.linear.double()
    seen.add(1)
    x = torch.ones(2, dtype=torch.float64)
    x.clamp_(0, 1)
    x.requires_grad_()
    return net.linear.weight.dtype == x.dtype


def case_a_call_for_what_it_does():
    x = torch.ones(2, requires_grad=True)
    x.sum().backward()
    x.register_hook(lambda grad: None)
    return x.grad


def case_sum_lost_behind_a_product():
    average = torch.ones(3)
    average.mul_(0.9).add(torch.ones(3))  # warning: [IPL308]
    return average


def case_sum_lost_behind_a_product_cured():
    average = torch.ones(3)
    average.mul_(0.9).add_(torch.ones(3))
    return average


def biased(query):
    bias = torch.zeros(3, 3, dtype=query.dtype, device=query.device)
    bias.masked_fill_(torch.eye(3) == 0, -1.0)
    bias.to(query.dtype)
    bias.to(query.device)
    return query + bias


def case_what_was_made_so_is_already_so():
    return biased(torch.rand(3, 3))


def case_made_otherwise():
    query = torch.rand(3, 3, dtype=torch.float64)
    bias = torch.full((3, 3), 0.1)
    bias.to(query.dtype)  # warning: [IPL308]
    return (bias * 1e9 + 1 - bias * 1e9).sum()


def case_made_otherwise_cured():
    query = torch.rand(3, 3, dtype=torch.float64)
    bias = torch.full((3, 3), 0.1)
    bias = bias.to(query.dtype)
    return (bias * 1e9 + 1 - bias * 1e9).sum()


def case_memory_order_changes_no_value():
    rows = torch.rand(2, 3).t()
    rows.contiguous()
    return rows + 1


def rounded_by_its_own_method(t, **options):
    t2 = t.clone()
    t2.round(**options)
    return t2


def rounded_into_nowhere(t, places):
    t2 = t.clone()
    t2.round(decimals=places)  # warning: [IPL308]
    return t2
