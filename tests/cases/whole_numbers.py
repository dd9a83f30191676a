"""Positions are whole numbers, and so is what they were copied from: none of it requires grad."""

import torch


def exchanged(solution, stop):
    tour = solution.clone()
    before = tour.argsort().gather(1, stop)
    after = tour.gather(1, stop)
    tour.scatter_(1, before, after)
    tour.scatter_(1, stop, stop)
    return tour


def case_tour_in_which_stops_are_exchanged():
    return eval("exchanged")(torch.tensor([[1, 2, 0]]), torch.tensor([[0]]))


def followed(solution, start):
    tour = solution.clone()
    following = tour.gather(1, start)
    tour.scatter_(1, start, start)
    return tour.gather(1, following)


def case_tour_that_is_followed():
    return eval("followed")(torch.tensor([[1, 2, 0]]), torch.tensor([[0]]))


def looked_up(table, numbers):
    kept = numbers.clone()
    read = kept.gather(0, torch.tensor([2, 0, 1]))
    kept[0] = 1
    return table[kept], table[read]


def case_numbers_with_which_a_table_is_asked():
    return eval("looked_up")(torch.rand(3), torch.tensor([1, 2, 0]))[0]


def open_values_put_where_others_were_read(x):
    kept = x * 1
    read = kept.gather(0, torch.tensor([2, 0, 1, 3]))
    kept.scatter_(0, torch.tensor([0, 1, 2, 3]), read)  # warning: [IPL201]
    return kept * read
