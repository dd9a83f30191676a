"""An activation and a flag handed to a function that applies them."""

import torch
import torch.nn.functional as F


def residual_activation(x, residuals, activation=F.relu, inplace=False):
    """Add all residuals to `x`, in place, and apply the activation."""
    for r in residuals:
        x += r
    return activation(x, inplace=inplace)


def case_new_tensors():
    x = torch.randn(3, requires_grad=True)
    out = residual_activation(x * 2, [x, x + 1], F.relu, True)
    out.sum().backward()
    return x.grad


def case_plain_tensors():
    x = torch.randn(3)
    x = residual_activation(x, [torch.ones(3)], F.relu, True)
    return x + 1


def add_then_activate(x, residuals, activation, inplace):
    """Add all residuals to `x`, in place, and apply the activation."""
    for r in residuals:
        x += r  # error: [IPL202]
    return activation(x, inplace=inplace)


def case_saved_tensors():
    x = torch.randn(3, requires_grad=True)
    out = add_then_activate(x.sigmoid(), [x], F.relu, True)
    out.sum().backward()
    return x.grad


def activate(x, activation, inplace):
    return activation(x, inplace=inplace)  # error: [IPL202]


def case_activation_writes_a_saved_tensor():
    x = torch.randn(3, requires_grad=True)
    activate(x.sigmoid(), F.relu, True).sum().backward()
    return x.grad


def activate_either_way(x, activation, inplace):
    return activation(x, inplace=inplace)


def case_activation_leaves_a_saved_tensor():
    x = torch.randn(3, requires_grad=True)
    activate_either_way(x.sigmoid(), F.relu, False).sum().backward()
    return x.grad


def case_activation_writes_a_new_tensor():
    x = torch.randn(3, requires_grad=True)
    activate_either_way(x + 1, F.silu, True).sum().backward()
    return x.grad


def block(x, act):
    y = act(x * 2)
    return y + x


def case_activation_by_name():
    activations = {"relu": F.relu_, "tanh": torch.tanh_}
    x = torch.randn(3, requires_grad=True)
    block(x, activations["relu"]).sum().backward()
    return x.grad


def gate(x, act):
    return x * act(x)  # warning: [IPL302]


def case_activation_in_the_same_expression():
    return gate(torch.randn(3), torch.sigmoid_)


def gate_out_of_place(x, act):
    return x * act(x)


def case_activation_in_the_same_expression_cured():
    return gate_out_of_place(torch.randn(3), torch.sigmoid)
