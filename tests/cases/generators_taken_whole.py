"""Generators that are run to their end before anything of them is used: each element is as they left it."""

from collections import deque

import torch


class Walker:
    def __init__(self):
        self.state = torch.zeros(2)

    def steps(self):
        for step in range(3):
            self.state.add_(step + 1)  # warning: [IPL304]
            yield self.state


class WalkerThatCopies:
    def __init__(self):
        self.state = torch.zeros(2)

    def steps(self):
        for step in range(3):
            self.state.add_(step + 1)
            yield self.state.clone()


def case_list_extended():
    walked = []
    walked.extend(Walker().steps())
    return torch.stack(walked)


def case_list_extended_cured():
    walked = []
    walked.extend(WalkerThatCopies().steps())
    return torch.stack(walked)


def case_display():
    return torch.stack([*Walker().steps()])


def case_display_cured():
    return torch.stack([*WalkerThatCopies().steps()])


def case_queue():
    return torch.stack(list(deque(Walker().steps(), maxlen=3)))


def case_queue_cured():
    return torch.stack(list(deque(WalkerThatCopies().steps(), maxlen=3)))


def case_sorted():
    return torch.stack(sorted(Walker().steps(), key=lambda state: -state.sum()))


def case_sorted_cured():
    return torch.stack(sorted(WalkerThatCopies().steps(), key=lambda state: -state.sum()))


def case_taken_apart():
    first, second, third = Walker().steps()
    return third - first + second


def case_taken_apart_cured():
    first, second, third = WalkerThatCopies().steps()
    return third - first + second


class WalkerAside:
    """What it yields is used at once."""

    def __init__(self):
        self.state = torch.zeros(2)

    def steps(self):
        for step in range(3):
            self.state.add_(step + 1)
            yield self.state


def case_used_in_turn():
    total = torch.zeros(2)
    for state in WalkerAside().steps():
        total = total + state
    return total


def case_extended_by_results():
    sums = []
    sums.extend(state.sum() for state in WalkerAside().steps())
    return torch.stack(sums)
