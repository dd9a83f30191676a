"""Lightning under its older name."""

from lightning import Callback, LightningModule, Trainer
