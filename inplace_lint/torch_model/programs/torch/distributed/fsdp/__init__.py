"""`torch.distributed.fsdp`: parameters are gathered around each call; the model computes what it always does."""

from contextlib import contextmanager

from torch import nn


class FullyShardedDataParallel(nn.Module):
    def __init__(self, module, *args, **options):
        super().__init__()
        self._fsdp_wrapped_module = module

    @property
    def module(self):
        return self._fsdp_wrapped_module

    def forward(self, *args, **kwargs):
        return self._fsdp_wrapped_module(*args, **kwargs)

    @contextmanager
    def no_sync(self):
        yield


def fully_shard(module, **options):
    return module
