"""A method gives parts of what its object keeps names, and changes them."""

import torch


class PointMass:
    def __init__(self):
        self.state = torch.arange(4.0)

    def step(self, force):
        position, speed = self.state[:2], self.state[2:]
        speed.mul_(0.9).add_(force)
        position.add_(speed, alpha=0.1)
        return self.state, position.norm()


def case_two_parts_are_changed():
    mass, total = PointMass(), 0.0
    for _ in range(3):
        state, size = mass.step(torch.ones(2))
        total = total + size + state.sum()
    return total


class Spread:
    def __init__(self):
        self.points = torch.arange(4.0)

    def spread(self):
        first = self.points[:2]
        first.sub_(first.mean())  # warning: [IPL304]
        return first.norm() * self.points.sum()


def case_one_part_is_changed_for_a_value():
    spread = Spread()
    return spread.spread() + spread.points.sum()


class SpreadCured:
    def __init__(self):
        self.points = torch.arange(4.0)

    def spread(self):
        first = self.points[:2] - self.points[:2].mean()
        return first.norm() * self.points.sum()


def case_one_part_is_changed_for_a_value_cured():
    spread = SpreadCured()
    return spread.spread() + spread.points.sum()
