"""A method that says that it updates something of its object says nothing of its arguments."""

import torch


class Temperature:
    def __init__(self):
        self.mean = torch.ones(1)

    def _update_mean(self, scores):
        found = scores.abs_().mean()  # warning: [IPL305]
        self.mean = 0.9 * self.mean + 0.1 * found.detach()
        return self.mean

    def weighed(self, scores):
        return self._update_mean(scores) * scores

    def _update_scores(self, scores):
        self.mean = scores.detach().mean()
        return scores.abs_()

    def brought(self, scores):
        return self._update_scores(scores) * scores


def update_mean(scores):
    return scores.abs_().mean()


def both(scores):
    return update_mean(scores) * scores
