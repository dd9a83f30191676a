"""Residual blocks: the skip connection and the activation that may overwrite it."""

import torch
import torch.nn.functional as F
from torch import nn


class PostActivation(nn.Module):
    def __init__(self, channels, project=False):
        super().__init__()
        self.conv1 = nn.Conv1d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm1d(channels)
        self.conv2 = nn.Conv1d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm1d(channels)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = nn.Conv1d(channels, channels, 1) if project else None

    def forward(self, x):
        identity = x
        out = self.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        out = self.relu(out)
        return out


def case_post_activation():
    net = nn.Sequential(PostActivation(2), PostActivation(2, project=True))
    net(torch.randn(2, 2, 4)).sum().backward()
    return net[0].conv1.weight.grad


class LeadingActivation(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.relu = nn.ReLU(inplace=inplace)  # warning: [IPL301]
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = self.relu(x)
        out = self.conv(out)
        return out + x


def case_leading_activation():
    net = LeadingActivation(inplace=True)
    return net(torch.randn(1, 2, 4))


class LeadingActivationCured(nn.Module):
    def __init__(self, inplace):
        super().__init__()
        self.relu = nn.ReLU(inplace=inplace)
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = self.relu(x)
        out = self.conv(out)
        return out + x


def case_leading_activation_cured():
    net = LeadingActivationCured(inplace=False)
    return net(torch.randn(1, 2, 4))


class NamedIdentity(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU(inplace=True)  # warning: [IPL303]
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        identity = x
        out = self.relu(x)
        out = self.conv(out)
        return out + identity


def case_named_identity():
    return NamedIdentity()(torch.randn(1, 2, 4))


class NamedIdentityCured(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU(inplace=False)
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        identity = x
        out = self.relu(x)
        out = self.conv(out)
        return out + identity


def case_named_identity_cured():
    return NamedIdentityCured()(torch.randn(1, 2, 4))


class PreActivation(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(2)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        shortcut = x
        out = self.relu(self.norm(x))
        out = self.conv(out)
        return out + shortcut


def case_pre_activation_behind_a_norm():
    net = PreActivation()
    net(torch.randn(2, 2, 4)).sum().backward()
    return net.conv.weight.grad


class AddedToActivated(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = F.relu(self.conv(x))
        out += x  # error: [IPL202]
        return out


def case_added_to_an_activated_tensor():
    net = AddedToActivated()
    net(torch.randn(1, 2, 4)).sum().backward()
    return net.conv.weight.grad


class AddedToInput(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(2, 2, 1)
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        x = self.stem(x)
        out = self.conv(x)
        x += out  # error: [IPL201]
        return x


def case_added_to_the_input_of_a_convolution():
    net = AddedToInput()
    net(torch.randn(1, 2, 4)).sum().backward()
    return net.stem.weight.grad


class AddedToOutput(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv1d(2, 2, 1)
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        x = self.stem(x)
        out = self.conv(x)
        out += x
        return out


def case_added_to_the_output_of_a_convolution():
    net = AddedToOutput()
    net(torch.randn(1, 2, 4)).sum().backward()
    return net.stem.weight.grad


class SiluThenResidual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = F.silu(self.conv(x), inplace=True)
        out += x
        return out


def case_silu_keeps_a_copy_of_its_input():
    net = SiluThenResidual()
    net(torch.randn(1, 2, 4)).sum().backward()
    return net.conv.weight.grad


class LeakyThenResidual(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = F.leaky_relu(self.conv(x), 0.1, inplace=True)
        out += x  # error: [IPL202]
        return out


def case_leaky_relu_in_place_keeps_its_result():
    net = LeakyThenResidual()
    net(torch.randn(1, 2, 4)).sum().backward()
    return net.conv.weight.grad


def case_leaky_relu_out_of_place_keeps_its_input():
    conv = nn.Conv1d(2, 2, 1)
    x = torch.randn(1, 2, 4)
    out = F.leaky_relu(conv(x), 0.1)
    out += x
    out.sum().backward()
    return conv.weight.grad


class TellingWhatItAdds(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = self.conv(x)
        return torch.relu(out.add_(x)), out  # warning: [IPL301]


class TellingTheSum(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = self.conv(x)
        return out.add_(x), x


class TellingTheSumBySeveralNames(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = self.conv(x)
        out.add_(x)
        return torch.relu(out), out


class TellingWhatItAddsApart(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 1)

    def forward(self, x):
        out = self.conv(x)
        return torch.relu(out.add(x)), out


def case_what_is_added_is_told_cured():
    result, added = TellingWhatItAddsApart()(torch.randn(1, 2, 3))
    (result + added).sum().backward()
    return result, added


def case_what_is_added_is_told():
    result, added = TellingWhatItAdds()(torch.randn(1, 2, 3))
    (result + added).sum().backward()
    return result, added


def case_the_sum_is_told():
    result, given = TellingTheSum()(torch.randn(1, 2, 3))
    (result + given).sum().backward()
    return result, given


def case_the_sum_is_told_twice():
    result, added = TellingTheSumBySeveralNames()(torch.randn(1, 2, 3))
    (result + added).sum().backward()
    return result, added
