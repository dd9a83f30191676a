"""Who takes overwritten values only to ask for their shape does not miss the old ones."""

import torch


def stepped(gradient, momentum, parts):
    update = gradient.lerp_(momentum, 0.5)
    rows = []
    for part in parts:
        row, old = update[part], gradient[part].reshape(2, 1)
        rows.append(row * old.size(-2))
    return torch.cat(rows)


def case_shape_of_the_old():
    return stepped(torch.ones(2, 2), torch.zeros(2, 2), [torch.tensor(0), torch.tensor(1)])


def measured(gradient, momentum, parts):
    update = gradient.lerp_(momentum, 0.5)  # warning: [IPL301]
    rows = []
    for part in parts:
        row, old = update[part], gradient[part].reshape(2, 1)
        rows.append(row * old.norm())
    return torch.cat(rows)


def case_norm_of_the_old():
    return measured(torch.ones(2, 2), torch.zeros(2, 2), [torch.tensor(0), torch.tensor(1)])


def case_norm_of_the_old_cured():
    gradient = torch.ones(2, 2)
    update = gradient.lerp(torch.zeros(2, 2), 0.5)
    return torch.cat([update[i] * gradient[i].norm() for i in range(2)])


def filtered(taps=(1.0, 2.0, 1.0), gain=1):
    kernel = torch.as_tensor(taps, dtype=torch.float32)
    kernel /= kernel.sum()
    return kernel * gain


class Blur:
    def __init__(self, taps=(1.0, 3.0, 1.0)):
        self.once = filtered(taps)
        self.twice = filtered(taps, gain=2)


def case_tensor_of_numbers():
    return Blur().once, Blur((1.0, 1.0)).twice


def filtered_tensor(taps, gain=1):
    kernel = torch.as_tensor(taps, dtype=torch.float32)
    kernel /= kernel.sum()  # warning: [IPL305]
    return kernel * gain


def case_tensor_of_a_tensor():
    taps = torch.ones(3)
    kernel = filtered_tensor(taps)
    return kernel + taps.sum()


def case_tensor_of_a_tensor_cured():
    taps = torch.ones(3)
    return taps / 3 + taps.sum()
