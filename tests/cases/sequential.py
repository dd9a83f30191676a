"""`nn.Sequential`: one layer writes what another saved."""

from collections import OrderedDict

import torch
from torch import nn


def case_relu_after_linear():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 1))
    net(torch.randn(2, 3)).sum().backward()
    return net[0].weight.grad


def case_relu_after_norm():
    net = nn.Sequential(nn.Conv1d(2, 2, 1), nn.BatchNorm1d(2), nn.ReLU(inplace=True))
    net(torch.randn(2, 2, 4)).sum().backward()
    return net[0].weight.grad


def case_relu_after_sigmoid():
    net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU(inplace=True))  # error: [IPL202]
    net(torch.randn(2, 3)).sum().backward()
    return net[0].weight.grad


def case_relu_after_sigmoid_out_of_place():
    net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.ReLU())
    net(torch.randn(2, 3)).sum().backward()
    return net[0].weight.grad


def case_dropout_after_tanh():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Dropout(0.5, inplace=True))  # error: [IPL202]
    out = net(torch.randn(2, 3))
    out.sum().backward()
    return net[0].weight.grad


def case_dropout_after_tanh_in_evaluation():
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Dropout(0.5, inplace=True))
    net.eval()
    out = net(torch.randn(2, 3))
    out.sum().backward()
    return net[0].weight.grad


def case_dropout_after_linear():
    net = nn.Sequential(nn.Linear(3, 3), nn.Dropout(0.5, inplace=True), nn.Linear(3, 1))
    net(torch.randn(2, 3)).sum().backward()
    return net[2].weight.grad


def case_dropout_after_relu():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(True), nn.Dropout(0.5))
    net(torch.randn(2, 3)).sum().backward()
    return net[0].weight.grad


def case_two_activations():
    net = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.Linear(3, 3), nn.LeakyReLU(0.1, True))
    net(torch.randn(2, 3)).sum().backward()
    return net[0].weight.grad


def case_result_of_a_net_added_to():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))
    x = torch.randn(2, 3)
    out = net(x)
    out += x  # error: [IPL202]
    out.sum().backward()
    return net[0].weight.grad


def case_result_of_a_linear_net_added_to():
    net = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True), nn.Linear(3, 3))
    x = torch.randn(2, 3)
    out = net(x)
    out += x
    out.sum().backward()
    return net[0].weight.grad


def case_net_begins_with_an_activation():
    net = nn.Sequential(nn.ReLU(inplace=True), nn.Linear(3, 3))  # warning: [IPL301]
    x = torch.randn(2, 3)
    out = net(x)
    return out + x


def case_net_begins_with_an_activation_cured():
    net = nn.Sequential(nn.ReLU(), nn.Linear(3, 3))
    x = torch.randn(2, 3)
    out = net(x)
    return out + x


def case_features_collected():
    layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU(inplace=True))  # warning: [IPL304]
    x = torch.randn(2, 3)
    features = []
    for layer in layers:
        x = layer(x)
        features.append(x)
    return features


def case_features_collected_cured():
    layers = nn.Sequential(nn.Linear(3, 3), nn.ReLU())
    x = torch.randn(2, 3)
    features = []
    for layer in layers:
        x = layer(x)
        features.append(x)
    return features


def case_layers_from_a_list():
    layers = []
    for _ in range(2):
        layers += [nn.Linear(3, 3), nn.ReLU(inplace=True)]
    net = nn.Sequential(*layers)
    net(torch.randn(2, 3)).sum().backward()
    return net[0].weight.grad


def case_layers_added_by_name():
    net = nn.Sequential()
    net.add_module("linear", nn.Linear(3, 3))
    net.add_module("act", nn.ReLU(inplace=True))
    net(torch.randn(2, 3)).sum().backward()
    return net.linear.weight.grad


def _recorded(net, name, x):
    kept = {}
    for called, layer in net.named_children():
        if called == name:
            layer.register_forward_hook(lambda module, given, result: kept.update(first=result))
    with torch.no_grad():
        net(x)
    return kept["first"] * 2


def case_hook_on_a_module_of_an_ordered_dict():
    layers = OrderedDict()
    layers["scale"] = nn.Hardtanh(-2, 2)
    layers["act"] = nn.ReLU(inplace=True)  # warning: [IPL304]
    return _recorded(nn.Sequential(layers), "scale", torch.tensor([-1.0, 1.0]))


def case_hook_on_a_module_of_an_ordered_dict_cured():
    layers = OrderedDict()
    layers["scale"] = nn.Hardtanh(-2, 2)
    layers["act"] = nn.ReLU()
    return _recorded(nn.Sequential(layers), "scale", torch.tensor([-1.0, 1.0]))


def case_hook_on_a_module_that_was_added_by_name():
    net = nn.Sequential()
    net.add_module("scale", nn.Hardtanh(-2, 2))
    net.add_module("act", nn.ReLU(inplace=True))
    return _recorded(net, "act", torch.tensor([-1.0, 1.0]))


def case_module_of_a_list_is_replaced_by_name():
    net = nn.Sequential(nn.Hardtanh(-2, 2), nn.ReLU(inplace=True))
    setattr(net, "1", nn.Identity())
    x = torch.tensor([-1.0, 1.0])
    return net(x) + x, net.get_submodule("1")(x)


def case_hook_on_a_module_with_a_composed_name():
    net, number = nn.Sequential(), 0
    net.add_module(f"tanh_{number}", nn.Hardtanh(-2, 2))
    net.add_module(f"act_{number}", nn.ReLU(inplace=True))  # warning: [IPL304]
    return _recorded(net, "tanh_0", torch.tensor([-1.0, 1.0]))


def case_hook_on_a_module_with_a_composed_name_cured():
    net, number = nn.Sequential(), 0
    net.add_module(f"tanh_{number}", nn.Hardtanh(-2, 2))
    net.add_module(f"act_{number}", nn.ReLU())
    return _recorded(net, "tanh_0", torch.tensor([-1.0, 1.0]))
