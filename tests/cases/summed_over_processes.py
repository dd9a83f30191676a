"""Buffers that are summed over processes."""

import sys

import torch
import torch.distributed as dist


class Buffer:
    def __init__(self, size):
        self.data, self.at = torch.arange(float(size)), 0

    def part(self):
        part = self.data[self.at : self.at + 2]
        self.at += 2
        return part


def _alone(run):
    hook = sys.excepthook  # a process group sets another one, and leaves it there
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        return run()
    finally:
        dist.destroy_process_group()
        sys.excepthook = hook


def _averaged(count):
    buffer = Buffer(4)
    part = buffer.part()
    part.div_(count)
    dist.all_reduce(part)
    return count


def case_nobody_reads_the_buffer():
    return _alone(lambda: _averaged(2.0))


def _averaged_beside(count):
    buffer = Buffer(4)
    part = buffer.part()
    mean = part.div_(count)  # warning: [IPL304]
    dist.all_reduce(mean)
    return mean - buffer.data[:2]


def case_the_buffer_is_read():
    return _alone(lambda: _averaged_beside(2.0))


def _copy_averaged_beside(count):
    buffer = Buffer(4)
    part = buffer.part()
    mean = part.div(count)
    dist.all_reduce(mean)
    return mean - buffer.data[:2]


def case_the_buffer_is_read_cured():
    return _alone(lambda: _copy_averaged_beside(2.0))
