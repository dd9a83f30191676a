"""Captum: attributions call the user's function, some with the very tensors of the user."""

import torch

from inplace_lint.intrinsics import surely, unknown


def _called(function, inputs, more):
    given = tuple(inputs) if surely(isinstance(inputs, (tuple, list))) else (inputs,)
    rest = () if surely(more is None) else (tuple(more) if surely(isinstance(more, (tuple, list))) else (more,))
    return function(*given, *rest)


def _copied(inputs):
    return tuple(each * 1 for each in inputs) if surely(isinstance(inputs, (tuple, list))) else inputs * 1


class _OfCopies:
    """What is called without gradients, with changed copies of the inputs."""

    def __init__(self, forward_func, *rest, **options):
        self.forward_func = forward_func

    @torch.no_grad()
    def attribute(self, inputs, *rest, additional_forward_args=None, **options):
        _called(self.forward_func, _copied(inputs), additional_forward_args)
        return unknown(is_data=True)


class _OfInputs(_OfCopies):
    """What is called with the inputs first, then with changed copies of them."""

    @torch.no_grad()
    def attribute(self, inputs, *rest, additional_forward_args=None, **options):
        _called(self.forward_func, inputs, additional_forward_args)
        _called(self.forward_func, _copied(inputs), additional_forward_args)
        return unknown(is_data=True)


class FeatureAblation(_OfInputs):
    pass


class Occlusion(_OfInputs):
    pass


class FeaturePermutation(_OfInputs):
    pass


class ShapleyValueSampling(_OfCopies):
    pass


class ShapleyValues(_OfCopies):
    pass


class Lime(_OfInputs):
    pass


class KernelShap(_OfInputs):
    pass


class _Differentiated:
    """What is called with inputs that require grad from then on, and differentiated by them."""

    def __init__(self, forward_func, *rest, **options):
        self.forward_func = forward_func

    def attribute(self, inputs, *rest, additional_forward_args=None, **options):
        listed = inputs if surely(isinstance(inputs, (tuple, list))) else (inputs,)
        for each in listed:
            each.requires_grad_()
        with torch.enable_grad():
            out = _called(self.forward_func, inputs, additional_forward_args)
            torch.autograd.grad(out.sum(), listed, allow_unused=True)
        return unknown(is_data=True)


class Saliency(_Differentiated):
    pass


class InputXGradient(_Differentiated):
    pass


class LayerIntegratedGradients:
    """What is called with leaves in the place of what a layer gives, and differentiated by them."""

    def __init__(self, forward_func, layer, *rest, **options):
        self.forward_func = forward_func
        self.layer = layer

    def attribute(self, inputs, baselines=None, target=None, additional_forward_args=None, *rest, **options):
        kept = []
        handle = self.layer.register_forward_hook(lambda module, given, output: kept.append(output))
        with torch.no_grad():
            _called(self.forward_func, inputs, additional_forward_args)
        handle.remove()
        between = kept[0].detach().clone().requires_grad_()
        handle = self.layer.register_forward_hook(lambda module, given, output: between)
        with torch.enable_grad():
            out = _called(self.forward_func, inputs, additional_forward_args)
            torch.autograd.grad(out.sum(), between)
        handle.remove()
        return unknown(is_data=True)
