"""What is computed of a changed argument, and then never used, harms nobody."""

import torch


def mixed_into(values, noise):
    values[1:] = values[1:] + noise
    return values


def case_result_is_never_used():
    values, noise = torch.arange(4.0), torch.ones(3)
    values = values / values.norm()
    noisy = mixed_into(values, noise)
    scale = 1 / noisy.norm()
    noisy = noisy * scale
    values = values * scale  # noqa: F841
    return noisy


def mixed(values, noise):
    values[1:] = values[1:] + noise  # warning: [IPL305]
    return values


def case_result_is_returned():
    values, noise = torch.arange(4.0), torch.ones(3)
    values = values / values.norm()
    noisy = mixed(values, noise)
    scale = 1 / noisy.norm()
    noisy = noisy * scale
    values = values * scale
    return noisy, values


def mixed_copies(values, noise):
    return torch.cat([values[:1], values[1:] + noise])


def case_result_is_returned_cured():
    values, noise = torch.arange(4.0), torch.ones(3)
    values = values / values.norm()
    noisy = mixed_copies(values, noise)
    scale = 1 / noisy.norm()
    noisy = noisy * scale
    values = values * scale
    return noisy, values


def blurred(values, noise):
    values[1:] = values[1:] + noise  # warning: [IPL305]
    return values


def case_result_is_kept_in_a_list():
    values, noise = torch.arange(4.0), torch.ones(3)
    noisy = blurred(values, noise)
    half = values * 0.5
    return noisy + 1, [half]


def case_result_is_kept_in_a_list_cured():
    values, noise = torch.arange(4.0), torch.ones(3)
    noisy = mixed_copies(values, noise)
    half = values * 0.5
    return noisy + 1, [half]


def shaken(values, noise):
    values[1:] = values[1:] + noise  # warning: [IPL305]
    return values


def case_part_of_the_result_is_used():
    values, noise = torch.arange(4.0), torch.ones(3)
    noisy = shaken(values, noise)
    double = values * 2.0
    part = double[2]
    return noisy + 1, part.item()


def case_part_of_the_result_is_used_cured():
    values, noise = torch.arange(4.0), torch.ones(3)
    noisy = mixed_copies(values, noise)
    double = values * 2.0
    part = double[2]
    return noisy + 1, part.item()
