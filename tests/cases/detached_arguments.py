"""What of an argument is detached and then optimized is the argument's memory."""

import torch


def _attacked(images, model, steps=2):
    adversarial = images.detach().requires_grad_(True)
    optimizer = torch.optim.SGD([adversarial], lr=0.1)
    for _ in range(steps):
        loss = (adversarial - images).square().sum() + model(adversarial).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # warning: [IPL303]
    return adversarial.detach()


def _attacked_aside(images, model, steps=2):
    adversarial = images.clone().detach().requires_grad_(True)
    optimizer = torch.optim.SGD([adversarial], lr=0.1)
    for _ in range(steps):
        loss = (adversarial - images).square().sum() + model(adversarial).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return adversarial.detach()


def case_attack():
    return _attacked(torch.ones(3), torch.nn.Sigmoid())


def case_attack_cured():
    return _attacked_aside(torch.ones(3), torch.nn.Sigmoid())
