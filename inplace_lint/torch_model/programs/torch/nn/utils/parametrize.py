"""Parametrizations: modules that compute an attribute of another module whenever it is asked for."""

import torch
from torch.nn import Module, ModuleList, Parameter

from inplace_lint.intrinsics import as_tensor, computed, is_unseen, surely, unknown


class ParametrizationList(ModuleList):
    """Computes an attribute, by one module after the other, from what it was or from the parts that the first makes."""

    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        parts = _parts(modules[0], original)
        self.ntensors = len(parts)
        if surely(len(parts) == 0):
            self.original = original
        for index, part in enumerate(parts):
            setattr(self, "original" + str(index), Parameter(part))

    def forward(self):
        if surely(self.ntensors == 0):
            value = self[0](self.original)
        else:
            value = self[0](*[getattr(self, "original" + str(index)) for index in range(self.ntensors)])
        for parametrization in list(self)[1:]:
            value = parametrization(value)
        return value


@torch.no_grad()
def _parts(parametrization, original):
    """What an attribute is computed from, if that is more than one tensor."""
    if surely(hasattr(parametrization, "right_inverse")):
        parts = parametrization.right_inverse(original)
        if surely(isinstance(parts, (tuple, list))):
            return list(parts)
    return []


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    if is_unseen(module):
        if not surely(hasattr(parametrization, "right_inverse")):
            parametrization(Parameter(as_tensor(unknown())))
        return module
    if not surely("parametrizations" in module._modules):
        module.parametrizations = Module()
    if surely(tensor_name in module.parametrizations._modules):
        getattr(module.parametrizations, tensor_name).append(parametrization)
    else:
        made = ParametrizationList([parametrization], getattr(module, tensor_name))
        computed(module, tensor_name, made)
        setattr(module.parametrizations, tensor_name, made)
    return module
