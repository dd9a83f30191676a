"""Layers that nobody has seen save their input, as most do: a module must not overwrite it by the same statement."""

import torch
from torch import nn


class Residual(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        x += self.layer(x)  # warning: [IPL201]
        return x


def open_residual_in_place(x):
    return Residual(eval("nn.Linear(4, 4)"))(x)


class Normed(nn.Module):
    def __init__(self, norms):
        super().__init__()
        self.norms = norms

    def forward(self, x, stage):
        x.copy_(self.norms[f"{stage}_norm"](x))  # warning: [IPL201]
        return x


def open_copied_from_a_layer(x):
    return Normed(eval('{"last_norm": nn.LayerNorm(4)}'))(x, "last")


class WithPositions(nn.Module):
    """What depends on the shape only saves nothing."""

    def __init__(self, pos_embed, drop):
        super().__init__()
        self.pos_embed, self.drop = pos_embed, drop

    def forward(self, x):
        x += self.pos_embed(x)
        return self.drop(x)


def open_with_positions(x):
    return WithPositions(eval("torch.zeros_like"), eval("nn.Dropout(0.5)"))(x)


class AddedLater(nn.Module):
    """Of other statements nobody knows whether they come to what a layer has saved."""

    def __init__(self, act):
        super().__init__()
        self.act = act

    def forward(self, x):
        active = self.act(x)
        x += active
        return x


def open_added_later(x):
    return AddedLater(eval("nn.ReLU()"))(x)


class Counted(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    @torch.no_grad()
    def forward(self, x):
        x += self.layer(x)
        return x


def open_without_gradients(x):
    return Counted(eval("nn.Linear(4, 4)"))(x.detach())
