"""Loops over the rows of a tensor that take rows which an earlier round has overwritten, and those that may."""

import torch


def _rows():
    return torch.arange(6.0).view(3, 2)


def case_beams_reordered():
    cache = _rows()
    for i, source in enumerate(torch.tensor([1, 0, 0]).tolist()):
        cache[i].copy_(cache[source])  # warning: [IPL104]
    return cache


def case_beams_reordered_cured():
    cache = _rows()
    before = cache.clone()
    for i, source in enumerate(torch.tensor([1, 0, 0]).tolist()):
        cache[i].copy_(before[source])
    return cache


def case_columns_permuted():
    x, order = _rows(), [1, 0]
    for i in range(2):
        source = int(order[i])
        x[:, i] = x[:, source].clone()  # warning: [IPL104]
    return x


def case_columns_permuted_cured():
    x, order = _rows(), [1, 0]
    before = x.clone()
    for i in range(2):
        source = int(order[i])
        x[:, i] = before[:, source]
    return x


def case_history_moved_on():
    history = _rows()
    for i in range(1, 3):
        history[i] = history[i - 1]  # warning: [IPL104]
    history[0] = 9.0
    return history


def case_history_moved_on_cured():
    history = _rows()
    for i in range(2, 0, -1):
        history[i] = history[i - 1]
    history[0] = 9.0
    return history


def case_history_moved_back():
    history = _rows()
    for i in range(2):
        history[i] = history[i + 1]
    history[-1] = 9.0
    return history


def case_sums_so_far():
    x = _rows()
    for i in range(1, 3):
        x[i] = x[i - 1] + x[i]
    return x


def case_each_state_starts_from_the_last():
    x = torch.zeros(3, 2)
    for t in range(2):
        x[t + 1] = x[t]
        x[t + 1, 0] += 1.0
    return x


def case_first_row_spread():
    x = _rows()
    x[0] = 7.0
    for i in range(1, 3):
        x[i] = x[i - 1]
    return x


def case_rows_closed_up():
    x = _rows()
    for i, source in enumerate([1, 2]):
        if i != source:
            x[i] = x[source] * 1.0
    for i, kept in enumerate([1, 2]):
        x[i] += x[kept]
    keep = [1, 2]
    for i, source in enumerate(keep):
        x[i] = x[source]
    return x


def case_values_along_a_tree():
    depth, parent = torch.zeros(4), torch.tensor([0, 0, 1, 1])
    for i in range(1, 4):
        depth[i] = depth[parent[i]] + 1
    return depth


def case_roots_found():
    parent = torch.tensor([0, 0, 1, 2])
    for i in range(4):
        parent[i] = parent[parent[i]]
    return parent


def _scaled_boxes(boxes):
    boxes[:, 1:] *= 64  # warning: [IPL305]
    return boxes.sum() * 2


def _scaled_copies(boxes):
    boxes = boxes.clone()
    boxes[:, 1:] *= 64
    return boxes.sum() * 2


def case_rows_after_columns():
    boxes = torch.arange(6.0).view(2, 3)
    total = _scaled_boxes(boxes)
    for row in boxes:
        total = total + row[1:].prod()
    return total


def case_rows_after_columns_cured():
    boxes = torch.arange(6.0).view(2, 3)
    total = _scaled_copies(boxes)
    for row in boxes:
        total = total + row[1:].prod()
    return total


def case_first_column_after_others():
    boxes = torch.arange(6.0).view(2, 3)
    total = _others_scaled(boxes)
    for row in boxes:
        total = total + row[0]
    return total


def _others_scaled(boxes):
    boxes[:, 1:] *= 64
    return boxes.sum() * 2


def case_last_rows_of_a_state_are_kept():
    state, kept = torch.zeros(2, 3), []
    for turn in range(3):
        for layer in range(2):
            state[layer] = torch.full((3,), float(turn + layer))  # warning: [IPL304]
        kept.append(state[-1])
    return torch.stack(kept)


def case_last_rows_of_a_state_are_kept_cured():
    state, kept = torch.zeros(2, 3), []
    for turn in range(3):
        for layer in range(2):
            state[layer] = torch.full((3,), float(turn + layer))
        kept.append(state[-1].clone())
    return torch.stack(kept)


def case_first_rows_of_a_state_are_kept():
    state, kept = torch.zeros(2, 3), []
    kept.append(state[-2])
    state[-1] = 1
    return torch.stack(kept)


class Slots:
    def __init__(self):
        self.k = torch.arange(8.0).view(4, 2)
        self.filled = 2

    def live(self):
        return self.k[:, : self.filled]

    def reorder(self, order):
        old = self.live()
        for place, source in enumerate(order):
            self.k[place, : self.filled] = old[source]  # warning: [IPL104]
        return self.k


class SlotsCured:
    def __init__(self):
        self.k = torch.arange(8.0).view(4, 2)
        self.filled = 2

    def live(self):
        return self.k[:, : self.filled]

    def reorder(self, order):
        old = self.live().clone()
        for place, source in enumerate(order):
            self.k[place, : self.filled] = old[source]
        return self.k


def case_rows_taken_by_a_view():
    return Slots().reorder([3, 0, 1, 2])


def case_rows_taken_by_a_view_cured():
    return SlotsCured().reorder([3, 0, 1, 2])


def case_rows_taken_of_another_tensor():
    first, second = torch.arange(8.0).view(4, 2), torch.ones(4, 2)
    for place, source in enumerate([3, 0, 1, 2]):
        second[place] = first[source]
    return second
