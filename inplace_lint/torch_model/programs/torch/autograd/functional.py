"""`torch.autograd.functional`: the function runs on tensors that require grad, and autograd itself differentiates.

What it is given shares memory with the arguments, and what it gives with the result.
"""

import torch

from inplace_lint.intrinsics import surely, unknown


def vjp(func, inputs, v=None, create_graph=False, strict=False):
    outputs, gradients = _differentiated(func, inputs, v, create_graph)
    return _shown(outputs, create_graph), gradients


def jvp(func, inputs, v=None, create_graph=False, strict=False):
    outputs, _ = _differentiated(func, inputs, None, True)
    return _shown(outputs, create_graph), unknown(is_data=not create_graph)


def vhp(func, inputs, v=None, create_graph=False, strict=False):
    outputs, _ = _differentiated(func, inputs, None, True)
    return _shown(outputs, create_graph), unknown(is_data=not create_graph)


def hvp(func, inputs, v=None, create_graph=False, strict=False):
    outputs, _ = _differentiated(func, inputs, None, True)
    return _shown(outputs, create_graph), unknown(is_data=not create_graph)


def jacobian(func, inputs, create_graph=False, strict=False, vectorize=False, strategy="reverse-mode"):
    if surely(strategy == "forward-mode"):
        func(*_listed(inputs))
    else:
        _differentiated(func, inputs, None, create_graph)
    return unknown(is_data=not create_graph)


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    _differentiated(func, inputs, None, True)
    return unknown(is_data=not create_graph)


def _listed(given):
    return tuple(given) if surely(isinstance(given, (tuple, list))) else (given,)


def _given(tensor, create_graph):
    if create_graph and tensor.requires_grad:
        return tensor.view_as(tensor)
    return tensor.detach().requires_grad_()


def _differentiated(func, inputs, v, create_graph):
    with torch.enable_grad():
        given = tuple(_given(each, create_graph) for each in _listed(inputs))
        outputs = func(*given)
        roots = _listed(outputs)
        weights = [torch.ones_like(root) for root in roots] if v is None else _listed(v)
        gradients = torch.autograd.grad(roots, given, weights, create_graph=create_graph, allow_unused=True)
    return outputs, gradients if surely(isinstance(inputs, (tuple, list))) else gradients[0]


def _shown(outputs, create_graph):
    if create_graph:
        return outputs
    if surely(isinstance(outputs, (tuple, list))):
        return tuple(each.detach() for each in outputs)
    return outputs.detach()
