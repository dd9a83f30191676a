"""Checkpointing runs a function twice; what it writes, it writes twice."""

import contextlib

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        self.calls += 1  # warning: [IPL405]
        return x.sigmoid()


def case_buffer_written_twice():
    layer = Counting()
    x = torch.ones(3, requires_grad=True)
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    return layer.calls


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        return x.sigmoid()


def case_buffer_written_twice_cured():
    layer = Plain()
    x = torch.ones(3, requires_grad=True)
    layer.calls += 1
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    return layer.calls


def local_writes(x):
    h = x * 2
    h += 1
    h.relu_()
    return h.sigmoid()


def case_own_tensors_written():
    x = torch.ones(3, requires_grad=True)
    checkpoint(local_writes, x, use_reentrant=False).sum().backward()
    return x.grad


def saves_its_argument(x):
    return x.square().exp()


def case_argument_written_after_the_call():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    y = checkpoint(saves_its_argument, h, use_reentrant=False)
    h += 1  # error: [IPL201]
    y.sum().backward()
    return x.grad


def case_captured_tensor_written_before_backward():
    mask = torch.ones(3)
    x = torch.ones(3, requires_grad=True)
    y = checkpoint(lambda h: h * mask, x, use_reentrant=False)
    mask.zero_()  # warning: [IPL401]
    y.sum().backward()
    return x.grad


def case_captured_tensor_written_before_backward_cured():
    mask = torch.ones(3)
    x = torch.ones(3, requires_grad=True)
    y = checkpoint(lambda h: h * mask, x, use_reentrant=False)
    y.sum().backward()
    mask.zero_()
    return x.grad


class Windowed(nn.Module):
    """Each block adds a window that is drawn anew; computing the first one again finds that of the last."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.register_buffer("window", torch.zeros(3))

    def drawn(self, radius):
        window = self.window[:3]
        window.fill_(radius)  # warning: [IPL401]
        return window

    def block(self, block, x, window):
        return checkpoint(lambda h: torch.sigmoid(block(h) + window), x, use_reentrant=False)

    def forward(self, x):
        for radius, block in enumerate(self.blocks):
            x = self.block(block, x, self.drawn(radius))
        return x


class WindowedOnCopies(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(3, 3), nn.Linear(3, 3)])
        self.register_buffer("window", torch.zeros(3))
        self.register_buffer("calls", torch.zeros(()))

    def drawn(self, radius):
        window = self.window[:3].clone()
        window.fill_(radius)
        return window

    def block(self, block, x, window):
        return checkpoint(lambda h: torch.sigmoid(block(h) + window), x, use_reentrant=False)

    def forward(self, x):
        for radius, block in enumerate(self.blocks):
            x = self.block(block, x, self.drawn(radius))
            self.calls += 1
        return x


def case_a_window_that_is_drawn_anew():
    torch.manual_seed(0)
    model = Windowed()
    model(torch.ones(2, 3)).sum().backward()
    return model.blocks[0].weight.grad


def case_a_window_that_is_drawn_anew_cured():
    torch.manual_seed(0)
    model = WindowedOnCopies()
    model(torch.ones(2, 3)).sum().backward()
    return model.blocks[0].weight.grad


def _halved(h):
    probabilities = h.sigmoid()
    probabilities.mul_(0.5)  # warning: [IPL401]
    return probabilities.exp()


def case_saved_result_written_inside():
    x = torch.ones(3, requires_grad=True)
    checkpoint(_halved, x * 1, use_reentrant=False).sum().backward()
    return x.grad


def case_saved_result_written_inside_cured():
    x = torch.ones(3, requires_grad=True)
    checkpoint(lambda h: (h.sigmoid() * 0.5).exp(), x * 1, use_reentrant=False).sum().backward()
    return x.grad


def _halved_at_last(h):
    probabilities = h.sigmoid()
    probabilities.mul_(0.5)
    return probabilities


def case_saved_result_written_where_computing_anew_has_stopped():
    x = torch.ones(3, requires_grad=True)
    checkpoint(_halved_at_last, x * 1, use_reentrant=False).sum().backward()
    plain = torch.ones(3, requires_grad=True)
    (plain.sigmoid() * 0.5).sum().backward()
    return x.grad - plain.grad


def case_result_written_after_the_call():
    # Backward computes the sigmoid anew.
    x = torch.ones(3, requires_grad=True)
    y = checkpoint(torch.sigmoid, x * 1, use_reentrant=False)
    y.mul_(0.5)
    y.sum().backward()
    return x.grad


def case_hooks_switch_the_check_off():
    w = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = w.exp()
        y += 1  # warning: [IPL401]
    y.sum().backward()
    return w.grad


def case_hooks_switch_the_check_off_cured():
    w = torch.ones(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = w.exp()
        y = y + 1
    y.sum().backward()
    return w.grad


def _raises(x):
    raise ValueError


def case_checkpoint_that_raises_changes_no_mode():
    x = torch.rand(3, requires_grad=True)
    try:
        checkpoint(_raises, x, use_reentrant=False)
    except ValueError:
        pass
    y = torch.sigmoid(x)
    y.mul_(2)  # error: [IPL202]
    y.sum().backward()


def case_closure_that_raises_changes_no_mode():
    w = torch.rand(3, requires_grad=True)
    optimizer = torch.optim.SGD([w], 0.1)

    @torch.no_grad()
    def step():
        optimizer.step(lambda: _raises(w))

    try:
        step()
    except ValueError:
        pass
    y = torch.sigmoid(w)
    y.mul_(2)  # error: [IPL202]
    y.sum().backward()


def case_hook_that_raises_changes_no_mode():
    w = torch.rand(3, requires_grad=True)
    y = torch.sigmoid(w)
    y.register_hook(_raises)
    try:
        y.sum().backward()
    except ValueError:
        pass
    y = torch.sigmoid(w)
    y.mul_(2)  # error: [IPL202]
    y.sum().backward()


class _Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))
        self.counts = True

    def forward(self, x):
        if self.counts:
            self.seen += 1
        return torch.sigmoid(x)


@contextlib.contextmanager
def _not_counting(layer):
    layer.counts = False
    try:
        yield
    finally:
        layer.counts = True


def case_what_a_context_keeps_from_happening_twice():
    layer, x = _Counting(), torch.tensor([0.5], requires_grad=True)
    checkpoint(
        layer, x, use_reentrant=False, context_fn=lambda: (contextlib.nullcontext(), _not_counting(layer))
    ).backward()
    return layer.seen, x.grad


class NormalizedTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x).sigmoid()  # info: [IPL405]


def case_statistics_of_batch_norm_count_twice():
    layer = NormalizedTwice()
    x = torch.ones(2, 3, requires_grad=True)
    checkpoint(layer, x, use_reentrant=False).sum().backward()
    return layer.norm.running_mean


class _Placed(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x):
        x += 1  # error: [IPL201]
        return self.linear(x)


class _PlacedStack(nn.Module):
    """Runs its blocks again in backward, if somebody asks for that."""

    def __init__(self, saves_memory=False):
        super().__init__()
        self.saves_memory = saves_memory
        self.embed = nn.Linear(3, 3)
        self.blocks = nn.ModuleList(_Placed() for _ in range(2))

    def run(self, block, x):
        if self.saves_memory and self.training:
            return checkpoint(block, x, use_reentrant=False)
        return block(x)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = self.run(block, x)
        return x.sum()


def case_blocks_that_are_run_again_if_asked():
    model = eval(_PlacedStack.__name__)(saves_memory=True)
    model(torch.ones(2, 3)).backward()
    return model.embed.weight.grad
