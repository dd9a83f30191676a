"""Lightning Fabric, on one device: what is set up stays what it is, and the fabric runs backward."""

from contextlib import contextmanager

from torch import nn

from inplace_lint.intrinsics import surely


class Fabric:
    def __init__(self, *args, **options):
        self.callbacks = []

    def setup(self, module, *optimizers, **options):
        return (module, *optimizers) if surely(len(optimizers) > 0) else module

    def setup_module(self, module, **options):
        return module

    def setup_optimizers(self, *optimizers):
        return optimizers[0] if surely(len(optimizers) == 1) else optimizers

    def setup_dataloaders(self, *dataloaders, **options):
        return dataloaders[0] if surely(len(dataloaders) == 1) else dataloaders

    def backward(self, tensor, *args, model=None, **kwargs):
        tensor.backward(*args, **kwargs)

    def clip_gradients(self, module, optimizer, clip_val=None, max_norm=None, norm_type=2.0, error_if_nonfinite=True):
        return nn.utils.clip_grad_norm_(module.parameters(), max_norm)

    @contextmanager
    def no_backward_sync(self, module, enabled=True):
        yield

    @contextmanager
    def autocast(self):
        yield

    @contextmanager
    def init_module(self, empty_init=None):
        yield

    @contextmanager
    def init_tensor(self):
        yield

    def launch(self, function=None, *args, **kwargs):
        return None if surely(function is None) else function(self, *args, **kwargs)
