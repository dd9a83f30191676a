"""Lightning under its older name."""

from lightning import LightningModule
