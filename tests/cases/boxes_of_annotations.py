"""Arrays in dictionaries of a caller, handed to constructors that wrap them and write them: the next call meets them."""

from typing import Optional

import numpy as np
import torch
from torch import Tensor


class Boxes:
    def __init__(self, tensor, origin=(0.5, 0.5, 0.0)):
        self.tensor = torch.as_tensor(tensor, dtype=torch.float32)
        if origin != (0.5, 0.5, 0.0):
            self.tensor[:, :3] += self.tensor[:, 3:6] * 0.5  # warning: [IPL304]

    @property
    def volume(self) -> Tensor:
        return self.tensor[:, 3:6].prod(dim=-1)


def evaluated(annotations: list[dict[str, np.ndarray]], found: list[Tensor]):
    total = 0.0
    for annotation, each in zip(annotations, found):
        ours = Boxes(annotation["boxes"], origin=(0.5, 0.5, 0.5))
        total += float((ours.volume - Boxes(each).volume).sum())
    return total


class BoxesOfCopies:
    def __init__(self, tensor, origin=(0.5, 0.5, 0.0)):
        self.tensor = torch.as_tensor(tensor, dtype=torch.float32).clone()
        if origin != (0.5, 0.5, 0.0):
            self.tensor[:, :3] += self.tensor[:, 3:6] * 0.5

    @property
    def volume(self) -> Tensor:
        return self.tensor[:, 3:6].prod(dim=-1)


def evaluated_with_copies(annotations: list[dict[str, np.ndarray]], found: list[Tensor]):
    total = 0.0
    for annotation, each in zip(annotations, found):
        ours = BoxesOfCopies(annotation["boxes"], origin=(0.5, 0.5, 0.5))
        total += float((ours.volume - BoxesOfCopies(each).volume).sum())
    return total


def _shifted(boxes: Tensor, by: float):
    """What a function of the caller's own writes is there for that."""
    boxes += by


def shift_all(annotations: list[dict[str, Tensor]]):
    for annotation in annotations:
        _shifted(annotation["boxes"], 1.0)


def _clipped_(boxes: Tensor, most: float):
    boxes.clamp_(max=most)
    return boxes


def clip_all(batch: dict[str, Tensor]):
    batch["boxes"] = _clipped_(batch["boxes"], 1.0)
    return batch


def _scaled(boxes: Tensor, scale: float, out: Optional[Tensor] = None):
    out = boxes if out is None else out
    out.mul_(scale)
    return out


def scale_all(batch: dict[str, Tensor]):
    """What comes back is put where it was."""
    batch["boxes"] = _scaled(batch["boxes"], 2.0)
    return batch


def _masked(scores: Tensor, mask: Tensor):
    scores.masked_fill_(mask, 0.0)
    return scores


def masked(batch):
    scores = _masked(batch["scores"], batch["mask"])
    return {"scores": scores, "mask": batch["mask"]}
