"""A loss that a caller brings: what it is called tells its class."""

import torch
import torch.nn.functional as F
from torch import nn


class WeightedCrossEntropy(nn.Module):
    def forward(self, logits: torch.Tensor, labels: torch.Tensor, weight: torch.Tensor):
        weight = weight.view(-1)
        weight /= weight.sum()  # warning: [IPL305]
        return (F.cross_entropy(logits, labels, reduction="none") * weight).sum()


def step(model, batch, loss_fn):
    logits, weight = model(batch["x"]), batch["weight"]
    loss = loss_fn(logits, batch["labels"], weight)
    return loss, (logits.argmax(-1) == batch["labels"]).float() @ weight


def step_on_its_own(model, batch, loss_fn):
    logits = model(batch["x"])
    return loss_fn(logits, batch["labels"], batch["weight"].clone()), batch["weight"].sum()
