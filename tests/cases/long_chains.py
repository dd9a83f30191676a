"""Writes behind a long chain of branches, each of which may give what is written."""

import torch


class Weighted:
    def __init__(self, kind, weighting=True):
        self.kind = kind
        self.weighting = weighting

    def per_item(self, logits):
        if self.kind == "a":
            per = logits * 2
        elif self.kind == "b":
            per = logits + 1
        elif self.kind == "c":
            per = (logits - 1) ** 2
        elif self.kind == "d":
            per = (logits + 1) ** 2
        elif self.kind == "e":
            per = logits - logits.mean()
        elif self.kind == "f":
            per = logits / 2
        elif self.kind == "g":
            per = logits * 3
        elif self.kind == "h":
            per = logits - 3
        elif self.kind == "i":
            per = logits * 4
        elif self.kind == "j":
            per = logits - 5
        else:
            per = logits.mean().expand(logits.shape[0])
        if self.weighting:
            per *= 2  # error: [IPL104]
        return per.mean()


def case_the_last_of_many_branches_gives_what_is_written():
    return eval(Weighted.__name__)("k").per_item(torch.rand(3, requires_grad=True))


class WeightedCopy:
    def __init__(self, kind, weighting=True):
        self.kind = kind
        self.weighting = weighting

    def per_item(self, logits):
        if self.kind == "a":
            per = logits * 2
        elif self.kind == "b":
            per = logits + 1
        elif self.kind == "c":
            per = (logits - 1) ** 2
        elif self.kind == "d":
            per = (logits + 1) ** 2
        elif self.kind == "e":
            per = logits - logits.mean()
        elif self.kind == "f":
            per = logits / 2
        elif self.kind == "g":
            per = logits * 3
        elif self.kind == "h":
            per = logits - 3
        elif self.kind == "i":
            per = logits * 4
        elif self.kind == "j":
            per = logits.exp() + 0
        else:
            per = logits.mean().expand(logits.shape[0]).clone()
        if self.weighting:
            per *= 2
        return per.mean()


def case_no_branch_gives_what_hurts():
    kinds = [eval(WeightedCopy.__name__)(kind) for kind in "abjk"]
    return torch.stack([each.per_item(torch.rand(3, requires_grad=True)) for each in kinds])
