"""Elements of containers that were taken out, by name or by a call, and changed for a value of their own."""

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
