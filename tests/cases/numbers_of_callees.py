"""Rows whose numbers come from a caller that says nothing of them; the method that takes one declares a number."""

import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 2))

    def renew(self, row: int):
        with torch.no_grad():
            self.weight[row].fill_(0.5)  # error: [IPL203]

    def score(self, x, rows):
        for row in rows:
            self.renew(row)
        return (x @ self.weight.t()).sum()


def train_rows(net: Rows, x, batches):
    for rows in batches:
        loss = net.score(x, rows) + net.score(x, rows)
        loss.backward()


def case_row_whose_number_only_the_callee_declares():
    train_rows(Rows(), torch.ones(2, requires_grad=True), [[0, 1], [2, 3]])


class RenewedRows(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4, 2))

    def renew(self, row: int):
        with torch.no_grad():
            self.weight[row].fill_(0.5)

    def score(self, x, rows):
        for row in rows:
            self.renew(row)
        return (x @ self.weight.clone().t()).sum()


def train_renewed(net: RenewedRows, x, batches):
    for rows in batches:
        loss = net.score(x, rows) + net.score(x, rows)
        loss.backward()


def case_row_whose_number_only_the_callee_declares_of_a_copy():
    x = torch.ones(2, requires_grad=True)
    train_renewed(RenewedRows(), x, [[0, 1], [2, 3]])
    return x.grad
