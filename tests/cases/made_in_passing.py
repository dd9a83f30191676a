"""Objects without a name, and loops over parts of a tensor, whose methods or functions change what they were given."""

import torch


class Points:
    def __init__(self, values):
        self.values = values

    @classmethod
    def of(cls, values):
        return cls(values)

    def shifted(self, offset):
        self.values[..., 0] += offset  # warning: [IPL305]
        return self

    def get(self):
        return self.values


class Copied:
    def __init__(self, values):
        self.values = values

    @classmethod
    def of(cls, values):
        return cls(values)

    def shifted(self, offset):
        self.values = self.values + torch.tensor([offset, 0.0])
        return self

    def get(self):
        return self.values


def case_object_in_passing():
    points, sums = torch.arange(8.0).view(4, 2), []
    for _ in range(3):
        for part in points.split(2):
            sums.append(Points.of(part).shifted(1.0).get().sum())
    return torch.stack(sums)


def case_object_in_passing_cured():
    points, sums = torch.arange(8.0).view(4, 2), []
    for _ in range(3):
        for part in points.split(2):
            sums.append(Copied.of(part).shifted(1.0).get().sum())
    return torch.stack(sums)


class Canvas:
    def __init__(self, values):
        self.values = values

    def shifted(self, offset):
        self.values[..., 0] += offset
        return self

    def filled(self):
        self.values.mul_(2)
        return len(self.values)


def case_object_in_passing_that_only_changes():
    points = torch.arange(8.0).view(4, 2)
    Canvas(points).shifted(1.0)
    return points


def case_object_in_passing_that_counts():
    points = torch.arange(8.0).view(4, 2)
    count = Canvas(points).filled()
    return points / count


def jittered(points, amount):
    points[..., 0] += amount  # warning: [IPL305]
    return points


def case_part_handed_over_by_a_loop():
    points, sums = torch.arange(8.0).view(4, 2), []
    for _ in range(3):
        for part in points.split(2):
            moved = jittered(part, 1.0)
            sums.append(moved.sum())
    return torch.stack(sums)


def copy_jittered(points, amount):
    points = points.clone()
    points[..., 0] += amount
    return points


def case_part_handed_over_by_a_loop_cured():
    points, sums = torch.arange(8.0).view(4, 2), []
    for _ in range(3):
        for part in points.split(2):
            moved = copy_jittered(part, 1.0)
            sums.append(moved.sum())
    return torch.stack(sums)


def brought_down(row, amount):
    row -= amount
    return row


def case_rows_that_a_loop_has_changed():
    points = torch.arange(8.0).view(4, 2)
    for row in points:
        brought_down(row, 1.0)
    return points
