"""A residual block whose skip connection is overwritten by its first activation."""

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU(inplace=True)  # warning: [IPL303]

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = x
        out = self.relu(x)
        return 10 * out + identity


class CuredBlock(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.relu = nn.ReLU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        identity = x
        out = self.relu(x)
        return 10 * out + identity


data = torch.tensor([-1.0, 2.0])
print("hazard:", Block()(data.clone()).tolist())
print("cure:", CuredBlock()(data.clone()).tolist())
