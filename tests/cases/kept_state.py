"""State that lasts from call to call: tables, batches, averages; changed by mistake, and brought up to date."""

from contextlib import contextmanager

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, vmap


class _Table(nn.Module):
    def __init__(self, look_up):
        super().__init__()
        self.look_up = look_up
        self.register_buffer("offsets", torch.arange(6.0).reshape(3, 2).unsqueeze(0))

    def forward(self, x):
        return x + self.look_up(self.offsets, x)


def _shifted_rows(offsets, x):
    rows = offsets[:, : x.size(1)]
    rows += x.mean(0, keepdim=True)  # warning: [IPL305]
    return rows


def _rows_shifted(offsets, x):
    return offsets[:, : x.size(1)] + x.mean(0, keepdim=True)


def _twice(look_up):
    table = _Table(look_up)
    with torch.no_grad():
        return [table(torch.ones(2, 2, 2)), table(torch.ones(2, 2, 2))]


def case_leading_rows_of_a_table():
    return _twice(_shifted_rows)


def case_leading_rows_of_a_table_cured():
    return _twice(_rows_shifted)


class _Schedule:
    def __init__(self):
        self.posterior_variance = torch.tensor([0.25, 0.5])


class _RootsInPlace(_Schedule):
    def sigma(self, step):
        variance = self.posterior_variance[step]
        return variance.clamp_(min=0.1).sqrt_()  # warning: [IPL304]


class _Roots(_Schedule):
    def sigma(self, step):
        return self.posterior_variance[step].clamp(min=0.1).sqrt()


def _drawn(schedule):
    return [schedule.sigma(step) * torch.ones(2) for _ in range(2) for step in range(2)]


def case_row_put_through_a_root():
    return _drawn(_RootsInPlace())


def case_row_put_through_a_root_cured():
    return _drawn(_Roots())


def _unscaled_itself(values):
    values *= 3.0  # warning: [IPL305]
    return values


def _unscaled(values):
    return values * 3.0


def _epochs(unscale):
    x, y = torch.arange(4.0), torch.arange(4.0) + 1
    batches = list(zip(x.split(2), y.split(2), strict=True))
    return [(bx - unscale(by)).abs().sum() for _ in range(2) for bx, by in batches]


def case_parts_of_a_data_set():
    return _epochs(_unscaled_itself)


def case_parts_of_a_data_set_cured():
    return _epochs(_unscaled)


def _reset_in_place(state, done):
    for part in state:
        part.masked_fill_(done, 0.0)  # warning: [IPL304]
    return state


def _reset(state, done):
    return tuple(part.masked_fill(done, 0.0) for part in state)


def _unrolled(reset):
    torch.manual_seed(0)
    cell, done = nn.LSTMCell(2, 2), torch.tensor([[True], [False]])
    state = (torch.zeros(2, 2), torch.zeros(2, 2))
    features = []
    with torch.no_grad():
        for _ in range(2):
            state = cell(torch.ones(2, 2), state)
            features.append(state[0])
            state = reset(state, done)
    return torch.stack(features)


def case_states_kept_and_reset():
    return _unrolled(_reset_in_place)


def case_states_kept_and_reset_cured():
    return _unrolled(_reset)


class _MaskedAttention(nn.Module):
    def forward(self, queries, mask):
        scores = queries @ queries.T
        scores.data.masked_fill_(mask, -1e9)
        return F.softmax(scores, dim=1)


def case_scores_masked_behind_autograd():
    x = torch.randn(3, 3, requires_grad=True)
    mask = torch.eye(3, dtype=torch.bool)
    _MaskedAttention()(x, mask).square().sum().backward()
    y = x.detach().requires_grad_()
    F.softmax((y @ y.T).masked_fill(mask, -1e9), dim=1).square().sum().backward()
    torch.testing.assert_close(x.grad, y.grad)
    return x.grad


class _ManyHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 6)

    def forward(self, x, task):
        out = self.head(x)
        low, high = 2 * task, 2 * task + 2
        out[:, :low].data.fill_(-1e10)
        out[:, high:].data.fill_(-1e10)
        return out[:, low:high]


def case_what_is_masked_is_not_used():
    heads = _ManyHeads()
    for task in range(3):
        F.cross_entropy(heads(torch.ones(2, 2), task), torch.tensor([0, 1])).backward()
    return heads.head.weight.grad


