"""What shows in a later turn or call only: rotated buffers, histories, workspaces by size, windows on a state."""

import copy
import functools
import operator

import numpy as np
import torch
from torch import nn


def _pulses():
    while True:
        yield from torch.ones(4).unbind()
        return


def case_slices_of_two_buffers_that_rotate():
    new, old, seen = torch.zeros(3), torch.zeros(3), []
    for pulse in _pulses():
        old.mul_(0.5).add_(new).add_(pulse)  # warning: [IPL304]
        seen.append(old[1:])
        new, old = old, new
    return torch.stack(seen)


def case_slices_of_two_buffers_that_rotate_cured():
    new, old, seen = torch.zeros(3), torch.zeros(3), []
    for pulse in _pulses():
        old = old * 0.5 + new + pulse
        seen.append(old[1:])
        new, old = old, new
    return torch.stack(seen)


class _Workspaces:
    def __init__(self):
        self.known = {}

    def sums(self, rows):
        key = (rows.size(1), rows.dtype)
        if key not in self.known:
            self.known[key] = rows.new_zeros(rows.size(1))
        out = self.known[key]
        out.zero_()  # warning: [IPL304]
        return out.add_(rows.sum(0))  # warning: [IPL304]


class _NewSums:
    def sums(self, rows):
        return rows.sum(0)


def _collected(spaces):
    torch.manual_seed(0)
    sums = [spaces.sums(torch.randn(2, 3)) for _ in range(3)]
    return torch.stack(sums)


def case_workspace_by_size():
    return _collected(_Workspaces())


def case_workspace_by_size_cured():
    return _collected(_NewSums())


class _Built:
    def __init__(self):
        self.known = {}

    def positions(self, x):
        if x.size(0) not in self.known:
            self.known[x.size(0)] = torch.arange(x.size(0), dtype=torch.float32)
        return self.known[x.size(0)]


def case_table_by_size_that_nobody_writes():
    built, x = _Built(), torch.ones(4, requires_grad=True)
    y = (x * built.positions(x)).exp() * built.positions(x + 1)
    y.sum().backward()
    return x.grad


class _Cart:
    def __init__(self):
        self.state = torch.zeros(2)

    def step(self, force):
        self.state.add_(force)
        return self.state.norm()


def case_window_on_a_state():
    torch.manual_seed(0)
    cart, policy, rewards = _Cart(), nn.Linear(2, 2), []
    seen = cart.state
    for _ in range(3):
        with torch.no_grad():
            force = policy(seen)
        rewards.append(cart.step(force))
    return torch.stack(rewards)


class _Sled:
    def __init__(self):
        self.state = torch.zeros(2)

    def step(self, force):
        self.state.add_(force)  # warning: [IPL303]
        return self.state.norm()


def case_name_for_the_first_state():
    torch.manual_seed(0)
    cart, way = _Sled(), []
    first = cart.state
    for _ in range(3):
        cart.step(torch.ones(2))
        way.append((cart.state - first).norm())
    return torch.stack(way)


def case_name_for_the_first_state_cured():
    torch.manual_seed(0)
    cart, way = _Cart(), []
    first = cart.state.clone()
    for _ in range(3):
        cart.step(torch.ones(2))
        way.append((cart.state - first).norm())
    return torch.stack(way)


def _steps(net, optimizer, count):
    for x in torch.linspace(0, 1, 3 * count).view(count, 1, 3):
        optimizer.zero_grad()
        net(x).pow(2).mean().backward()
        optimizer.step()


def case_optimizer_put_back_to_live_moments():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    _steps(net, optimizer, 2)
    kept = optimizer.state_dict()
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()  # warning: [IPL304]
    optimizer.load_state_dict(kept)
    _steps(net, optimizer, 2)
    return net.weight.detach()


def case_optimizer_put_back_to_live_moments_cured():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    _steps(net, optimizer, 2)
    kept = copy.deepcopy(optimizer.state_dict())
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    optimizer.load_state_dict(kept)
    _steps(net, optimizer, 2)
    return net.weight.detach()


def case_optimizer_put_back_to_its_beginning():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    kept = optimizer.state_dict()
    _steps(net, optimizer, 2)
    optimizer.load_state_dict(kept)
    _steps(net, optimizer, 2)
    return net.weight.detach()


