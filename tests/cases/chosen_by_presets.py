"""A preset names what a model is made of: each of the first few is tried, and the same one wherever it is asked for."""

import argparse
import copy

import torch
from torch import nn

_SPRINGS = {}


def spring(name):
    def register(cls):
        _SPRINGS[name] = cls
        return cls

    return register


@spring("linear")
class LinearSpring(nn.Module):
    def __init__(self, stiffness=1.0):
        super().__init__()
        self.stiffness = nn.Parameter(torch.tensor(float(stiffness)))

    def forward(self, place):
        return -self.stiffness.exp() * place


@spring("cubic")
class CubicSpring(nn.Module):
    def __init__(self, stiffness=1.0):
        super().__init__()
        self.stiffness = nn.Parameter(torch.tensor(float(stiffness)))

    def forward(self, place):
        return -self.stiffness * place.pow(3)


class Body:
    def __init__(self, place):
        self.place, self.speed = place, torch.zeros_like(place)


def drift(body, force):
    body.speed = body.speed + 0.1 * force(body.place)
    body.place.add_(body.speed, alpha=0.1)  # error: [IPL201]


def leap(body, force):
    body.speed = body.speed + 0.1 * force(body.place)
    body.place = body.place + 0.1 * body.speed


_STEPPERS = {"drift": drift, "leap": leap}
_PRESETS = {
    "cloth": {"spring": ("linear", {}), "stepper": "leap"},
    "gel": {"spring": ("cubic", {"stiffness": 2.0}), "stepper": "leap"},
    "rope": {"spring": ("cubic", {"stiffness": 3.0}), "stepper": "drift"},
}


def preset(name):
    return copy.deepcopy(_PRESETS[name])


def simulated(name):
    """Both presets are the same one: `gel` with the spring of `rope` is nothing that anybody has asked for."""
    kind, options = preset(name)["spring"]
    force, step = _SPRINGS[kind](**options), _STEPPERS[preset(name)["stepper"]]
    body = Body(torch.ones(3))
    for _ in range(3):
        step(body, force)
    loss = body.place.sum()
    loss.backward()
    return force.stiffness.grad


def case_preset_of_the_command_line():
    parser = argparse.ArgumentParser()
    parser.add_argument("preset", nargs="?", default="rope")
    assert _STEPPERS["drift"] is drift
    return simulated(eval("parser").parse_args([]).preset)


_CALM_PRESETS = {
    "cloth": {"spring": ("linear", {}), "stepper": "drift_linear"},
    "gel": {"spring": ("cubic", {"stiffness": 2.0}), "stepper": "leap"},
}


def drift_linear(body, force):
    body.speed = body.speed + 0.1 * force(body.place.clone())
    body.place.add_(body.speed, alpha=0.1)


def simulated_calmly(name):
    kind, options = _CALM_PRESETS[name]["spring"]
    force = _SPRINGS[kind](**options)
    step = {"drift_linear": drift_linear, "leap": leap}[_CALM_PRESETS[name]["stepper"]]
    body = Body(torch.ones(3))
    for _ in range(3):
        step(body, force)
    body.place.sum().backward()
    return force.stiffness.grad


def case_preset_that_copies():
    return simulated_calmly(eval("'cloth'"))