class _Momentum:
    def __init__(self, model):
        self.params = {name: p.detach().clone() for name, p in model.named_parameters()}
        self.velocity = {name: torch.zeros_like(p) for name, p in self.params.items()}

    def step(self, grads):
        for name, g in grads.items():
            v = self.velocity[name]
            v.mul_(0.9).add_(g)
            self.params[name].sub_(v, alpha=0.1)


def case_averages_under_the_names_of_parameters():
    optimizer = _Momentum(nn.Linear(2, 2))
    for _ in range(3):
        optimizer.step({name: torch.ones_like(p) for name, p in optimizer.params.items()})
    return list(optimizer.params.values())


def case_two_streams_by_turns():
    a, b = torch.ones(2), torch.full((2,), 2.0)
    for source, target in ((a, b), (b, a)):
        target.sub_(source * 0.5)
    return a, b


def case_gradients_used_up():
    p = torch.ones(2, requires_grad=True)
    optimizer = torch.optim.SGD([p], 0.1)
    squares = torch.zeros(2)
    for _ in range(3):
        optimizer.zero_grad(set_to_none=False)
        (p**2).sum().backward()
        squares += p.grad.pow_(2)
    return squares


def _staged(buffer):
    for step in range(3):
        buffer.fill_(float(step))
        buffer[1:].mul_(0.5).add_(buffer[:1])
        yield buffer.clamp_(0, 2)


def case_one_buffer_for_all_batches():
    total = torch.zeros(2)
    for batch in _staged(torch.empty(2)):
        total += batch
    return total


def _adversarial_epoch(weight, noise):
    losses = []
    for _ in range(2):
        shifted = noise[0:2].detach().requires_grad_(True)
        loss = (weight * shifted).square().sum()
        loss.backward()
        losses.append(loss.detach())
        noise[0:2] += shifted.grad.sign() * 0.1
        noise.clamp_(-1, 1)
    return torch.stack(losses)


def case_noise_carried_from_epoch_to_epoch():
    weight, noise = torch.ones(2), torch.ones(3)
    return [_adversarial_epoch(weight, noise) for _ in range(3)]


def _squared_error(model, params, x):
    error = functional_call(model, params, (x,))
    error = error.sub_(x)
    return (error * error).mean()


def case_calls_with_other_parameters_are_mapped():
    model = nn.Linear(2, 2)
    params = {name: p.detach() for name, p in model.named_parameters()}
    return vmap(lambda x: grad(lambda p: _squared_error(model, p, x))(params)["bias"])(torch.ones(3, 2))


class _Watch:
    def __init__(self):
        self.last = {}

    def hook(self, name):
        def record(module, inputs, output):
            self.last[name] = output.detach().clone()

        return record


@contextmanager
def _watching(model, watch):
    handles = [child.register_forward_hook(watch.hook(name)) for name, child in model.named_children()]
    try:
        yield watch
    finally:
        while handles:
            handles.pop().remove()


def case_what_hooks_keep_is_new_each_time():
    model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    sparsity = []
    with _watching(model, _Watch()) as watch:
        for _ in range(3):
            model(torch.ones(2)).sum().backward()
            sparsity.append(watch.last["0"].relu_().mean())
    return sparsity


class _LineSearch:
    def __init__(self, params):
        self.params = list(params)
        self.directions = [torch.ones_like(p) for p in self.params]


class _LineSearchInPlace(_LineSearch):
    def step(self):
        for _ in range(2):
            for p, d in zip(self.params, self.directions, strict=True):
                p.zero_()
                p.add_(d.mul_(0.5))  # warning: [IPL304]


class _LineSearchAnew(_LineSearch):
    def step(self):
        for _ in range(2):
            for p, d in zip(self.params, self.directions, strict=True):
                p.zero_()
                p.add_(d * 0.5)


def _searched(kind):
    p = torch.zeros(2)
    kind([p]).step()
    return p


def case_direction_scaled_in_each_trial():
    return _searched(_LineSearchInPlace)


def case_direction_scaled_in_each_trial_cured():
    return _searched(_LineSearchAnew)


