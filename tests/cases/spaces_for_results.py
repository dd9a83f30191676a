"""Memory that is kept for results: what is put there next takes the place of an earlier result."""

import torch



class Spaces:
    """Memory for results, by their sizes."""

    def __init__(self):
        self.spaces = {}

    def take(self, *sizes):
        if sizes not in self.spaces:
            self.spaces[sizes] = torch.empty(sizes)
        return self.spaces[sizes]


class Doubler:
    def __init__(self):
        self.spaces = Spaces()

    def doubled(self, x):
        space = self.spaces.take(len(x))
        return torch.mul(x, 2, out=space)  # warning: [IPL303]


class DoublerOfCopies:
    def doubled(self, x):
        return torch.mul(x, 2)


def _both(doubler, one, other):
    first = doubler.doubled(one)
    second = doubler.doubled(other)
    return first - second


def case_results_in_one_space_for_their_size():
    return _both(Doubler(), torch.ones(3), torch.zeros(3))


def case_results_in_one_space_for_their_size_cured():
    return _both(DoublerOfCopies(), torch.ones(3), torch.zeros(3))
