"""What optimizers keep in their state is brought up to date; gradients are clipped for those who read them."""

import torch
from torch import nn


class _Scores(torch.optim.Optimizer):
    """Keeps a score of each parameter, which a method of its own brings up to date."""

    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    def _scales(self, raw):
        scales = []
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                score = state.get("score")
                if score is None or score.ndim != 1:
                    score = torch.full((1,), 0.5)
                    state["score"] = score
                score.mul_(0.9).add_(raw, alpha=0.1)
                scales.append(1 - score)
        return scales

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p, scale in zip(group["params"], self._scales(torch.ones(1))):
                p.sub_(p.grad * scale * group["lr"])


def case_a_score_in_the_state():
    net = nn.Linear(2, 1, bias=False)
    optimizer = _Scores(net.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    return net.weight.detach().clone()


def case_a_name_for_a_clipped_gradient():
    net, moved = nn.Linear(2, 1), []
    net(torch.full((1, 2), 9.0)).sum().backward()
    for p in net.parameters():
        grad = p.grad.data
        nn.utils.clip_grad_norm_(p, 1.0)
        moved.append(grad * 0.1)
    return moved


def case_a_gradient_kept_from_before():
    net, changes = nn.Linear(2, 1), []
    net(torch.full((1, 2), 9.0)).sum().backward()
    for p in net.parameters():
        before = p.grad
        nn.utils.clip_grad_norm_(p, 1.0)  # warning: [IPL303]
        changes.append(before.norm() - p.grad.norm())
    return changes


def case_a_gradient_kept_from_before_cured():
    net, changes = nn.Linear(2, 1), []
    net(torch.full((1, 2), 9.0)).sum().backward()
    for p in net.parameters():
        before = p.grad.clone()
        nn.utils.clip_grad_norm_(p, 1.0)
        changes.append(before.norm() - p.grad.norm())
    return changes


class _Largest(torch.optim.Optimizer):
    """The result of an op that is put where one of its operands is brings that up to date."""

    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    @torch.no_grad()
    def step(self, closure=None):
        for p in self.param_groups[0]["params"]:
            state = self.state[p]
            if not state:
                state["square"], state["largest"] = torch.zeros_like(p), torch.zeros_like(p)
            square = state["square"]
            square.mul_(0.9).addcmul_(p.grad, p.grad, value=0.1)
            second = state["largest"]
            torch.maximum(second, square, out=second)
            p.addcdiv_(p.grad, second.sqrt().add_(1e-8), value=-0.1)


def case_the_largest_squares():
    net = nn.Linear(3, 1)
    optimizer = _Largest(net.parameters())
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.ones(2, 3)).sum().backward()
        optimizer.step()
    return net.weight.detach().clone()
