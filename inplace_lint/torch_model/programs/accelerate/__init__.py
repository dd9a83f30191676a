"""Accelerate, on one device: what is prepared stays what it is, and the accelerator runs backward."""

from contextlib import contextmanager

from torch import nn

from inplace_lint.intrinsics import surely


class Accelerator:
    def prepare(self, *args, **options):
        return args[0] if surely(len(args) == 1) else args

    def prepare_model(self, model, **options):
        return model

    def prepare_optimizer(self, optimizer, **options):
        return optimizer

    def prepare_data_loader(self, data_loader, **options):
        return data_loader

    def gather(self, tensor):
        return tensor

    def gather_for_metrics(self, input_data, use_gather_object=False):
        return input_data

    def unwrap_model(self, model, **options):
        return model

    def backward(self, loss, **options):
        (loss / 1).backward(**options)

    def clip_grad_norm_(self, parameters, max_norm, norm_type=2):
        return nn.utils.clip_grad_norm_(parameters, max_norm)

    def clip_grad_value_(self, parameters, clip_value):
        nn.utils.clip_grad_value_(parameters, clip_value)

    @contextmanager
    def accumulate(self, *models):
        yield

    @contextmanager
    def no_sync(self, model):
        yield

    @contextmanager
    def autocast(self, **options):
        yield
