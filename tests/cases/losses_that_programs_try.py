"""A program that tries a loss on numbers, and runs no backward, says nothing of what the loss is given by others."""

import torch
from torch import nn


class DiceLoss(nn.Module):
    def forward(self, scores: torch.Tensor, wanted: torch.Tensor):
        wanted = wanted * 1.0
        both = scores * wanted
        wanted *= 2  # warning: [IPL201]
        return 1 - both / (scores + wanted)


def overlap_loss(scores: torch.Tensor, wanted: torch.Tensor):
    wanted = wanted * 1.0
    both = scores * wanted
    wanted *= 2  # warning: [IPL201]
    return 1 - both / (scores + wanted)


def overlap(scores: torch.Tensor, wanted: torch.Tensor):
    wanted = wanted * 1.0
    both = scores * wanted
    wanted *= 2
    return 1 - both / (scores + wanted)


def tried():
    scores, wanted = torch.rand(3), torch.rand(3)
    print(DiceLoss()(scores, wanted), overlap_loss(scores, wanted), overlap(scores, wanted))


if __name__ == "__main__":
    tried()
