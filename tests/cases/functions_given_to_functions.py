"""Functions that are given to functions of Python and PyTorch, and called for each of some elements."""

import functools
import itertools

import torch
from torch.utils._pytree import tree_flatten, tree_map, tree_map_only, tree_unflatten


def gates():
    weights = torch.arange(3.0, requires_grad=True)
    return torch.sigmoid(weights), torch.tanh(weights)


def case_leaves_of_a_nest_are_detached():
    one, other = gates()
    kept = tree_map(lambda leaf: leaf.detach(), {"one": one, "others": [other]})
    kept["others"][0].zero_()  # error: [IPL202]
    (one + other).sum().backward()


def case_leaves_of_a_nest_are_copied():
    one, other = gates()
    kept = tree_map(lambda leaf: leaf.detach().clone(), {"one": one, "others": [other]})
    kept["others"][0].zero_()
    (one + other).sum().backward()
    return one


def case_tensors_of_a_nest():
    one, other = gates()
    tree_map_only(torch.Tensor, lambda leaf: leaf.detach().mul_(2), (one, [3]))  # error: [IPL202]
    (one + other).sum().backward()


def case_flat_and_back():
    one, other = gates()
    leaves, told = tree_flatten([one, (other,)])
    back = tree_unflatten([leaf.detach() for leaf in leaves], told)
    back[1][0].zero_()  # error: [IPL202]
    (one + other).sum().backward()


def case_flat_and_back_in_other_places():
    one, other = gates()
    leaves, told = tree_flatten([one, (other,)])
    back = tree_unflatten([leaves[0].detach(), other.clone()], told)
    back[1][0].zero_()
    (one + other).sum().backward()
    return one


def case_filtered_by_what_writes():
    one, other = gates()
    large = list(filter(lambda each: each.detach().mul_(2).sum() > 1, [one]))  # error: [IPL202]
    (one + other).sum().backward()
    return large


def case_filtered():
    one, other = gates()
    large = list(filter(lambda each: each.detach().mul(2).sum() > 1, [one]))
    (one + other).sum().backward()
    return large


def is_small(pair):
    return pair[1] < 2


def case_what_is_filtered_out_stays():
    one, other = gates()
    for gate, _ in filter(is_small, [(one * 1, 1), (other, 3)]):
        gate.detach().zero_()
    (one + other).sum().backward()
    return one


def case_best_by_what_writes():
    one, other = gates()
    best = max([one, other], key=lambda each: each.detach().neg_().sum())  # error: [IPL202]
    best.sum().backward()


def case_called_with_the_elements_of_each():
    one, other = gates()
    for scaled in itertools.starmap(torch.Tensor.mul_, [(one, 2), (other, 3)]):  # error: [IPL202]
        scaled.sum().backward(retain_graph=True)


def case_called_for_the_total():
    one, other = gates()
    total = functools.reduce(torch.Tensor.add_, [one, other])  # error: [IPL202]
    total.sum().backward()


def case_called_for_a_new_total():
    one, other = gates()
    total = functools.reduce(torch.add, [one, other])
    total.sum().backward()
    return one


def case_elements_of_lists_in_a_row():
    one, other = gates()
    for gate in itertools.chain.from_iterable([[one], [other]]):
        gate.detach().zero_()  # error: [IPL202]
    (one + other).sum().backward()


def case_some_of_the_elements():
    one, other = gates()
    for gate in itertools.islice([one, other * 1], 1, None):
        gate.detach().zero_()
    (one + other).sum().backward()
    return one


def case_columns_of_rows():
    one, other = gates()
    firsts, _ = zip(*[(one, 1), (other, 2)], strict=True)
    firsts[1].detach().zero_()  # error: [IPL202]
    (one + other).sum().backward()


def of_all(function, nest):
    if isinstance(nest, dict):
        return type(nest)({key: of_all(function, value) for key, value in nest.items()})
    if isinstance(nest, (list, tuple)):
        return type(nest)([of_all(function, value) for value in nest])
    return function(nest)


def case_nest_of_the_same_type():
    one, other = gates()
    kept = of_all(torch.Tensor.detach, {"one": (one,), "others": [other]})
    kept["one"][0].zero_()  # error: [IPL202]
    (one + other).sum().backward()


def case_nest_of_the_same_type_with_copies():
    one, other = gates()
    kept = of_all(torch.clone, {"one": (one,), "others": [other]})
    kept["one"][0].zero_()
    (one + other).sum().backward()
    return one
