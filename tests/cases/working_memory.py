"""Memory that its name or the documentation calls a workspace: what was in it is of no use."""

import torch


class Sums:
    """A view of the workspace is the result of a call, and is scaled there."""

    def __init__(self, workspace):
        self.workspace = workspace

    def last(self, values):
        sums = self.workspace[: len(values)]
        torch.cumsum(values, 0, out=sums)
        last = sums[-1]
        last *= 2
        return last.abs()

    def kept(self, values):
        sums = self.workspace[: len(values)]
        torch.cumsum(values, 0, out=sums)
        return sums


def case_next_call_overwrites_the_workspace():
    sums = Sums(torch.empty(4))
    return [sums.last(row) for row in torch.ones(3, 4)]


def case_results_stay_in_the_workspace():
    sums = Sums(torch.empty(4))
    first = sums.kept(torch.ones(4))
    kept = [first]
    first *= 2  # warning: [IPL304]
    return first + kept[0]


def case_results_stay_in_the_workspace_cured():
    sums = Sums(torch.empty(4))
    first = sums.kept(torch.ones(4))
    kept = [first]
    first = first * 2
    return first + kept[0]


class Parts:
    """The parts of a workspace, under names that tell nothing."""

    def __init__(self, memory, length):
        self.forward, self.backward = memory[:length], memory[length : 2 * length]


def filled(values, length, totals):
    """Add up.

    Args:
        values: one row of them.
        length: how many there are (not padded).
        totals: Working space memory for the sums.
    """
    totals[0] = values[0]
    for i in range(1, length):
        totals[i] = totals[i - 1] + values[i]
    return totals[-1] * 2


def case_documentation_calls_it_working_space():
    parts = Parts(torch.rand(8), 4)
    last = filled(torch.ones(4), 4, parts.forward)
    return last, torch.exp(parts.forward)


def filled_without(values, length, totals):
    """Add up.

    Args:
        values: one row of them.
        length: how many there are (not padded).
        totals: what is added, without any working space.
    """
    totals[0] = totals[0] + values[0]  # warning: [IPL305]
    for i in range(1, length):
        totals[i] = totals[i - 1] + values[i]  # warning: [IPL305]
    return totals[-1] * 2


def case_documentation_denies_that_it_is_working_space():
    parts = Parts(torch.arange(8.0), 4)
    last = filled_without(torch.ones(4), 4, parts.forward)
    return last, torch.exp(parts.forward)


def filled_copy(values, totals):
    totals = totals.clone()
    totals[0] = totals[0] + values[0]
    for i in range(1, len(values)):
        totals[i] = totals[i - 1] + values[i]
    return totals[-1] * 2


def case_documentation_denies_that_it_is_working_space_cured():
    parts = Parts(torch.arange(8.0), 4)
    last = filled_copy(torch.ones(4), parts.forward)
    return last, torch.exp(parts.forward)
