"""Attributes and items of objects that a caller brings: read twice they are one place, and what is set stays there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import nn


def kept_before_a_write(state):
    before = state.hidden
    state.hidden.mul_(2)  # warning: [IPL303]
    return torch.norm(state.hidden - before)


def kept_item_before_a_write(state):
    before = state["hidden"]
    state["hidden"].mul_(2)  # warning: [IPL303]
    return torch.norm(state["hidden"] - before)


def kept_parameter_before_a_write(model):
    before = model.head.weight
    model.head.weight.mul_(2)  # warning: [IPL303]
    return torch.norm(model.head.weight - before)


def copied_before_a_write(state):
    before = state.hidden.clone()
    state.hidden.mul_(2)
    return torch.norm(state.hidden - before)


def made_anew_between(state, x):
    before = state.hidden
    state.hidden = torch.sigmoid(x)
    return torch.norm(state.hidden - before)


def set_and_saved(state, x: torch.Tensor):
    state.hidden = torch.sigmoid(x)
    state.hidden.mul_(2)  # warning: [IPL202]
    return state.hidden


def another_item(state, x: torch.Tensor, key):
    state["hidden"] = torch.sigmoid(x)
    state[key] = x * 2
    state["hidden"].mul_(2)
    return state["hidden"]


def brought_up_to_date(state):
    before = state.hidden
    state.step()
    state.hidden.mul_(2)
    return torch.norm(state.hidden - before)


class Node(NamedTuple):
    left: int
    right: int
    out: int


@dataclass
class Edge:
    source: int
    target: int


class Composer(nn.Module):
    """`chart[i]` is a view where `i` is a number, and a copy where it is a list of numbers."""

    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def along_nodes(self, leaves: torch.Tensor, nodes: Sequence[Node]):
        chart = self.cell(leaves)
        for node in nodes:
            chart[node.out] = torch.tanh(chart[node.left] * chart[node.right])  # error: [IPL201]
        return chart

    def along_edges(self, leaves: torch.Tensor, edges: list[Edge] | None):
        chart = self.cell(leaves)
        for edge in edges:
            chart[edge.target] = chart[edge.source] * chart[edge.target]  # error: [IPL201]
        return chart

    def along_pairs(self, leaves: torch.Tensor, order: list[tuple[int, int]]):
        chart = self.cell(leaves)
        for i, j in order:
            chart[j] = chart[i] * chart[j]  # error: [IPL201]
        return chart

    def along_children(self, leaves: torch.Tensor, children: dict[int, list[int]]):
        chart = self.cell(leaves)
        for parent, below in children.items():
            for child in below:
                chart[parent] = chart[child] * chart[parent]  # error: [IPL201]
        return chart

    def along_rows(self, leaves: torch.Tensor, groups: list[list[int]]):
        chart = self.cell(leaves)
        for rows in groups:
            chart[rows] = chart[rows] * chart[rows]
        return chart


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)
        self.register_buffer("load", torch.zeros(3))

    def forward(self, x):
        self.load += x.detach().sum(0)  # warning: [IPL405]
        return self.inner(x)


class Checkpointed(nn.Module):
    """Nothing here writes; what is handed to `checkpoint` does."""

    def __init__(self):
        super().__init__()
        self.layer = Layer()

    def forward(self, x):
        return torch.utils.checkpoint.checkpoint(self.layer, x, use_reentrant=False)


class _Masked(nn.Module):
    """The labels are a view of those of the caller, who masks them twice."""

    def forward(self, logits, labels, mask=None):
        labels = labels.view(-1)
        if mask is not None:
            labels.masked_fill_(mask.view(-1) == 0, -100)  # warning: [IPL201, IPL305]
        return nn.functional.cross_entropy(logits, labels)


def masked_twice(logits, labels, batch):
    criterion = _Masked()
    answer = criterion(logits, labels, batch["answer"])
    return answer + criterion(logits, labels, batch["reasoning"])


class _Environment:
    def __init__(self, count):
        self.count = count
        self.observed = torch.zeros(count, 2)

    def reset(self):
        self.observed.uniform_(-1, 1)
        return self.observed

    def step(self, actions):
        self.observed += actions  # warning: [IPL304]
        return self.observed, -self.observed.norm(dim=1)


def collected(env, policy, steps):
    """What is used of `env` tells its class."""
    observed, kept = env.reset(), []
    for _ in range(steps):
        kept.append(observed)
        observed, _ = env.step(policy(observed))
    return torch.stack(kept)


class _Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        with torch.no_grad():
            self.scale.mul_(0.9)  # error: [IPL201]
        return nn.functional.linear(x, self.layer.weight * self.scale)


def discriminated(disc, real, fake):
    """Two calls before one backward pass; the name tells the class."""
    return disc(real).mean() - disc(fake).mean()


class _Decoder(nn.Module):
    """The private method is called without gradients only; the other one by anybody."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(8, 3)

    def generate(self, tokens: torch.LongTensor):
        with torch.no_grad():
            return self._searched(tokens), self.searched(tokens)

    def _searched(self, tokens: torch.LongTensor):
        scores = self.embedding(tokens)
        tokens[0] = 1
        return scores

    def searched(self, tokens: torch.LongTensor):
        scores = self.embedding(tokens)
        tokens[0] = 1  # error: [IPL201]
        return scores


