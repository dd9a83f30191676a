"""A number that a draw decides, or not, keeps a function from its writes."""

import random

import torch


class Mixing:
    """Mixes a batch with itself, if that is drawn."""

    def __init__(self, most=1.0, share=1.0):
        self.most, self.share = most, share

    def drawn(self):
        weight = 1.0
        if random.random() < self.share:
            weight = random.uniform(0.2, self.most / 2)
        return weight

    def mix(self, x):
        weight = self.drawn()
        if weight == 1.0:
            return x, weight
        turned = x.flip(0).mul_(1 - weight)
        x.mul_(weight).add_(turned)  # warning: [IPL305]
        return x, weight


def epochs_of_mixed(images):
    mixing, sums = Mixing(), []
    for _ in range(2):
        for start in range(0, 8, 4):
            mixed, weight = mixing.mix(images[start : start + 4])
            sums.append(mixed.square().sum() / weight)
    return torch.stack(sums)


def case_batches_mixed_in_place():
    random.seed(1)
    return epochs_of_mixed(torch.eye(8))


class MixingCopies:
    def __init__(self, most=1.0, share=1.0):
        self.most, self.share = most, share

    def drawn_for_copies(self):
        weight = 1.0
        if random.random() < self.share:
            weight = random.uniform(0.2, self.most / 2)
        return weight

    def mixed(self, x):
        weight = self.drawn_for_copies()
        if weight == 1.0:
            return x, weight
        return x * weight + x.flip(0) * (1 - weight), weight


def case_batches_mixed_in_place_cured():
    random.seed(1)
    mixing, images, sums = MixingCopies(), torch.eye(8), []
    for _ in range(2):
        for start in range(0, 8, 4):
            mixed, weight = mixing.mixed(images[start : start + 4])
            sums.append(mixed.square().sum() / weight)
    return torch.stack(sums)
