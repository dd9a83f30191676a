"""A tensor and a view of it that is changed: are they two for the program, or one?"""

import torch
from torch import nn
from torch.nn import functional as F


def case_filled_in_again():
    fill, images = nn.Linear(6, 6), torch.rand(4, 2, 3)
    rows = images.view(4, 6)
    rows[torch.rand(4, 6) < 0.5] = 0  # warning: [IPL303]
    return F.mse_loss(fill(rows).view(4, 2, 3), images)


def case_filled_in_again_cured():
    fill, images = nn.Linear(6, 6), torch.rand(4, 2, 3)
    rows = images.clone().view(4, 6)
    rows[torch.rand(4, 6) < 0.5] = 0
    return F.mse_loss(fill(rows).view(4, 2, 3), images)


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Sequential(nn.Conv1d(3, 4, 1), nn.ReLU(), nn.Conv1d(4, 3, 1))

    def training_step(self, batch):
        channels = batch.transpose(1, 2)
        channels[:, 1:] *= 0.1  # warning: [IPL303]
        cleaned = self.mix(channels).transpose(1, 2)
        return (cleaned - batch).abs().mean()


def case_noise_taken_out():
    model = Denoiser()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.rand(2, 4, 5, 3):
        loss = model.training_step(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


class DenoiserOfCopies(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Sequential(nn.Conv1d(3, 4, 1), nn.ReLU(), nn.Conv1d(4, 3, 1))

    def training_step(self, batch):
        channels = batch.transpose(1, 2).clone()
        channels[:, 1:] *= 0.1
        cleaned = self.mix(channels).transpose(1, 2)
        return (cleaned - batch).abs().mean()


def case_noise_taken_out_cured():
    model = DenoiserOfCopies()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in torch.rand(2, 4, 5, 3):
        loss = model.training_step(batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss


def case_what_was_changed_by_a_view_is_the_input():
    fill, images = nn.Linear(3, 3), torch.rand(4, 2, 3)
    rows = images.view(4, 6)
    rows[torch.rand(4, 6) < 0.5] = 0
    return F.mse_loss(fill(images), images)


def case_view_is_compared_itself():
    fill, images = nn.Linear(6, 6), torch.rand(4, 2, 3)
    rows = images.view(4, 6)
    rows[torch.rand(4, 6) < 0.5] = 0
    return F.mse_loss(fill(rows), rows) + images.sum()
