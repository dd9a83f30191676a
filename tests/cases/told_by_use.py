"""What the use of a value tells: iterators, buffers, gradients, statistics and arrays."""

from functools import lru_cache

import numpy as np
import torch
from torch import nn


class _Tasks:
    def __init__(self, count):
        self.left = count

    def __iter__(self):
        return self

    def __next__(self):
        if self.left == 0:
            raise StopIteration
        self.left -= 1
        return torch.arange(3.0) + self.left


def case_an_iterator_is_its_own():
    seen = [torch.zeros(3)]
    for task in _Tasks(2):
        seen.append(task)
        task += 1  # warning: [IPL304]
    return torch.stack(seen)


def case_an_iterator_is_its_own_cured():
    seen = [torch.zeros(3)]
    for task in _Tasks(2):
        seen.append(task)
        task = task + 1
    return torch.stack(seen)


def case_next_of_an_iterator():
    tasks = _Tasks(2)
    first = next(tasks)
    kept = first
    first.mul_(2)  # warning: [IPL303]
    return kept + next(tasks)


def case_next_of_an_iterator_cured():
    tasks = _Tasks(2)
    first = next(tasks)
    kept = first.clone()
    first.mul_(2)
    return kept + next(tasks)


@lru_cache(maxsize=None)
def _staging(size):
    return torch.empty(size)


@lru_cache(maxsize=None)
def _window(size):
    return torch.hann_window(size)


def case_cached_buffer():
    staging = _staging(3)
    staging.copy_(torch.arange(3.0))
    return staging * 2


def case_cached_values():
    window = _window(3)
    window.mul_(2)  # warning: [IPL306]
    return _window(3) + 1


def case_cached_values_cured():
    window = _window(4) * 2
    return _window(3) + 1 if len(window) == 4 else window


def case_state_that_is_loaded_where_it_is():
    net = nn.Linear(2, 2)
    checkpoint = dict(net.state_dict())
    checkpoint["bias"] = torch.full((2,), 2.0)
    net.load_state_dict(checkpoint)
    rest = {name: value for name, value in checkpoint.items() if name == "weight"}
    net.load_state_dict(rest, strict=False)
    return net.bias


def case_parameter_made_of_itself():
    x = torch.ones(3, requires_grad=True)
    guess = x * 2
    guess = nn.Parameter(guess)
    optimizer = torch.optim.SGD([guess], lr=0.1)
    guess.pow(2).sum().backward()
    optimizer.step()
    return guess.detach() + 1


def case_test_of_a_loop():
    tokens = torch.tensor([3, 1, 2, 0, 5])
    for place in torch.where(tokens == 3)[0]:
        index = place + 1
        while index < len(tokens) and tokens[index] != 0:
            tokens[index] = -100
            index += 1
    return tokens


def case_gradients_cleared_after_they_were_scaled():
    net = nn.Linear(2, 2)
    for _ in range(2):
        net(torch.ones(2)).sum().backward()
        grads = [p.grad.div_(2) for p in net.parameters()]
        norm = torch.stack([g.norm() for g in grads]).norm()
        with torch.no_grad():
            for p, g in zip(net.parameters(), grads, strict=True):
                p.add_(g.mul_(1.0 / norm.item()), alpha=-0.1)
                g.zero_()
    return net.weight


def case_gradients_in_a_bucket():
    net = nn.Linear(2, 1, bias=False)
    flat = torch.zeros(2)
    net.weight.grad = flat.view_as(net.weight)
    for _ in range(2):
        flat.zero_()
        net(torch.ones(2)).sum().backward()
        with torch.no_grad():
            net.weight.sub_(net.weight.grad, alpha=0.1)
    return net.weight


class _Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, running_mean):
        running_mean.lerp_(x.mean(), 0.1)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


def case_running_statistics_of_a_function():
    mean = torch.tensor(1.0)
    out = _Norm.apply(torch.ones(3, requires_grad=True), mean) + mean
    return out


def _scaled(weight, x, scale=None):
    if scale is None:
        scale = weight + 1.0
    else:
        scale[:] = weight
        scale += 1.0
    return x * scale


def case_argument_that_is_filled_anew():
    weight, scale = torch.ones(3), torch.ones(3) * 3
    first = _scaled(weight, torch.arange(3.0), scale)
    return first + _scaled(weight, torch.ones(3), scale)


def case_array_made_under_inference_mode():
    with torch.inference_mode():
        array = torch.ones(3).numpy()
    array += 1
    return torch.from_numpy(array)


def _dropped(x, rows, columns):
    x[rows] = 0.5  # warning: [IPL305]
    x[:, columns] = 1.0  # warning: [IPL305]
    return x, rows


def case_parts_of_an_argument_are_filled():
    features = torch.arange(9.0).view(3, 3)
    x, _ = _dropped(features, torch.tensor([True, False, False]), torch.tensor([1]))
    return x.sum() + features.sum()


