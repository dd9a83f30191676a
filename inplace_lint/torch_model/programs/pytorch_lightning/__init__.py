"""Lightning under its older name."""

from lightning import Callback, LightningDataModule, LightningModule, Trainer
