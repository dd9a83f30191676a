"""A nested function changes what the function around it has; another one changes what it was given."""

import torch


def _stepped(totals, step):
    totals["at"] += step  # warning: [IPL305]
    return totals["at"] * 2


def case_given_to_a_function():
    totals = {"at": torch.arange(2.0)}
    ahead = _stepped(totals, torch.ones(2))
    return ahead + totals["at"]


def case_given_to_a_function_cured():
    totals = {"at": torch.arange(2.0)}
    ahead = (totals["at"] + 1) * 2
    return ahead + totals["at"]


def case_of_the_function_around():
    totals = {"at": torch.arange(2.0)}

    def stepped(step):
        totals["at"] += step
        return totals["at"] * 2

    ahead = stepped(torch.ones(2))
    return ahead + totals["at"]
