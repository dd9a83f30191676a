"""A kept tensor that a call hands back among its results: who changes it there changes what is kept."""

import torch
from torch import nn


class Pyramid(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 2)

    def forward(self, x):
        levels = [x]
        for layer in (self.first, self.second):
            x = layer(x)
            levels.append(x)
        return levels


class Ablation:
    """Blanks one level after the other; the first one is the input itself."""

    def __init__(self, pyramid, image):
        self.pyramid, self.image = pyramid, image

    @torch.no_grad()
    def without(self, level):
        levels = self.pyramid(self.image)
        levels[level].zero_()  # warning: [IPL304]
        return torch.stack([each.mean() for each in levels])


class AblationApart:
    def __init__(self, pyramid, image):
        self.pyramid, self.image = pyramid, image

    @torch.no_grad()
    def without_copying(self, level):
        levels = self.pyramid(self.image)
        levels[level] = torch.zeros_like(levels[level])
        return torch.stack([each.mean() for each in levels])


def case_input_among_the_levels():
    torch.manual_seed(0)
    ablation = Ablation(Pyramid(), torch.ones(3))
    return torch.stack([ablation.without(level) for level in range(3)])


def case_input_among_the_levels_cured():
    torch.manual_seed(0)
    ablation = AblationApart(Pyramid(), torch.ones(3))
    return torch.stack([ablation.without_copying(level) for level in range(3)])


def as_list(x):
    return x if isinstance(x, list) else [x]


class Meter:
    """Gives a list of what it keeps, to be emptied."""

    def __init__(self):
        self.total, self.count = torch.ones(3), torch.ones(1)

    def sums(self):
        return [self.total, self.count]

    def reset(self):
        for each in as_list(self.total):
            each.zero_()
        for each in self.sums():
            each.zero_()

    def mean(self):
        return self.total / (self.count + 1)


def case_lists_that_wrap_what_is_kept():
    meter = Meter()
    before = meter.mean()
    meter.reset()
    return before + meter.mean()
