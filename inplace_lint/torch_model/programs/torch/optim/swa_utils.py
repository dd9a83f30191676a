"""`torch.optim.swa_utils`: averages of a model over its training."""

from copy import deepcopy

import torch
from torch import nn

from inplace_lint.intrinsics import perhaps, surely


def get_ema_avg_fn(decay=0.999):
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    def swa_update(averaged_model_parameter, model_parameter, num_averaged):
        return averaged_model_parameter + (model_parameter - averaged_model_parameter) / (num_averaged + 1)

    return swa_update


def get_ema_multi_avg_fn(decay=0.999):
    def ema_update(ema_param_list, current_param_list, num_averaged):
        for ema, current in zip(ema_param_list, current_param_list, strict=True):
            ema.lerp_(current, 1 - decay)

    return ema_update


def get_swa_multi_avg_fn():
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for averaged, current in zip(averaged_param_list, current_param_list, strict=True):
            averaged.lerp_(current, 1 / (num_averaged + 1))

    return swa_update


class AveragedModel(nn.Module):
    """Has a copy of a model, and writes nothing else: the first time what the model has, then the average."""

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", torch.tensor(0))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    @torch.no_grad()
    def update_parameters(self, model):
        own, given = list(self.module.parameters()), list(model.parameters())
        if self.use_buffers:
            own, given = [*own, *self.module.buffers()], [*given, *model.buffers()]
        if perhaps():
            for averaged, current in zip(own, given, strict=True):
                averaged.copy_(current)
        elif self.multi_avg_fn is not None:
            self.multi_avg_fn([each.detach() for each in own], [each.detach() for each in given], self.n_averaged)
        else:
            average = self.avg_fn or get_swa_avg_fn()
            for averaged, current in zip(own, given, strict=True):
                averaged.copy_(average(averaged.detach(), current.detach(), self.n_averaged))
        if not self.use_buffers:
            for kept, current in zip(self.module.buffers(), model.buffers(), strict=True):
                kept.detach().copy_(current.detach())
        self.n_averaged += 1


@torch.no_grad()
def update_bn(loader, model, device=None):
    """Runs the model on what a loader gives; only the statistics of batch norms are written."""
    was_training = model.training
    for module in model.modules():
        if surely(isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm))):
            module.running_mean.zero_()
            module.running_var.fill_(1)
    model.train()
    for batch in loader:
        model(batch[0] if isinstance(batch, (list, tuple)) else batch)
    model.train(was_training)