class _Stack:
    def __init__(self, environment):
        self.environment = environment
        self.frames = torch.zeros(3)

    def step(self, action):
        self.frames.copy_(self.frames.roll(-1))
        self.frames[-1] = self.environment.step(action)  # warning: [IPL304]
        return self.frames


class _StackOfCopies:
    def __init__(self, environment):
        self.environment = environment
        self.frames = torch.zeros(3)

    def step(self, action):
        self.frames.copy_(self.frames.roll(-1))
        self.frames[-1] = self.environment.step(action)
        return self.frames.clone()


class _Memory:
    def __init__(self):
        self.items = []

    def push(self, *args):
        self.items.append(args)


class _Counting:
    def step(self, action):
        return action + 1.0


def _collect(stack: _Stack, memory: _Memory, steps: int):
    for step in range(steps):
        memory.push(stack.step(step), step)


def _collect_copies(stack: _StackOfCopies, memory: _Memory, steps: int):
    for step in range(steps):
        memory.push(stack.step(step), step)


def case_frames_in_a_memory():
    memory = _Memory()
    _collect(_Stack(_Counting()), memory, 3)
    return [frames for frames, _ in memory.items]


def case_frames_in_a_memory_cured():
    memory = _Memory()
    _collect_copies(_StackOfCopies(_Counting()), memory, 3)
    return [frames for frames, _ in memory.items]


def _stretched(image):
    image.sub_(image.min()).div_(image.max())  # warning: [IPL305]
    return image.new_zeros(2, 2)


def _stretched_copy(image):
    image = image - image.min()
    image.div_(image.max())
    return image.new_zeros(2, 2)


def look_at(writer: list, layer: nn.Linear):
    writer.append(_stretched(layer.weight.data[:2]))


def look_at_copy(writer: list, layer: nn.Linear):
    writer.append(_stretched_copy(layer.weight.data[:2]))


class _Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 2, 1)
        self.act = nn.ReLU(inplace=True)  # warning: [IPL304]

    def forward(self, x):
        return self.act(self.first(x)).mean()


class _Activations:
    """Looks at the parts of a model that its callers bring: the one of this file."""

    def __init__(self, model: nn.Module, names):
        self.model = model.eval()
        self.names = names
        self.kept = {}

    def _hook(self, name):
        def keep(module, inputs, output):
            self.kept[name] = output.detach()

        return keep

    @torch.no_grad()
    def of(self, x):
        modules = dict(self.model.named_modules())
        for name in self.names:
            modules[name].register_forward_hook(self._hook(name))
        self.model(x)
        return self.kept


def case_outputs_that_hooks_keep():
    torch.manual_seed(0)
    return _Activations(_Convolutions(), ["first"]).of(torch.ones(1, 1, 2, 2))["first"].mean()


class _PureConvolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 2, 1)
        self.act = nn.ReLU()

    def forward(self, x):
        return self.act(self.first(x)).mean()


def case_outputs_that_hooks_keep_cured():
    torch.manual_seed(0)
    return _Activations(_PureConvolutions(), ["first"]).of(torch.ones(1, 1, 2, 2))["first"].mean()


