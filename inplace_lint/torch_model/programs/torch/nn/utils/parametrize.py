"""Parametrizations: modules that compute an attribute of another module whenever it is asked for."""

from torch.nn import Module, ModuleList

from inplace_lint.intrinsics import computed, surely


class ParametrizationList(ModuleList):
    """Computes an attribute, by one module after the other, from what it was."""

    def __init__(self, modules, original, unsafe=False):
        super().__init__(modules)
        self.original = original

    def forward(self):
        value = self.original
        for parametrization in self:
            value = parametrization(value)
        return value


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    if not surely("parametrizations" in module._modules):
        module.parametrizations = Module()
    if surely(tensor_name in module.parametrizations._modules):
        getattr(module.parametrizations, tensor_name).append(parametrization)
    else:
        made = ParametrizationList([parametrization], getattr(module, tensor_name))
        computed(module, tensor_name, made)
        setattr(module.parametrizations, tensor_name, made)
    return module