class _Backup:
    def __init__(self, params, take):
        self.params = list(params)
        self.grads = {}
        self.take = take

    def backup(self):
        for number, p in enumerate(self.params):
            self.grads[number] = self.take(p.grad)

    def restore(self):
        for number, p in enumerate(self.params):
            p.grad = self.grads[number]


def _restored(take):
    p = torch.ones(2, requires_grad=True)
    backup = _Backup([p], take)
    (p**2).sum().backward()
    backup.backup()
    for each in backup.params:
        each.grad.zero_()  # warning: [IPL304]
    backup.restore()
    return p.grad


def _restored_from_a_copy():
    p = torch.ones(2, requires_grad=True)
    backup = _Backup([p], torch.clone)
    (p**2).sum().backward()
    backup.backup()
    for each in backup.params:
        each.grad.zero_()
    backup.restore()
    return p.grad


def case_gradient_kept_and_zeroed():
    return _restored(lambda grad: grad)


def case_gradient_kept_and_zeroed_cured():
    return _restored_from_a_copy()


class _Traces:
    def __init__(self, params, apply):
        self.params = list(params)
        self.traces = {number: torch.zeros_like(p) for number, p in enumerate(self.params)}
        self.apply = apply

    def step(self, loss, delta):
        for p in self.params:
            p.grad = None
        loss.backward()
        for number, p in enumerate(self.params):
            trace = self.traces[number]
            trace.mul_(0.9).add_(p.grad)
            p.grad = trace
        for p in self.params:
            self.apply(p, delta)


def _scaled_gradient_itself(p, delta):
    p.grad.mul_(delta)  # warning: [IPL304]


def _scaled_gradient(p, delta):
    p.grad = p.grad * delta


def _traced(apply):
    p = torch.ones(2, requires_grad=True)
    traces = _Traces([p], apply)
    for _ in range(3):
        traces.step((p**2).sum(), 0.5)
    return p.grad


def case_trace_scaled_as_a_gradient():
    return _traced(_scaled_gradient_itself)


def case_trace_scaled_as_a_gradient_cured():
    return _traced(_scaled_gradient)


def _blended_in_one_go(h, perm):
    return h.mul_(0.5).add_(h[perm], alpha=0.5)  # warning: [IPL302]


def _blended(h, perm):
    partner = h[perm]
    return h.mul_(0.5).add_(partner, alpha=0.5)


def case_blended_with_itself():
    return _blended_in_one_go(torch.tensor([1.0, 3.0]), torch.tensor([1, 0]))


def case_blended_with_itself_cured():
    return _blended(torch.tensor([1.0, 3.0]), torch.tensor([1, 0]))


def case_normalized_in_one_go():
    x = torch.tensor([1.0, 3.0])
    return x.sub_(x.min()).div_(x.max())


def case_other_shape_of_what_an_expression_writes():
    embedding = torch.arange(6.0).reshape(1, 2, 3)
    deep = embedding.flatten(1)
    squares = embedding.pow_(2).sum(1)  # warning: [IPL303]
    return squares.sum() + deep.sum()


def case_other_shape_of_what_an_expression_writes_cured():
    embedding = torch.arange(6.0).reshape(1, 2, 3)
    deep = embedding.flatten(1)
    squares = embedding.pow(2).sum(1)
    return squares.sum() + deep.sum()


def case_differences_in_place():
    jaccard = torch.arange(5.0)
    jaccard[1:] -= jaccard[:-1]  # error: [IPL104]
    return jaccard


def case_differences_of_a_copy():
    jaccard = torch.arange(5.0)
    jaccard[1:] -= jaccard[:-1].clone()
    return jaccard


def case_largest_sent_and_cleared():
    memory = torch.arange(6.0)
    flat = memory.view(-1)
    indices = flat.abs().topk(2).indices
    values = flat[indices]
    flat[indices] = 0
    return values, memory


@dataclass
class _Posterior:
    log_weights: torch.Tensor
    weights: torch.Tensor

    def entropy(self):
        return -(self.weights * self.log_weights).sum()


def _posterior(scores):
    log_weights = scores - scores.logsumexp(0)
    return _Posterior(log_weights, log_weights.exp_())  # warning: [IPL301]


def _posterior_of_its_own(scores):
    log_weights = scores - scores.logsumexp(0)
    return _Posterior(log_weights, log_weights.exp())


