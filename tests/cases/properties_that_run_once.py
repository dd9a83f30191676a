"""Properties that run when they are first asked for, and keep what they give."""

from functools import cached_property

import torch
from torch.distributions.utils import lazy_property


class Chain:
    def __init__(self, scores):
        self.scores = scores

    @lazy_property
    def marginals(self):
        self.scores.requires_grad_(True)
        total = self.scores.logsumexp(0)
        return torch.autograd.grad(total, self.scores)[0]

    @lazy_property
    def centred(self):
        return self.scores - self.scores.mean()


def case_asked_for_a_leaf():
    scores = torch.randn(4)
    before = Chain(scores).marginals
    scores += 1  # error: [IPL101]
    return before


def case_not_asked():
    scores = torch.randn(4)
    before = Chain(scores).centred
    scores += 1
    return before, Chain(scores).marginals


def case_a_new_tensor():
    scores = torch.randn(4)
    before = Chain(scores).marginals
    scores = scores + 1
    return before, scores


class Doubling:
    def __init__(self, weights):
        self.weights = weights

    @cached_property
    def doubled(self):
        with torch.no_grad():
            return self.weights.mul_(2)  # error: [IPL203]


def case_doubled_after_it_is_saved():
    weights = torch.randn(3, requires_grad=True)
    doubling = Doubling(weights)
    loss = weights.square().sum()
    doubling.doubled  # noqa: B018
    loss.backward()
