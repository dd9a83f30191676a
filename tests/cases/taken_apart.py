"""Names for several values that a call gives at once are not names for what is kept."""

import torch


def polar(x, y):
    return torch.sqrt(x * x + y * y), torch.atan2(y, x)


def case_second_of_two_that_a_call_gives():
    radius, angle = polar(torch.tensor([3.0, 1.0]), torch.tensor([4.0, 2.0]))
    cosine = angle.cos_()  # warning: [IPL301]
    return radius * cosine, radius * torch.sin(angle)


def case_second_of_two_that_a_call_gives_cured():
    radius, angle = polar(torch.tensor([3.0, 1.0]), torch.tensor([4.0, 2.0]))
    cosine = angle.cos()
    return radius * cosine, radius * torch.sin(angle)


def split(flat, sizes):
    return [part.clone() for part in flat.split(sizes)]


def state_of(flat):
    place, speed, *rest = split(flat, [2, 2, 1])
    return place, speed, rest


def case_given_on_by_another_call():
    place, speed, _ = state_of(torch.arange(1.0, 6.0))
    moved = place + speed.mul_(0.5)  # warning: [IPL301]
    return moved, speed.square().sum()


def case_given_on_by_another_call_cured():
    place, speed, _ = state_of(torch.arange(1.0, 6.0))
    moved = place + speed * 0.5
    return moved, speed.square().sum()


def case_parts_of_a_comprehension():
    first, second = [part * 2 for part in torch.arange(4.0).split(2)]
    total = first + second.neg_()  # warning: [IPL301]
    return total / second


def case_parts_of_a_comprehension_cured():
    first, second = [part * 2 for part in torch.arange(4.0).split(2)]
    total = first + -second
    return total / second


class Statistics:
    def __init__(self):
        self.count = torch.zeros(2)
        self.sum = torch.zeros(2)
        self.both = (torch.zeros(2), torch.ones(2))

    def parts(self):
        return self.count, self.sum

    def add(self, x):
        count, total = self.parts()
        share = count.add_(1).sum()
        total += x
        return total / share / count

    def add_to_both(self, x):
        count, total = self.both
        share = count.add_(1).sum()
        total += x
        return total / share / count


def case_attributes_that_a_method_gives():
    return Statistics().add(torch.ones(2))


def case_tuple_that_is_kept():
    return Statistics().add_to_both(torch.ones(2))


def case_kept_under_a_name():
    pair = polar(torch.tensor([3.0, 1.0]), torch.tensor([4.0, 2.0]))
    angle = pair[1]
    most = angle.clamp_(max=1.0).max()
    return pair[0] * most, angle


def case_table_of_several():
    hits = {"seen": (torch.zeros(2), torch.ones(2))}
    seen, weight = hits["seen"]
    total = seen.add_(weight).sum()
    return seen / total


def spread(left, right):
    left_mean, left_share = left
    right_mean, right_share = right
    mean = left_mean * left_share + right_mean.mul_(right_share)  # warning: [IPL301]
    return (mean - left_mean).square() + (mean - right_mean).square()


def case_part_of_an_argument_in_a_sum():
    return spread((torch.ones(2), 0.5), (torch.ones(2) * 3, 0.5))


def spread_apart(left, right):
    left_mean, left_share = left
    right_mean, right_share = right
    mean = left_mean * left_share + right_mean * right_share
    return (mean - left_mean).square() + (mean - right_mean).square()


def case_part_of_an_argument_in_a_sum_cured():
    return spread_apart((torch.ones(2), 0.5), (torch.ones(2) * 3, 0.5))
