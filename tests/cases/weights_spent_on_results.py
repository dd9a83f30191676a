"""Functions that are given weights, change them, and make something else of what they have changed."""

import torch
from torch import nn


def shares(values):
    values.abs_()  # warning: [IPL304]
    values /= values.sum()  # warning: [IPL304]
    return torch.histc(values, bins=4)


def case_counts_of_detached_weights():
    layer = nn.Linear(3, 2)
    counts = shares(layer.weight.detach())
    return counts, layer(torch.ones(3))


def shares_of_copy(values):
    values = values.abs()
    values /= values.sum()
    return torch.histc(values, bins=4)


def case_counts_of_detached_weights_cured():
    layer = nn.Linear(3, 2)
    counts = shares_of_copy(layer.weight.detach())
    return counts, layer(torch.ones(3))


def likeness(rows):
    rows.sub_(rows.mean(0))  # warning: [IPL304]
    return rows @ rows.t()


class Probe:
    def __init__(self, every):
        self.every, self.kept = every, []

    def __call__(self, step, layer):
        if step % self.every == 0:
            with torch.no_grad():
                self.kept.append(likeness(layer.weight))


def case_matrix_kept_by_a_probe():
    layer, probe = nn.Linear(3, 2), Probe(2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        layer(torch.ones(3)).square().sum().backward()
        optimizer.step()
        probe(step, layer)
    return layer.weight.detach()


def likeness_of_copy(rows):
    rows = rows - rows.mean(0)
    return rows @ rows.t()


class ProbeOfCopies:
    def __init__(self, every):
        self.every, self.kept = every, []

    def __call__(self, step, layer):
        if step % self.every == 0:
            with torch.no_grad():
                self.kept.append(likeness_of_copy(layer.weight))


def case_matrix_kept_by_a_probe_cured():
    layer, probe = nn.Linear(3, 2), ProbeOfCopies(2)
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    for step in range(4):
        optimizer.zero_grad()
        layer(torch.ones(3)).square().sum().backward()
        optimizer.step()
        probe(step, layer)
    return layer.weight.detach()


def stepped(weight, grad):
    before = weight.clone()
    weight.sub_(grad, alpha=0.1)
    return before


def case_what_it_was_before():
    layer = nn.Linear(3, 2)
    before = stepped(layer.weight.detach(), torch.ones(2, 3))
    return before.abs(), layer(torch.ones(3))


def descended(weight, rounds):
    losses = []
    for _ in range(rounds):
        losses.append(weight.square().sum(1))
        weight.sub_(weight * 0.1)
    return torch.stack(losses)


def case_losses_of_a_loop_that_changes():
    layer = nn.Linear(3, 2)
    losses = descended(layer.weight.data, 3)
    return losses.sum(), layer(torch.ones(3))


def pruned(weight, share):
    mask = weight.abs() > share
    weight.mul_(mask)
    return mask


def case_mask_of_what_is_left():
    layer = nn.Linear(3, 2)
    mask = pruned(layer.weight.data, 0.1)
    return mask.sum(), layer(torch.ones(3))


def rows_left(weight):
    weight.clamp_(-0.1, 0.1)
    return weight.sum(1)


def case_result_of_no_use():
    layer = nn.Linear(3, 2)
    rows_left(layer.weight.data)
    return layer(torch.ones(3))


class Entities(nn.Module):
    def __init__(self):
        super().__init__()
        self.entities, self.relations = nn.Embedding(4, 2), nn.Embedding(3, 2)

    def tables(self):
        return self.entities.weight.data, self.relations.weight.data

    def table(self):
        return self.entities.weight.data

    def forward(self, index):
        return self.entities(index)


def spread(model):
    entities, _ = model.tables()
    entities -= entities.mean(0)  # warning: [IPL304]
    return (entities / entities.std(0)).pow(4).mean(0)


def case_weights_that_a_method_gives_with_others():
    model = Entities()
    kurtosis = spread(model)
    return kurtosis, model(torch.arange(4))


def spread_of_one(model):
    entities = model.table()
    entities -= entities.mean(0)  # warning: [IPL304]
    return (entities / entities.std(0)).pow(4).mean(0)


def case_weights_that_a_method_gives():
    model = Entities()
    kurtosis = spread_of_one(model)
    return kurtosis, model(torch.arange(4))


def spread_apart(model):
    entities, _ = model.tables()
    entities = entities - entities.mean(0)
    return (entities / entities.std(0)).pow(4).mean(0)


def case_weights_that_a_method_gives_cured():
    model = Entities()
    kurtosis = spread_apart(model)
    return kurtosis, model(torch.arange(4))


def case_weights_that_a_method_gives_with_others_cured():
    model = Entities()
    kurtosis = spread_apart(model)
    return kurtosis, model(torch.arange(4))


def centred(model):
    entities, _ = model.tables()
    entities -= entities.mean(0)


def case_weights_are_centred_for_good():
    model = Entities()
    centred(model)
    return model(torch.arange(4))


class Signed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.register_buffer("signs", torch.tensor([1.0, -1.0, 1.0]))

    def forward(self, x):
        return (self.weight * x).sum()


class Constrained(Signed):
    @torch.no_grad()
    def violated(self):
        return self.weight.mul_(self.signs) < 0  # warning: [IPL304]


class ConstrainedApart(Signed):
    @torch.no_grad()
    def violated(self):
        return self.weight * self.signs < 0


def case_weights_in_a_comparison():
    model = Constrained()
    violated = model.violated().any()
    return violated, model(torch.ones(3))


def case_weights_in_a_comparison_cured():
    model = ConstrainedApart()
    violated = model.violated().any()
    return violated, model(torch.ones(3))


class Clipped(Signed):
    @torch.no_grad()
    def violated(self):
        self.weight.mul_(self.signs.abs())
        return self.weight < 0


def case_weights_compared_after_the_write():
    model = Clipped()
    violated = model.violated().any()
    return violated, model(torch.ones(3))


def pictured(rows, normalize=False):
    if rows.dim() == 1:
        rows = rows.unsqueeze(0)
    if normalize:

        def fit(row, low, high):
            row.clamp_(low, high).sub_(low).div_(high - low)  # warning: [IPL304]

        fit(rows, float(rows.min()), float(rows.max()))
    picture = rows.new_zeros(len(rows) + 2, rows.shape[1] + 2)
    picture[1:-1, 1:-1].copy_(rows)
    return picture


def case_picture_of_weights_that_a_nested_function_has_scaled():
    layer, pictures = nn.Linear(3, 2), []
    pictures.append(pictured(layer.weight.data, normalize=True))
    return pictures[0], layer(torch.ones(3))


def pictured_copy(rows):
    rows = (rows - rows.min()) / (rows.max() - rows.min())
    picture = rows.new_zeros(len(rows) + 2, rows.shape[1] + 2)
    picture[1:-1, 1:-1].copy_(rows)
    return picture


def case_picture_of_weights_that_a_nested_function_has_scaled_cured():
    layer, pictures = nn.Linear(3, 2), []
    pictures.append(pictured_copy(layer.weight.data))
    return pictures[0], layer(torch.ones(3))
