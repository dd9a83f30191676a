"""Buffers that are kept to be filled again: who was given one expects the new values."""

import torch


class Runner:
    """The inputs of a captured graph keep their memory."""

    def __init__(self):
        self.static_positions = [torch.rand(4) for _ in range(2)]

    def prepare(self, size, positions):
        static_positions = self.static_positions[size]
        given = static_positions
        static_positions[:2].copy_(positions)
        return {"positions": given}


def case_static_memory_is_filled():
    return Runner().prepare(1, torch.ones(2))


class Kernel:
    """Keeps a buffer that its owner fills."""

    def __init__(self, starts_buf):
        self.starts = starts_buf

    def run(self):
        return self.starts.sum()


def case_a_buffer_is_given_to_be_kept():
    starts = torch.rand(4)
    kernel = Kernel(starts)
    part = starts[:3]
    part.copy_(torch.ones(3))
    return kernel.run() + kernel.starts.max()


class Fields:
    """Gives the same memory again: the first field is assigned, the others are copied into it."""

    def __init__(self):
        self.field = self.other = None

    def batch(self, field):
        if self.field is None:
            self.field = field
            self.other = field * 2
        else:
            self.field.data.copy_(field)
            self.other.data.copy_(field * 2)
        return {"field": self.field, "other": self.other}


def case_fields_stay_where_they_are():
    fields = Fields()
    first = fields.batch(torch.rand(3))
    second = fields.batch(torch.rand(3))
    return first["field"] + second["other"]


class Denoiser:
    def __init__(self):
        self.buffers = {}

    def buffer(self, name, like):
        kept = self.buffers.get(name)
        if kept is None or kept.shape != like.shape:
            kept = self.buffers[name] = torch.empty_like(like)
        return kept

    def __call__(self, x):
        scaled = torch.mul(x, 2.0, out=self.buffer("scaled", x))
        return torch.add(scaled, 1.0)


def case_buffer_that_a_call_gives_to_be_filled():
    denoiser = Denoiser()
    return denoiser(torch.ones(2)) - denoiser(torch.zeros(2))


class Guidance:
    def __init__(self, denoiser):
        self.denoiser = denoiser

    def __call__(self, x, y):
        first = self.denoiser(x)
        second = self.denoiser(y)
        return first - second


class ReusingDenoiser(Denoiser):
    def __call__(self, x):
        return torch.add(x, 1.0, out=self.buffer("result", x))  # warning: [IPL303]


def case_buffer_that_a_call_gives_as_its_result():
    return Guidance(ReusingDenoiser())(torch.ones(2), torch.zeros(2))


class AddingDenoiser(Denoiser):
    def __call__(self, x):
        return torch.add(x, 1.0)


def case_buffer_that_a_call_gives_as_its_result_cured():
    return Guidance(AddingDenoiser())(torch.ones(2), torch.zeros(2))
