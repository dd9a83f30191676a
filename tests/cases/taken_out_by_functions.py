"""What containers and objects keep, taken out by name or by a call, and changed there or for a value of its own."""

import torch


def case_loss_starts_with_the_main_one():
    losses = {"loss": torch.ones(1), "auxiliary": torch.full((1,), 2.0)}
    loss = losses["loss"]
    loss += losses["auxiliary"]  # warning: [IPL304]
    return losses["loss"] / loss


def case_loss_starts_with_the_main_one_cured():
    losses = {"loss": torch.ones(1), "auxiliary": torch.full((1,), 2.0)}
    loss = losses["loss"] + losses["auxiliary"]
    return losses["loss"] / loss


def grown(banks, x):
    bank = banks["a"]
    return bank.add_(x) * 2  # warning: [IPL305]


def total(bank):
    return bank.sum()


def case_element_read_by_a_function():
    banks = {"a": torch.arange(3.0)}
    y = grown(banks, torch.ones(3))
    return y * total(banks["a"])


def grown_copy(banks, x):
    return (banks["a"] + x) * 2


def case_element_read_by_a_function_cured():
    banks = {"a": torch.arange(3.0)}
    y = grown_copy(banks, torch.ones(3))
    return y * total(banks["a"])


class Rollout:
    def __init__(self):
        self.rewards = torch.arange(4.0)
        self.advantages = torch.zeros(4)


def filled(rollout):
    advantages = rollout.advantages
    for i in range(4):
        advantages[i] = rollout.rewards[i]
    return advantages


def case_filled_by_the_name_that_it_has():
    rollout = Rollout()
    return filled(rollout).mean() - rollout.advantages.mean()


def filled_output(rollout):
    out = rollout.advantages
    for i in range(4):
        out[i] = rollout.rewards[i]
    return out


def case_filled_by_a_name_for_what_is_filled():
    rollout = Rollout()
    return filled_output(rollout).mean() - rollout.advantages.mean()


def case_named_and_kept_by_one_statement():
    features = {}
    x = features["first"] = torch.arange(3.0) - 1
    y = x.relu_()  # warning: [IPL304]
    return features["first"].sum() * y


def case_named_and_kept_by_one_statement_cured():
    features = {}
    x = features["first"] = torch.arange(3.0) - 1
    y = x.relu()
    return features["first"].sum() * y


def case_limited_by_name_and_collected():
    rows, kept = [torch.ones(3), torch.zeros(3)], []
    for row in rows:
        row.clamp_(min=0.5)
        kept.append(row)
    return torch.stack(rows).sum() + torch.stack(kept).mean()


class Storage:
    def __init__(self):
        self.parts = {"rewards": torch.arange(4.0), "sums": torch.zeros(4)}

    def summed(self):
        returns = self.parts["sums"]
        for i in range(4):
            returns[i] = self.parts["rewards"][i] * 2
        return returns


def case_method_fills_what_its_object_keeps():
    storage = Storage()
    returns = storage.summed()
    return returns.mean() - storage.parts["sums"].mean()


class Prices:
    def __init__(self):
        self.kept = {}

    def simulate(self, start):
        prices = start + torch.arange(4.0)
        self.kept["spot"] = prices

    def spot(self):
        return self.kept["spot"]

    def forward(self):
        if "forward" not in self.kept:
            prices = self.kept["spot"] * 1.5
            self.kept["forward"] = prices
        return self.kept["forward"]


def log_of_spot(prices):
    logs = prices.spot()
    logs.log_()  # warning: [IPL304]
    return logs


def case_another_method_has_made_it():
    prices = Prices()
    prices.simulate(3.0)
    logs = log_of_spot(prices)
    return logs - prices.spot().log()


def log_of_copy(prices):
    logs = prices.spot().clone()
    logs.log_()
    return logs


def case_another_method_has_made_it_cured():
    prices = Prices()
    prices.simulate(3.0)
    logs = log_of_copy(prices)
    return logs - prices.spot().log()


def discounted_forward(prices):
    forward = prices.forward()
    forward.mul_(0.9)
    return forward


def case_made_when_first_asked_for():
    prices = Prices()
    prices.simulate(3.0)
    first = discounted_forward(prices).sum()
    return first - prices.forward().sum()
