"""Objects that are asked whether they have an attribute, or are of a class, before they take something in."""

from collections import OrderedDict

import torch


class Stock:
    def __init__(self):
        self._kept = OrderedDict()

    def keep(self, name, tensor):
        if hasattr(self, name) and name not in self._kept:
            raise KeyError(name)
        self._kept[name] = tensor

    @property
    def spot(self):
        if "spot" in self._kept:
            return self._kept["spot"]
        raise AttributeError("spot")


class Option:
    def __init__(self, strike):
        self.strike = strike
        self._beneath = OrderedDict()

    def __setattr__(self, name, value):
        if isinstance(value, Stock):
            self.take(name, value)
        super().__setattr__(name, value)

    def __getattr__(self, name):
        if "_beneath" in self.__dict__ and name in self.__dict__["_beneath"]:
            return self.__dict__["_beneath"][name]
        raise AttributeError(name)

    def take(self, name, value):
        if hasattr(self, name):
            raise KeyError(name)
        self._beneath[name] = value

    def of(self, index=0):
        return list(self._beneath.values())[index]


def made():
    stock, option = Stock(), Option(1.0)
    option.take("stock", stock)
    stock.keep("spot", torch.rand(3, requires_grad=True) * 2)
    return stock, option


def case_logarithm_of_what_is_kept():
    stock, option = made()
    loss = stock.spot.square().sum()
    option.of().spot.log_()  # error: [IPL201]
    loss.backward()


def case_logarithm_beside_what_is_kept():
    stock, option = made()
    loss = stock.spot.square().sum()
    spot = option.of().spot.log()
    loss.backward()
    return spot
