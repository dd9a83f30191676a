"""Lightning: a module whose methods the trainer calls, with and without gradients, in their order."""

import torch
from torch import nn
from torch.utils.data import DataLoader

from inplace_lint.intrinsics import surely, unknown
from lightning.fabric import Fabric


class _DataHooks:
    """What a trainer asks for batches, and hands them to before a step."""

    def prepare_data(self):
        return None

    def setup(self, stage=None):
        return None

    def train_dataloader(self):
        return None

    def val_dataloader(self):
        return None

    def on_before_batch_transfer(self, batch, dataloader_idx):
        return batch

    def transfer_batch_to_device(self, batch, device, dataloader_idx):
        return batch

    def on_after_batch_transfer(self, batch, dataloader_idx):
        return batch


class LightningDataModule(_DataHooks):
    def __driven__(self):
        Trainer().fit(_Fitted(), datamodule=self)


class LightningModule(nn.Module, _DataHooks):
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
        Trainer().fit(self)


class Callback:
    """Of what a trainer calls, each before the module's method of that name."""

    def setup(self, trainer, pl_module, stage):
        return None

    def on_fit_start(self, trainer, pl_module):
        return None

    def on_train_start(self, trainer, pl_module):
        return None

    def on_train_epoch_start(self, trainer, pl_module):
        return None

    def on_train_batch_start(self, trainer, pl_module, batch, batch_idx):
        return None

    def on_before_zero_grad(self, trainer, pl_module, optimizer):
        return None

    def on_before_backward(self, trainer, pl_module, loss):
        return None

    def on_after_backward(self, trainer, pl_module):
        return None

    def on_before_optimizer_step(self, trainer, pl_module, optimizer):
        return None

    def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
        return None

    @torch.no_grad()
    def on_validation_start(self, trainer, pl_module):
        return None

    @torch.no_grad()
    def on_validation_epoch_start(self, trainer, pl_module):
        return None

    @torch.no_grad()
    def on_validation_batch_start(self, trainer, pl_module, batch, batch_idx, dataloader_idx=0):
        return None

    @torch.no_grad()
    def on_validation_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, dataloader_idx=0):
        return None

    @torch.no_grad()
    def on_validation_epoch_end(self, trainer, pl_module):
        return None

    @torch.no_grad()
    def on_validation_end(self, trainer, pl_module):
        return None

    def on_train_epoch_end(self, trainer, pl_module):
        return None

    def on_train_end(self, trainer, pl_module):
        return None

    def on_fit_end(self, trainer, pl_module):
        return None

    def __driven__(self):
        Trainer(callbacks=[self]).fit(_Fitted())


