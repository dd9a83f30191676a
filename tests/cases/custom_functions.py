"""Custom `autograd.Function` classes and hooks."""

import torch


class MarkedDouble(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


def case_double_read_outside_cured():
    start = torch.ones(3, requires_grad=True)
    x = start * 1
    MarkedDouble.apply(x)
    x.sum().backward()
    return start.grad


class UnmarkedDouble(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)  # warning: [IPL403]
        return x

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


def case_double_read_outside():
    start = torch.ones(3, requires_grad=True)
    x = start * 1
    UnmarkedDouble.apply(x)
    x.sum().backward()
    return start.grad


class CarefulRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_input = grad_output.clone()
        grad_input[x < 0] = 0
        return grad_input


def case_relu_with_a_sibling_cured():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    skip = x * 3
    (CarefulRelu.apply(x) + skip).square().sum().backward()
    return x.grad


class GreedyRelu(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output[x < 0] = 0  # warning: [IPL404]
        return grad_output


def case_relu_with_a_sibling():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    skip = x * 3
    (GreedyRelu.apply(x) + skip).square().sum().backward()
    return x.grad


def case_custom_function_saved_its_input():
    start = torch.ones(3, requires_grad=True)
    x = start * 2
    y = CarefulRelu.apply(x)
    x += 1  # error: [IPL201]
    y.sum().backward()
    return start.grad


def case_custom_function_result_written():
    # The function says itself that it saved its input, not its result.
    start = torch.ones(3, requires_grad=True)
    y = CarefulRelu.apply(start * 2)
    y += 1
    y.sum().backward()
    return start.grad


def case_hook_writes_the_gradient():
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    skip = x * 3
    h = h * 1
    h.register_hook(lambda grad: grad.zero_())  # warning: [IPL404]
    (skip + h).square().sum().backward()
    return x.grad


def case_hook_writes_the_gradient_cured():
    x = torch.ones(2, requires_grad=True)
    h = x * 2
    skip = x * 3
    h = h * 1
    h.register_hook(lambda grad: torch.zeros_like(grad))
    (skip + h).square().sum().backward()
    return x.grad
