"""The gradient with respect to a tensor that `relu_` has overwritten is 1, not 0."""

import torch
import torch.nn.functional as F

start = torch.tensor(-1.0, requires_grad=True)

x = start * 1
print(torch.autograd.grad(F.relu_(x), (x,))[0].item())  # warning: [IPL402]

x = start * 1
x2 = x.clone()
print(torch.autograd.grad(F.relu_(x2), (x,))[0].item())
