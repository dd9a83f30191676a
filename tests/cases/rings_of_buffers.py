"""Positions in a ring of buffers, `count % 2` and `(count + 1) % 2`, are as far apart as they say."""

from collections import deque

import torch


def sent_and_received(count):
    buffers = [torch.zeros(2), torch.ones(2)]
    received = buffers[count % 2]
    sent = buffers[(count - 1) % 2]
    doubled = sent.mul_(2)
    return received + doubled


def case_two_of_a_ring():
    return sent_and_received(int(torch.tensor(4)))


def sent_twice(count):
    buffers = [torch.zeros(2), torch.ones(2)]
    first = buffers[count % 2]
    second = first
    doubled = second.mul_(2)  # warning: [IPL303]
    return first + doubled


def case_one_of_a_ring():
    return sent_twice(5)


def case_one_of_a_ring_cured():
    buffers = [torch.zeros(2), torch.ones(2)]
    first = buffers[1]
    return first + first * 2


def turned(count):
    buffers = [torch.zeros(2), torch.ones(2)]
    for _ in range(2):
        old = buffers[count % 2]
        new = buffers[(count + 1) % 2]
        new.copy_(old * 2)
        count += 1
    return torch.stack(buffers)


def case_ring_turned():
    return turned(int(torch.tensor(1)))


class Padding:
    def __init__(self):
        self.space = torch.zeros(4, 3)

    def padded(self, rows):
        space = self.space[: len(rows)]
        space.zero_()  # warning: [IPL304]
        for place, row in enumerate(rows):
            space[place, : len(row)] = row
        return space, len(rows)


class PaddingAnew:
    def __init__(self):
        self.width = 3

    def padded_anew(self, rows):
        space = torch.zeros(len(rows), self.width)
        for place, row in enumerate(rows):
            space[place, : len(row)] = row
        return space, len(rows)


def batches_padded(padding: Padding, batches):
    ready = []
    for batch in batches:
        ready.append(padding.padded(batch))
    return torch.stack([space.sum() for space, _ in ready])


def case_batches_in_one_space():
    return eval("batches_padded")(Padding(), [[torch.ones(2)], [torch.zeros(1), torch.ones(3)]])


def case_batches_in_one_space_cured():
    padding = PaddingAnew()
    ready = [padding.padded_anew(batch) for batch in ([torch.ones(2)], [torch.zeros(1), torch.ones(3)])]
    return torch.stack([space.sum() for space, _ in ready])


class Spaces:
    def __init__(self):
        self.whole = torch.zeros(4, 3)

    def cut(self, rows):
        part = self.whole[: len(rows)]
        part.zero_()  # warning: [IPL304]
        for place, row in enumerate(rows):
            part[place, : len(row)] = row
        return part, len(rows)


class Ahead:
    def __init__(self, made):
        self.made = made

    def __iter__(self):
        ready = deque()
        for batch in self.made:
            ready.append(batch)
            if len(ready) > 1:
                yield ready.popleft()
        while ready:
            yield ready.popleft()


def summed_ahead(spaces: Spaces, batches):
    return torch.stack([part.sum() for part, _ in Ahead([spaces.cut(batch) for batch in batches])])


def case_batches_made_ahead():
    return eval("summed_ahead")(Spaces(), [[torch.ones(2)], [torch.zeros(1), torch.ones(3)]])


def case_batches_made_ahead_cured():
    padding = PaddingAnew()
    ready = [padding.padded_anew(batch) for batch in ([torch.ones(2)], [torch.zeros(1), torch.ones(3)])]
    return torch.stack([space.sum() for space, _ in ready])
