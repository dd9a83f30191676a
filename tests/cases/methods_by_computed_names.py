"""Methods that are looked up by a name that is put together, with nothing in their place where there are none."""

import torch
from torch import nn

PLUGINS = {}


def plugin(name):
    def add(cls):
        PLUGINS[name] = cls
        return cls

    return add


@plugin("meter")
class Meter:
    def __init__(self, session):
        self.session, self.usage = session, []

    def on_played(self, played):
        self.usage.append(played.sum().item())


@plugin("average")
class Average:
    def __init__(self, session):
        self.session = session

    @torch.no_grad()
    def on_played(self, played):
        self.session.net.book.lerp_(played.mean(0), 0.1)  # error: [IPL201]


@plugin("late")
class LateAverage:
    def __init__(self, session):
        self.session = session

    @torch.no_grad()
    def on_updated(self, played):
        self.session.net.book.lerp_(played.mean(0), 0.1)


class Rack:
    def __init__(self, session, names):
        self.plugins = {name: PLUGINS[name](session) for name in names}

    def emit(self, event, *args):
        for each in self.plugins.values():
            handler = getattr(each, "on_" + event, None)
            if handler is not None:
                handler(*args)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(3, 3)
        self.register_buffer("book", torch.ones(5, 3))

    def forward(self, x):
        return (self.line(x) @ self.book.t()).softmax(-1) @ self.book


class Session:
    def __init__(self, names):
        self.net = Net()
        self.rack = Rack(self, names)

    def step(self, x):
        played = self.net(x)
        self.rack.emit("played", played)
        played.pow(2).mean().backward()
        self.rack.emit("updated", played)
        return played


def case_called_between_forward_and_backward():
    assert Meter and Average
    return Session(["meter", "average"]).step(torch.ones(2, 3)).detach()


class LateSession:
    def __init__(self, names):
        self.net = Net()
        self.rack = Rack(self, names)

    def step(self, x):
        played = self.net(x)
        self.rack.emit("played", played)
        played.pow(2).mean().backward()
        self.rack.emit("updated", played)
        return played


def case_called_after_backward():
    return LateSession(["meter", "late"]).step(torch.ones(2, 3)).detach()
