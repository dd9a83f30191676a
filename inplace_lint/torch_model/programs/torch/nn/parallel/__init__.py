"""`torch.nn.parallel`: modules that call the one which they are given.

Before a forward pass the buffers get the values of the first process, which counts as no write to them.
"""

from contextlib import contextmanager

from torch import nn


class DistributedDataParallel(nn.Module):
    def __init__(self, module, *args, **options):
        super().__init__()
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)

    @contextmanager
    def no_sync(self):
        yield


class DataParallel(nn.Module):
    def __init__(self, module, device_ids=None, output_device=None, dim=0):
        super().__init__()
        self.module = module

    def forward(self, *inputs, **kwargs):
        return self.module(*inputs, **kwargs)
