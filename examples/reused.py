"""The input of an in-place ReLU is used again: no error, another result."""

import torch
import torch.nn.functional as F

torch.manual_seed(0)
network = torch.nn.Linear(3, 1)


def hazard(x: torch.Tensor) -> torch.Tensor:
    y = F.relu(x, inplace=True)  # warning: [IPL301]
    z = network(x)
    return y.sum() + z.sum()


def cure(x: torch.Tensor) -> torch.Tensor:
    y = F.relu(x)
    z = network(x)
    return y.sum() + z.sum()


data = torch.tensor([[-1.0, 2.0, -3.0]])
print(f"the network saw the activated tensor: {hazard(data.clone()).item():.3f}")
print(f"the network saw its input: {cure(data.clone()).item():.3f}")
