"""A name that is given a part of what it stood for has that as it is; one that a call gave its result goes on with it."""

import torch


def compressed_(rows):
    rows.copy_(rows.relu().sqrt())
    return rows


def spectrum(rows):
    rows.copy_(rows.relu().sqrt())  # warning: [IPL305]
    return rows.sum(), rows.amax()


def spectrum_of_a_copy(rows):
    rows = rows.relu().sqrt()
    return rows.sum(), rows.amax()


def case_cropped_after_a_call_has_changed_it():
    rows = torch.arange(6.0).view(2, 3) * 1
    total, most = spectrum(rows)
    rows = rows[:, 1:]
    return rows.sum() - total + most


def case_cropped_after_a_call_has_changed_it_cured():
    rows = torch.arange(6.0).view(2, 3) * 1
    total, most = spectrum_of_a_copy(rows)
    rows = rows[:, 1:]
    return rows.sum() - total + most


def case_what_the_call_gave_is_cropped():
    rows = torch.arange(6.0).view(2, 3) * 1
    rows = compressed_(rows)
    rows = rows[:, 1:]
    return rows.sum()
