"""What is passed for a parameter that is declared to be an array of NumPy's requires no grad, whatever it is."""

import numpy as np
import torch


def _whitened(frame: np.ndarray):
    return frame / abs(frame).max()


def _halved(frame):
    return frame / 2


def _of_either(frame: "np.ndarray | torch.Tensor"):
    return frame / 2


def weights_of_an_array(frame):
    weights = torch.exp(frame)
    weights[weights > 2] = 2
    return weights * _whitened(frame)


def weights_of_what_may_require_grad(frame):
    weights = torch.exp(frame)
    weights[weights > 2] = 2  # warning: [IPL202]
    return weights * _halved(frame)


def weights_of_either(frame):
    weights = torch.exp(frame)
    weights[weights > 2] = 2  # warning: [IPL202]
    return weights * _of_either(frame)


def case_weights_of_an_array():
    return weights_of_an_array(torch.rand(4))


def case_parameter_declared_to_be_an_array():
    x = torch.rand(4, requires_grad=True)
    weights = torch.exp(x)
    weights[weights > 2] = 2  # error: [IPL202]
    (weights * _whitened(x)).sum().backward()
