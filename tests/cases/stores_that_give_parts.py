"""Stores that their methods fill, and of which others give parts, to be put through a function."""

import numpy as np
import torch


class Normalized:
    def __call__(self, obs):
        obs.sub_(1.0).div_(2.0)  # warning: [IPL305]
        return obs


class NormalizedApart:
    def __call__(self, obs):
        return (obs - 1.0) / 2.0


class Stretches:
    def __init__(self):
        self.fields = {"obs": np.ones((4, 3), np.float32), "reward": np.ones((4,), np.float32)}
        self.count = 0

    def append(self, **values):
        for name, value in values.items():
            self.fields[name][self.count % 4] = value
        self.count += 1

    def stretch(self, length):
        start = int(np.random.choice(length)) // length
        return {name: torch.from_numpy(values[start : start + length]) for name, values in self.fields.items()}


class Fitting:
    def __init__(self):
        self.store = Stretches()
        self.normalizer = Normalized()

    def seen(self):
        return self.normalizer(self.store.stretch(4)["obs"]).sum()


class FittingApart:
    def __init__(self):
        self.store = Stretches()
        self.normalizer = NormalizedApart()

    def seen_apart(self):
        return self.normalizer(self.store.stretch(4)["obs"]).sum()


def case_part_of_a_store_that_is_scaled():
    fitting = eval(Fitting.__name__)()
    return torch.stack([fitting.seen(), fitting.seen()])


def case_part_of_a_store_that_is_scaled_cured():
    fitting = eval(FittingApart.__name__)()
    return torch.stack([fitting.seen_apart(), fitting.seen_apart()])


class Ring:
    def __init__(self):
        self.rows = torch.zeros(4, 3)
        self.count = 0

    def push(self, row):
        self.rows[self.count % 4] = row
        self.count += 1

    def latest(self, length):
        return self.rows[4 - length :]


def halved(rows):
    rows.mul_(0.5)  # warning: [IPL305]
    return rows


def halves(rows):
    return rows * 0.5


class Averaging:
    def __init__(self):
        self.ring = Ring()
        for _ in range(4):
            self.ring.push(torch.ones(3))

    def mean(self):
        return halved(self.ring.latest(2)).mean()


class AveragingApart:
    def __init__(self):
        self.ring = Ring()
        for _ in range(4):
            self.ring.push(torch.ones(3))

    def mean_apart(self):
        return halves(self.ring.latest(2)).mean()


def case_rows_of_a_ring_that_are_halved():
    averaging = eval(Averaging.__name__)()
    return torch.stack([averaging.mean(), averaging.mean()])


def case_rows_of_a_ring_that_are_halved_cured():
    averaging = eval(AveragingApart.__name__)()
    return torch.stack([averaging.mean_apart(), averaging.mean_apart()])


class Workspace:
    def __init__(self):
        self.sums = torch.zeros(3)

    def add(self, x):
        return added(x, self.sums).sum()


def added(x, out):
    out.zero_()
    out += x
    return out


def case_memory_that_a_function_fills_anew():
    work = eval(Workspace.__name__)()
    return torch.stack([work.add(torch.ones(3)), work.add(torch.ones(3))])
