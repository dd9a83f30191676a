"""Writes to what a subscript gave: views of a tensor, and copies that nobody reads."""

import random

import torch
from torch import nn


def case_mask():
    x = torch.arange(4.0)
    x[x > 1].zero_()  # warning: [IPL307]
    return x


def case_mask_cured():
    x = torch.arange(4.0)
    x[x > 1] = 0.0
    return x


def case_list_of_positions():
    x = torch.ones(4, 2)
    rows = [0, 2]
    x[rows].mul_(2).add_(1)  # warning: [IPL307]
    return x


def case_list_of_positions_cured():
    x = torch.ones(4, 2)
    rows = [0, 2]
    x[rows] = x[rows].mul_(2).add_(1)
    return x


def case_part_of_a_copy():
    x = torch.zeros(4, 2)
    rows = torch.randperm(4)[:2]
    x[rows][:, 0] = 1.0  # warning: [IPL307]
    x[rows][:, 1] += 1.0  # warning: [IPL307]
    return x


def case_part_of_a_copy_cured():
    x = torch.zeros(4, 2)
    rows = torch.randperm(4)[:2]
    x[rows, 0] = 1.0
    x[rows, 1] += 1.0
    return x


def case_target_of_out():
    x = torch.zeros(3)
    torch.add(torch.ones(2), 1.0, out=x[[0, 2]])  # warning: [IPL307]
    return x


def case_target_of_out_cured():
    x = torch.zeros(3)
    x[[0, 2]] = torch.ones(2) + 1.0
    return x


def _fill_rows(embedding, rows):
    nn.init.constant_(embedding.weight[rows], 2.0)  # warning: [IPL307]


def _fill_rows_of_the_weight(embedding, rows):
    with torch.no_grad():
        embedding.weight[rows] = 2.0


def _filled(fill):
    embedding = nn.Embedding(4, 2)
    with torch.no_grad():
        fill(embedding, [1, 3])
    return embedding.weight.detach()


def case_rows_of_a_parameter():
    return _filled(_fill_rows)


def case_rows_of_a_parameter_cured():
    return _filled(_fill_rows_of_the_weight)


def case_gradient_of_some_rows():
    layer = nn.Linear(2, 3)
    layer(torch.ones(1, 2)).sum().backward()
    layer.weight.grad[torch.tensor([True, False, True])].zero_()  # warning: [IPL307]
    return layer.weight.grad


def case_gradient_of_some_rows_cured():
    layer = nn.Linear(2, 3)
    layer(torch.ones(1, 2)).sum().backward()
    layer.weight.grad[torch.tensor([True, False, True])] = 0.0
    return layer.weight.grad


def case_views_are_written():
    x = torch.ones(4, 3)
    x[0].zero_()
    x[1:3].mul_(2)
    x[..., 1].neg_()
    x[:, None].add_(1)
    x[torch.tensor(3)].fill_(5)
    for i in torch.arange(2):
        x[i].add_(1)
    return x


def case_copies_that_are_used():
    x = torch.ones(4, 3)
    y = x[[0, 1]]
    y.zero_()
    z = x[x > 0].mul_(2)
    total = x[[2]].add_(1).sum()
    x[[0, 1]] += 1
    x[x > 1] *= 2
    kept = [x[[1]]]
    kept[0].fill_(7)
    return x, y, z, total, kept


def case_slice_of_a_list():
    order = [2, 0, 1, 3]
    window = order[0:2]
    window.reverse()
    order[0:2] = window
    x = torch.zeros(4)
    for i in order[::2]:
        x[i].add_(1)
    return x


def _swapped(rows, i, j):
    kept = rows[i]
    rows[i] = rows[j]  # warning: [IPL303]
    rows[j] = kept
    return rows


def _swapped_by_copies(rows, i, j):
    kept = rows[i].clone()
    rows[i] = rows[j]
    rows[j] = kept
    return rows


def case_rows_swapped_through_a_view():
    return _swapped(torch.arange(4.0).view(2, 2), 0, 1)


def case_rows_swapped_through_a_view_cured():
    return _swapped_by_copies(torch.arange(4.0).view(2, 2), 0, 1)


class Images:
    def __init__(self):
        self.images = torch.zeros(2, 2)


class Pool(Images):
    def query(self, image):
        index = random.randint(0, 1)
        kept = self.images[index]
        self.images[index] = image  # warning: [IPL303]
        return kept + 1


class CopyingPool(Images):
    def query(self, image):
        index = random.randint(0, 1)
        kept = self.images[index].clone()
        self.images[index] = image
        return kept + 1


def case_pool_of_images():
    return Pool().query(torch.ones(2))


def case_pool_of_images_cured():
    return CopyingPool().query(torch.ones(2))


def _emphasized(wave):
    wave[1:].sub_(wave[:-1], alpha=0.9)  # error: [IPL104]
    return wave


def case_overlap_of_what_no_annotation_tells():
    return _emphasized(torch.rand(4))


def case_a_number_kept_as_a_view():
    scale = torch.tensor([3.0, 2.0, 1.0])
    first = scale[0]
    scale -= 1.0  # warning: [IPL303]
    return scale * first


def case_a_number_kept_as_a_view_cured():
    scale = torch.tensor([3.0, 2.0, 1.0])
    first = scale[0].clone()
    scale -= 1.0
    return scale * first


def case_a_row_named_to_see_what_becomes_of_it():
    scale = torch.tensor([[3.0, 2.0], [1.0, 0.0]])
    first = scale[0]
    scale -= 1.0
    return scale, first


def _pruned(mask, scores: torch.Tensor):
    least = scores.argsort()[:2]
    mask[1:, least].fill_(0)  # warning: [IPL307]
    return mask


def _pruned_by_item(mask, scores: torch.Tensor):
    least = scores.argsort()[:2]
    mask[1:, least] = 0.0
    return mask


def _without_first(mask, scores: torch.Tensor):
    least = scores.argsort()[:2]
    mask[least[0]].fill_(0)
    return mask


def case_the_first_of_an_order():
    return _pruned(torch.ones(4, 3), torch.arange(3.0))


def case_the_first_of_an_order_cured():
    return _pruned_by_item(torch.ones(4, 3), torch.arange(3.0))


def case_one_of_an_order():
    return _without_first(torch.ones(4, 3), torch.arange(3.0))
