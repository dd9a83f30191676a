"""Attributes that are given whole numbers wherever they are given anything: they require no grad."""

import torch


class _Beam:
    """Only one kind has times and ages."""

    def __init__(self, size, timed):
        self.scores = torch.zeros(size)
        if timed:
            self.times = torch.zeros(size, dtype=torch.long)
            self.ages = torch.zeros(size)

    def advance(self, blank):
        times = torch.square(self.times)
        self.times.copy_(times + blank)
        return times

    def grow(self, blank):
        ages = torch.square(self.ages)
        self.ages.copy_(ages + blank)  # warning: [IPL201]
        return ages


def search(blank, kind):
    beam = _Beam(3, kind == "timed")
    return beam.advance(blank), beam.grow(blank), beam.scores
