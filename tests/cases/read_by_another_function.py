"""A function that stands above the write, and reads the same memory after it, is no next round of a loop."""

import torch
from torch import nn
from torch.nn import functional


def _summed(logits, targets):
    return functional.cross_entropy(logits, targets, ignore_index=-100, reduction="sum")


class _Masking(nn.Module):
    def forward(self, logits, labels, mask=None):
        if mask is not None:
            labels.masked_fill_(mask == 0, -100)  # warning: [IPL305]
        return _summed(logits, labels) / (labels != -100).sum()


class _MaskingAside(nn.Module):
    def forward(self, logits, labels, mask=None):
        if mask is not None:
            labels = labels.masked_fill(mask == 0, -100)
        return _summed(logits, labels) / (labels != -100).sum()


def _both(criterion, batch):
    logits = torch.eye(4)
    with torch.no_grad():
        answers = criterion(logits, batch["labels"], mask=batch["answers"])
        prompts = criterion(logits, batch["labels"], mask=batch["prompts"])
    return answers, prompts, (batch["labels"] != -100).sum()


def _batch():
    labels = torch.arange(4)
    return {"labels": labels, "answers": labels > 1, "prompts": labels < 2}


def case_labels_masked_for_one_of_two_losses():
    return _both(_Masking(), _batch())


def case_labels_masked_for_one_of_two_losses_cured():
    return _both(_MaskingAside(), _batch())