def case_parts_of_an_argument_are_filled_cured():
    features = torch.arange(9.0).view(3, 3)
    x = features.clone()
    x[torch.tensor([True, False, False])] = 0.5
    x[:, torch.tensor([1])] = 1.0
    return x.sum() + features.sum()


def case_point_that_an_optimizer_moves():
    point = (torch.ones(2, requires_grad=True) * 2).clone().detach()
    point.requires_grad_(True)
    optimizer = torch.optim.SGD([point], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        point.pow(2).sum().backward()
        optimizer.step()
    return point.detach() * 2


class _Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(2, 1, bias=False), nn.Linear(2, 1, bias=False)
        for parameter in self.parameters():
            nn.init.ones_(parameter)
        self.requires_grad_(False)

    def forward(self, x):
        return self.left(x) + self.right(x)


class _Halved:
    def __call__(self, module, args):
        return args[0].div_(2.0)  # warning: [IPL302]


def case_hook_that_writes_what_others_read():
    pair = _Pair()
    watched = [module for name, module in pair.named_modules() if name.rsplit(".", 1)[-1] in ("left", "right")]
    for module in watched:
        module.register_forward_pre_hook(lambda module, args: None)
        module.register_forward_pre_hook(_Halved())
    return pair(torch.ones(1, 2))


def case_hook_that_writes_what_others_read_cured():
    pair = _Pair()
    for module in (pair.left, pair.right):
        module.register_forward_pre_hook(lambda module, args: args[0].div(2.0))
    return pair(torch.ones(1, 2))


def _gradients(net):
    return [parameter.grad for parameter in net.parameters()]


@torch.no_grad()
def _clip(net):
    norm = torch.stack([gradient.norm() for gradient in _gradients(net)]).norm()
    for gradient in _gradients(net):
        gradient.mul_((1.0 / norm).clamp(max=1.0))
    return norm


def case_gradients_that_a_function_fetched():
    net = nn.Linear(2, 2)
    net(torch.ones(2) * 3).sum().backward()
    norm = _clip(net)
    return norm, [parameter.grad.clone() for parameter in net.parameters()]


class _MixPoint(nn.Module):
    def __init__(self):
        super().__init__()
        self.share = None

    def forward(self, h):
        if self.share is None:
            return h
        return h.mul_(self.share).add_(h.flip(0), alpha=1.0 - self.share)  # warning: [IPL302]


def case_attribute_that_is_given_later():
    point = _MixPoint()
    point.share = 0.25
    return point(torch.arange(3.0) * 2)


class _MixPointCured(nn.Module):
    def forward(self, h):
        return h.mul(self.share).add_(h.flip(0), alpha=1.0 - self.share)


def case_attribute_that_is_given_later_cured():
    point = _MixPointCured()
    point.share = 0.25
    return point(torch.arange(3.0) * 2)


def case_parameters_that_are_parts_of_one_buffer():
    net = nn.Linear(2, 2)
    flat, offset = torch.zeros(6), 0
    for parameter in net.parameters():
        window = slice(offset, offset + parameter.numel())
        flat[window].copy_(parameter.detach().flatten())
        parameter.data = flat[window].view_as(parameter)
        offset += parameter.numel()
    return net(torch.ones(2))


def _turned_array(x, view):
    y = x.exp()
    array = view(y.detach().numpy())
    array *= 2  # warning: [IPL401]
    y.sum().backward()
    return x.grad


def case_arrays_of_other_shape_share_memory():
    x = torch.zeros(2, 3, requires_grad=True)
    return _turned_array(x, lambda array: array.transpose(1, 0))


def _array_of_its_own(x, view):
    y = x.exp()
    array = view(y.detach().numpy())
    array *= 2
    y.sum().backward()
    return x.grad


def case_arrays_of_other_shape_share_memory_cured():
    x = torch.zeros(2, 3, requires_grad=True)
    return _array_of_its_own(x, lambda array: array.transpose(1, 0).flatten())


def case_function_of_numpy_gives_a_view():
    x = torch.zeros(2, 3, requires_grad=True)
    y = x.exp()
    array = np.moveaxis(y.detach().numpy(), 0, -1)
    array += 1  # warning: [IPL401]
    y.sum().backward()
    return x.grad


def case_function_of_numpy_gives_a_view_cured():
    x = torch.zeros(2, 3, requires_grad=True)
    y = x.exp()
    array = np.moveaxis(y.detach().numpy().copy(), 0, -1)
    array += 1
    y.sum().backward()
    return x.grad


def normalized(x, gain):
    """What `rsqrt` takes is a tensor, and so is what `pow` and `mean` were called of."""
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1)
    x += y * gain  # warning: [IPL201]
    return x


def normalized_apart(x, gain):
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1)
    return x + y * gain


def shifted_frame(frame, gain):
    """Nothing says that a table of numbers is a tensor."""
    size = frame.pow(2).mean()
    frame += gain
    return frame, size