def case_row_swapped_with_itself():
    store, image = torch.zeros(2, 2), torch.ones(2)
    store[0], image = image, store[0]  # warning: [IPL304]
    return store, image * 1


def case_row_swapped_with_itself_cured():
    store, image = torch.zeros(2, 2), torch.ones(2)
    store[0], image = image, store[0].clone()
    return store, image * 1


def _sum_into_the_first(parts):
    return functools.reduce(operator.iadd, parts)  # warning: [IPL305]


def _sum(parts):
    return functools.reduce(operator.add, parts)


def _shares(total_of):
    parts = [torch.ones(2), torch.ones(2)]
    total = total_of(parts)
    return [part / total for part in parts]


def case_sum_into_the_first():
    return _shares(_sum_into_the_first)


def case_sum_into_the_first_cured():
    return _shares(_sum)


def _halves(count):
    window = torch.zeros(4)
    for _ in range(count):
        torch.add(window, 1, out=window)
        yield window[:2], window[2:]


def case_halves_of_a_window_one_turn_after_another():
    total = torch.zeros(())
    for first, second in _halves(3):
        total = total + (first * second).sum()
    for _, (first, second) in zip(range(3), _halves(3)):
        total = total + (first * second).sum()
    for i, (first, second) in enumerate(_halves(3)):
        total = total + i * (first * second).sum()
    return total


class _Spectrum:
    def __init__(self):
        self.power = np.empty(3, np.float32)
        self.tensor = torch.from_numpy(self.power)
        self.room = torch.empty(3)

    def of(self, wave):
        np.multiply(wave, wave, out=self.power)
        torch.mul(self.tensor, 2.0, out=self.room).add_(1)
        return self.room.log()


def case_array_and_tensor_of_one_memory():
    spectrum = _Spectrum()
    return [spectrum.of(np.full(3, value, np.float32)) for value in (1.0, 2.0)]


def case_loss_divided_before_backward():
    x = torch.ones(2, requires_grad=True)
    loss = torch.zeros(())
    loss += x.pow(2).sum()
    loss.div_(2).backward()
    return x.grad, loss.detach()


class _Refilled:
    def __init__(self):
        self.rows = torch.empty(4)

    def halves(self, count):
        first, second = self.rows[:2], self.rows[2:]
        for i in range(count):
            torch.arange(i, i + 4, out=self.rows)
            first.clamp_(0, 1)
            second.div_(2)
            yield first, second


def case_halves_of_rows_that_are_filled_again():
    torch.manual_seed(0)
    net, refilled, losses = nn.Linear(2, 2), _Refilled(), []
    for first, second in refilled.halves(3):
        loss = (net(first) - second).pow(2).sum()
        loss.backward()
        losses.append(loss.detach())
    return losses, net.weight.grad


def case_optimizer_put_back_twice():
    net = nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.fill_(1.0)
    optimizer = torch.optim.Adam([net.weight], lr=0.1)
    x = torch.ones(2, 2)
    net(x).pow(2).sum().backward()
    optimizer.step()
    kept = copy.deepcopy(optimizer.state_dict())
    for _ in range(2):
        optimizer.load_state_dict(kept)
        optimizer.zero_grad()
        net(x).pow(2).sum().backward()
        optimizer.step()  # warning: [IPL304]
    return net.weight


def case_optimizer_put_back_twice_cured():
    net = nn.Linear(2, 1)
    with torch.no_grad():
        net.weight.fill_(1.0)
    optimizer = torch.optim.Adam([net.weight], lr=0.1)
    x = torch.ones(2, 2)
    net(x).pow(2).sum().backward()
    optimizer.step()
    kept = copy.deepcopy(optimizer.state_dict())
    for _ in range(2):
        optimizer.load_state_dict(copy.deepcopy(kept))
        optimizer.zero_grad()
        net(x).pow(2).sum().backward()
        optimizer.step()
    return net.weight


def case_target_that_was_given_the_data():
    online, target = nn.Linear(2, 1), nn.Linear(2, 1)
    with torch.no_grad():
        online.weight.fill_(1.0)
        online.bias.fill_(0.5)
    for frozen, live in zip(target.parameters(), online.parameters(), strict=True):
        frozen.data = live.data
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    online(torch.ones(2)).sum().backward()
    optimizer.step()  # warning: [IPL304]
    with torch.no_grad():
        return target(torch.ones(2))


