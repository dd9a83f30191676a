"""A classifier that activates in place if asked to: right either way.

A linear layer saves its input, not its result, so the activation may overwrite that result. The
same `self.relu` may be used for all layers.
"""

import torch
import torch.nn.functional as F
from torch import nn


class Classifier(nn.Module):
    def __init__(self, inplace: bool):
        super().__init__()
        self.layer1 = nn.Linear(8, 16)
        self.layer2 = nn.Linear(16, 16)
        self.layer3 = nn.Linear(16, 16)
        self.layer4 = nn.Linear(16, 3)
        self.relu = nn.ReLU(inplace=inplace)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.relu(self.layer1(x))
        x = self.relu(self.layer2(x))
        x = self.relu(self.layer3(x))
        return self.layer4(x)


def train(inplace: bool) -> float:
    torch.manual_seed(0)
    model = Classifier(inplace)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data, labels = torch.randn(32, 8), torch.randint(3, (32,))
    for _ in range(20):
        loss = F.cross_entropy(model(data), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


in_place, out_of_place = train(inplace=True), train(inplace=False)
print(f"the two losses are equal: {in_place == out_of_place}")
