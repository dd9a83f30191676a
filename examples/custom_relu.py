"""A custom autograd function that is careful: it writes only what it has just made itself."""

import torch


class Relu(torch.autograd.Function):
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


x = torch.tensor([-1.0, 2.0], requires_grad=True)
Relu.apply(x).sum().backward()
print("gradient:", x.grad.tolist())
