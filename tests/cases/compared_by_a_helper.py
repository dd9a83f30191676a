"""Two names for one memory, compared with each other by a helper: one of them was taken for a copy."""

import torch


def _distance(x, y):
    return ((x - y) ** 2).flatten(1).sum(1)


class Attack:
    def __init__(self, steps=20, rounds=3):
        self.steps, self.rounds = steps, rounds

    def step(self, net, moved, clean, optimizer):
        loss = (_distance(moved, clean) - net(moved).sum(1)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # warning: [IPL303]
        with torch.no_grad():
            moved.clamp_(0, 1)  # warning: [IPL303]
        return loss.item()

    def run(self, net, clean):
        losses = []
        for _ in range(self.rounds):
            moved = clean.detach().requires_grad_(True)
            optimizer = torch.optim.SGD([moved], lr=0.1)
            for _ in range(self.steps):
                losses.append(self.step(net, moved, clean, optimizer))
        return losses


def case_attack_on_the_clean_images_themselves():
    torch.manual_seed(0)
    return Attack().run(torch.nn.Linear(3, 2), torch.rand(2, 3))


class AttackOnCopy:
    def step(self, net, moved, clean, optimizer):
        loss = (_distance(moved, clean) - net(moved).sum(1)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            moved.clamp_(0, 1)
        return loss.item()

    def run(self, net, clean):
        losses = []
        for _ in range(3):
            moved = clean.detach().clone().requires_grad_(True)
            optimizer = torch.optim.SGD([moved], lr=0.1)
            for _ in range(20):
                losses.append(self.step(net, moved, clean, optimizer))
        return losses


def case_attack_on_the_clean_images_themselves_cured():
    torch.manual_seed(0)
    return AttackOnCopy().run(torch.nn.Linear(3, 2), torch.rand(2, 3))
