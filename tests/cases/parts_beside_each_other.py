"""What is read lies beside what is written: another row or column, or the other end."""

import torch


class Inverse:
    def __init__(self, groups, columns):
        self.rows = torch.eye(columns).repeat(groups, 1, 1) * 2 + 1
        self.groups = groups

    def reduced(self):
        rest = self.rows[:, 1:, 1:]
        for group in range(self.groups):
            first = self.rows[group, 0, 0]
            column = self.rows[group, 1:, [0]]
            rest[group] -= column.matmul(column.T) / first
        self.rows = rest
        return rest


def case_rest_without_the_first_column():
    return Inverse(2, 3).reduced()


class Overlapping:
    def __init__(self, columns):
        self.rows = torch.eye(columns)[None] * 2 + 1

    def reduced(self, turns):
        rest = self.rows[:, :-1, :-1]
        for _ in range(turns):
            first = self.rows[0, 0, 0]
            column = self.rows[0, :-1, [0]]
            rest[0] -= column.matmul(column.T) / first / 2  # warning: [IPL304]
        self.rows = rest
        return rest


def case_rest_with_the_first_column():
    return Overlapping(3).reduced(2)


def case_rest_with_the_first_column_cured():
    rows = torch.eye(3) * 2 + 1
    column = rows[:-1, [0]].clone()
    return (rows[:-1, :-1] - column.matmul(column.T) / rows[0, 0])[None]


def blend(a, b, width):
    for i in range(width):
        b[:, i] = a[:, -width + i] * 0.5 + b[:, i] * 0.5
    return b


def closed(circle, width):
    circle = circle * 2
    return blend(circle, circle, width)


def case_ends_of_a_circle():
    return closed(torch.rand(2, 6), 2)


def smeared(a, b, width):
    for i in range(1, width):
        b[:, i] = a[:, i - 1] * 0.5 + b[:, i] * 0.5  # warning: [IPL303]
    return b


def opened(line, width):
    line = line * 2
    return smeared(line, line, width)


def case_neighbours_on_a_line():
    return opened(torch.arange(12.0).reshape(2, 6), 4)


def case_neighbours_on_a_line_cured():
    line = torch.arange(12.0).reshape(2, 6) * 2
    smooth = line.clone()
    smooth[:, 1:4] = (line[:, :3] + line[:, 1:4]) / 2
    return smooth
