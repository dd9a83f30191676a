"""`x = f(x)`: the name says nothing about the memory, the function does."""

import torch
from torch import nn

conv1, conv2 = nn.Conv1d(2, 2, 1), nn.Conv1d(2, 2, 1)
start = torch.randn(1, 2, 4)

x = start
x = conv1(x)
x = conv2(x)
print("rebound to new tensors, start is unchanged:", bool((start < 0).any()))

x = start
x = torch.relu_(x)  # warning: [IPL303]
print("the same name for the result of relu_, start is unchanged:", bool((start < 0).any()))

fresh = torch.randn(1, 2, 4)
x = fresh
x = torch.relu(x)
print("the same name for the result of relu, fresh is unchanged:", bool((fresh < 0).any()))
