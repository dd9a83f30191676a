"""`torch.amp`: what scales a loss, so that small gradients do not vanish."""

import torch

from inplace_lint.intrinsics import unknown


class GradScaler:
    """Gives another loss than it is given, and steps the optimizer; the gradients that it scales back are its own."""

    def __init__(self, *args, **kwargs):
        self._scale = 1.0

    def scale(self, outputs):
        return torch.mul(outputs, self._scale)

    def unscale_(self, optimizer):
        return None

    def step(self, optimizer, *args, **kwargs):
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        return None

    def get_scale(self):
        return unknown()
