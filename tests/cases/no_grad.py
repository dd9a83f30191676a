"""Gradients switched off: what that allows, and what it does not."""

import copy

import torch
from torch import nn


def case_initialisation():
    linear = nn.Linear(3, 3)
    with torch.no_grad():
        linear.weight.zero_()
        linear.weight[0] = 1.0
        linear.bias.fill_(0.1)
    nn.init.xavier_uniform_(linear.weight)
    nn.init.constant_(linear.bias, 0.0)
    linear(torch.ones(1, 3)).sum().backward()
    return linear.weight.grad


def case_data_initialisation():
    linear = nn.Linear(3, 3)
    linear.weight.data.normal_(0, 0.02)
    linear.bias.data.zero_()
    linear(torch.ones(1, 3)).sum().backward()
    return linear.weight.grad


@torch.no_grad()
def update_average(average, model, decay):
    for kept, new in zip(average.parameters(), model.parameters(), strict=True):
        kept.mul_(decay).add_(new, alpha=1 - decay)


def case_moving_average_of_weights():
    model = nn.Linear(3, 1)
    average = copy.deepcopy(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        loss = model(torch.randn(2, 3)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update_average(average, model, 0.9)
    return average.weight


def case_descent_by_hand():
    weight = torch.ones(3, requires_grad=True)
    for _ in range(2):
        (weight**2).sum().backward()
        with torch.no_grad():
            weight -= 0.1 * weight.grad
            weight.grad.zero_()
    return weight


def case_descent_by_hand_without_no_grad():
    weight = torch.ones(3, requires_grad=True)
    (weight**2).sum().backward()
    weight -= 0.1 * weight.grad  # error: [IPL101]
    return weight


def case_gradients_clipped():
    weight = torch.ones(3, requires_grad=True)
    (weight**2).sum().backward()
    weight.grad.clamp_(-1, 1)
    weight.grad.mul_(0.5)
    return weight.grad


def case_leaf_written_after_the_block():
    weight = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        weight.mul_(2)
    weight.mul_(2)  # error: [IPL101]
    return weight


def case_leaf_asked_for_grad_afterwards():
    weight = torch.ones(3)
    weight.mul_(2)
    weight.requires_grad_()
    weight.sum().backward()
    return weight.grad


def case_saved_then_written_without_grad():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    squares = h**2
    with torch.no_grad():
        h.zero_()  # error: [IPL201]
    squares.sum().backward()
    return x.grad


def case_saved_weight_written_without_grad():
    weight = torch.ones(3, requires_grad=True)
    loss = (weight**2).sum()
    with torch.no_grad():
        weight.mul_(0.5)  # error: [IPL203]
    loss.backward()
    return weight.grad


def case_weight_written_before_the_forward():
    weight = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        weight.mul_(0.5)
    (weight**2).sum().backward()
    return weight.grad


def case_nothing_saved_without_grad():
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        gate = x.sigmoid()
        gate *= 2
    (x * gate).sum().backward()
    return x.grad


def case_plain_data_saves_nothing():
    x = torch.ones(3)
    gate = x.sigmoid()
    gate *= 2
    return gate


def case_saved_by_a_graph_that_is_never_used():
    x = torch.ones(3, requires_grad=True)
    gate = x.sigmoid()
    print_value = gate.sum().item()
    gate.zero_()
    (x * print_value).sum().backward()
    return x.grad


def case_graph_released_by_backward():
    x = torch.ones(3, requires_grad=True)
    gate = x.sigmoid()
    gate.sum().backward()
    with torch.no_grad():
        gate.zero_()
    return x.grad


def case_detached_copy_written():
    x = torch.ones(3, requires_grad=True)
    h = x.sigmoid()
    shown = h.detach().clone()
    shown.mul_(255)
    h.sum().backward()
    return x.grad


def case_detached_view_of_a_saved_result():
    x = torch.ones(3, requires_grad=True)
    h = x.sigmoid()
    shown = h.detach()
    shown.mul_(255)  # error: [IPL202]
    h.sum().backward()
    return x.grad


def case_data_of_a_saved_input():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    squares = h**2
    h.data.zero_()  # warning: [IPL401]
    squares.sum().backward()
    return x.grad


def case_data_of_a_saved_input_cured():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    squares = h**2
    h = torch.zeros_like(h)
    squares.sum().backward()
    return x.grad


def case_clamped_without_grad():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    h = x * 3
    with torch.no_grad():
        h.clamp_(min=0)  # warning: [IPL401]
    h.sum().backward()
    return x.grad


def case_clamped_without_grad_cured():
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    h = x * 3
    h.clamp_(min=0)
    h.sum().backward()
    return x.grad


def case_numpy_memory_of_a_saved_input():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    squares = h**2
    array = h.detach().numpy()
    array[:] = 0  # warning: [IPL401]
    squares.sum().backward()
    return x.grad


def case_numpy_memory_of_a_saved_input_cured():
    x = torch.ones(3, requires_grad=True)
    h = x * 2
    squares = h**2
    array = h.detach().numpy().copy()
    array[:] = 0
    squares.sum().backward()
    return x.grad


def case_inference_tensor_written():
    with torch.inference_mode():
        mean = torch.ones(3)
    mean.mul_(0.9)  # error: [IPL106]
    return mean


def case_inference_tensor_written_inside():
    with torch.inference_mode():
        mean = torch.ones(3)
        mean.mul_(0.9)
    return mean + 1


def case_inference_tensor_copied():
    with torch.inference_mode():
        mean = torch.ones(3)
    mean = mean.clone()
    mean.mul_(0.9)
    return mean


def case_grad_mode_set_by_a_flag():
    weight = torch.ones(3, requires_grad=True)
    with torch.set_grad_enabled(False):
        weight.mul_(2)
    return weight


def case_grad_mode_set_for_good():
    weight = torch.ones(3, requires_grad=True)
    torch.set_grad_enabled(False)
    weight.mul_(2)
    torch.set_grad_enabled(True)
    return weight


def case_enable_grad_inside():
    weight = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        with torch.enable_grad():
            weight.mul_(2)  # error: [IPL101]
    return weight


def case_row_of_a_record_that_nothing_was_put_into():
    x = torch.randn(3, requires_grad=True)
    record = torch.zeros(3, 3)
    for t in range(2):
        record[t] = x * (t + 1)
    with torch.no_grad():
        record[2] = 5.0
    record.square().sum().backward()
    return x.grad


def case_row_of_a_record_that_is_overwritten():
    x = torch.ones(3, requires_grad=True)
    record = torch.zeros(3, 3)
    record[0] = x * 2
    with torch.no_grad():
        record[0] = 5.0  # warning: [IPL401]
    (record.sum() * 2).backward()
    return x.grad


def case_row_of_a_record_that_is_overwritten_cured():
    x = torch.ones(3, requires_grad=True)
    record = torch.zeros(3, 3)
    record[0] = x * 2
    record[0] = 5.0
    (record.sum() * 2).backward()
    return x.grad if x.grad is not None else torch.zeros(3)


class _Returning(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"rho": 0.5})

    @torch.no_grad()
    def return_(self):
        for group in self.param_groups:
            for p in group["params"]:
                p.data = self.state[p]["before"]


class Ascent(_Returning):
    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["before"] = p.data
                p.add_(p.grad * group["rho"])  # warning: [IPL304]


class AscentOnCopies(_Returning):
    @torch.no_grad()
    def climb(self):
        for group in self.param_groups:
            for p in group["params"]:
                self.state[p]["before"] = p.data.clone()
                p.add_(p.grad * group["rho"])


def _weights_after(optimizer, linear):
    linear(torch.ones(2)).sum().backward()
    optimizer.climb()
    optimizer.return_()
    return [p.detach().clone() for p in linear.parameters()]


def case_weights_are_kept_by_reference():
    torch.manual_seed(0)
    linear = nn.Linear(2, 2)
    return _weights_after(Ascent(linear.parameters()), linear)


def case_weights_are_kept_by_reference_cured():
    torch.manual_seed(0)
    linear = nn.Linear(2, 2)
    return _weights_after(AscentOnCopies(linear.parameters()), linear)


@torch.inference_mode(False)
def _window_for_training(size):
    return torch.sin(torch.arange(size, dtype=torch.float32))


@torch.inference_mode()
def _window_for_inference(size):
    return torch.sin(torch.arange(size, dtype=torch.float32))


@torch.set_grad_enabled(False)
def _quiet(w):
    y = w.exp()
    y.add_(1)
    return y


def case_a_decorator_that_ends_the_mode():
    w = torch.ones(4, requires_grad=True)
    with torch.inference_mode():
        window = _window_for_training(4)
    (w * window).sum().backward()
    return w.grad + _quiet(w)


def case_a_block_that_ends_the_mode():
    w = torch.ones(4, requires_grad=True)
    with torch.inference_mode(), torch.inference_mode(False):
        y = w.exp()
        y.add_(1)  # error: [IPL202]
    y.sum().backward()


def case_a_decorator_that_begins_the_mode():
    w = torch.ones(4, requires_grad=True)
    return w * _window_for_inference(4)  # error: [IPL106]


class AddsUnseen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = torch.nn.Linear(3, 3)

    def forward(self, x):
        x.data += self.mlp(x)  # warning: [IPL401]
        return x * 2


def case_what_a_parameter_adds_gets_no_gradient():
    net = AddsUnseen()
    h = torch.rand(3, requires_grad=True) * 2
    net(h).sum().backward()
    return torch.tensor(float(net.mlp.weight.grad is not None))


class Adds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mlp = torch.nn.Linear(3, 3)

    def forward(self, x):
        x = x + self.mlp(x)
        return x * 2


def case_what_a_parameter_adds_gets_no_gradient_cured():
    net = Adds()
    h = torch.rand(3, requires_grad=True) * 2
    net(h).sum().backward()
    return torch.tensor(float(net.mlp.weight.grad is not None))


class AveragesUnseen(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(3))
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        self.mean.data.mul_(0.9).add_(self.weight, alpha=0.1)
        return x * self.weight - self.mean


def case_an_average_of_parameters_needs_no_gradient():
    net = AveragesUnseen()
    net(torch.rand(3)).sum().backward()
    return net.weight.grad


def part_of_an_argument_given_values_unseen(logits: torch.Tensor):
    with torch.no_grad():
        logits[0] = torch.cos(logits[0] + 0.5)  # warning: [IPL401]
    return logits * 64


def part_of_an_argument_masked_unseen(scores: torch.Tensor):
    with torch.no_grad():
        scores[0] = float("-inf")
    return scores.softmax(0)


class WeightsOfResiduals:
    """Weights that an object keeps are brought up to date without gradients, and used as numbers."""

    def by_attribute(self, loss, residuals, idx):
        weights = self.weights
        with torch.no_grad():
            weights[idx] = 0.9 * weights[idx] + 0.1 * torch.linalg.vector_norm(residuals)
        return loss * weights[idx]

    def by_name(self, loss, residuals, name, idx):
        weights = getattr(self, self.names[name])
        with torch.no_grad():
            weights[idx] = 0.9 * weights[idx] + 0.1 * torch.linalg.vector_norm(residuals)
        return loss * weights[idx]


class ScoresOfALayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        self.scores = self.layer(x)
        with torch.no_grad():
            self.scores[0] = torch.cos(self.scores[0] + 0.5)  # warning: [IPL401]
        return self.scores * 64


class _Prototypes(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slots", torch.zeros(3, 2))

    @torch.no_grad()
    def slot_of(self, label):
        return self.slots[label]


def case_rows_that_numbers_of_a_tensor_choose():
    prototypes, encoder = _Prototypes(), nn.Linear(2, 2)
    for label in torch.tensor([2, 0, 2]).unique().tolist():
        prototypes.slot_of(label).add_(encoder(torch.ones(2)))  # error: [IPL103]
    return prototypes.slots


class _MovedPrototypes(_Prototypes):
    def moved_to(self, rows, labels):
        for label in labels.unique().tolist():
            slot = self.slot_of(label)
            slot.mul_(0.9).add_(rows[labels == label].mean(dim=0).detach(), alpha=0.1)
            slot.div_(slot.norm().clamp(min=1e-6))


def case_rows_that_are_brought_up_to_date_by_what_a_method_gives():
    prototypes = _MovedPrototypes()
    for _ in range(2):
        prototypes.moved_to(torch.ones(3, 2), torch.tensor([2, 0, 2]))
    return prototypes.slots.sum(dim=1)


class _Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, noisy):
        return self.layer(noisy)


def _guided(denoiser, scale):
    mixed = torch.empty(2)

    @torch.no_grad()
    def step(noisy):
        return torch.lerp(denoiser(noisy), noisy, scale, out=mixed)

    return step


def case_a_function_without_gradients_that_is_given_back():
    torch.manual_seed(0)
    denoiser = _Denoiser()
    denoiser(torch.ones(2)).sum().backward()
    return _guided(denoiser, 0.5)(torch.ones(2)) * 2


def case_a_leaf_is_moved_by_its_data_and_read_without_its_history():
    x, delta = torch.ones(3), torch.zeros(3, requires_grad=True)
    for _ in range(2):
        loss = ((x + delta) ** 2).sum()
        (gradient,) = torch.autograd.grad(loss, [delta])
        step = delta.data
        step.add_(gradient.sign_(), alpha=0.1).clamp_(-1, 1)
        torch.clamp(x + step, 0, 1, out=step).sub_(x)
    return delta.detach()
