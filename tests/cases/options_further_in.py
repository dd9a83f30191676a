"""Options that decide what a call gives an object, how large a number is, what is read later, and what is recorded."""

from dataclasses import dataclass, replace

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Fused(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.Linear(3, 9)

    def forward(self, x):
        return tuple(part.unsqueeze(0) for part in self.all(x).chunk(3, dim=-1))


class Separate(nn.Module):
    def __init__(self):
        super().__init__()
        self.each = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def forward(self, x):
        return tuple(layer(x).unsqueeze(0) for layer in self.each)


def projection(fused):
    cls = Fused if fused else Separate
    return cls()


class Turned(nn.Module):
    def __init__(self, fused=False):
        super().__init__()
        self.projection = projection(fused)
        self.norm = nn.Identity()

    def forward(self, x):
        q, k, v = self.projection(x)
        q = self.norm(q)
        q.mul_(2)  # error: [IPL103]
        return q + k + v


def case_layer_that_a_function_chooses():
    return eval(Turned.__name__)(fused=True)(torch.rand(2, 3))


class TurnedCopy(nn.Module):
    def __init__(self, fused=False):
        super().__init__()
        self.projection = projection(fused)
        self.norm = nn.Identity()

    def forward(self, x):
        q, k, v = self.projection(x)
        q = self.norm(q)
        return q * 2 + k + v


def case_layer_that_a_function_chooses_cured():
    return eval(TurnedCopy.__name__)(fused=True)(torch.rand(2, 3))


@dataclass(frozen=True)
class Tokens:
    features: torch.Tensor
    padding: torch.Tensor = None


class Coded(nn.Module):
    def __init__(self):
        super().__init__()
        self.code = nn.Parameter(torch.ones(3))

    def forward(self, tokens):
        x = tokens.features
        x += self.code  # warning: [IPL405]
        return replace(tokens, features=x.sin())


class CodedCopy(nn.Module):
    def __init__(self):
        super().__init__()
        self.code = nn.Parameter(torch.ones(3))

    def forward(self, tokens):
        x = tokens.features
        x = x + self.code
        return replace(tokens, features=x.sin())


class Stack(nn.Module):
    def __init__(self, layers, recomputed=0):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.recomputed = recomputed

    def forward(self, tokens):
        for number, layer in enumerate(self.layers):
            if number < self.recomputed and self.training:
                tokens = checkpoint(layer, tokens, use_reentrant=False)
            else:
                tokens = layer(tokens)
        return tokens


class Tagger(nn.Module):
    def __init__(self, recomputed=0):
        super().__init__()
        self.stack = Stack([Coded()], recomputed)

    def forward(self, x):
        return self.stack(Tokens(x.cos())).features


class TaggerOfCopies(nn.Module):
    def __init__(self, recomputed=0):
        super().__init__()
        self.stack = Stack([CodedCopy()], recomputed)

    def forward(self, x):
        return self.stack(Tokens(x.cos())).features


def _gradient(model):
    x = torch.ones(3, requires_grad=True)
    model(x).sum().backward()
    return x.grad


def case_layers_that_are_recomputed():
    return _gradient(eval(Tagger.__name__)(recomputed=1))


def case_layers_that_are_recomputed_cured():
    return _gradient(eval(TaggerOfCopies.__name__)(recomputed=1))


class Schedule:
    def corrupt(self, x, noise):
        return x.mul_(0.5).add_(noise)  # warning: [IPL305] # warning: [IPL305]


class ScheduleOfCopies:
    def corrupt(self, x, noise):
        return x.mul(0.5).add(noise)


class Diffusion:
    def __init__(self, schedule: Schedule, predict="noise"):
        self.schedule = schedule
        self.predict = predict

    def target(self, clean, noise):
        if self.predict == "noise":
            return noise
        return clean

    def loss(self, clean):
        noise = torch.ones(3)
        noisy = self.schedule.corrupt(clean, noise)
        return (noisy * 3 - self.target(clean, noise)).square().mean()


class DiffusionOfCopies:
    def __init__(self, schedule: ScheduleOfCopies, predict="noise"):
        self.schedule = schedule
        self.predict = predict

    def target(self, clean, noise):
        if self.predict == "noise":
            return noise
        return clean

    def loss(self, clean):
        noise = torch.ones(3)
        noisy = self.schedule.corrupt(clean, noise)
        return (noisy * 3 - self.target(clean, noise)).square().mean()


def case_what_is_predicted_was_changed():
    return eval(Diffusion.__name__)(Schedule(), predict="clean").loss(torch.arange(3.0))


def case_what_is_predicted_was_changed_cured():
    return eval(DiffusionOfCopies.__name__)(ScheduleOfCopies(), predict="clean").loss(torch.arange(3.0))


class Inner:
    def __init__(self, first_order=True):
        self.first_order = first_order

    def adapt(self, x):
        start = torch.ones(3, requires_grad=True)
        w = start.clone()
        for _ in range(2):
            loss = (w**3 * x).sum()
            (gradient,) = torch.autograd.grad(loss, [w], create_graph=not self.first_order)
            w.sub_(gradient, alpha=0.1)  # error: [IPL201]
        return (w**3 * x).sum()


def case_steps_that_are_differentiated():
    loss = eval(Inner.__name__)(first_order=False).adapt(torch.ones(3))
    loss.backward()
    return loss


class InnerOfCopies:
    def __init__(self, first_order=True):
        self.first_order = first_order

    def adapt(self, x):
        start = torch.ones(3, requires_grad=True)
        w = start.clone()
        for _ in range(2):
            loss = (w**3 * x).sum()
            (gradient,) = torch.autograd.grad(loss, [w], create_graph=not self.first_order)
            w = w - 0.1 * gradient
        return (w**3 * x).sum()


def case_steps_that_are_differentiated_cured():
    loss = eval(InnerOfCopies.__name__)(first_order=False).adapt(torch.ones(3))
    loss.backward()
    return loss


class OnlyFirst:
    """Nobody asks for gradients of gradients."""

    def adapt(self, x):
        start = torch.ones(3, requires_grad=True)
        w = start.clone()
        for _ in range(2):
            (gradient,) = torch.autograd.grad((w**3 * x).sum(), [w])
            w.sub_(gradient, alpha=0.1)
        return (w**3 * x).sum()


def case_steps_of_first_order():
    loss = OnlyFirst().adapt(torch.ones(3))
    loss.backward()
    return loss


class Conditional(nn.Module):
    def __init__(self, conditional=True):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.layer = nn.Linear(3, 3)
        self.scale = nn.Linear(3, 3) if conditional else None

    def forward(self, x, condition=None):
        scale = self.scale
        if scale is None:
            x = x * 2
            x.add_(self.layer(self.norm(x)))  # error: [IPL201]
            return x
        return x + scale(condition)


def case_layer_that_is_asked_for_by_a_name():
    loss = eval(Conditional.__name__)(conditional=False)(torch.rand(2, 3)).sum()
    loss.backward()
    return loss


class ConditionalCopy(nn.Module):
    def __init__(self, conditional=True):
        super().__init__()
        self.norm = nn.LayerNorm(3)
        self.layer = nn.Linear(3, 3)
        self.scale = nn.Linear(3, 3) if conditional else None

    def forward(self, x, condition=None):
        scale = self.scale
        if scale is None:
            x = x * 2
            return x + self.layer(self.norm(x))
        return x + scale(condition)


def case_layer_that_is_asked_for_by_a_name_cured():
    loss = eval(ConditionalCopy.__name__)(conditional=False)(torch.rand(2, 3)).sum()
    loss.backward()
    return loss


class Regularized(nn.Module):
    def __init__(self, rate, reuse=False):
        super().__init__()
        self.rate = rate
        self.reuse = reuse

    def forward(self, x):
        return nn.functional.dropout(x, self.rate, True, self.reuse)  # error: [IPL202]


class Mixing(nn.Module):
    def __init__(self, efficient=False):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.drop = Regularized(0.1, reuse=efficient)

    def forward(self, x):
        weights = self.drop(self.lin(x).softmax(-1))
        return weights @ x


def case_option_that_asks_for_a_write():
    out = eval(Mixing.__name__)(efficient=True)(torch.rand(3, 3))
    out.sum().backward()
    return out


class Rectified(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=inplace)  # error: [IPL202]

    def forward(self, x):
        return self.act(torch.sigmoid(self.lin(x)))


def case_option_of_a_layer_that_asks_for_a_write():
    out = eval(Rectified.__name__)(inplace=True)(torch.rand(3, 3))
    out.sum().backward()
    return out


class Rectifying(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.lin = nn.Linear(3, 3)
        self.act = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return self.act(self.lin(x))


def case_option_of_a_layer_that_asks_for_a_write_that_does_no_harm():
    out = eval(Rectifying.__name__)(inplace=True)(torch.rand(3, 3))
    out.sum().backward()
    return out


class Squared(nn.Module):
    def __init__(self, inplace=False):
        super().__init__()
        self.relu = nn.ReLU(inplace=inplace)

    def forward(self, x):
        return torch.square(self.relu(x))


def case_option_of_a_layer_that_whoever_gives_it_asks_for():
    return eval(Squared.__name__)(inplace=True)(torch.rand(3))
