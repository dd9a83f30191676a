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


class PreNormed(nn.Module):
    def __init__(self, norm, attend):
        super().__init__()
        self.norm, self.attend = norm, attend
        self.gamma = 0.5

    def forward(self, x):
        x = x * 2
        x += self.gamma * self.attend(self.norm(x))  # warning: [IPL201]
        return x


def open_layers_in_turn(x):
    return PreNormed(eval("nn.LayerNorm(4)"), eval("nn.Linear(4, 4)"))(x)


class InPairs(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        for attend, feed in self.layers:
            x = x + attend(x)
            x += feed(x)  # warning: [IPL201]
        return x


def open_layers_in_pairs(x):
    return InPairs(eval("[(nn.Linear(4, 4), nn.Linear(4, 4))]"))(x)


class InTurn(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers

    def forward(self, x):
        for layer in self.layers:
            x = x + layer(x)
        return x


def open_layers_in_a_loop(x):
    return InTurn(eval("[nn.Linear(4, 4), nn.Linear(4, 4)]"))(x)


class WithShifts(nn.Module):
    def __init__(self, shifts):
        super().__init__()
        self.shifts = shifts

    def forward(self, x, names):
        for name in names:
            x += self.shifts[name]
        return x


def open_with_shifts(x):
    return WithShifts(eval('{"a": torch.ones(4)}'))(x, ["a"])
