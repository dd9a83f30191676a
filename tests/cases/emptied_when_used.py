"""What an object keeps is handed on and changed, and then its place is emptied: nobody reads it any more."""

import torch
from torch import nn


class Scaler(nn.Module):
    def fit(self, rows: torch.Tensor):
        rows -= rows.mean(dim=0)  # warning: [IPL304]
        self.std = rows.std(dim=0)

    def transform(self, features: torch.Tensor):
        features /= self.std
        return torch.matmul(features, torch.eye(3))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.scaler, self.norm = Scaler(), nn.BatchNorm1d(3)
        self.bank = []

    def fit(self):
        self.bank = torch.vstack(self.bank)
        self.scaler.fit(self.bank)
        self.norm(self.scaler.transform(self.bank))
        self.bank = []


class KeptScaler(nn.Module):
    def fit(self, rows: torch.Tensor):
        self.std = rows.std(dim=0)

    def transform(self, features: torch.Tensor):
        features /= self.std  # warning: [IPL304]
        return torch.matmul(features, torch.eye(3))


class KeptModel(nn.Module):
    def __init__(self):
        super().__init__()
        self.scaler, self.norm = KeptScaler(), nn.BatchNorm1d(3)
        self.bank = []

    def fit(self):
        self.bank = torch.vstack(self.bank)
        self.scaler.fit(self.bank)
        self.norm(self.scaler.transform(self.bank))
