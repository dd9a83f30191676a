"""Containers, views and histories that look like copies: copied dictionaries, tensors that were set, deques."""

import copy
import random
from collections import deque

import torch
from torch import nn
from torch.func import functional_call


def _advanced(token, state):
    state["counts"][token] += 1  # warning: [IPL304]
    return state["counts"] * 0.5


def _advanced_apart(token, state):
    counts = state["counts"].clone()
    counts[token] += 1
    state["counts"] = counts
    return counts * 0.5


def _search(advanced):
    beams = [{"counts": torch.zeros(3)}]
    for _ in range(2):
        grown = []
        for state in beams:
            for token in range(2):
                copied = dict(state)
                advanced(token, copied)
                grown.append(copied)
        beams = grown
    return [state["counts"] for state in beams]


def case_hypotheses_share_their_counts():
    return _search(_advanced)


def case_hypotheses_share_their_counts_cured():
    return _search(_advanced_apart)


def case_two_copies_of_a_state():
    start = {"sums": torch.ones(3)}
    ours, theirs = dict(start), dict(start)
    ours["sums"] += 1  # warning: [IPL304]
    return theirs["sums"] * 2


def case_two_copies_of_a_state_cured():
    start = {"sums": torch.ones(3)}
    ours, theirs = dict(start), dict(start)
    ours["sums"] = ours["sums"] + 1
    return theirs["sums"] * 2


def case_a_copy_that_goes_on():
    start = {"sums": torch.ones(3)}
    ours = dict(start)
    ours["sums"] = torch.zeros(3)
    ours["sums"] += 1
    return start["sums"] * 2, ours["sums"]


def _averaged(states):
    mean = dict(states[0])
    for key in mean:
        for other in states[1:]:
            mean[key] += other[key]  # warning: [IPL304]
    return mean


def _averaged_apart(states):
    mean = {key: value.clone() for key, value in states[0].items()}
    for key in mean:
        for other in states[1:]:
            mean[key] += other[key]
    return mean


def _drift(average):
    states = [{"w": torch.ones(2)}, {"w": torch.zeros(2)}, {"w": torch.ones(2)}]
    mean = average(states)
    return [(state["w"] - mean["w"]).norm() for state in states]


def case_mean_in_a_copied_state():
    return _drift(_averaged)


def case_mean_in_a_copied_state_cured():
    return _drift(_averaged_apart)


class _Averages:
    def __init__(self):
        self.net = nn.Linear(2, 1)
        self.average = [torch.zeros_like(p) for p in self.net.parameters()]


class _Swapped(_Averages):
    @torch.no_grad()
    def swap(self):
        for average, p in zip(self.average, self.net.parameters(), strict=True):
            held = torch.empty(0).set_(p.data)
            p.copy_(average)  # warning: [IPL303]
            average.copy_(held)


class _SwappedByCopies(_Averages):
    @torch.no_grad()
    def swap(self):
        for average, p in zip(self.average, self.net.parameters(), strict=True):
            held = p.detach().clone()
            p.copy_(average)
            average.copy_(held)


def _twice(swapped):
    nn.init.ones_(swapped.net.weight)
    swapped.swap()
    swapped.swap()
    return swapped.net.weight.sum()


def case_weights_swapped_by_set():
    return _twice(_Swapped())


def case_weights_swapped_by_set_cured():
    return _twice(_SwappedByCopies())


def case_parts_of_a_spectrum():
    spectrum = torch.fft.rfft(torch.arange(4.0))
    real = spectrum.real
    spectrum.mul_(1j)  # warning: [IPL303]
    return torch.fft.irfft(torch.complex(real, torch.zeros(3))) + torch.fft.irfft(spectrum)


def case_parts_of_a_spectrum_cured():
    spectrum = torch.fft.rfft(torch.arange(4.0))
    real = spectrum.real.clone()
    spectrum.mul_(1j)
    return torch.fft.irfft(torch.complex(real, torch.zeros(3))) + torch.fft.irfft(spectrum)


class _History:
    def __init__(self):
        self.history = deque(maxlen=2)


class _Multistep(_History):
    def combine(self, noise):
        self.history.append(noise)
        if len(self.history) == 1:
            return noise
        return noise.mul_(1.5).sub_(self.history[0], alpha=0.5)  # warning: [IPL304]


class _MultistepApart(_History):
    def combine(self, noise):
        self.history.append(noise)
        if len(self.history) == 1:
            return noise
        return 1.5 * noise - 0.5 * self.history[0]


