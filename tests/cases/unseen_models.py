"""Models of which the program shows nothing: what their parameters tell."""

import torch
from torch import nn

SHAPE = "torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))"


def _unseen():
    torch.manual_seed(0)
    return eval(SHAPE)


def case_clipped_between_forward_and_backward():
    critic, x = _unseen(), torch.ones(3, 2)
    loss = critic(x).mean() - critic(-x).mean()
    for p in critic.parameters():
        p.data.clamp_(-0.1, 0.1)  # warning: [IPL401]
    loss.backward()
    return critic[0].weight.grad


def case_clipped_between_forward_and_backward_cured():
    critic, x = _unseen(), torch.ones(3, 2)
    loss = critic(x).mean() - critic(-x).mean()
    loss.backward()
    for p in critic.parameters():
        p.data.clamp_(-0.1, 0.1)
    return critic[0].weight.grad


def case_best_state():
    model, x, best = _unseen(), torch.ones(3, 2), None
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(3):
        loss = model(x).square().mean()
        if best is None:
            best = model.state_dict()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # warning: [IPL304]
    model.load_state_dict(best)
    return model[0].weight.detach()


def case_best_state_cured():
    model, x, best = _unseen(), torch.ones(3, 2), None
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(3):
        loss = model(x).square().mean()
        if best is None:
            best = {key: value.clone() for key, value in model.state_dict().items()}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.load_state_dict(best)
    return model[0].weight.detach()


def case_frozen_critic():
    actor, critic, x = _unseen(), _unseen(), torch.ones(3, 2)
    critic.requires_grad_(False)
    optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
    loss = critic(actor(x) * x).mean()
    loss.backward()
    optimizer.step()
    for p, q in zip(critic.parameters(), actor.parameters(), strict=True):
        p.data.lerp_(q.data, 0.1)
    return critic[0].weight


NORMALIZED = "torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 1))"


def _normalizing():
    torch.manual_seed(0)
    return eval(NORMALIZED)


def buffers_between_forward_and_backward(net, x, y, new):
    first = net(x)
    for buffer in net.buffers():
        buffer.copy_(new)  # warning: [IPL201]
    loss = (first - net(y)).square().mean()
    loss.backward()


def buffers_of_another(net, x, y, other):
    first = net(x)
    for mine, theirs in zip(net.buffers(), other.buffers(), strict=True):
        theirs.copy_(mine)
    loss = (first - net(y)).square().mean()
    loss.backward()


def buffers_after_backward(net, x, new):
    loss = net(x).square().mean()
    loss.backward()
    for buffer in net.buffers():
        buffer.copy_(new)


def case_buffers_of_another():
    net, other = _normalizing(), _normalizing()
    buffers_of_another(net, torch.rand(4, 2), torch.rand(4, 2), other)
    return net[0].weight.grad


def case_buffers_after_backward():
    net = _normalizing()
    buffers_after_backward(net, torch.rand(4, 2), torch.ones(()))
    return net[0].weight.grad


class Counted(torch.nn.Module):
    """Counts how often it is called, which is not saved for backward."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1
        return self.inner(x).tanh()


class Repeated(torch.nn.Module):
    """Takes steps, and takes back those that are too long, with all that the function has counted."""

    def __init__(self, func, most=0.5):
        super().__init__()
        self.func, self.most = func, most

    def forward(self, x):
        size = 1.0
        for _ in range(4):
            saved = {key: value.clone() for key, value in self.func.state_dict().items()}
            step = size * self.func(x)
            if step.detach().abs().max() > self.most:
                self.func.load_state_dict(saved)  # warning: [IPL203]
                size /= 2
                continue
            x = x + step
        return x


class RepeatedForBuffers(torch.nn.Module):
    def __init__(self, func, most=0.5):
        super().__init__()
        self.func, self.most = func, most

    def forward(self, x):
        size = 1.0
        for _ in range(4):
            saved = {key: value.clone() for key, value in self.func.state_dict().items()}
            step = size * self.func(x)
            if step.detach().abs().max() > self.most:
                for name, buffer in self.func.named_buffers():
                    buffer.copy_(saved[name])
                size /= 2
                continue
            x = x + step
        return x


def case_counts_taken_back():
    torch.manual_seed(0)
    func = Counted()
    RepeatedForBuffers(func)(torch.ones(3, 2)).sum().backward()
    return func.inner.weight.grad


class Stepped:
    """Has a state, and is not called: that may be an optimizer."""

    def __init__(self, func, other):
        self.func, self.other = func, other

    def loss(self, x):
        state = self.other.state_dict()
        loss = self.func(x).sum()
        self.other.load_state_dict(state)
        return loss


class Shared(torch.nn.Module):
    """Puts the buffers of another process in the place of its own, wherever gradients are recorded."""

    def __init__(self, module, source):
        super().__init__()
        self.module, self.source = module, source
        self.kept = list(module.buffers())

    def forward(self, x):
        if torch.is_grad_enabled():
            for mine, theirs in zip(self.kept, self.source, strict=True):
                mine.copy_(theirs)  # warning: [IPL201]
        return self.module(x)


def compare(shared, left, right):
    loss = (shared(left) - shared(right)).square().mean()
    loss.backward()


def train(net, source, left, right):
    shared = Shared(net, source)
    compare(shared, left, right)


def _follow_by_memory(target, online):
    for kept, live in zip(target.parameters(), online.parameters()):
        kept.data = live.data  # warning: [IPL304]


def _follow_by_values(target, online):
    for kept, live in zip(target.parameters(), online.parameters()):
        kept.data.copy_(live.data)


def _trained(online, target):
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    with torch.no_grad():
        wanted = target(torch.ones(3, 2)) + 1
    loss = (online(torch.ones(3, 2)) - wanted).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return target(torch.ones(3, 2)).detach()


def case_target_that_gets_the_memory_of_the_trained_network():
    online, target = eval("torch.nn.Linear(2, 1)"), eval("torch.nn.Linear(2, 1)")
    _follow_by_memory(target, online)
    return _trained(online, target)


def case_target_that_gets_the_memory_of_the_trained_network_cured():
    online, target = eval("torch.nn.Linear(2, 1)"), eval("torch.nn.Linear(2, 1)")
    _follow_by_values(target, online)
    return _trained(online, target)


def _used(model, ema_model):
    for live, kept in zip(model.parameters(), ema_model.parameters()):
        live.data = kept.data
    return model(torch.ones(3, 2)).detach()


def case_averages_that_are_used_for_evaluation():
    return _used(eval("torch.nn.Linear(2, 1)"), eval("torch.nn.Linear(2, 1)"))


_FORWARD = "lambda self, x, above, below: nn.Bilinear.forward(self, x, above) - below"
_Signed = eval(f"type('Signed', (nn.Bilinear,), {{'forward': {_FORWARD}}})")


class SignedStack(nn.Module):
    """Its layers are called with as many arguments as it is: they are others all the same."""

    def __init__(self, depth):
        super().__init__()
        self.layers = nn.ModuleList()
        for _ in range(depth):
            self.layers.append(_Signed(3, 3, 3))

    def forward(self, x, above, below):
        for layer in self.layers:
            x = torch.relu_(layer(x, above, below))
        return x


def case_layers_that_are_called_as_the_model_is():
    model = eval("SignedStack")(2)
    model(torch.ones(3), torch.ones(3), torch.ones(3)).sum().backward()
    return model.layers[0].weight.grad
