"""Several names for one memory: which of them are meant to show a write, and which were taken for copies."""

import copy

import torch
from torch import nn


def case_multiplied_by_itself():
    x = torch.arange(3.0)
    kept = x
    x *= x  # warning: [IPL303]
    return kept - x


def case_multiplied_by_itself_cured():
    x = torch.arange(3.0)
    kept = x.clone()
    x *= x
    return kept - x


def case_another_part_of_a_shallow_copy():
    weight = torch.ones(2, 3)
    first = copy.copy(weight)[0]
    weight[1] += 2
    return first.sum()


def case_data_besides_what_a_parameter_is_made_of():
    data = torch.arange(16.0).view(8, 2)
    centers = nn.Parameter(data[:3])
    optimizer = torch.optim.SGD([centers], lr=0.1)
    torch.cdist(data[3:], centers).sum().backward()
    optimizer.step()
    return data[3:].mean(0)


def case_tied_weights():
    encoder, decoder = nn.Linear(2, 2), nn.Linear(2, 2)
    decoder.weight = nn.Parameter(encoder.weight.data)
    optimizer = torch.optim.SGD(decoder.parameters(), lr=0.1)
    decoder(torch.ones(2)).sum().backward()
    optimizer.step()
    return encoder(torch.ones(2)).shape


def case_flat_parameters():
    layer = nn.Linear(2, 2, bias=False)
    flat = torch.empty(4)
    flat.copy_(layer.weight.detach().view(-1))
    layer.weight = nn.Parameter(flat.view(2, 2))
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    layer(torch.ones(2)).sum().backward()
    optimizer.step()
    return flat.norm()


def case_name_of_a_weight():
    net = nn.Linear(2, 1)
    weight = net.weight
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(2)).sum().backward()
    optimizer.step()
    return weight.norm()


def case_buffers_are_variables():
    norm = nn.BatchNorm1d(2)
    buffers = dict(norm.named_buffers())
    norm.running_mean.add_(2)
    return buffers["running_mean"].sum()


def case_array_of_a_tensor():
    x = torch.ones(3)
    before = x.numpy()
    x.mul_(2)  # warning: [IPL303]
    return before.sum()


def case_array_of_a_tensor_cured():
    x = torch.ones(3)
    before = x.numpy().copy()
    x.mul_(2)
    return before.sum()


def case_shown_without_gradients():
    x = torch.arange(3.0, requires_grad=True)
    out = x * 2
    with torch.no_grad():
        shown = out.detach()
        shown.clamp_(0, 1)  # warning: [IPL303]
        return (out - 1).abs().mean()


def case_shown_without_gradients_cured():
    x = torch.arange(3.0, requires_grad=True)
    out = x * 2
    with torch.no_grad():
        shown = out.detach().clone()
        shown.clamp_(0, 1)
        return (out - 1).abs().mean()


class Counted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.calls = torch.zeros(1)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ctx.calls += 1
        return grad * 2 / ctx.calls


def case_counted_on_the_context():
    x = torch.ones(3, requires_grad=True)
    Counted.apply(x).sum().backward()
    return x.grad


class Smoothed:
    def __init__(self):
        self.level = torch.ones(2)

    def __call__(self, x):
        return self.mixed(self.level, x)

    def mixed(self, level, x):
        self.level.mul_(0.9).add_(x)  # warning: [IPL303]
        return x - level


def case_attribute_passed_on():
    return Smoothed()(torch.ones(2))


class SmoothedApart:
    def __init__(self):
        self.level = torch.ones(2)

    def __call__(self, x):
        return self.mixed(self.level, x)

    def mixed(self, level, x):
        self.level = self.level * 0.9 + x
        return x - level


def case_attribute_passed_on_cured():
    return SmoothedApart()(torch.ones(2))


class Clamped(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2, 2), 3.0))

    def forward(self, x):
        before = self.weight
        with torch.no_grad():
            self.weight.clamp_(0, 1)  # warning: [IPL303]
        return x @ before


def case_weight_before_it_was_clamped():
    return Clamped()(torch.ones(2))


class ClampedLater(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.full((2, 2), 3.0))

    def forward(self, x):
        before = self.weight.clone()
        with torch.no_grad():
            self.weight.clamp_(0, 1)
        return x @ before


def case_weight_before_it_was_clamped_cured():
    return ClampedLater()(torch.ones(2))


def case_called_a_copy():
    image = torch.zeros(3)
    image_copy = image
    image_copy += 1  # warning: [IPL303]
    return image_copy - image


def case_called_a_copy_cured():
    image = torch.zeros(3)
    image_copy = image.clone()
    image_copy += 1
    return image_copy - image


def case_another_shape_of_something_else():
    data = torch.zeros(3)
    rows_2d = data
    rows_2d += 1  # warning: [IPL303]
    return rows_2d - data


def case_another_shape_of_something_else_cured():
    data = torch.zeros(3)
    rows_2d = data.clone()
    rows_2d += 1
    return rows_2d - data


def case_filled_by_another_name():
    buffer = torch.ones(3)
    buffer.mul_(2)
    part = buffer
    part.copy_(torch.zeros(3))
    return buffer.sum()


