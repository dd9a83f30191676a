"""One number of a NumPy array is a copy, where one of a tensor is a view; and `copy.copy` copies arrays."""

import copy

import numpy as np
import torch


def case_number_put_back():
    signs, turned = np.ones(3), np.eye(3)
    last = signs[2]
    signs[2] = -1
    turned = turned @ np.diag(signs)
    signs[2] = last
    return turned, signs


def case_view_put_back():
    signs, turned = torch.ones(3), torch.eye(3)
    last = signs[2]
    signs[2] = -1  # warning: [IPL303]
    turned = turned @ torch.diag(signs)
    signs[2] = last
    return turned, signs


def case_view_put_back_cured():
    signs, turned = torch.ones(3), torch.eye(3)
    last = signs[2].clone()
    signs[2] = -1
    turned = turned @ torch.diag(signs)
    signs[2] = last
    return turned, signs


def case_row_put_back():
    table = np.ones((3, 3))
    last = table[2]
    table[2] = -1  # warning: [IPL303]
    turned = table * 2
    table[2] = last
    return torch.from_numpy(turned), torch.from_numpy(table)


def case_row_put_back_cured():
    table = np.ones((3, 3))
    last = table[2].copy()
    table[2] = -1
    turned = table * 2
    table[2] = last
    return torch.from_numpy(turned), torch.from_numpy(table)


class Widths:
    """Widths of layers, of which each is made larger by what the one before gives."""

    def __init__(self, table):
        self.table = table

    def summed(self):
        sums = []
        for i in range(2, -1, -1):
            width = self.table[i]
            width += self.table[i - 1]
            sums.append(int(width))
        return sums


def case_number_made_larger():
    return Widths(np.array([16, 32, 64])).summed()


def case_numbers_in_a_loop():
    table, larger = np.arange(3.0), []
    for number in table:
        number += 1
        larger.append(number)
    return larger, table


def product(pair):
    a, b = pair
    return a @ b - b @ a


def case_copied_array():
    start = np.eye(2) * 3
    end = copy.copy(start)
    for step in [np.ones((2, 2)), np.arange(4.0).reshape(2, 2)]:
        end += product((start, step)) + start
    return torch.from_numpy(end), torch.from_numpy(start)


def case_copied_tensor():
    start = torch.eye(2) * 3
    end = copy.copy(start)
    for step in [torch.ones(2, 2), torch.arange(4.0).reshape(2, 2)]:
        end += product((start, step)) + start  # warning: [IPL303]
    return end, start


def case_copied_tensor_cured():
    start = torch.eye(2) * 3
    end = copy.deepcopy(start)
    for step in [torch.ones(2, 2), torch.arange(4.0).reshape(2, 2)]:
        end += product((start, step)) + start
    return end, start


class Levels:
    def __init__(self):
        self.sizes = np.array([4, 2, 1])
        self.offsets = np.concatenate(([0], np.cumsum(self.sizes)))
        self.sums = np.ones(8)

    def build(self):
        for i in range(2):
            offset = self.offsets[i]
            total = self.sums[offset]
            offset += self.sizes[i]
            self.sums[offset] = total


def case_numbers_of_what_is_put_together():
    levels = Levels()
    levels.build()
    levels.build()
    return torch.from_numpy(levels.offsets)


class Pairs:
    def __init__(self):
        starts = np.array([0, 4, 6])
        self.offsets = np.stack((starts, starts + 1), axis=1)
        self.sums = np.ones(16)

    def build(self):
        for i in range(2):
            offset = self.offsets[i]
            total = self.sums[offset[0]]
            offset += 1  # warning: [IPL304]
            self.sums[offset[0]] = total


def case_rows_of_what_is_stacked():
    pairs = Pairs()
    pairs.build()
    pairs.build()
    return torch.from_numpy(pairs.offsets)


class PairsCured:
    def __init__(self):
        starts = np.array([0, 4, 6])
        self.offsets = np.stack((starts, starts + 1), axis=1)
        self.sums = np.ones(16)

    def build(self):
        for i in range(2):
            offset = self.offsets[i]
            total = self.sums[offset[0]]
            offset = offset + 1
            self.sums[offset[0]] = total


def case_rows_of_what_is_stacked_cured():
    pairs = PairsCured()
    pairs.build()
    pairs.build()
    return torch.from_numpy(pairs.offsets)
