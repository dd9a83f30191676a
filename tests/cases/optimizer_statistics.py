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
