"""Lightning: a module whose methods the trainer calls, with and without gradients, in their order."""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown
from lightning.fabric import Fabric


class LightningModule(nn.Module):
    """Trained for two batches, with a validation after them.

    What the trainer calls without gradients is declared so.
    """

    automatic_optimization = True
    _optimizers = None

    def configure_optimizers(self):
        return None

    def optimizers(self, use_pl_optimizer=True):
        if surely(self._optimizers is None):
            self._optimizers = _listed(self.configure_optimizers())
        return self._optimizers[0] if surely(len(self._optimizers) == 1) else self._optimizers

    def manual_backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    def backward(self, loss, *args, **kwargs):
        loss.backward(*args, **kwargs)

    def clip_gradients(self, optimizer, gradient_clip_val=None, gradient_clip_algorithm=None):
        for group in optimizer.param_groups:
            nn.utils.clip_grad_norm_(group["params"], gradient_clip_val)

    def optimizer_step(self, epoch, batch_idx, optimizer, optimizer_closure=None):
        optimizer.step(closure=optimizer_closure)

    def optimizer_zero_grad(self, epoch, batch_idx, optimizer):
        optimizer.zero_grad()

    def on_fit_start(self):
        return None

    def on_train_start(self):
        return None

    def on_train_epoch_start(self):
        return None

    def on_train_batch_start(self, batch, batch_idx):
        return None

    def training_step(self, batch, batch_idx):
        return None

    def on_before_zero_grad(self, optimizer):
        return None

    def on_before_backward(self, loss):
        return None

    def on_after_backward(self):
        return None

    def on_before_optimizer_step(self, optimizer):
        return None

    def on_train_batch_end(self, outputs, batch, batch_idx):
        return None

    def on_train_epoch_end(self):
        return None

    @torch.no_grad()
    def on_validation_start(self):
        return None

    @torch.no_grad()
    def on_validation_epoch_start(self):
        return None

    @torch.no_grad()
    def on_validation_batch_start(self, batch, batch_idx, dataloader_idx=0):
        return None

    @torch.no_grad()
    def validation_step(self, batch, batch_idx):
        return None

    @torch.no_grad()
    def on_validation_batch_end(self, outputs, batch, batch_idx, dataloader_idx=0):
        return None

    @torch.no_grad()
    def validation_epoch_end(self, outputs):
        return None

    @torch.no_grad()
    def on_validation_epoch_end(self):
        return None

    @torch.no_grad()
    def on_validation_end(self):
        return None

    @torch.no_grad()
    def on_test_start(self):
        return None

    @torch.no_grad()
    def on_test_epoch_start(self):
        return None

    @torch.no_grad()
    def test_step(self, batch, batch_idx):
        return None

    @torch.no_grad()
    def on_test_batch_end(self, outputs, batch, batch_idx, dataloader_idx=0):
        return None

    @torch.no_grad()
    def test_epoch_end(self, outputs):
        return None

    @torch.no_grad()
    def on_test_epoch_end(self):
        return None

    @torch.no_grad()
    def predict_step(self, batch, batch_idx):
        return None

    @torch.no_grad()
    def on_predict_epoch_end(self):
        return None

    def __driven__(self):
        self.optimizers()
        self.train()
        self.on_fit_start()
        self.on_train_start()
        self.on_train_epoch_start()
        for batch_idx in range(2):
            batch = unknown(is_data=True)
            self.on_train_batch_start(batch, batch_idx)
            if self.automatic_optimization:
                outputs = self._optimized(batch, batch_idx)
            else:
                outputs = self.training_step(batch, batch_idx)
            self.on_train_batch_end(outputs, batch, batch_idx)
        self._validated()
        self.on_train_epoch_end()

    def _optimized(self, batch, batch_idx):
        outputs = None
        for optimizer in self._optimizers:
            outputs = self.training_step(batch, batch_idx)
            loss = outputs["loss"] if surely(isinstance(outputs, dict)) else outputs
            self.on_before_zero_grad(optimizer)
            self.optimizer_zero_grad(0, batch_idx, optimizer)
            self.on_before_backward(loss)
            self.backward(loss)
            self.on_after_backward()
            self.on_before_optimizer_step(optimizer)
            self.optimizer_step(0, batch_idx, optimizer, None)
        return outputs

    @torch.no_grad()
    def _validated(self):
        self.eval()
        self.on_validation_start()
        self.on_validation_epoch_start()
        batch = unknown(is_data=True)
        self.on_validation_batch_start(batch, 0)
        outputs = self.validation_step(batch, 0)
        self.on_validation_batch_end(outputs, batch, 0)
        self.on_validation_epoch_end()
        self.on_validation_end()
        self.train()


def _listed(made):
    """The optimizers, in whichever form they are configured."""
    if surely(made is None):
        return []
    if surely(isinstance(made, dict)):
        return [made["optimizer"]]
    if surely(isinstance(made, (list, tuple))):
        if surely(len(made) == 2) and surely(isinstance(made[0], (list, tuple))):
            made = made[0]
        return [each["optimizer"] if surely(isinstance(each, dict)) else each for each in made]
    return [made]
