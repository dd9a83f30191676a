"""A method brings a state up to date that it is passed, and gives the average: each step reads what its call has given."""

import torch


class Rule:
    def __init__(self, params):
        self.params = list(params)
        self.slots = [self.new_slot(each) for each in self.params]

    @torch.no_grad()
    def step(self):
        for each, slot in zip(self.params, self.slots):
            if each.grad is not None:
                each.sub_(self.change(each.grad, slot), alpha=0.1)


class Momentum(Rule):
    def new_slot(self, param):
        return {"velocity": torch.zeros_like(param)}

    def change(self, grad, slot):
        return slot["velocity"].mul_(0.9).add_(grad)


def case_momentum_of_a_rule():
    weight = torch.ones(3, requires_grad=True)
    rule = Momentum([weight])
    for _ in range(3):
        weight.grad = None
        weight.square().sum().backward()
        rule.step()
    return weight.detach()
