"""What is made of what is read gets other values at once: nobody misses what was there."""

import itertools

import torch
from torch import nn


def orthogonal_blocks(tensor: torch.Tensor, sizes, gain: float = 1.0):
    data = tensor.data
    for starts in itertools.product(*sizes):
        block = tuple(slice(start, start + 2) for start in starts)
        data[block] = nn.init.orthogonal_(tensor[block].contiguous(), gain=gain)


def case_blocks_are_initialized():
    weight = torch.zeros(4, 4)
    orthogonal_blocks(weight, [[0, 2], [0, 2]])
    return weight.square().sum().round()


def sharper_blocks(tensor: torch.Tensor, starts):
    """It is called elsewhere."""
    data = tensor.data
    for start in starts:
        block = slice(start, start + 3)
        data[block] = torch.softmax(tensor[block].contiguous(), 0)  # warning: [IPL303, IPL401]


def counted_blocks(tensor: torch.Tensor, starts):
    """It is called elsewhere, too."""
    data, sums = tensor.data, []
    for start in starts:
        block = slice(start, start + 3)
        sums.append(tensor[block].sum())
        data[block].zero_()  # warning: [IPL303]
    return sums


class Mosaic:
    """Collects tiles; gives what it has, not a copy."""

    def __init__(self):
        self.canvas = torch.zeros(4, 4)

    def add(self, tile, row):
        self.canvas[row : row + 2] = tile

    def get(self):
        return self.canvas


def shown_while_it_grows(tiles, previews):
    mosaic = Mosaic()
    for i, tile in enumerate(tiles):
        mosaic.add(tile, i)
        picture = mosaic.get()
        picture -= picture.min()  # warning: [IPL304]
        previews.append(picture.mean())
    return mosaic.get()


def case_preview_of_what_grows():
    return shown_while_it_grows([torch.ones(2, 4), torch.full((2, 4), 3.0), torch.ones(2, 4)], [])


def shown_in_copies(tiles, previews):
    mosaic = Mosaic()
    for i, tile in enumerate(tiles):
        mosaic.add(tile, i)
        picture = mosaic.get()
        picture = picture - picture.min()
        previews.append(picture.mean())
    return mosaic.get()


def case_preview_of_what_grows_cured():
    return shown_in_copies([torch.ones(2, 4), torch.full((2, 4), 3.0), torch.ones(2, 4)], [])


def summed_into(out, values):
    core = out[1:-1]
    core.copy_(values[:-2])
    core += values[2:]
    return core


class Exchanged:
    """Computes each step into the buffer that the last one has left, and exchanges the two."""

    def __init__(self, values):
        self.values, self.spare = values.clone(), torch.zeros_like(values)
        self.seen = []

    def step(self):
        core = summed_into(self.spare, self.values)
        core.mul_(0.5)
        self.values, self.spare = self.spare, self.values
        self.values[0].copy_(self.values[1])

    def run(self, steps):
        for _ in range(steps):
            self.seen.append(self.values.clone())
            self.step()
        return torch.stack(self.seen)


def case_buffers_that_are_exchanged():
    return Exchanged(torch.arange(4.0)).run(3)
