"""The result of a write to what an object keeps gets another name, and both are computed with."""

import torch


class Cell:
    def __init__(self):
        self.v = torch.ones(2)

    def step(self, i):
        v_next = self.v.add_(i)  # warning: [IPL301]
        decay = 0.1 * (self.v - 1)
        return v_next - decay


class CellCured:
    def __init__(self):
        self.v = torch.ones(2)

    def step(self, i):
        v_next = self.v + i
        decay = 0.1 * (self.v - 1)
        return v_next - decay


def case_read_by_its_old_name():
    return Cell().step(torch.ones(2))


def case_read_by_its_old_name_cured():
    return CellCured().step(torch.ones(2))


class Limited:
    def __init__(self):
        self.log_alpha = torch.tensor([3.0])

    def bounded(self):
        log_alpha = self.log_alpha
        limited = log_alpha.clamp_(-1, 1)  # warning: [IPL301]
        return log_alpha * 2 - limited


class LimitedCured:
    def __init__(self):
        self.log_alpha = torch.tensor([3.0])

    def bounded(self):
        log_alpha = self.log_alpha
        limited = log_alpha.clamp(-1, 1)
        return log_alpha * 2 - limited


def case_read_by_a_short_name():
    return Limited().bounded()


def case_read_by_a_short_name_cured():
    return LimitedCured().bounded()


class Average:
    def __init__(self):
        self.mean = torch.zeros(2)

    def update(self, x):
        mean = self.mean.mul_(0.9).add_(x, alpha=0.1)
        return x - mean, self.mean * 2

    def shown(self, x):
        changed = self.mean.add_(x)
        print(changed.sum())
        return self.mean


def case_a_state_is_brought_up_to_date():
    average = Average()
    first, second = average.update(torch.ones(2))
    return first + second + average.shown(first)
