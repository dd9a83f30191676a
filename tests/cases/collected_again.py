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


class Board:
    def __init__(self, place, free):
        self.place, self.free = place, free

    def following(self):
        board = Board(self.place + 1, self.free)
        board.free[board.place] = False  # warning: [IPL304]
        return board


def case_boards_that_share_what_is_free():
    board, boards = Board(torch.tensor(0), torch.ones(5, dtype=torch.bool)), []
    for _ in range(3):
        boards.append(board)
        board = board.following()
    return torch.stack([each.free for each in boards])


class OwnBoard:
    def __init__(self, place, free):
        self.place, self.free = place, free

    def following(self):
        board = OwnBoard(self.place + 1, self.free.clone())
        board.free[board.place] = False
        return board


def case_boards_that_share_what_is_free_cured():
    board, boards = OwnBoard(torch.tensor(0), torch.ones(5, dtype=torch.bool)), []
    for _ in range(3):
        boards.append(board)
        board = board.following()
    return torch.stack([each.free for each in boards])


class Drawn:
    def __init__(self, place, canvas):
        self.place, self.canvas = place, canvas

    def following(self):
        drawn = Drawn(self.place + 1, self.canvas)
        drawn.canvas[drawn.place] = 1
        return drawn


def case_canvas_that_only_the_last_one_shows():
    drawn, places = Drawn(torch.tensor(0), torch.zeros(5)), []
    for _ in range(3):
        places.append(drawn.place)
        drawn = drawn.following()
    return torch.stack(places), drawn.canvas


class Player:
    def __init__(self, table, seat):
        self.table, self.seat = table, seat

    def play(self):
        self.table[self.seat] += 1


def case_players_that_share_a_table():
    table = torch.zeros(3)
    players = [Player(table, seat) for seat in range(3)]
    for _ in range(2):
        for player in players:
            player.play()
    return torch.stack([player.table[player.seat] for player in players])
