"""Classes that a base or a decorator puts into a registry, from which a key that nobody knows chooses."""

import torch
from torch import nn

MEASURES = {}
HOOKS = {}


class Measure:
    def __init_subclass__(cls, name, **options):
        super().__init_subclass__(**options)
        MEASURES[name] = cls


class MeanScore(Measure, name="mean"):
    def measured(self, scores):
        return float(scores.mean())


class PrunedScore(Measure, name="pruned"):
    def measured(self, scores):
        scores[scores < 0.4] = 0.0  # error: [IPL202]
        return float(scores.sum())


def differentiated_with_measures(names):
    x = torch.arange(3.0, requires_grad=True)
    scores = x.softmax(0)
    for measure in [MEASURES[name]() for name in names]:
        measure.measured(scores.detach())
    scores.square().sum().backward()
    return x.grad


def case_a_measure_that_its_base_has_registered():
    assert MEASURES["pruned"] is PrunedScore
    return eval("differentiated_with_measures")(["mean", "pruned"])


def hook_named(name):
    def registered(cls):
        HOOKS[name] = cls
        return cls

    return registered


@hook_named("noise")
class Noise:
    def __call__(self, module, inputs, output):
        return output + 0.1


@hook_named("drop")
class Drop:
    def __call__(self, module, inputs, output):
        return output.mul_(0.5)  # error: [IPL202]


def differentiated_with_a_hook(kind):
    net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid())
    net[1].register_forward_hook(HOOKS[kind]())
    net(torch.ones(2)).sum().backward()
    return net[0].weight.grad


def case_a_hook_that_an_option_chooses():
    assert HOOKS["drop"] is Drop
    return eval("differentiated_with_a_hook")("drop")


def case_a_hook_that_makes_something_new():
    return eval("differentiated_with_a_hook")("noise")


class Loss(nn.Module):
    kinds = {}

    def __init_subclass__(cls, kind=None, **options):
        super().__init_subclass__(**options)
        if kind:
            cls.kinds[kind] = cls


class SquaredLoss(Loss, kind="squared"):
    def forward(self, x):
        return x.square().mean()


class ClippedLoss(Loss, kind="clipped"):
    def forward(self, x):
        return x.clamp_(0, 1).mean()  # error: [IPL202]


def differentiated_with_a_loss(kind):
    x = torch.ones(3, requires_grad=True)
    Loss.kinds[kind]()(x.exp()).backward()
    return x.grad


def case_a_loss_of_its_base_class():
    assert Loss.kinds["clipped"] is ClippedLoss
    return eval("differentiated_with_a_loss")("clipped")


class Step:
    known = {}

    @classmethod
    def named(cls, name):
        def put(made):
            cls.known[name] = made
            return made

        return put


@Step.named("shifted")
class ShiftedStep:
    def __call__(self, x):
        return x + 1


@Step.named("halved")
class HalvedStep:
    def __call__(self, x):
        return x.mul_(0.5)  # error: [IPL202]


def differentiated_through_a_step(name):
    x = torch.ones(3, requires_grad=True)
    Step.known[name]()(x.sigmoid()).sum().backward()
    return x.grad


def case_a_step_that_a_class_has_decorated():
    assert Step.known["halved"] is HalvedStep
    return eval("differentiated_through_a_step")("halved")


def case_a_step_that_makes_something_new():
    return eval("differentiated_through_a_step")("shifted")


SCALES = {}


def put_into(table, name):
    def put(made):
        table[name] = made
        return made

    return put


@put_into(SCALES, "rooted")
def rooted(x):
    return x.sqrt()


@put_into(SCALES, "inverse")
def inverse(x):
    return x.reciprocal_()  # error: [IPL202]


def differentiated_on_a_scale(name):
    x = torch.ones(3, requires_grad=True)
    SCALES[name](x.exp()).sum().backward()
    return x.grad


def case_a_function_of_a_table_that_its_decorator_was_given():
    assert SCALES["inverse"] is inverse
    return eval("differentiated_on_a_scale")("inverse")


def case_a_function_of_that_table_that_makes_something_new():
    return eval("differentiated_on_a_scale")("rooted")
