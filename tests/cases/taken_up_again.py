"""An attribute that begins anew with what another one keeps begins with what was written to it."""

import torch


class Counts:
    def __init__(self, size):
        self.blank = torch.zeros(size)
        self.table = None
        self.reset()

    def reset(self):
        self.table = self.blank

    def update(self, labels):
        self.table += torch.bincount(labels, minlength=len(self.table))  # warning: [IPL304]

    def compute(self):
        return self.table / self.table.sum()


def _shares(counts):
    for labels in (torch.tensor([0, 0, 1]), torch.tensor([2, 2, 2])):
        counts.reset()
        counts.update(labels)
    return counts.compute()


def case_counts_that_are_never_cleared():
    return _shares(Counts(3))


class CountsOfCopies:
    def __init__(self, size):
        self.blank = torch.zeros(size)
        self.table = None
        self.reset()

    def reset(self):
        self.table = self.blank.clone()

    def update(self, labels):
        self.table += torch.bincount(labels, minlength=len(self.table))

    def compute(self):
        return self.table / self.table.sum()


def case_counts_that_are_never_cleared_cured():
    return _shares(CountsOfCopies(3))


class Scratch:
    """What is filled anew needs no values of its own."""

    def __init__(self, size):
        self.pool = torch.empty(size)
        self.current = self.pool

    def begin(self):
        self.current = self.pool

    def squares(self, values):
        self.current.copy_(values)
        self.current *= values
        return self.current.sum()


def case_scratch_that_is_filled_anew():
    scratch = Scratch(3)
    sums = []
    for values in torch.ones(2, 3):
        scratch.begin()
        sums.append(scratch.squares(values))
    return torch.stack(sums)
