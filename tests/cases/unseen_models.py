"""Models of which the program shows nothing: what their parameters tell."""

import torch

SHAPE = "torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh(), torch.nn.Linear(2, 1))"


def _unseen():
    torch.manual_seed(0)
    return eval(SHAPE)


def case_clipped_between_forward_and_backward():
    critic, x = _unseen(), torch.ones(3, 2)
    loss = critic(x).mean() - critic(-x).mean()
    for p in critic.parameters():
        p.data.clamp_(-0.1, 0.1)  # warning: [IPL401]
    loss.backward()
    return critic[0].weight.grad


def case_clipped_between_forward_and_backward_cured():
    critic, x = _unseen(), torch.ones(3, 2)
    loss = critic(x).mean() - critic(-x).mean()
    loss.backward()
    for p in critic.parameters():
        p.data.clamp_(-0.1, 0.1)
    return critic[0].weight.grad


def case_best_state():
    model, x, best = _unseen(), torch.ones(3, 2), None
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(3):
        loss = model(x).square().mean()
        if best is None:
            best = model.state_dict()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()  # warning: [IPL304]
    model.load_state_dict(best)
    return model[0].weight.detach()


def case_best_state_cured():
    model, x, best = _unseen(), torch.ones(3, 2), None
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    for _ in range(3):
        loss = model(x).square().mean()
        if best is None:
            best = {key: value.clone() for key, value in model.state_dict().items()}
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.load_state_dict(best)
    return model[0].weight.detach()


def case_frozen_critic():
    actor, critic, x = _unseen(), _unseen(), torch.ones(3, 2)
    critic.requires_grad_(False)
    optimizer = torch.optim.SGD(actor.parameters(), lr=0.1)
    loss = critic(actor(x) * x).mean()
    loss.backward()
    optimizer.step()
    for p, q in zip(critic.parameters(), actor.parameters(), strict=True):
        p.data.lerp_(q.data, 0.1)
    return critic[0].weight