def case_target_that_was_given_the_data_cured():
    online, target = nn.Linear(2, 1), nn.Linear(2, 1)
    with torch.no_grad():
        online.weight.fill_(1.0)
        online.bias.fill_(0.5)
    for frozen, live in zip(target.parameters(), online.parameters(), strict=True):
        frozen.data = live.data.clone()
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    online(torch.ones(2)).sum().backward()
    optimizer.step()
    with torch.no_grad():
        return target(torch.ones(2))


def _searched(images, score, clean, turns):
    best = images.permute(0, 2, 1).numpy()
    least = [0.0] * 4
    for _ in range(turns):
        for step in range(20):
            for i in range(4):
                found = score(clean, step)
                if found > least[i]:
                    least[i] = found
                    best[i] = step  # warning: [IPL303]
    return torch.tensor(least)


def case_a_write_deep_in_long_loops():
    images = torch.ones(4, 3, 2)
    return _searched(images, lambda clean, step: (clean.sum() * step).item(), images.detach(), 8)


def case_a_write_deep_in_long_loops_cured():
    images = torch.ones(4, 3, 2)
    return _searched_copy(images, lambda clean, step: (clean.sum() * step).item(), images.detach(), 8)


def _searched_copy(images, score, clean, turns):
    best = images.permute(0, 2, 1).numpy().copy()
    least = [0.0] * 4
    for _ in range(turns):
        for step in range(20):
            for i in range(4):
                found = score(clean, step)
                if found > least[i]:
                    least[i] = found
                    best[i] = step
    return torch.tensor(least)


def case_optimizer_put_back_to_live_velocity():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    _steps(net, optimizer, 2)
    kept = optimizer.state_dict()
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()  # warning: [IPL304]
    optimizer.load_state_dict(kept)
    _steps(net, optimizer, 2)
    return net.weight.detach()


def case_optimizer_put_back_to_live_velocity_cured():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    _steps(net, optimizer, 2)
    kept = copy.deepcopy(optimizer.state_dict())
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    optimizer.load_state_dict(kept)
    _steps(net, optimizer, 2)
    return net.weight.detach()


def case_optimizer_without_velocity_put_back():
    torch.manual_seed(0)
    net = nn.Linear(3, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.0)
    _steps(net, optimizer, 2)
    kept = optimizer.state_dict()
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    optimizer.load_state_dict(kept)
    _steps(net, optimizer, 2)
    return net.weight.detach()


def case_item_set_by_an_operator_function():
    x = torch.ones(3, requires_grad=True)
    y = torch.exp(x)
    operator.setitem(y, 0, 2.0)  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_item_set_by_an_operator_function_cured():
    x = torch.ones(3, requires_grad=True)
    y = torch.exp(x).clone()
    operator.setitem(y, 0, 2.0)
    y.sum().backward()
    return x.grad


def _angles(positions):
    return positions[..., None] / torch.arange(1, 4)


class _Layers(nn.Module):
    def __init__(self, near):
        super().__init__()
        self.near = near
        self.mix = nn.ModuleList(nn.Linear(3, 3) for _ in range(3))

    def far(self, i, head, tail, positions):
        length = head.shape[1]
        head = head + self.mix[i](_angles(positions[:, :length]))
        return head, tail + self.mix[i](_angles(positions[:, length:]))

    def forward(self, head, tail, mask):
        positions = torch.cumsum(mask, dim=1) - 1
        for i in range(len(self.mix)):
            layer = self.near if i % 2 == 0 else self.far
            head, tail = layer(i, head, tail, positions)
        return head, tail


def _near_in_place(i, head, tail, positions):
    length = head.shape[1]
    head = head + _angles(positions[:, :length])
    own = positions[:, length:]
    own -= own.min(dim=1, keepdim=True).values  # warning: [IPL305]
    return head, tail + _angles(own)


def _near(i, head, tail, positions):
    length = head.shape[1]
    head = head + _angles(positions[:, :length])
    own = positions[:, length:]
    own = own - own.min(dim=1, keepdim=True).values
    return head, tail + _angles(own)


def _through_layers(near):
    torch.manual_seed(0)
    return _Layers(near)(torch.zeros(1, 2, 3), torch.zeros(1, 2, 3), torch.ones(1, 4))[1].detach()


def case_positions_of_the_next_layer():
    return _through_layers(_near_in_place)


def case_positions_of_the_next_layer_cured():
    return _through_layers(_near)
