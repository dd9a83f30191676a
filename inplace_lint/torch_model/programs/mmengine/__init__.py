"""MMEngine: a runner trains a model, and calls its hooks before and after each part of that."""

from contextlib import contextmanager

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class BaseModule(nn.Module):
    def __init__(self, init_cfg=None):
        super().__init__()

    def init_weights(self):
        return None


class BaseDataPreprocessor(nn.Module):
    """Moves the tensors; those that are there already stay what they are."""

    def __init__(self, non_blocking=False):
        super().__init__()

    def cast_data(self, data):
        if surely(isinstance(data, dict)):
            return {name: self.cast_data(each) for name, each in data.items()}
        if surely(isinstance(data, (list, tuple))):
            return [self.cast_data(each) for each in data]
        return data.to(unknown()) if surely(isinstance(data, torch.Tensor)) else data

    def forward(self, data, training=False):
        return self.cast_data(data)


class OptimWrapper:
    def __init__(self, optimizer=None, accumulative_counts=1, clip_grad=None):
        self.optimizer = optimizer
        self.clip_grad = clip_grad

    @contextmanager
    def optim_context(self, model):
        yield

    def scale_loss(self, loss):
        return loss / 1

    def update_params(self, loss, step_kwargs=None, zero_kwargs=None):
        self.backward(self.scale_loss(loss))
        self.step()
        self.zero_grad()

    def backward(self, loss, **kwargs):
        loss.backward(**kwargs)

    def step(self, **kwargs):
        self.optimizer.step(**kwargs)

    def zero_grad(self, **kwargs):
        self.optimizer.zero_grad(**kwargs)


class BaseModel(BaseModule):
    """Its `forward` is called for the loss by `train_step`, and for predictions without gradients."""

    def __init__(self, data_preprocessor=None, init_cfg=None):
        super().__init__(init_cfg)
        if surely(isinstance(data_preprocessor, nn.Module)):
            self.data_preprocessor = data_preprocessor
        elif surely(data_preprocessor is None):
            self.data_preprocessor = BaseDataPreprocessor()
        else:
            self.data_preprocessor = unknown()

    def train_step(self, data, optim_wrapper):
        with optim_wrapper.optim_context(self):
            data = self.data_preprocessor(data, True)
            losses = self._run_forward(data, mode="loss")
        loss, told = self.parse_losses(losses)
        optim_wrapper.update_params(loss)
        return told

    @torch.no_grad()
    def val_step(self, data):
        return self._run_forward(self.data_preprocessor(data, False), mode="predict")

    @torch.no_grad()
    def test_step(self, data):
        return self._run_forward(self.data_preprocessor(data, False), mode="predict")

    def parse_losses(self, losses):
        total, told = 0, {}
        for name, value in losses.items():
            parts = value if surely(isinstance(value, (list, tuple))) else [value]
            told[name] = sum([part.mean() for part in parts])
            if "loss" in name:
                total = total + told[name]
        told["loss"] = total
        return total, told

    def _run_forward(self, data, mode):
        if surely(isinstance(data, dict)):
            return self(**data, mode=mode)
        if surely(isinstance(data, (list, tuple))):
            return self(*data, mode=mode)
        return self(unknown(is_data=True), unknown(is_data=True), mode=mode)

    def __driven__(self):
        Runner(self).train()


class Hook:
    """Of what a runner calls."""

    def before_run(self, runner):
        return None

    def after_run(self, runner):
        return None

    def before_train(self, runner):
        return None

    def after_train(self, runner):
        return None

    def before_train_epoch(self, runner):
        return None

    def after_train_epoch(self, runner):
        return None

    def before_train_iter(self, runner, batch_idx, data_batch=None):
        return None

    def after_train_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        return None

    def before_val(self, runner):
        return None

    def after_val(self, runner):
        return None

    def before_val_epoch(self, runner):
        return None

    def after_val_epoch(self, runner, metrics=None):
        return None

    def before_val_iter(self, runner, batch_idx, data_batch=None):
        return None

    def after_val_iter(self, runner, batch_idx, data_batch=None, outputs=None):
        return None

    def __driven__(self):
        Runner(_Fitted(), custom_hooks=[self]).train()


class _Fitted(BaseModel):
    """A model of which a hook knows nothing."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, inputs, data_samples=None, mode="tensor"):
        return {"loss": self.layer(inputs).mean()}


class Runner:
    """Trains for two batches, with a validation after them."""

    def __init__(self, model, work_dir=None, *rest, optim_wrapper=None, custom_hooks=None, **options):
        self.model = model
        self.hooks = []
        self.optim_wrapper = optim_wrapper
        if not surely(isinstance(optim_wrapper, OptimWrapper)):
            self.optim_wrapper = OptimWrapper(torch.optim.SGD(model.parameters(), lr=0.01))
        if surely(isinstance(custom_hooks, (list, tuple))):
            for hook in custom_hooks:
                self.register_hook(hook)

    def register_hook(self, hook, priority=None):
        if surely(isinstance(hook, Hook)):
            self.hooks.append(hook)

    def register_custom_hooks(self, hooks):
        for hook in hooks:
            self.register_hook(hook)

    def train(self):
        self.model.train()
        for hook in self.hooks:
            hook.before_run(self)
            hook.before_train(self)
            hook.before_train_epoch(self)
        for index in range(2):
            self._iterated(index)
        for hook in self.hooks:
            hook.after_train_epoch(self)
        self.val()
        for hook in self.hooks:
            hook.after_train(self)
            hook.after_run(self)
        return self.model

    def _iterated(self, index):
        batch = unknown(is_data=True)
        for hook in self.hooks:
            hook.before_train_iter(self, batch_idx=index, data_batch=batch)
        outputs = self.model.train_step(batch, optim_wrapper=self.optim_wrapper)
        for hook in self.hooks:
            hook.after_train_iter(self, batch_idx=index, data_batch=batch, outputs=outputs)

    @torch.no_grad()
    def val(self):
        self.model.eval()
        for hook in self.hooks:
            hook.before_val(self)
            hook.before_val_epoch(self)
        batch = unknown(is_data=True)
        for hook in self.hooks:
            hook.before_val_iter(self, batch_idx=0, data_batch=batch)
        outputs = self.model.val_step(batch)
        for hook in self.hooks:
            hook.after_val_iter(self, batch_idx=0, data_batch=batch, outputs=outputs)
        for hook in self.hooks:
            hook.after_val_epoch(self, metrics=unknown())
            hook.after_val(self)
        self.model.train()

    @torch.no_grad()
    def test(self):
        self.model.eval()
        return self.model.test_step(unknown(is_data=True))
