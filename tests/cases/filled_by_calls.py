"""Objects whose lists are filled by one call of a method and read by a later one."""

import torch


class Multistep:
    """A solver that keeps its last derivatives, newest last."""

    def __init__(self):
        self.history = []

    def step(self, x, slope):
        self.history.append(slope(x))
        if len(self.history) > 2:
            self.history.pop(0)
        weights = torch.tensor([1.5, -0.5])
        return x + sum(d.mul_(w) for w, d in zip(weights, reversed(self.history)))  # warning: [IPL304]


class MultistepCured:
    def __init__(self):
        self.history = []

    def step(self, x, slope):
        self.history.append(slope(x))
        if len(self.history) > 2:
            self.history.pop(0)
        weights = torch.tensor([1.5, -0.5])
        return x + sum(d.mul(w) for w, d in zip(weights, reversed(self.history)))


def _solved(solver):
    x = torch.ones(2)
    for _ in range(4):
        x = solver.step(x, lambda y: -0.1 * y)
    return x


def case_terms_of_a_sum_scale_what_is_kept():
    return _solved(Multistep())


def case_terms_of_a_sum_scale_what_is_kept_cured():
    return _solved(MultistepCured())


class LastThree:
    """The branch for three derivatives is taken only when three calls have filled the list."""

    def __init__(self):
        self.history = []

    def step(self, x):
        self.history.append(x.cos())
        if len(self.history) < 3:
            return x + self.history[-1]
        return x + self.history[-1].mul_(23) - 16 * self.history[-2] + 5 * self.history[-3]  # warning: [IPL301]


class LastThreeCured:
    def __init__(self):
        self.history = []

    def step(self, x):
        self.history.append(x.cos())
        if len(self.history) < 3:
            return x + self.history[-1]
        return x + self.history[-1].mul(23) - 16 * self.history[-2] + 5 * self.history[-3]


def _moved(solver):
    x = torch.ones(2)
    for _ in range(5):
        x = solver.step(x) / 30
    return x


def case_the_newest_of_three_is_scaled():
    return _moved(LastThree())


def case_the_newest_of_three_is_scaled_cured():
    return _moved(LastThreeCured())


class Window:
    """What is kept is normalised once, when it comes in, and read again: that is right."""

    def __init__(self):
        self.kept = []

    def add(self, x):
        x = x.clone()
        x.div_(x.norm())
        self.kept.append(x)
        if len(self.kept) > 3:
            self.kept.pop(0)
        return torch.stack(self.kept).mean(0) - self.kept[-1]


def case_each_is_normalised_when_it_comes_in():
    window = Window()
    return [window.add(torch.arange(1.0, 4.0) * i) for i in range(1, 6)][-1]


class Averages:
    """A dict of running averages, brought up to date by their own result."""

    def __init__(self):
        self.means = {}

    def update(self, name, x):
        if name not in self.means:
            self.means[name] = torch.zeros_like(x)
        return x - self.means[name].mul_(0.9).add_(x, alpha=0.1)


def case_averages_are_brought_up_to_date():
    averages = Averages()
    return [averages.update("a", torch.ones(2) * i) for i in range(3)][-1]


def njit(function):
    """Numba's, which need not be installed."""
    return function


@njit
def _scaled_by_a_kernel(values, by):
    values *= by
    return values.sum() / by


def _scaled_by_python(values, by):
    values *= by  # warning: [IPL305]
    return values.sum() / by


def case_rows_scaled_by_a_kernel():
    rows = torch.ones(3)
    total = _scaled_by_a_kernel(rows, 2)
    return rows + total


def case_rows_scaled_by_a_function():
    rows = torch.ones(3)
    total = _scaled_by_python(rows, 2)
    return rows + total


def case_rows_scaled_by_a_function_cured():
    rows = torch.ones(3)
    total = (rows * 2).sum() / 2
    return rows + total