def _sampled(sampler):
    x = torch.ones(2)
    for _ in range(3):
        x = x - sampler.combine(x * 0.5)
    return x


def case_history_of_mixed_values():
    return _sampled(_Multistep())


def case_history_of_mixed_values_cured():
    return _sampled(_MultistepApart())


def case_history_that_has_let_go():
    history = deque(maxlen=1)
    for step in range(3):
        noise = torch.ones(2) * step
        if history:
            old = history.popleft()
            old.mul_(2)
        history.append(noise)
    return history[0]


class _Rollout:
    def __init__(self):
        self.rewards = torch.ones(3)


def _discounted(rollout):
    returns, total = rollout.rewards, torch.zeros(())
    for i in reversed(range(3)):
        total = rollout.rewards[i] + 0.5 * total
        returns[i] = total  # warning: [IPL304]
    return returns


def _discounted_apart(rollout):
    returns, total = torch.zeros_like(rollout.rewards), torch.zeros(())
    for i in reversed(range(3)):
        total = rollout.rewards[i] + 0.5 * total
        returns[i] = total
    return returns


def _logged(discounted):
    rollout = _Rollout()
    returns = discounted(rollout)
    return returns.mean(), sum(reward for reward in rollout.rewards)


def case_returns_in_place_of_rewards():
    return _logged(_discounted)


def case_returns_in_place_of_rewards_cured():
    return _logged(_discounted_apart)


def _adapted(net, x):
    fast = dict(net.named_parameters())
    loss = functional_call(net, fast, (x,)).square().mean()
    gradients = torch.autograd.grad(loss, list(fast.values()))
    with torch.no_grad():
        for p, gradient in zip(fast.values(), gradients, strict=True):
            p.sub_(0.1 * gradient)  # warning: [IPL304]
    return fast


def _adapted_apart(net, x):
    fast = {name: p.detach().clone().requires_grad_() for name, p in net.named_parameters()}
    loss = functional_call(net, fast, (x,)).square().mean()
    gradients = torch.autograd.grad(loss, list(fast.values()))
    with torch.no_grad():
        for p, gradient in zip(fast.values(), gradients, strict=True):
            p.sub_(0.1 * gradient)
    return fast


def _scores(adapted):
    net, scores = nn.Linear(2, 1), []
    nn.init.ones_(net.weight)
    nn.init.ones_(net.bias)
    for x in (torch.ones(1, 2), torch.zeros(1, 2)):
        fast = adapted(net, x)
        scores.append(functional_call(net, fast, (x,)).detach())
    return scores


def case_tasks_adapt_one_model():
    return _scores(_adapted)


def case_tasks_adapt_one_model_cured():
    return _scores(_adapted_apart)


class _Spike(torch.autograd.Function):
    @staticmethod
    def forward(ctx, potential):
        ctx.save_for_backward(potential)
        return (potential > 0).to(potential.dtype)

    @staticmethod
    def backward(ctx, incoming):
        (potential,) = ctx.saved_tensors
        return incoming / (potential.abs() + 1)


def case_reset_after_the_spike():
    weight = torch.ones(3, requires_grad=True)
    potential = weight * 2
    spike = _Spike.apply(potential)
    potential[spike.bool()] = -1.0  # error: [IPL201]
    spike.sum().backward()
    return weight.grad


def _aggregated(nets):
    out = copy.copy(nets[0].state_dict())
    for key in out:
        out[key] *= 0.5  # warning: [IPL304]
        for other in nets[1:]:
            out[key] += other.state_dict()[key] * 0.5  # warning: [IPL304]
    return out


def _aggregated_apart(nets):
    out = copy.deepcopy(nets[0].state_dict())
    for key in out:
        out[key] *= 0.5
        for other in nets[1:]:
            out[key] += other.state_dict()[key] * 0.5
    return out


def _first_after(aggregated):
    nets = [nn.Linear(2, 1, bias=False) for _ in range(2)]
    nn.init.ones_(nets[0].weight)
    nn.init.zeros_(nets[1].weight)
    mean = aggregated(nets)
    return nets[0](torch.ones(1, 2)).detach(), mean["weight"]


def case_weighted_mean_in_a_copied_state():
    return _first_after(_aggregated)


def case_weighted_mean_in_a_copied_state_cured():
    return _first_after(_aggregated_apart)


