"""Arguments that are changed in passing, where only the result of the op is used and no caller is in view."""

import torch
from torch import Tensor as T


def open_level_in_decibels(x):
    return 10 * torch.log10(1e-8 + x.pow_(2).mean(-1))  # warning: [IPL305]


def open_level_in_decibels_cured(x):
    return 10 * torch.log10(1e-8 + x.pow(2).mean(-1))


def open_mixture(x):
    weight = 0.3
    return weight * torch.ones(4) + x.mul_(1 - weight)  # warning: [IPL305]


def open_distance_from_the_origin(x):
    difference = x.sub_(1)  # warning: [IPL305]
    return (difference * difference).sum()


def open_sum_of_neighbours(x):
    step = x[1:].sub_(0.5)  # warning: [IPL305]
    return step.sum() + 2


def open_difference_of_the_ends(x):
    return x[:1].sub_(x[-1:])  # warning: [IPL305]


def open_energy_of_a_tensor_by_another_name(x: T):
    return x.pow_(2).sum() / 2  # warning: [IPL305]


def open_power_of_both_parts(pair: tuple[torch.Tensor, torch.Tensor]):
    real, imag = pair
    return real.pow_(2) + imag * imag  # warning: [IPL305]


def damped(x, by):
    return 1 - torch.exp(-x.sub_(by)).sum()  # warning: [IPL305]


def penalty(x):
    return damped(x, 0.5)


def open_argument_that_is_passed_on(x):
    return eval("penalty")(x)


def damped_apart(x, by):
    return 1 - torch.exp(-x.sub(by)).sum()


def open_argument_that_is_passed_on_cured(x):
    return eval("damped_apart")(x, 0.5)


def damped_of_its_own(x, by):
    return 1 - torch.exp(-x.sub_(by)).sum()


def penalty_of_a_copy(x):
    return damped_of_its_own(x * 2, 0.5)


def open_new_tensor_that_is_passed_on(x):
    return eval("penalty_of_a_copy")(x)


# What is changed alone, under its own name or for the caller, is perhaps meant.


def open_clamped(x):
    x.clamp_(0, 1)
    return x


def open_clamped_by_the_same_name(x):
    x = x.clamp_(0, 1)
    return x * 2


def open_clamped_and_given_back(x):
    return x.clamp_(0, 1)


def open_first_of_a_pair_brought_up_to_date(pair: tuple[torch.Tensor, torch.Tensor]):
    mean, new = pair
    mean.mul_(0.9).add_(new, alpha=0.1)
    return mean + new


def open_elements_of_a_list_brought_up_to_date(pair: tuple[torch.Tensor, torch.Tensor]):
    return torch.stack([each.mul_(0.9) for each in pair])


def open_part_that_is_put_back(x):
    x[1:] = x[1:].mul_(2)
    return x.sum()


def _halved(x):
    return 1 + x.mul_(0.5)


def open_helper_that_is_given_new_memory(x):
    return _halved(x + 1)


def open_scaled_by_a_second_name(values):
    scaled = values
    scaled *= 2.0  # warning: [IPL305]
    return scaled.sum()


def open_put_back_by_a_second_name(values):
    original = values
    values = values.double()
    values *= 2.0
    original[:] = values.to(original.dtype)
    return original


def open_put_into_a_copy(values):
    chosen = [0]
    result = values.clone()
    result[..., chosen] = values[..., chosen].exp()
    return result * 2


def open_scaled_by_its_own_name(values):
    values *= 2.0
    return values


def open_scaled_as_one_row(values):
    flat = values.view(-1)
    flat *= 2.0
    return flat.sum()


def open_some_columns(x):
    y = x
    y[..., 1:] = torch.exp(x[..., 1:])  # warning: [IPL305]
    return y


def open_some_columns_cured(x):
    y = x.clone()
    y[..., 1:] = torch.exp(x[..., 1:])
    return y


def put_back(x):
    made = x.clone() * 2
    given = x
    given[..., 1:] = made[..., 1:]
    return given


def case_put_back_into_the_argument():
    return put_back(torch.ones(2, 3))
