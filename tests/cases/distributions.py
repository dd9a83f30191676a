"""Distributions keep their parameters, and what they compute from them saves them."""

import torch
import torch.distributions as D
from torch import nn
from torch.distributions import Categorical, Independent, Normal


class GaussianActor(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(3, 2)
        self.log_std = nn.Parameter(torch.zeros(4, 2))

    def forward(self, x):
        return Normal(self.mean(x), self.log_std.exp())


def case_deviation_is_clamped_after_the_score():
    torch.manual_seed(0)
    actor = GaussianActor()
    policy = actor(torch.ones(4, 3))
    score = policy.log_prob(torch.zeros(4, 2)).sum()
    policy.scale.clamp_(min=0.1)  # error: [IPL202]
    (-score).backward()
    return actor.log_std.grad


def case_deviation_is_clamped_for_the_score():
    torch.manual_seed(0)
    actor = GaussianActor()
    policy = actor(torch.ones(4, 3))
    policy = Normal(policy.loc, policy.scale.clamp(min=0.1))
    score = policy.log_prob(torch.zeros(4, 2)).sum()
    (-score).backward()
    return actor.log_std.grad


def case_logits_are_masked_after_they_were_normalised():
    torch.manual_seed(0)
    net = nn.Linear(3, 3)
    logits = net(torch.ones(4, 3))
    policy = Categorical(logits=logits)
    logits.masked_fill_(torch.tensor([True, False, False]), -1e9)  # error: [IPL201]
    loss = -policy.log_prob(torch.tensor([1, 2, 1, 2])).mean()
    loss.backward()
    return net.weight.grad


def case_logits_are_masked_before():
    torch.manual_seed(0)
    net = nn.Linear(3, 3)
    logits = net(torch.ones(4, 3))
    logits.masked_fill_(torch.tensor([True, False, False]), -1e9)
    policy = Categorical(logits=logits)
    loss = -policy.log_prob(torch.tensor([1, 2, 1, 2])).mean()
    loss.backward()
    return net.weight.grad


def case_actions_are_shifted_while_they_are_indices():
    torch.manual_seed(0)
    net = nn.Linear(3, 3)
    policy = torch.distributions.Categorical(logits=net(torch.ones(4, 3)))
    action = policy.sample()
    score = policy.log_prob(action)
    action.zero_()  # error: [IPL201]
    score.mean().backward()
    return net.weight.grad


def case_actions_are_clipped_by_nobody_who_needs_them():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    policy = D.normal.Normal(net(torch.ones(4, 3)), 1.0)
    action = policy.sample()
    score = policy.log_prob(action)
    action.clamp_(-1, 1)
    score.mean().backward()
    return action, net.weight.grad


def case_sample_is_squashed_where_the_score_needs_it():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    policy = D.Laplace(net(torch.ones(4, 3)), torch.ones(4, 2))
    action = policy.rsample().tanh()
    score = policy.log_prob(action)
    action.mul_(2.0)  # error: [IPL202]
    (score.sum() + action.sum()).backward()
    return net.weight.grad


def case_probabilities_shared_with_the_caller():
    chances = torch.tensor([0.2, 0.7])
    coins = D.Bernoulli(chances)
    chances.fill_(0.5)  # warning: [IPL304]
    return coins.mean


def case_probabilities_shared_with_the_caller_cured():
    chances = torch.tensor([0.2, 0.7])
    coins = D.Bernoulli(chances.clone())
    chances.fill_(0.5)
    return coins.mean


class FixedNormal(Normal):
    def log_probs(self, actions):
        return super().log_prob(actions).sum(-1, keepdim=True)


def case_subclass_saves_what_its_base_saves():
    torch.manual_seed(0)
    raw = torch.zeros(2, requires_grad=True)
    spread = raw.exp()
    policy = FixedNormal(torch.zeros(2), spread)
    score = policy.log_probs(torch.ones(3, 2))
    spread.add_(1e-3)  # error: [IPL202]
    score.sum().backward()
    return raw.grad


def case_transformed_samples():
    torch.manual_seed(0)
    mean = torch.zeros(2, requires_grad=True)
    base = Independent(Normal(mean * 1.0, torch.ones(2)), 1)
    policy = D.TransformedDistribution(base, [D.TanhTransform(cache_size=1)])
    action = policy.rsample()
    score = policy.log_prob(action)
    action.mul_(0.5)  # error: [IPL202]
    (score + action.sum()).backward()
    return mean.grad


def case_divergence_needs_both():
    torch.manual_seed(0)
    mean, log = torch.zeros(2, requires_grad=True), torch.zeros(2, requires_grad=True)
    spread = log.exp()
    kl = D.kl_divergence(Normal(mean, spread), Normal(torch.zeros(2), torch.ones(2))).sum()
    spread *= 2  # error: [IPL202]
    kl.backward()
    return log.grad


def case_a_sample_changed_that_a_transform_has_kept():
    torch.manual_seed(0)
    flow = D.TransformedDistribution(D.Normal(torch.zeros(3), torch.ones(3)), [D.TanhTransform(cache_size=1)])
    y = flow.sample()
    y.clamp_(-0.5, 0.5)  # warning: [IPL304]
    return flow.log_prob(y)


def case_a_sample_changed_that_a_transform_has_kept_cured():
    torch.manual_seed(0)
    flow = D.TransformedDistribution(D.Normal(torch.zeros(3), torch.ones(3)), [D.TanhTransform(cache_size=1)])
    y = flow.sample()
    y = y.clamp(-0.5, 0.5)
    return flow.log_prob(y)


def case_a_sample_changed_that_no_transform_has_kept():
    torch.manual_seed(0)
    flow = D.TransformedDistribution(D.Normal(torch.zeros(3), torch.ones(3)), [D.TanhTransform()])
    y = flow.sample()
    y.clamp_(-0.5, 0.5)
    return flow.log_prob(y)


def case_a_sample_changed_after_its_probability():
    torch.manual_seed(0)
    flow = D.TransformedDistribution(D.Normal(torch.zeros(3), torch.ones(3)), [D.TanhTransform(cache_size=1)])
    y = flow.sample()
    log_prob = flow.log_prob(y)
    y.mul_(2)
    return y + log_prob
