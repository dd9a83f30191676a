"""Sums that an object keeps by key, made as zeros when a key first comes, grow under the name that they were made with."""

import torch


class Second:
    def __init__(self):
        self.parts = {}

    def add(self, rows):
        part = self.parts.get(rows.device)
        if part is None:
            part = torch.zeros((2, 2))
            self.parts[rows.device] = part
        part.addmm_(rows.t(), rows)

    def moment(self):
        return sum(self.parts.values())


def case_products_added_up():
    second = Second()
    second.add(torch.ones(3, 2))
    second.add(torch.ones(1, 2))
    return second.moment()


class Shown:
    def __init__(self):
        self.parts = {}

    def add(self, rows):
        part = torch.eye(2)
        self.parts[rows.device] = part
        part.addmm_(rows.t(), rows)  # warning: [IPL304]
        return part

    def first(self):
        return sum(self.parts.values())


def case_products_added_to_what_was_shown():
    shown = Shown()
    shown.add(torch.ones(3, 2))
    return shown.first()


def case_products_added_to_what_was_shown_cured():
    rows = torch.ones(3, 2)
    first = torch.eye(2)
    part = first.clone()
    part.addmm_(rows.t(), rows)
    return first
