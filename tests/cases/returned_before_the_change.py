"""What a function takes out of its object's memory before another one changes it, and then returns, was to be the old value."""

import torch


class Plan:
    """The rest of a plan moves up by one."""

    def __init__(self):
        self.rows = torch.zeros(4, 2)

    def refine(self):
        self.rows.copy_(torch.arange(8.0).view(4, 2))

    def shift(self):
        tail = self.rows[1:].clone()
        self.rows[:-1] = tail  # warning: [IPL303]
        self.rows[-1].zero_()

    @torch.no_grad()
    def act(self):
        self.refine()
        action = self.rows[0]
        self.shift()
        return action


class PlanWithCopies:
    def __init__(self):
        self.rows = torch.zeros(4, 2)

    def refine(self):
        self.rows.copy_(torch.arange(8.0).view(4, 2))

    def shift(self):
        tail = self.rows[1:].clone()
        self.rows[:-1] = tail
        self.rows[-1].zero_()

    @torch.no_grad()
    def act(self):
        self.refine()
        action = self.rows[0].clone()
        self.shift()
        return action


def case_first_row_of_a_plan_that_moves_on():
    return Plan().act()


def case_first_row_of_a_plan_that_moves_on_cured():
    return PlanWithCopies().act()


class Cleared:
    """A new part is taken before it is filled."""

    def __init__(self):
        self.rows = torch.zeros(4, 2)

    def fill(self):
        self.rows[:2] = torch.ones(2, 2)

    def part(self):
        part = self.rows[:2]
        self.fill()
        return part


def case_part_that_is_filled():
    return Cleared().part()
