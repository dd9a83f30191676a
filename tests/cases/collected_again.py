"""Lists that collect the same part of a state in each round: its rows are written in between."""

import torch


def _stepped(x, state, layers, outputs):
    for row in x:
        for layer in range(layers):
            below = row if layer == 0 else state[layer - 1]
            state[layer] = torch.tanh(below + state[layer])  # warning: [IPL304]
        outputs.append(state[-1])
    return torch.stack(outputs)


def case_last_layer():
    return _stepped(torch.ones(3, 2), torch.zeros(2, 2), 2, [])


def _stepped_copies(x, state, layers, outputs):
    for row in x:
        for layer in range(layers):
            below = row if layer == 0 else state[layer - 1]
            state[layer] = torch.tanh(below + state[layer])
        outputs.append(state[-1].clone())
    return torch.stack(outputs)


def case_last_layer_cured():
    return _stepped_copies(torch.ones(3, 2), torch.zeros(2, 2), 2, [])


def new_states(x, layers):
    outputs, state = [], torch.zeros(layers, 2)
    for row in x:
        state = state.clone()
        for layer in range(layers):
            state[layer] = torch.tanh(row)
        outputs.append(state[-1])
    return torch.stack(outputs)


def rows_that_are_filled(x, count):
    """Each row is collected once."""
    table, rows = torch.zeros(count, 2), []
    for i in range(count):
        table[i] = x[i]
        rows.append(table[i])
    return torch.stack(rows)


def row_that_stays(x, count):
    """The first row is written nowhere."""
    table, sums = torch.rand(count, 2), []
    for i in range(1, count):
        table[1:] = x[i]
        sums.append(table[:1])
    return torch.stack(sums)


def taken_at_once(x, layers):
    outputs, state = [], torch.zeros(layers, 2)
    for row in x:
        for layer in range(layers):
            state[layer] = torch.tanh(row)
        outputs.append(float(state[-1].sum()))
    return outputs


class Shape:
    def __init__(self, points):
        self.points = points


def jitter(shape):
    shape.points += 0.5  # warning: [IPL304]
    return shape


def case_copies_of_a_sample_that_are_the_sample():
    data = []
    for number in range(3):
        shape = Shape(torch.ones(2) * number)
        data.append(shape)
        for _ in range(2):
            data.append(jitter(shape))
    return torch.stack([each.points for each in data])


def shifted(shape):
    return Shape(shape.points + 0.5)


def case_copies_of_a_sample_that_are_the_sample_cured():
    data = []
    for number in range(3):
        shape = Shape(torch.ones(2) * number)
        data.append(shape)
        for _ in range(2):
            data.append(shifted(shape))
    return torch.stack([each.points for each in data])


def case_object_that_waits_in_a_list_for_its_turn():
    waiting, total = [Shape(torch.zeros(2)), Shape(torch.ones(2))], torch.zeros(2)
    for _ in range(4):
        shape = waiting.pop(0)
        shape.points += 1
        waiting.append(shape)
        total = total + shape.points
    return total


def case_object_that_is_in_a_list_twice_from_the_start():
    shared = Shape(torch.zeros(2))
    turns = [shared, Shape(torch.ones(2)), shared]
    for shape in turns:
        shape.points += 1
    return torch.stack([shape.points for shape in turns])


def case_collected_again_but_read_by_its_own_name():
    shape, seen = Shape(torch.zeros(2)), []
    for _ in range(3):
        seen.append(shape)
        shape.points += 1
    return len(seen), shape.points
