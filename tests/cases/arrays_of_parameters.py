"""A function takes the array of a parameter for a value, and changes it."""

import numpy as np
import torch
from torch import nn


def _model():
    model = nn.Embedding(4, 2)
    with torch.no_grad():
        model.weight.copy_(torch.arange(8.0).view(4, 2))
    return model


class Layouts:
    def __init__(self):
        self.frames = []

    def add(self, model):
        points = model.weight.detach().numpy()
        points -= points[0]  # warning: [IPL304]
        self.frames.append(points * 0.95)


def case_layouts_are_collected():
    model, layouts = _model(), Layouts()
    layouts.add(model)
    return model(torch.arange(4))


class LayoutsCured:
    def __init__(self):
        self.frames = []

    def add(self, model):
        points = model.weight.detach().numpy()
        points = points - points[0]
        self.frames.append(points * 0.95)


def case_layouts_are_collected_cured():
    model, layouts = _model(), LayoutsCured()
    layouts.add(model)
    return model(torch.arange(4))


def centred(model):
    points = model.weight.detach().cpu().numpy()
    points -= points.mean(0)  # warning: [IPL304]
    return points * 2


def case_centred_points():
    model = _model()
    total = float(centred(model).sum())
    return model(torch.arange(4)) + total


def copy_centred(model):
    points = model.weight.detach().cpu().numpy()
    points = points - points.mean(0)
    return points * 2


def case_centred_points_cured():
    model = _model()
    total = float(copy_centred(model).sum())
    return model(torch.arange(4)) + total


def filled(model):
    weight = model.weight.detach().numpy()
    weight[:] = np.arange(1.0, 9.0).reshape(4, 2)
    weight /= np.linalg.norm(weight)


def case_weight_is_set():
    model = _model()
    filled(model)
    return model(torch.arange(4))


def nearest(model, k):
    items = model.weight.detach().cpu().numpy()
    items /= np.linalg.norm(items, axis=1, keepdims=True) + 1  # warning: [IPL304]
    return np.argsort(-(items @ items.T), axis=1)[:, :k]


def case_normalized_to_be_compared():
    model = _model()
    nearest(model, 2)
    return model(torch.arange(4))


def nearest_of_new(model, k):
    items = model.weight.detach().cpu().numpy()
    items = items / (np.linalg.norm(items, axis=1, keepdims=True) + 1)
    return np.argsort(-(items @ items.T), axis=1)[:, :k]


def case_normalized_to_be_compared_cured():
    model = _model()
    nearest_of_new(model, 2)
    return model(torch.arange(4))
