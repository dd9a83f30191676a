"""ema-pytorch: an average of a model, which is written by `update`, and may be written back."""

import copy

import torch
from torch import nn

from inplace_lint.intrinsics import surely


class EMA(nn.Module):
    def __init__(self, model, ema_model=None, beta=0.9999, **options):
        super().__init__()
        self.online_model = [model]
        self.ema_model = copy.deepcopy(model) if surely(ema_model is None) else ema_model
        self.ema_model.requires_grad_(False)

    @property
    def model(self):
        return self.online_model[0]

    @torch.no_grad()
    def update(self):
        for average, current in zip(self.ema_model.parameters(), self.model.parameters(), strict=True):
            average.lerp_(current, 0.1)

    def copy_params_from_model_to_ema(self):
        for average, current in zip(self.ema_model.parameters(), self.model.parameters(), strict=True):
            average.data.copy_(current.data)

    def copy_params_from_ema_to_model(self):
        for average, current in zip(self.ema_model.parameters(), self.model.parameters(), strict=True):
            current.data.copy_(average.data)

    def update_model_with_ema(self, decay=None):
        self.copy_params_from_ema_to_model()

    @torch.no_grad()
    def forward_eval(self, *args, **kwargs):
        return self.ema_model(*args, **kwargs)

    def forward(self, *args, **kwargs):
        return self.ema_model(*args, **kwargs)
