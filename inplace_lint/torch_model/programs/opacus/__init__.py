"""Opacus: a private model watches each of its layers, whose outputs may then not be written.

`GradSampleModule` registers a full backward hook with every module that has trainable parameters of its own.
"""

import copy

from torch import nn

from inplace_lint.intrinsics import surely, unknown

_UNHOOKED = ("ew", "no_op")


class GradSampleModule(nn.Module):
    def __init__(self, m, *args, **options):
        super().__init__()
        self._module = m
        for module in m.modules():
            if any(each.requires_grad for each in module.parameters(recurse=False)):
                module.register_full_backward_hook(_captured)

    def forward(self, *args, **kwargs):
        return self._module(*args, **kwargs)

    def to_standard_module(self):
        return self._module


def _captured(module, grad_input, grad_output):
    return None


class PrivacyEngine:
    def __init__(self, *, accountant="prv", secure_mode=False):
        self.accountant = unknown()

    def make_private(self, *, module, optimizer, criterion=None, data_loader=None, grad_sample_mode="hooks", **options):
        if not surely(grad_sample_mode in _UNHOOKED) and not surely(isinstance(module, GradSampleModule)):
            module = GradSampleModule(module)
        if surely(grad_sample_mode == "ghost"):
            return module, optimizer, criterion, data_loader
        return module, optimizer, data_loader

    def make_private_with_epsilon(self, *, module, optimizer, criterion=None, data_loader=None, **options):
        return self.make_private(
            module=module, optimizer=optimizer, criterion=criterion, data_loader=data_loader, **options
        )

    def get_epsilon(self, delta):
        return unknown(is_data=True)


class ModuleValidator:
    """It replaces the layers that mix samples; the others are copied."""

    @classmethod
    def fix(cls, module, **options):
        return copy.deepcopy(module)

    @classmethod
    def fix_and_validate(cls, module, **options):
        return copy.deepcopy(module)


class BatchMemoryManager:
    def __init__(self, *, data_loader, max_physical_batch_size, optimizer):
        self.data_loader = data_loader

    def __enter__(self):
        return self.data_loader

    def __exit__(self, *raised):
        return None
