"""What a call changes and does not give back, it leaves for its caller."""

import torch


def masked(features, places, filling):
    kept = []
    for row, place in enumerate(places):
        kept.append(place)
        features[row, place] = filling
    return kept, len(kept)


def case_only_places_are_given_back():
    features, filling = torch.rand(2, 3), torch.ones(())
    kept, _ = masked(features, [0, 2], filling)
    features = features + 1
    return torch.stack([features[row, place] for row, place in enumerate(kept)])


def mapped(enabled, mapping, ranks):
    enabled.scatter_(0, ranks, torch.ones(2))
    mapping.fill_(-1)
    return mapping


def case_another_argument_is_given_back():
    enabled, mapping = torch.rand(4), torch.rand(4)
    mapping = mapped(enabled, mapping, torch.tensor([0, 2]))
    return enabled, mapping


class Averages:
    """The gradients of several parts, of which the first of each goes over the network."""

    def __init__(self):
        self.parts = {name: [torch.rand(2), torch.rand(2)] for name in ("a", "b")}

    def spread(self):
        firsts = [each[0] for each in self.parts.values()]
        for first, mean in zip(firsts, torch.rand(2, 2)):
            first.copy_(mean)
        for each in self.parts.values():
            for other in each[1:]:
                other.copy_(each[0])


def case_the_first_of_each_is_copied_to_the_others():
    averages = Averages()
    averages.spread()
    return averages.parts["a"][1]


class Neuron:
    def step(self, current, membrane):
        membrane.mul_(0.9).add_(current)
        spikes = (membrane >= 1).float()
        membrane.sub_(spikes)
        return spikes


class Layer:
    def __init__(self):
        self.neuron = Neuron()

    def run(self, currents, membrane=None):
        if membrane is None:
            membrane = torch.zeros(4)
        counts = torch.zeros(4)
        for current in currents:
            counts = counts + self.neuron.step(current, membrane)
        return counts


def case_state_of_a_loop_that_a_call_averages():
    return Layer().run(torch.full((5, 4), 0.4))


def _halved(x):
    x.mul_(0.5)  # warning: [IPL305]
    return x.exp().sum()


def _half(x):
    x = x * 0.5
    return x.exp().sum()


def case_argument_that_each_turn_halves_again():
    x = torch.ones(4)
    return torch.stack([_halved(x) for _ in range(3)])


def case_argument_that_each_turn_halves_again_cured():
    x = torch.ones(4)
    return torch.stack([_half(x) for _ in range(3)])
