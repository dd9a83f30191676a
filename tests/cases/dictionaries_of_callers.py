"""A function that copies a dictionary does not mean to change what its caller has: but the copy has the same tensors."""

import copy

import torch
from torch import Tensor
from torch.utils.data import Dataset


def open_scaled_copy(sample: dict[str, Tensor]):
    sample = dict(sample)
    sample["x"] *= 2  # warning: [IPL305]
    return sample["x"]


def open_copy_by_method(sample: dict[str, Tensor]):
    scaled = sample.copy()
    scaled["x"] -= scaled["x"].mean()  # warning: [IPL305]
    return scaled["x"]


def open_copy_by_module(sample: dict[str, Tensor]):
    sample = copy.copy(sample)
    sample["x"].clamp_(0.2, 0.4)  # warning: [IPL305]
    return sample["x"]


def open_copy_in_a_display(sample: dict[str, Tensor]):
    sample = {**sample, "seen": True}
    sample["x"][0] = 7.0  # warning: [IPL305]
    return sample["x"]


class Shift:
    def convert(self, values):
        values[1:] -= values[:1]
        return values

    def __call__(self, sample: dict[str, Tensor]):
        sample = dict(sample)
        sample["x"] = self.convert(sample["x"])  # warning: [IPL305]
        return sample


def open_copy_changed_by_a_method(sample: dict[str, Tensor]):
    return Shift()(sample)["x"]


def open_copied_and_cloned(sample: dict[str, Tensor]):
    sample = {**sample, "x": sample["x"].clone()}
    sample["x"] *= 2
    return sample["x"]


def open_copied_and_replaced(sample: dict[str, Tensor]):
    sample = dict(sample)
    sample["x"] = sample["x"] * 2
    sample["x"] += 1
    return sample["x"]


def open_not_copied(sample: dict[str, Tensor]):
    sample["x"] *= 2
    return sample["x"]


def _doubled(sample: dict[str, Tensor]):
    sample = dict(sample)
    sample["x"] *= 2  # warning: [IPL304]
    return sample


def case_next_turn_reads_what_the_copy_shares():
    sample = {"x": torch.ones(3)}
    sums = []
    for _ in range(3):
        sums.append(_doubled(sample)["x"].sum().item())
    return sums


def _doubled_tensor(sample: dict[str, Tensor]):
    sample = dict(sample)
    sample["x"] = sample["x"] * 2
    return sample


def case_next_turn_reads_what_the_copy_shares_cured():
    sample = {"x": torch.ones(3)}
    sums = []
    for _ in range(3):
        sums.append(_doubled_tensor(sample)["x"].sum().item())
    return sums


class Centred(Dataset):
    def __init__(self):
        self.samples = [{"x": torch.arange(3.0) + i, "y": torch.tensor(i)} for i in range(2)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = self.samples[index].copy()
        sample["x"] /= 255  # warning: [IPL304]
        return sample


def case_item_of_a_data_set_is_copied_without_its_tensors():
    data = Centred()
    return [data[0]["x"].sum().item() for _ in range(2)]


class CentredAnew(Dataset):
    def __init__(self):
        self.samples = [{"x": torch.arange(3.0) + i, "y": torch.tensor(i)} for i in range(2)]

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        sample = self.samples[index].copy()
        sample["x"] = sample["x"] / 255
        return sample


def case_item_of_a_data_set_is_copied_without_its_tensors_cured():
    data = CentredAnew()
    return [data[0]["x"].sum().item() for _ in range(2)]


def case_rates_in_a_copied_dictionary():
    rates = {"lr": 0.1, "momentum": 0.9}
    halved = dict(rates)
    halved["lr"] *= 0.5
    return torch.tensor([rates["lr"], halved["lr"]])
