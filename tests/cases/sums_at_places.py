"""A tensor that is added to new zeros at places that callers bring: who assigns elsewhere counts on sums here."""

import torch
from torch import Tensor


def segment_sum(rows: Tensor, index: Tensor, size: int) -> Tensor:
    sums = rows.new_zeros((size, *rows.shape[1:]))
    sums[index] += rows  # warning: [IPL309]
    return sums


def segment_sum_by_op(rows: Tensor, index: Tensor, size: int) -> Tensor:
    sums = rows.new_zeros((size, *rows.shape[1:]))
    return sums.index_add_(0, index, rows)


def case_segments_added_up():
    return eval("segment_sum")(torch.ones(3, 2), torch.tensor([0, 1, 1]), 2)


def case_segments_added_up_cured():
    return segment_sum_by_op(torch.ones(3, 2), torch.tensor([0, 1, 1]), 2)


def marked(index: Tensor, size: int) -> Tensor:
    marks = torch.zeros(size)
    marks[index] += 1
    return marks


def case_places_marked_once():
    return eval("marked")(torch.tensor([0, 2]), 3)


def unmasked(rows: Tensor, mask: Tensor, size: int) -> Tensor:
    all_rows = rows.new_zeros((size, *rows.shape[1:]))
    all_rows[mask] += rows
    return all_rows


def case_rows_put_back_where_a_mask_is_set():
    return eval("unmasked")(torch.ones(2, 2), torch.tensor([True, False, True]), 3)


def merged(one: Tensor, index: Tensor, other: Tensor, other_index: Tensor, size: int) -> Tensor:
    both = one.new_zeros(size)
    both[index] += one
    both[other_index] += other
    return both


def case_two_parts_that_meet():
    return eval("merged")(torch.ones(2), torch.tensor([0, 1]), torch.ones(2), torch.tensor([1, 2]), 3)


def chosen_rows(rows: Tensor, scores: Tensor, size: int) -> Tensor:
    index = scores.topk(2).indices
    best = rows.new_zeros((size, *rows.shape[1:]))
    best[index] += rows[index]
    return best


def case_rows_with_the_best_scores():
    return eval("chosen_rows")(torch.ones(3, 2), torch.tensor([0.1, 0.9, 0.5]), 3)


class Gathering(torch.nn.Module):
    def forward(self, x, edge_index):
        src, dst = edge_index
        sums = torch.zeros(x.shape[0], x.shape[1])
        sums[dst] += x[src]  # warning: [IPL309]
        return sums


class GatheringAll(torch.nn.Module):
    def forward(self, x, edge_index):
        src, dst = edge_index
        sums = torch.zeros(x.shape[0], x.shape[1])
        sums.index_add_(0, dst, x[src])
        return sums


def case_sums_over_edges():
    return eval(Gathering.__name__)()(torch.ones(3, 2), torch.tensor([[0, 1, 2], [1, 1, 0]]))


def case_sums_over_edges_cured():
    return eval(GatheringAll.__name__)()(torch.ones(3, 2), torch.tensor([[0, 1, 2], [1, 1, 0]]))


def _edges_of_a_path(n):
    places = torch.arange(n)
    one_way = torch.stack([places[:-1], places[1:]])
    return torch.cat([one_way, one_way.flip(0)], dim=1)


def neighbours(rows: Tensor, dst: Tensor):
    total = rows.new_zeros(3, rows.shape[1])
    total[dst] += rows  # warning: [IPL309]
    return total


def neighbours_by_op(rows, dst):
    total = rows.new_zeros(3, rows.shape[1])
    return total.index_add(0, dst, rows)


def case_places_that_the_program_has_joined():
    src, dst = _edges_of_a_path(3)
    return neighbours(torch.ones(3, 2)[src], dst)


def case_places_that_the_program_has_joined_cured():
    src, dst = _edges_of_a_path(3)
    return neighbours_by_op(torch.ones(3, 2)[src], dst)


def put_in_order(rows: Tensor, index: Tensor):
    ordered = rows.new_zeros(3, rows.shape[1])
    ordered[index] += rows
    return ordered


def case_places_in_another_order():
    return put_in_order(torch.ones(3, 2), torch.arange(3).flip(0))


def put_apart(rows: Tensor, index: Tensor):
    spread = rows.new_zeros(3, rows.shape[1])
    spread[index] += rows
    return spread


def case_places_that_are_written_down():
    return put_apart(torch.ones(2, 2), torch.tensor([2, 0]))
