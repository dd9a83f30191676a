"""Optimizers written by hand: what they keep in their state is there to be brought up to date."""

import torch
from torch.optim import Optimizer


def _stepped(kind):
    weight = torch.arange(3.0).requires_grad_()
    optimizer = kind([weight])
    for _ in range(3):
        optimizer.zero_grad()
        weight.square().sum().backward()
        optimizer.step()
    return weight.detach(), [state["average"] for state in optimizer.state.values()]


class Normed(Optimizer):
    """A helper updates the running norm that it is given, and gives another tensor."""

    def __init__(self, params):
        super().__init__(params, {})
        for p in self.param_groups[0]["params"]:
            self.state[p]["average"] = torch.rand(())

    @staticmethod
    def scaled(grad, norm):
        norm.mul_(0.9).add_(grad.norm(), alpha=0.1)
        return grad / norm

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            state = self.state[p]
            p -= self.scaled(p.grad, state["average"])
            state["last"] = state["average"] * 2


def case_helper_brings_the_state_up_to_date():
    return len(_stepped(Normed))


class Listed(Optimizer):
    """The states of all parameters, in lists that a helper is given in a dictionary."""

    def __init__(self, params):
        super().__init__(params, {})
        for p in self.param_groups[0]["params"]:
            state = self.state[p]
            state["average"] = torch.rand(3)

    def moved(self, grads, state):
        torch._foreach_lerp_(state["average"], grads, 0.1)
        return torch._foreach_sign(state["average"])

    @torch.no_grad()
    def step(self):
        params = self.param_groups[0]["params"]
        batch = {"average": [self.state[p]["average"] for p in params]}
        signs = self.moved([p.grad for p in params], batch)
        for p, average, sign in zip(params, batch["average"], signs):
            p.add_(average * sign, alpha=-0.1)


def case_helper_is_given_lists_of_states():
    return len(_stepped(Listed))


class Viewed(Optimizer):
    """A call gives the kept tensors as they are."""

    def __init__(self, params):
        super().__init__(params, {})
        for p in self.param_groups[0]["params"]:
            self.state[p]["average"] = torch.rand(3)

    @staticmethod
    def as_real(p, *others):
        if p.is_complex():
            others = tuple(torch.view_as_real(each) for each in others)
        return (p, *others)

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            p, grad, buffer = self.as_real(p, p.grad, self.state[p]["average"])
            buffer.mul_(0.9).sub_(grad)
            p.add_(buffer, alpha=0.1)


def case_call_gives_the_state():
    return len(_stepped(Viewed))


class Unit(Optimizer):
    """A helper is asked for a value, and overwrites the state for that."""

    def __init__(self, params):
        super().__init__(params, {})
        for p in self.param_groups[0]["params"]:
            self.state[p]["average"] = torch.arange(3.0)

    @staticmethod
    def unit(x):
        x /= x.norm()  # warning: [IPL305]
        return x

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            state = self.state[p]
            p -= 0.1 * self.unit(state["average"])
            p -= 0.1 * state["average"]


def case_state_is_overwritten_for_a_value():
    return _stepped(Unit)


class UnitCured(Optimizer):
    def __init__(self, params):
        super().__init__(params, {})
        for p in self.param_groups[0]["params"]:
            self.state[p]["average"] = torch.arange(3.0)

    @torch.no_grad()
    def step(self):
        for p in self.param_groups[0]["params"]:
            average = self.state[p]["average"]
            p -= 0.1 * average / average.norm()
            p -= 0.1 * average


def case_state_is_overwritten_for_a_value_cured():
    return _stepped(UnitCured)


class Collected(Optimizer):
    """Gradients and states come in lists that one call gives together."""

    def __init__(self, params):
        super().__init__(params, {})
        for p in self.param_groups[0]["params"]:
            self.state[p]["average"] = torch.rand(3)

    def collected(self, group):
        params = list(group["params"])
        return params, [p.grad for p in params], {"average": [self.state[p]["average"] for p in params]}

    def sizes(self):
        sums = []
        for group in self.param_groups:
            _, grads, states = self.collected(group)
            for grad, variance in zip(grads, states["average"]):
                variance.mul_(0.9).addcmul_(grad, grad, value=0.1)
                sums.append(variance.sum())
        return sums

    @torch.no_grad()
    def step(self):
        sizes = self.sizes()
        for group in self.param_groups:
            for p, size in zip(group["params"], sizes):
                p.sub_(self.state[p]["average"].sqrt() / size, alpha=0.1)


