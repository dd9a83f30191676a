"""What a conversion gives that had nothing to do: a name for that is no short name for what is kept."""

import torch


class Schedule:
    def __init__(self):
        self.products = torch.cumprod(torch.full((4,), 0.5), dim=0)

    def noised(self, x, step):
        return x * self.products.to(device=x.device)[step]


def weights(schedule, device):
    products = schedule.products.to(device=device, dtype=torch.float32)
    products = products.clamp_(min=0.2)  # warning: [IPL304]
    return products / (1 - products)


def case_table_of_another_object(device="cpu"):
    schedule = Schedule()
    weight = weights(schedule, device)[0]
    return schedule.noised(torch.ones(2), 3) * weight


def weights_apart(schedule, device):
    products = schedule.products.to(device=device, dtype=torch.float32)
    products = products.clamp(min=0.2)
    return products / (1 - products)


def case_table_of_another_object_cured(device="cpu"):
    schedule = Schedule()
    weight = weights_apart(schedule, device)[0]
    return schedule.noised(torch.ones(2), 3) * weight


class Moments:
    def __init__(self):
        self.mean = torch.zeros(2)

    def update(self, values):
        mean = self.mean
        mean.add_(values - mean)
        return self.mean * 2


def case_short_name():
    return Moments().update(torch.ones(2))
