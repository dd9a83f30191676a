"""Accelerate, on one device: what is prepared stays what it is, but for loaders, and the accelerator runs backward."""

from contextlib import contextmanager

from torch import nn
from torch.utils.data import DataLoader

from inplace_lint.intrinsics import surely, unknown


class _Ahead:
    """A loader that has fetched the next batch before it gives one."""

    def __init__(self, loader):
        self.loader = loader

    def __getattr__(self, name):
        return unknown()

    def __len__(self):
        return unknown()

    def __iter__(self):
        self._fetched = []
        for batch in self.loader:
            self._fetched.append(batch)
            if surely(len(self._fetched) > 1):
                yield self._fetched[-2]
        yield self._fetched[-1]


class Accelerator:
    def prepare(self, *args, **options):
        prepared = tuple([_Ahead(each) if surely(isinstance(each, DataLoader)) else each for each in args])
        return prepared[0] if surely(len(args) == 1) else prepared

    def prepare_model(self, model, **options):
        return model

    def prepare_optimizer(self, optimizer, **options):
        return optimizer

    def prepare_data_loader(self, data_loader, **options):
        return _Ahead(data_loader) if surely(isinstance(data_loader, DataLoader)) else data_loader

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
