"""`match`: the patterns of texts, classes and attributes say which branch is run."""

from dataclasses import dataclass

import torch


@dataclass
class Scaled:
    by: torch.Tensor


@dataclass
class Shifted:
    by: torch.Tensor


def changed_by_text(x, how):
    match how:
        case "half":
            return x / 2
        case "zero" | "nothing":
            return x.zero_()  # error: [IPL202]
        case Scaled(by=factor):
            return factor * x
        case None:
            return x
        case _:
            raise ValueError(how)


def case_text_that_writes():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    changed_by_text(y, "nothing")
    y.sum().backward()
    return x.grad


def changed_by_class(x, how):
    match how:
        case "zero":
            return x.zero_()
        case Shifted(by=_):
            return x + how.by
        case Scaled(by=factor):
            return factor.mul_(x)  # error: [IPL202]


def case_class_that_writes():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    changed_by_class(x.detach(), Scaled(y))
    y.sum().backward()
    return x.grad


def calmly_changed(x, how):
    match how, 1:
        case ("zero", int(n)) if n == 1:
            return x.zero_()
    match how:
        case "half":
            return x / 2
        case "zero":
            return x.zero_()
        case Scaled(by=factor):
            return factor * x
        case Shifted() as shifted if shifted.by is not None:
            return x + shifted.by
        case _:
            return x


def case_branches_that_write_nothing():
    x = torch.ones(3, requires_grad=True)
    y = x.exp()
    half = calmly_changed(y, "half")
    moved = calmly_changed(half, Shifted(y))
    (calmly_changed(moved, Scaled(y)) + calmly_changed(y, None)).sum().backward()
    return x.grad
