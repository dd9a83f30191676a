"""A parameter may be written, but not while gradients are recorded."""

import torch

weight = torch.ones(2, 2, requires_grad=True)
weight.square().sum().backward()

try:
    weight -= 0.1 * weight.grad  # error: [IPL101]
except RuntimeError as error:
    print(error)

try:
    weight[0] = 0.0  # error: [IPL102]
except RuntimeError as error:
    print(error)

with torch.no_grad():
    weight -= 0.1 * weight.grad
    weight[0] = 0.0
print("updated:", weight.tolist())
