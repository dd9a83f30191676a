"""`zero_grad(set_to_none=False)` of an optimizer, or model, that nobody has seen fills the gradients where they are."""

import torch

_HELD = {"sgd": torch.optim.SGD}


class GradientsKept:
    """It is made and used elsewhere."""

    def __init__(self, optimizer: torch.optim.Optimizer):
        self.optimizer = optimizer

    @property
    def params(self):
        return [p for group in self.optimizer.param_groups for p in group["params"] if p.requires_grad]

    def of_each(self, losses):
        each = []
        for loss in losses:
            self.optimizer.zero_grad(set_to_none=False)  # warning: [IPL304]
            loss.backward(retain_graph=True)
            each.append([p.grad for p in self.params])
        return [torch.cat([g.reshape(-1) for g in grads]) for grads in each]


class GradientsCopied:
    def __init__(self, optimizer: torch.optim.Optimizer):
        self.optimizer = optimizer

    @property
    def params(self):
        return [p for group in self.optimizer.param_groups for p in group["params"] if p.requires_grad]

    def of_each(self, losses):
        each = []
        for loss in losses:
            self.optimizer.zero_grad(set_to_none=False)
            loss.backward(retain_graph=True)
            each.append([p.grad.clone() for p in self.params])
        return [torch.cat([g.reshape(-1) for g in grads]) for grads in each]


class GradientsLetGo:
    def __init__(self, optimizer: torch.optim.Optimizer):
        self.optimizer = optimizer

    @property
    def params(self):
        return [p for group in self.optimizer.param_groups for p in group["params"] if p.requires_grad]

    def of_each(self, losses):
        each = []
        for loss in losses:
            self.optimizer.zero_grad()
            loss.backward(retain_graph=True)
            each.append([p.grad for p in self.params])
        return [torch.cat([g.reshape(-1) for g in grads]) for grads in each]


def gradients_by(kind):
    weight = torch.ones(2, requires_grad=True)
    losses = [weight.sum(), (weight * 3).sum()]
    return eval(kind)(_HELD["sgd"]([weight], lr=0.1)).of_each(losses)


def case_kept_from_an_unseen_optimizer():
    return gradients_by("GradientsKept")


def case_kept_from_an_unseen_optimizer_cured():
    return gradients_by("GradientsCopied")


def case_let_go_by_an_unseen_optimizer():
    return gradients_by("GradientsLetGo")


def gradients_kept_of(model, losses):
    each = []
    for loss in losses:
        model.zero_grad(set_to_none=False)  # warning: [IPL304]
        loss.backward(retain_graph=True)
        each.append([p.grad for p in model.parameters()])
    return [torch.cat([g.reshape(-1) for g in grads]) for grads in each]


def gradients_copied_of(model, losses):
    each = []
    for loss in losses:
        model.zero_grad(set_to_none=False)
        loss.backward(retain_graph=True)
        each.append([p.grad.clone() for p in model.parameters()])
    return [torch.cat([g.reshape(-1) for g in grads]) for grads in each]


def gradients_of_line(kind):
    line = eval("torch.nn.Linear(2, 1)")
    losses = [line(torch.ones(2)).sum(), line(torch.full((2,), 3.0)).sum()]
    return eval(f"({kind})")(line, losses)


def case_kept_from_an_unseen_model():
    return gradients_of_line("gradients_kept_of")


def case_kept_from_an_unseen_model_cured():
    return gradients_of_line("gradients_copied_of")
