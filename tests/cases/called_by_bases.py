"""A base class that calls what the classes below it define: what it hands them, and what it reads afterwards."""

import torch
from torch import nn


class Coupling(nn.Module):
    def forward(self, x):
        left, right = torch.split(x, [2, 2])
        return torch.cat([self.shifted(left, right), right])

    def shifted(self, left, right):
        raise NotImplementedError


class Additive(Coupling):
    def shifted(self, left, right):
        return left.add_(right.sin())  # warning: [IPL103]


def open_views_of_a_split(x):
    return Additive()(x)


class AdditiveCured(Coupling):
    def shifted(self, left, right):
        return left + right.sin()


def open_views_of_a_split_cured(x):
    return AdditiveCured()(x)


class Scored(nn.Module):
    def forward(self, x):
        features = self.features(x)
        return features, self.score(features)

    def features(self, x):
        return torch.tanh(x)

    def score(self, features):
        raise NotImplementedError


class Halved(Scored):
    def score(self, features):
        return features.div_(2).sum()  # warning: [IPL202]


def open_saved_result(x):
    features, score = Halved()(x)
    return features.sum() + score


class HalvedCopy(Scored):
    def features(self, x):
        return x + 1

    def score(self, features):
        return features.div(2).sum()


def open_saved_result_cured(x):
    features, score = HalvedCopy()(x)
    return features.sum() + score


class Filled(nn.Module):
    """The memory is its own."""

    def forward(self, x):
        return self.fill(torch.zeros_like(x), x)

    def fill(self, out, x):
        raise NotImplementedError


class Doubled(Filled):
    def fill(self, out, x):
        return out.add_(x * 2)


def open_new_memory_is_filled(x):
    return Doubled()(x)


class Fit:
    def fit(self, x):
        self.begin(x)
        previous = self.location()
        self.step(x)
        self.change = (self.location() - previous).abs().max()
        return self


class Means(Fit):
    def begin(self, x):
        self.means = x[:2].clone()

    def location(self):
        return self.means

    def step(self, x):
        torch.matmul(torch.ones(2, len(x)), x, out=self.means)  # warning: [IPL303]


def case_base_compares_what_a_step_has_overwritten():
    return Means().fit(torch.arange(6.0).view(3, 2)).change


class MeansOfCopies(Fit):
    def begin(self, x):
        self.means = x[:2].clone()

    def location(self):
        return self.means.clone()

    def step(self, x):
        torch.matmul(torch.ones(2, len(x)), x, out=self.means)


def case_base_compares_what_a_step_has_overwritten_cured():
    return MeansOfCopies().fit(torch.arange(6.0).view(3, 2)).change
