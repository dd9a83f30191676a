"""Sizes that new tensors were given decide whether expanding them repeats memory."""

import torch


def case_expanded_to_its_own_size():
    row = torch.linspace(0, 1, 5).expand((1, 5))
    row.copy_(torch.zeros(1, 5))
    return row.clone()


def case_expanded_to_several_rows():
    rows = torch.linspace(0, 1, 5).expand((3, 5))
    rows.copy_(torch.zeros(3, 5))  # error: [IPL104]
    return rows.clone()


def case_numbers_expanded_to_their_own_size():
    row = torch.tensor([1.0, 2.0, 3.0]).expand(1, 3)
    row.copy_(torch.zeros(1, 3))
    return row.clone()


def case_a_range_expanded_to_several_rows():
    rows = torch.arange(3.0).expand(2, 3)
    rows.copy_(torch.zeros(2, 3))  # error: [IPL104]
    return rows.clone()


def case_numbers_of_one_column_expanded():
    columns = torch.tensor([[1.0], [2.0]]).expand(2, 3)
    columns.copy_(torch.zeros(2, 3))  # error: [IPL104]
    return columns.clone()
