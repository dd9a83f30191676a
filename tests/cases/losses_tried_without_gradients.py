"""Losses that their file evaluates without gradients, and other files train with."""

import torch


class Margin:
    def __init__(self, doubled=True):
        self.doubled = doubled

    def _parts(self, model, x):
        per = torch.relu(1 - model(x))
        if self.doubled:
            per *= 2  # warning: [IPL202]
        return per.mean()

    def compute_loss(self, model, x):
        return self._parts(model, x)

    def prediction_step(self, model, x):
        with torch.no_grad():
            return self.compute_loss(model, x)


def open_loss_that_its_file_only_evaluates(x):
    return eval(Margin.__name__)().compute_loss(eval("lambda x: x"), x / 2)


class Error:
    def _parts(self, model, x):
        per = torch.relu(1 - model(x))
        per *= 2
        return per.mean()

    def validation_loss(self, model, x):
        return self._parts(model, x)

    def validate(self, model, x):
        with torch.no_grad():
            return self.validation_loss(model, x)


def case_loss_of_a_validation():
    return eval(Error.__name__)().validate(eval("lambda x: x"), torch.rand(3) / 2)


class Surface:
    def plot(self, signal, positive=True):
        f = signal.sin()
        f = f.relu() if positive else f
        f[0] = f[0].mean()
        return f

    def shown(self, signal):
        f = self.plot(signal, True)
        return torch.from_numpy(f.numpy())


def case_result_that_becomes_an_array():
    return eval(Surface.__name__)().shown(torch.rand(3))