def case_lists_of_gradients_and_states_come_together():
    return len(_stepped(Collected))


def _orthogonalized(grad, dtype=torch.float32):
    update = grad.to(dtype)
    update.div_(update.norm())  # warning: [IPL305]
    return update @ update.T @ update


def _orthogonalized_aside(grad, dtype=torch.float32):
    update = grad.to(dtype)
    update = update / update.norm()
    return update @ update.T @ update


class Muon(torch.optim.Optimizer):
    """What the function takes for a copy of a gradient is the momentum itself."""

    def __init__(self, params, orthogonalized, lr=0.1):
        super().__init__(params, {"lr": lr})
        self.orthogonalized = orthogonalized

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for param in group["params"]:
                state = self.state[param]
                if "momentum_buffer" not in state:
                    state["momentum_buffer"] = torch.zeros_like(param)
                momentum = state["momentum_buffer"]
                momentum.lerp_(param.grad, 0.5)
                param.add_(self.orthogonalized(momentum), alpha=-group["lr"])


def _momentum_after_two_steps(orthogonalized):
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 2, bias=False)
    optimizer = Muon(layer.parameters(), orthogonalized)
    for _ in range(2):
        optimizer.zero_grad()
        layer(torch.ones(3)).sum().backward()
        optimizer.step()
    return optimizer.state[layer.weight]["momentum_buffer"]


def case_momentum_taken_for_a_copy():
    return _momentum_after_two_steps(_orthogonalized)


def case_momentum_taken_for_a_copy_cured():
    return _momentum_after_two_steps(_orthogonalized_aside)


class Anchored(torch.optim.Optimizer):
    """A generator gives each parameter with its state, in which the anchor is a view of the parameter."""

    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def _each(self):
        for group in self.param_groups:
            for param in group["params"]:
                yield group, param, self.state[param]

    @torch.no_grad()
    def anchor(self):
        for _, param, state in self._each():
            state["anchor"] = param.detach()

    @torch.no_grad()
    def step(self, closure=None):
        for group, param, state in self._each():
            gradient = param.grad
            if "anchor" in state:
                gradient = gradient + (param - state["anchor"])
            param.add_(gradient, alpha=-group["lr"])  # warning: [IPL304]


class AnchoredAtACopy(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def _each_of_all(self):
        for group in self.param_groups:
            for param in group["params"]:
                yield group, param, self.state[param]

    @torch.no_grad()
    def anchor_copies(self):
        for _, param, state in self._each_of_all():
            state["anchor"] = param.detach().clone()

    @torch.no_grad()
    def step(self, closure=None):
        for group, param, state in self._each_of_all():
            gradient = param.grad
            if "anchor" in state:
                gradient = gradient + (param - state["anchor"])
            param.add_(gradient, alpha=-group["lr"])


def case_an_anchor_in_a_state_that_a_generator_gives():
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 1)
    optimizer = Anchored(layer.parameters())
    optimizer.anchor()
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.ones(3)).sum().backward()
        optimizer.step()
    return layer.weight.detach()


def case_an_anchor_in_a_state_that_a_generator_gives_cured():
    torch.manual_seed(0)
    layer = torch.nn.Linear(3, 1)
    optimizer = AnchoredAtACopy(layer.parameters())
    optimizer.anchor_copies()
    for _ in range(3):
        optimizer.zero_grad()
        layer(torch.ones(3)).sum().backward()
        optimizer.step()
    return layer.weight.detach()


class FusedRMSprop(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1):
        super().__init__(params, {"lr": lr})

    def _lists_of(self, group):
        params, grads, squares = [], [], []
        for param in group["params"]:
            state = self.state[param]
            if not state:
                state["square"] = torch.zeros_like(param)
            params.append(param)
            grads.append(param.grad)
            squares.append(state["square"])
        return params, grads, squares

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            params, grads, squares = self._lists_of(group)
            torch._foreach_mul_(squares, 0.9)
            torch._foreach_addcmul_(squares, grads, grads, value=0.1)
            roots = torch._foreach_sqrt(squares)
            torch._foreach_add_(roots, 1e-3)
            torch._foreach_addcdiv_(params, grads, roots, value=-group["lr"])


def case_lists_of_parameters_and_their_gradients():
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.Linear(2, 1))
    optimizer = FusedRMSprop(net.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(3)).sum().backward()
        optimizer.step()
    return net[0].weight.detach()
