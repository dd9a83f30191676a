"""A list or tuple with ranges in it cuts out a part; a tensor of positions copies."""

import torch


def case_a_list_of_ranges_fills_the_part():
    x = torch.zeros(3, 3)
    place = [slice(0, 2) if dim == 0 else slice(None) for dim in range(2)]
    x[place].fill_(1)
    return x


def case_a_tuple_of_a_range_and_a_position_fills_the_part():
    x = torch.zeros(3, 3)
    place = (slice(0, 2), 1)
    x[place].fill_(1)
    return x


def case_a_tensor_of_positions_is_a_copy():
    x = torch.zeros(3, 3)
    place = torch.tensor([0, 2])
    x[place].fill_(1)  # warning: [IPL307]
    return x


def case_a_tensor_of_positions_is_a_copy_cured():
    x = torch.zeros(3, 3)
    place = torch.tensor([0, 2])
    x[place] = 1
    return x


def blanked(rows, first, width):
    start = torch.tensor(first)
    rows[start : start.add_(width)] = 0  # warning: [IPL302]
    return rows


def blanked_out_of_place(rows, first, width):
    start = torch.tensor(first)
    rows[start : start.add(width)] = 0
    return rows


def case_a_range_that_ends_where_its_start_was_moved():
    return blanked(torch.ones(4), 1, 2)


def case_a_range_that_ends_where_its_start_was_moved_cured():
    return blanked_out_of_place(torch.ones(4), 1, 2)
