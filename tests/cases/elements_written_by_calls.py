"""An element of a list is at one place, whatever is written to it: what a call does to it is judged as that of a call."""

import torch


def balance(factors: list[torch.Tensor]):
    for factor in factors:
        factor *= 2.0


def through(function, *arguments):
    return function(*arguments)


def balanced(factors: list[torch.Tensor]):
    """It is called elsewhere."""
    through(balance, factors)
    return [factor + 1 for factor in factors]


def case_call_is_there_for_the_elements():
    factors = [torch.ones(2), torch.arange(3.0)]
    through(balance, factors)
    return [factor + 1 for factor in factors]


def halves(values):
    return [value.mul_(0.5) for value in values]  # warning: [IPL305]


def lowered(values: list[torch.Tensor]):
    lower = halves(values)
    return [value.sin() + low for value, low in zip(values, lower)]


def case_call_gives_the_elements_as_new_ones():
    return lowered([torch.ones(2), torch.arange(3.0)])


def copied_halves(values):
    return [value * 0.5 for value in values]


def case_call_gives_the_elements_as_new_ones_cured():
    values = [torch.ones(2), torch.arange(3.0)]
    return [value.sin() + low for value, low in zip(values, copied_halves(values))]


def terms_of(x):
    return {"error": x.square().sum(), "size": x.abs().sum()}


def added_up(terms):
    names = iter(terms)
    total = terms[next(names)]
    for name in names:
        total += terms[name]  # warning: [IPL305]
    return total


class Meter:
    def __init__(self):
        self.sums = {}

    def add(self, terms):
        for name, value in terms.items():
            self.sums[name] = self.sums.get(name, 0.0) + value.item()


def case_another_object_reads_the_elements():
    meter = Meter()
    for x in torch.ones(2, 3):
        terms = terms_of(x)
        x = x * added_up(terms)
        meter.add(terms)
    return torch.tensor([meter.sums["error"], meter.sums["size"]])


def added_up_anew(terms):
    return sum(terms.values())


def case_another_object_reads_the_elements_cured():
    meter = Meter()
    for x in torch.ones(2, 3):
        terms = terms_of(x)
        x = x * added_up_anew(terms)
        meter.add(terms)
    return torch.tensor([meter.sums["error"], meter.sums["size"]])