def case_a_field_is_given_what_the_next_overwrites():
    return _posterior(torch.arange(3.0)).entropy()


def case_a_field_is_given_what_the_next_overwrites_cured():
    return _posterior_of_its_own(torch.arange(3.0)).entropy()


class _Energy:
    def __init__(self):
        self.energy = {"out": torch.zeros(())}

    def add(self, module, inputs, output):
        self.energy["out"] += output.detach().square().sum()


def case_a_hook_adds_to_what_its_object_keeps():
    meter, layer = _Energy(), torch.nn.Linear(2, 2)
    layer.register_forward_hook(meter.add)
    for _ in range(2):
        layer(torch.ones(1, 2))
    return {key: value.item() > 0 for key, value in meter.energy.items()}


class _Antisymmetric(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))
        self.gamma = 0.5
        self.register_buffer("eye", torch.eye(2))

    def forward(self, x):
        return x @ (self.weight - self.eye.mul_(self.gamma))  # warning: [IPL301]


class _AntisymmetricScaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2, 2))
        self.gamma = 0.5
        self.register_buffer("eye", torch.eye(2))

    def forward(self, x):
        return x @ (self.weight - self.eye * self.gamma)


def _called_twice(net):
    return [net(torch.ones(2)).detach() for _ in range(2)]


def case_scaled_with_each_call():
    return _called_twice(_Antisymmetric())


def case_scaled_with_each_call_cured():
    return _called_twice(_AntisymmetricScaled())


class _Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.register_buffer("average", torch.zeros(1))

    def forward(self, x):
        average = self.average.mul_(0.9).add_(x.mean(), alpha=0.1)
        return x - average if self.calls.add_(1) > 3 else x


def case_counts_and_averages():
    return _called_twice(_Counting())


@dataclass
class _Multistep:
    """The constructor of a dataclass gives each object its list."""

    order: int = 2
    estimates: list = field(default_factory=list)

    def step(self, estimate):
        self.estimates.append(estimate)
        del self.estimates[: -self.order]
        if len(self.estimates) == 1:
            return estimate
        return estimate.mul_(3 / 2).sub_(self.estimates[-2], alpha=1 / 2)  # warning: [IPL304]


@dataclass
class _MultistepOfCopies:
    order: int = 2
    estimates: list = field(default_factory=list)

    def step(self, estimate):
        self.estimates.append(estimate)
        del self.estimates[: -self.order]
        if len(self.estimates) == 1:
            return estimate
        return estimate.mul(3 / 2).sub_(self.estimates[-2], alpha=1 / 2)


def case_estimates_that_are_combined_where_they_are_kept():
    scheduler = _Multistep()
    return [scheduler.step(torch.ones(2) * i).clone() for i in range(4)]


def case_estimates_that_are_combined_where_they_are_kept_cured():
    scheduler = _MultistepOfCopies()
    return [scheduler.step(torch.ones(2) * i).clone() for i in range(4)]


class Track:
    def __init__(self):
        self.position = torch.zeros(1, 1, 2)

    def extended(self, moves):
        state = {"position": self.position + moves.cumsum(-2)}
        self.position = state["position"][..., -1:, :]
        return {**state}


def case_entry_of_what_a_call_gave_is_shifted():
    track, origin, seen = Track(), torch.ones(2), []
    for moves in torch.arange(12.0).view(2, 1, 3, 2):
        state = track.extended(moves)
        local = state["position"][0]
        local -= origin  # warning: [IPL304]
        seen.append(local)
    return torch.cat(seen)


def case_entry_of_what_a_call_gave_is_shifted_cured():
    track, origin, seen = Track(), torch.ones(2), []
    for moves in torch.arange(12.0).view(2, 1, 3, 2):
        state = track.extended(moves)
        local = state["position"][0] - origin
        seen.append(local)
    return torch.cat(seen)


class Scaled:
    def __init__(self):
        self.table = {}
        self.scale = self.table["scale"] = torch.ones(2)

    def forward(self, x):
        return x * self.scale


def case_entry_of_the_table_of_an_object_is_set():
    scaled = Scaled()
    first = scaled.forward(torch.ones(2))
    scale = scaled.table["scale"]
    scale.mul_(2)
    return first + scaled.forward(torch.ones(2))