class _Fitted(LightningModule):
    """A module of which a callback knows nothing."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

    def training_step(self, batch, batch_idx):
        return self.layer(batch).mean()


class Trainer:
    """What is validated, tested or predicted outside of a fit is so in inference mode, if that is not refused.

    Where gradients are accumulated, those of both batches of a fit are.
    """

    def __init__(self, *, callbacks=None, inference_mode=True, accumulate_grad_batches=1, **options):
        self.accumulates = surely(accumulate_grad_batches > 1)
        self.infers = not surely(inference_mode is False)
        made = callbacks if surely(isinstance(callbacks, (list, tuple))) else [callbacks]
        self.callbacks = [each for each in made if surely(isinstance(each, Callback))]
        self._data, self._loaders = _DataHooks(), [None, None]

    def fit(self, model, train_dataloaders=None, val_dataloaders=None, datamodule=None, **options):
        given = train_dataloaders if surely(isinstance(train_dataloaders, LightningDataModule)) else datamodule
        self._data = given if surely(isinstance(given, LightningDataModule)) else model
        self._loaders = [train_dataloaders, val_dataloaders]
        if surely(isinstance(model, LightningModule)):
            self._fit(model)

    def validate(self, model=None, *data, **options):
        return self._inferred(self._validated, model)

    def test(self, model=None, *data, **options):
        return self._inferred(self._tested, model)

    def predict(self, model=None, *data, **options):
        self._predictions = []
        unseen = self._inferred(self._predicted, model)
        return self._predictions if surely(len(self._predictions) > 0) else unseen

    def _inferred(self, run, model):
        if surely(isinstance(model, LightningModule)):
            if self.infers:
                with torch.inference_mode():
                    run(model)
            else:
                run(model)
        return unknown()

    def _batch(self, training):
        """The first batch of a loader, if that is in view; each epoch begins with it."""
        loader = self._loaders[0 if training else 1]
        if not surely(isinstance(loader, DataLoader)):
            loader = self._data.train_dataloader() if training else self._data.val_dataloader()
        batch = next(iter(loader)) if surely(isinstance(loader, DataLoader)) else unknown(is_data=True)
        batch = self._data.on_before_batch_transfer(batch, 0)
        batch = self._data.transfer_batch_to_device(batch, unknown(), 0)
        return self._data.on_after_batch_transfer(batch, 0)

    def _fit(self, model):
        self._data.prepare_data()
        self._data.setup("fit")
        model.optimizers()
        model.train()
        for each in self.callbacks:
            each.setup(self, model, "fit")
            each.on_fit_start(self, model)
        model.on_fit_start()
        for each in self.callbacks:
            each.on_train_start(self, model)
        model.on_train_start()
        for each in self.callbacks:
            each.on_train_epoch_start(self, model)
        model.on_train_epoch_start()
        for batch_idx in range(2):
            self._trained(model, self._batch(True), batch_idx)
        self._validated(model)
        for each in self.callbacks:
            each.on_train_epoch_end(self, model)
        model.on_train_epoch_end()
        for each in self.callbacks:
            each.on_train_end(self, model)
            each.on_fit_end(self, model)

    def _trained(self, model, batch, batch_idx):
        for each in self.callbacks:
            each.on_train_batch_start(self, model, batch, batch_idx)
        model.on_train_batch_start(batch, batch_idx)
        if model.automatic_optimization:
            outputs = self._optimized(model, batch, batch_idx)
        else:
            outputs = model.training_step(batch, batch_idx)
        for each in self.callbacks:
            each.on_train_batch_end(self, model, outputs, batch, batch_idx)
        model.on_train_batch_end(outputs, batch, batch_idx)

    def _optimized(self, model, batch, batch_idx):
        outputs = None
        for optimizer in model._optimizers:
            outputs = model.training_step(batch, batch_idx)
            loss = outputs["loss"] if surely(isinstance(outputs, dict)) else outputs
            if batch_idx == 0 or not self.accumulates:
                for each in self.callbacks:
                    each.on_before_zero_grad(self, model, optimizer)
                model.on_before_zero_grad(optimizer)
                model.optimizer_zero_grad(0, batch_idx, optimizer)
            for each in self.callbacks:
                each.on_before_backward(self, model, loss)
            model.on_before_backward(loss)
            model.backward(loss)
            for each in self.callbacks:
                each.on_after_backward(self, model)
            model.on_after_backward()
            if batch_idx == 1 or not self.accumulates:
                for each in self.callbacks:
                    each.on_before_optimizer_step(self, model, optimizer)
                model.on_before_optimizer_step(optimizer)
                model.optimizer_step(0, batch_idx, optimizer, None)
        return outputs

    @torch.no_grad()
    def _validated(self, model):
        model.eval()
        for each in self.callbacks:
            each.on_validation_start(self, model)
            each.on_validation_epoch_start(self, model)
        model.on_validation_start()
        model.on_validation_epoch_start()
        batch = self._batch(False)
        for each in self.callbacks:
            each.on_validation_batch_start(self, model, batch, 0)
        model.on_validation_batch_start(batch, 0)
        outputs = model.validation_step(batch, 0)
        for each in self.callbacks:
            each.on_validation_batch_end(self, model, outputs, batch, 0)
        model.on_validation_batch_end(outputs, batch, 0)
        for each in self.callbacks:
            each.on_validation_epoch_end(self, model)
        model.on_validation_epoch_end()
        for each in self.callbacks:
            each.on_validation_end(self, model)
        model.on_validation_end()
        model.train()

    @torch.no_grad()
    def _tested(self, model):
        model.eval()
        model.on_test_start()
        model.on_test_epoch_start()
        outputs = model.test_step(unknown(is_data=True), 0)
        model.on_test_batch_end(outputs, unknown(is_data=True), 0)
        model.on_test_epoch_end()
        model.train()

    @torch.no_grad()
    def _predicted(self, model):
        model.eval()
        for batch_idx in range(2):
            self._predictions.append(model.predict_step(unknown(is_data=True), batch_idx))
        model.on_predict_epoch_end()
        model.train()


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