def case_a_state_that_is_changed_for_the_model():
    net = nn.Linear(2, 1, bias=False)
    nn.init.ones_(net.weight)
    state = net.state_dict()
    state["weight"] *= 0.5
    return net(torch.ones(1, 2)).detach()


def case_statistics_in_a_copied_dictionary():
    online, target = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    target._buffers = online._buffers.copy()
    target(torch.ones(4, 2))  # warning: [IPL304]
    return online.eval()(torch.ones(4, 2)).detach()


def case_statistics_in_a_copied_dictionary_cured():
    online, target = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    target._buffers = {name: buffer.clone() for name, buffer in online._buffers.items()}
    target(torch.ones(4, 2))
    return online.eval()(torch.ones(4, 2)).detach()


def case_statistics_that_are_loaded():
    online, target = nn.BatchNorm1d(2), nn.BatchNorm1d(2)
    target.load_state_dict(online.state_dict())
    target(torch.ones(4, 2))
    return online.eval()(torch.ones(4, 2)).detach()


def _marked(turns, end):
    kept = None
    for turn in range(turns):
        marks = torch.arange(3.0) + turn
        if turn == turns - 1:
            marks[-1] = end
        kept = marks if kept is None else torch.cat([kept, marks])
    return copy.copy(kept).tolist()


def case_copied_after_the_write():
    return _marked(1, 9.0), _marked(2, 9.0)


def case_copied_before_the_write():
    marks = torch.arange(3.0)
    old = copy.copy(marks)
    marks[-1] = 9.0  # warning: [IPL303]
    return old.tolist(), marks


def case_copied_before_the_write_cured():
    marks = torch.arange(3.0)
    old = marks.clone()
    marks[-1] = 9.0
    return old.tolist(), marks


def _steps(tokens):
    def shaped_like(first=tokens):
        return first.new_zeros(2)

    for _ in range(2):
        tokens[0] += 1
        tokens = tokens * 2
    return tokens, shaped_like()


def case_default_of_a_function_in_a_call():
    return _steps(torch.ones(3))


def _sums(values):
    def added(value, total=torch.zeros(())):  # noqa: B008
        total += value  # warning: [IPL306]
        return total * 1

    return [added(value) for value in values]


def case_default_made_for_a_function_in_a_call():
    return _sums([1.0, 2.0])


def case_default_made_for_a_function_in_a_call_cured():
    return [torch.tensor(1.0), torch.tensor(2.0)]


def deconflicted(grads):
    projected = list(grads)
    for i in range(len(grads)):
        for j in range(len(grads)):
            if i != j:
                projected[i].sub_(grads[j])  # warning: [IPL304]
    return torch.stack(projected).sum(dim=0)


def deconflicted_copies(grads):
    projected = [grad.clone() for grad in grads]
    for i in range(len(grads)):
        for j in range(len(grads)):
            if i != j:
                projected[i].sub_(grads[j])
    return torch.stack(projected).sum(dim=0)


def case_elements_of_a_list_that_callers_bring():
    return eval("deconflicted")([torch.ones(2), torch.arange(2.0)])


def case_elements_of_a_list_that_callers_bring_cured():
    return deconflicted_copies([torch.ones(2), torch.arange(2.0)])


class _Interests:
    def __init__(self):
        self.table = torch.zeros(2, 3)

    def of_user(self, user):
        return self.table[user]

    def absorbed(self, user, clicked):
        row = self.table[user]
        row.mul_(0.5).add_(clicked, alpha=0.5)  # warning: [IPL304]


def case_rows_that_drawn_numbers_choose():
    drawn, interests, seen = random.Random(0), _Interests(), deque(maxlen=4)
    for _ in range(3):
        user = drawn.randrange(1)
        seen.append((interests.of_user(user), user))
        interests.absorbed(user, torch.ones(3))
    return torch.stack([profile for profile, _ in seen])


class _InterestsOfCopies:
    def __init__(self):
        self.table = torch.zeros(2, 3)

    def copied_of_user(self, user):
        return self.table[user].clone()

    def absorbed_aside(self, user, clicked):
        row = self.table[user]
        row.mul_(0.5).add_(clicked, alpha=0.5)


def case_rows_that_drawn_numbers_choose_cured():
    drawn, interests, seen = random.Random(0), _InterestsOfCopies(), deque(maxlen=4)
    for _ in range(3):
        user = drawn.randrange(1)
        seen.append((interests.copied_of_user(user), user))
        interests.absorbed_aside(user, torch.ones(3))
    return torch.stack([profile for profile, _ in seen])
