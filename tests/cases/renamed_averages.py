"""Averages that are brought up to date and get another name: for what they are, or for a value made of them."""

import torch


def case_one_of_a_list():
    averages = [torch.ones(3), torch.ones(3)]
    averages[0].lerp_(torch.arange(3.0), 0.1)
    update = averages[0]
    update.mul_(0.1)  # warning: [IPL304]
    return update - averages[0] * 2


def case_one_of_a_list_cured():
    averages = [torch.ones(3), torch.ones(3)]
    averages[0].lerp_(torch.arange(3.0), 0.1)
    update = averages[0] * 0.1
    return update - averages[0] * 2


def case_each_of_a_list():
    averages, total = [torch.ones(3), torch.ones(3)], 0
    averages[0].mul_(2)
    for row in averages:
        row.add_(1)
        total += row.sum()
    return averages[0] + total


def case_name_is_short_for_the_key():
    state = {"running_mean": torch.ones(3)}
    state["running_mean"].lerp_(torch.arange(3.0), 0.1)
    mean = state["running_mean"]
    mean.add_(0.1)
    return mean + state["running_mean"]


def case_name_is_for_the_change_alone():
    kept = {"average": torch.ones(3)}
    kept["average"].lerp_(torch.arange(3.0), 0.1)
    scaled = kept["average"]
    scaled.mul_(0.1)
    return kept["average"] * 2


class Average:
    def __init__(self):
        self.average = torch.ones(3)
        self.average.div_(3)

    def __call__(self, x):
        buffer = self.average
        for _ in range(3):
            buffer.mul_(0.9).add_(x)
        return (buffer + 1) * self.average


def case_changed_where_it_was_made():
    return Average()(torch.arange(3.0))


def case_kept_as_it_was_drawn():
    kept = {"average": torch.ones(3).fill_(2)}
    buffer = kept["average"]
    for _ in range(3):
        buffer.mul_(0.9).add_(1)
    return (buffer + 1) * kept["average"]