class Forecast:
    def __call__(self, x: torch.Tensor):
        for i in range(x.shape[0]):
            x[i] = x[i] * 2  # warning: [IPL304]
        return x

    def states(self, x: torch.Tensor):
        yield x
        while True:
            x = self(x)
            yield x


class ForecastOfCopies:
    def __call__(self, x):
        x = x.clone()
        for i in range(x.shape[0]):
            x[i] = x[i] * 2
        return x

    def states(self, x: torch.Tensor):
        yield x
        while True:
            x = self(x)
            yield x


class _Client:
    def __init__(self, template: nn.Module):
        self.model = template

    def fit(self):
        return self.model.state_dict()

    def error(self, x):
        return self.model(x).sum()


def _averaged(states):
    mean = states[0]
    for key in mean.keys():
        for other in states[1:]:
            mean[key] += other[key]  # warning: [IPL304]
        mean[key] = mean[key] / len(states)
    return mean


def _averaged_copies(states):
    mean = dict(states[0])
    for key in mean.keys():
        for other in states[1:]:
            mean[key] = mean[key] + other[key]
        mean[key] = mean[key] / len(states)
    return mean


def federated(server: nn.Module, clients: list[_Client], x):
    server.load_state_dict(_averaged([client.fit() for client in clients]))
    return [client.error(x) for client in clients]


def federated_by_copies(server: nn.Module, clients: list[_Client], x):
    server.load_state_dict(_averaged_copies([client.fit() for client in clients]))
    return [client.error(x) for client in clients]


class _MaskedEntropy(nn.Module):
    def forward(self, logits, labels, mask=None):
        labels = labels.to(logits.device).view(-1)
        if mask is not None:
            labels.masked_fill_(mask.view(-1) == 0, -100)  # warning: [IPL201, IPL305]
        return nn.functional.cross_entropy(logits, labels)


class _MaskedEntropyOfCopies(nn.Module):
    def forward(self, logits, labels, mask=None):
        labels = labels.to(logits.device).view(-1)
        if mask is not None:
            labels = labels.masked_fill(mask.view(-1) == 0, -100)
        return nn.functional.cross_entropy(logits, labels)


def two_terms(model, batch, loss_fn: _MaskedEntropy):
    """The annotation tells the class."""
    logits, labels = model(batch["ids"]), batch["labels"]
    answer = loss_fn(logits, labels, mask=batch["answer"])
    return answer + loss_fn(logits, labels, mask=batch["reasoning"])


def two_terms_of_copies(model, batch, loss_fn: _MaskedEntropyOfCopies):
    logits, labels = model(batch["ids"]), batch["labels"]
    answer = loss_fn(logits, labels, mask=batch["answer"])
    return answer + loss_fn(logits, labels, mask=batch["reasoning"])


class _Projection(nn.Module):
    def __init__(self):
        super().__init__()
        self.basis = nn.Parameter(torch.rand(2, 3))

    def forward(self, x):
        return x @ self.basis.t()


class _SparseTrainer:
    """What is asked of the model tells its class: one of the file has a `basis`."""

    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.support = None

    def prune(self):
        kept = self.model.basis.detach().cpu().numpy().round(1)
        self.model.basis.data = torch.from_numpy(kept)
        self.support = torch.from_numpy(kept)

    def train(self, batches):
        for turn, x in enumerate(batches):
            self.optimizer.zero_grad()
            self.model(x).square().sum().backward()
            self.optimizer.step()  # warning: [IPL304]
            if turn % 10 == 0:
                self.prune()
            else:
                self.model.basis.data = torch.where(self.support != 0, self.model.basis.data, 0.0)


class _SparseTrainerOfCopies:
    def __init__(self, model):
        self.model = model
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        self.support = None

    def prune(self):
        kept = self.model.basis.detach().cpu().numpy().round(1)
        self.model.basis.data = torch.from_numpy(kept)
        self.support = torch.from_numpy(kept.copy())

    def train(self, batches):
        for turn, x in enumerate(batches):
            self.optimizer.zero_grad()
            self.model(x).square().sum().backward()
            self.optimizer.step()
            if turn % 10 == 0:
                self.prune()
            else:
                self.model.basis.data = torch.where(self.support != 0, self.model.basis.data, 0.0)
