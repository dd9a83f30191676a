"""A view of a whole tensor is changed for what is made of it, and the tensor is read by its own name as well."""

import torch
from torch import nn


class Mixer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 3)

    def forward(self, x):
        rows = x.permute(0, 2, 1)
        mean = rows.mean(-1, keepdim=True)
        rows.sub_(mean)  # warning: [IPL303]
        made = self.embed(rows)
        last = x[:, -1]
        return made.mean(-1) + last


class MixerCured(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, 3)

    def forward(self, x):
        rows = x.permute(0, 2, 1)
        mean = rows.mean(-1, keepdim=True)
        rows = rows.sub(mean)
        made = self.embed(rows)
        last = x[:, -1]
        return made.mean(-1) + last


def case_normalized_as_a_view():
    torch.manual_seed(0)
    return Mixer()(torch.arange(12.0).view(2, 3, 2))


def case_normalized_as_a_view_cured():
    torch.manual_seed(0)
    return MixerCured()(torch.arange(12.0).view(2, 3, 2))


def case_the_tensor_is_given_back():
    x = torch.arange(12.0).view(2, 3, 2)
    rows = x.permute(0, 2, 1)
    rows.sub_(rows.mean(-1, keepdim=True))
    print(rows.sum())
    return x


def case_only_the_tensor_goes_on():
    x = torch.arange(12.0).view(2, 3, 2)
    flat = x.view(2, -1)
    flat.sub_(flat.mean(1, keepdim=True)).div_(flat.std(1, keepdim=True))
    return torch.relu(x) + 1


def case_some_rows_are_shown_by_a_view():
    x = torch.arange(12.0).view(4, 3)
    first = x[:2]
    first.mul_(2)
    return torch.relu(first).sum() + torch.relu(x)
