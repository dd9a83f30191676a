"""What an object has computed and kept is passed to a function that measures it, and overwrites it for that."""

import torch


class Confusion:
    def __init__(self):
        self.counts = torch.arange(9.0).view(3, 3)
        self.made = None

    def __setattr__(self, name, value):
        super().__setattr__(name, value)

    def compute(self):
        if self.made is not None:
            return self.made
        value = self.counts.clone()
        self.made = value
        return value


def wrong(matrix):
    matrix.fill_diagonal_(0)  # warning: [IPL305]
    return matrix.flatten().argmax().item(), matrix.sum().item()


def case_kept_result_is_measured():
    confusion = Confusion()
    most, total = wrong(confusion.compute())
    return confusion.compute() / total + most


def copied_wrong(matrix):
    matrix = matrix.clone()
    matrix.fill_diagonal_(0)
    return matrix.flatten().argmax().item(), matrix.sum().item()


def case_kept_result_is_measured_cured():
    confusion = Confusion()
    most, total = copied_wrong(confusion.compute())
    return confusion.compute() / total + most


def cleared(matrix):
    matrix.fill_diagonal_(0)
    return matrix.sum().item()


def case_kept_result_is_changed():
    confusion = Confusion()
    cleared(confusion.compute())
    return confusion.compute()


def case_named_result_is_changed():
    confusion = Confusion()
    counts = confusion.compute()
    total = cleared(counts)
    return confusion.compute() / total


def case_copy_of_kept_result_is_measured():
    confusion = Confusion()
    total = cleared(confusion.compute().clone())
    return confusion.compute() / total