def case_overwritten_by_out():
    x = torch.ones(3)
    y = x
    x.mul_(2)
    torch.add(torch.ones(3), 1, out=y)
    return y.sum()


def case_noise_drawn_where_it_is_used():
    noise = torch.empty(3)
    sample = 1 + noise.normal_() * 2
    return sample - noise * 2


def case_one_of_several_results():
    best, index = torch.arange(6.0).view(3, 2).max(0)
    doubled = best.mul_(2)  # warning: [IPL301]
    return doubled - best


def case_one_of_several_results_cured():
    best, index = torch.arange(6.0).view(3, 2).max(0)
    doubled = best * 2
    return doubled - best


def case_gradient_squared():
    net = nn.Linear(2, 1)
    net(torch.ones(2) * 3).sum().backward()
    gradient = net.weight.grad
    size = gradient.square_().sum()  # warning: [IPL304]
    return net.weight.grad / size


def case_gradient_squared_cured():
    net = nn.Linear(2, 1)
    net(torch.ones(2) * 3).sum().backward()
    gradient = net.weight.grad
    size = gradient.square().sum()
    return net.weight.grad / size


def case_sum_put_in_a_part():
    scores = torch.ones(3)
    before = scores
    scores *= 2  # warning: [IPL303]
    before[0] = before.sum()
    return before


def case_sum_put_in_a_part_cured():
    scores = torch.ones(3)
    before = scores.clone()
    scores *= 2
    before[0] = before.sum()
    return before


def case_taken_before_it_is_cleared():
    stack = torch.ones(3)
    before = stack
    stack *= 2  # warning: [IPL303]
    top = before[-1] + 1
    before[-1] = 0
    return top


def case_taken_before_it_is_cleared_cured():
    stack = torch.ones(3)
    before = stack.clone()
    stack *= 2
    top = before[-1] + 1
    before[-1] = 0
    return top


def case_one_part_added_to_another():
    levels = torch.ones(3)
    before = levels
    levels *= 2  # warning: [IPL303]
    before[0].add_(before[1])
    return before


def case_one_part_added_to_another_cured():
    levels = torch.ones(3)
    before = levels.clone()
    levels *= 2
    before[0].add_(before[1])
    return before


def case_name_of_a_weight_laid_over_a_vector():
    net = nn.Linear(2, 1)
    vector = nn.utils.parameters_to_vector(net.parameters()).detach()
    nn.utils.vector_to_parameters(vector, net.parameters())
    weight = net.weight
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    net(torch.ones(2)).sum().backward()
    optimizer.step()
    return weight.norm()


def case_detached_twice():
    image = torch.ones(3)
    noisy, clean = image.detach(), image.detach()
    noisy += 0.5  # warning: [IPL303]
    return clean * 2


def case_detached_twice_cured():
    image = torch.ones(3)
    noisy, clean = image.detach() + 0.5, image.detach()
    return clean * 2


def case_another_row_by_another_name():
    rows = torch.rand(2, 3)
    before = rows
    rows[0] += 1
    return (rows[1] - before[1]).norm()


def case_one_row_put_through_a_function():
    rows = torch.rand(6, 3)
    top, rest = rows[:3], rows[3:]
    roots = top.sqrt_() + 1
    return roots.sum() + rest.sum()


def case_row_copied_into():
    rows = torch.ones(2, 3)
    first = rows[0]
    double = first.copy_(torch.arange(3.0)) * 2
    return double.sum() + rows.sum()


def case_row_is_an_average():
    rows = torch.ones(2, 3)
    first = rows[0]
    double = first.mul_(0.9).add_(torch.arange(3.0)) * 2
    return double.sum() + rows.sum()


def case_row_scaled_for_a_name():
    rows = torch.ones(2, 3)
    first = rows[0]
    scaled = first.mul_(2)  # warning: [IPL303]
    return scaled.sum() / rows.sum()


def case_row_scaled_for_a_name_cured():
    rows = torch.ones(2, 3)
    first = rows[0]
    scaled = first.mul(2)
    return scaled.sum() / rows.sum()


def case_rows_by_index():
    rows = torch.ones(4, 3)
    i, j = int(torch.tensor(1)), int(torch.tensor(2))
    first, second = rows[i], rows[j]
    return first.sqrt_().sum() + second.sum()


def case_columns_of_a_buffer_that_is_filled():
    frame = torch.zeros(4, 3)
    left, total = frame[:, :2], 0
    for i in range(3):
        frame.copy_(torch.full((4, 3), float(i)))
        total += left.sum()
    return total


def case_columns_of_a_buffer_that_is_assigned_to():
    frame = torch.zeros(4, 3)
    left, total = frame[:, :2], 0
    for i in range(3):
        frame[:] = torch.full((4, 3), float(i))
        total += left.sum()
    return total


def case_another_row_of_what_is_kept_is_compared():
    rows = torch.rand(2, 3)
    kept = {"rows": rows}
    rows[0] += 1
    return (rows[1] - kept["rows"][1]).norm()


def case_another_row_is_compared():
    rows = torch.rand(2, 3)
    before = rows[1]
    rows[0] += 1
    return (rows[1] - before).norm()


def case_columns_when_a_row_is_scaled():
    rows = torch.ones(4, 3)
    left = rows[:, :2]
    rows[0].mul_(2)
    return left.sum()
