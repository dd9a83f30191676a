"""A name for what calls change, compared with it as if it were a copy."""

import torch


class Rod:
    def __init__(self):
        self.heat = torch.tensor([0.0, 1.0, 4.0, 1.0, 0.0])

    def diffuse(self):
        spread = 0.1 * (torch.roll(self.heat, 1) + torch.roll(self.heat, -1) - 2 * self.heat)
        self.heat += spread  # warning: [IPL303]
        return spread.abs().max()


def case_change_since_the_start_of_what_a_call_moves():
    rod = Rod()
    start, changes = rod.heat, []
    for _ in range(4):
        rod.diffuse()
        changes.append(torch.dist(rod.heat, start))
    return torch.stack(changes)


class OtherRod:
    def __init__(self):
        self.heat = torch.tensor([0.0, 1.0, 4.0, 1.0, 0.0])

    def diffuse(self):
        spread = 0.1 * (torch.roll(self.heat, 1) + torch.roll(self.heat, -1) - 2 * self.heat)
        self.heat += spread
        return spread.abs().max()


def case_change_since_the_start_of_what_a_call_moves_cured():
    rod = OtherRod()
    start, changes = rod.heat.clone(), []
    for _ in range(4):
        rod.diffuse()
        changes.append(torch.dist(rod.heat, start))
    return torch.stack(changes)


def case_name_that_looks_on_without_a_comparison():
    rod = OtherRod()
    heat, sums = rod.heat, []
    for _ in range(4):
        sums.append(heat.sum().item())
        rod.diffuse()
    return sums


def case_comparison_of_what_looks_on_with_another():
    rod, goal = OtherRod(), torch.ones(5)
    heat, far = rod.heat, []
    for _ in range(4):
        far.append(torch.dist(heat, goal).item())
        rod.diffuse()
    return far
