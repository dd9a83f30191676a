"""fastai: a learner calls its callbacks, which users derive, at the events of its training.

Its modules named `all` and `basics` give PyTorch's names as well.
"""

import numpy as np
import torch
from torch import Tensor, nn, optim, tensor
from torch.nn import functional as F

from inplace_lint.intrinsics import computed, surely, unknown


class Module(nn.Module):
    """A module whose subclasses need not call the constructor of their base."""

    def __init__(self):
        pass


class Callback:
    """What it does not have itself it has from its learner."""

    order = 0
    learn = None
    run_train = True
    run_valid = True

    def __init__(self, **events):
        self.events = events

    def before_fit(self):
        return None

    def before_epoch(self):
        return None

    def before_train(self):
        return None

    def before_batch(self):
        return None

    def after_pred(self):
        return None

    def after_loss(self):
        return None

    def before_backward(self):
        return None

    def after_backward(self):
        return None

    def before_step(self):
        return None

    def after_step(self):
        return None

    def after_batch(self):
        return None

    def after_train(self):
        return None

    def before_validate(self):
        return None

    def after_validate(self):
        return None

    def after_epoch(self):
        return None

    def after_fit(self):
        return None

    def __driven__(self):
        Learner(unknown(), unknown(), unknown(), cbs=self).fit(1)


class Learner:
    """Trained for two batches, with a validation after them."""

    def __init__(self, dls, model, loss_func=None, opt_func=None, *rest, cbs=None, **options):
        self.dls = dls
        self.model = model
        self.loss_func = unknown() if surely(loss_func is None) else loss_func
        self.opt = torch.optim.SGD(model.parameters(), 0.1)
        self.cbs = []
        self.training = True
        self.add_cbs(cbs)

    def add_cbs(self, cbs):
        for each in cbs if surely(isinstance(cbs, (list, tuple))) else [cbs]:
            self.add_cb(each)
        return self

    def add_cb(self, cb):
        made = cb if surely(isinstance(cb, Callback)) or surely(cb is None) else cb()
        if surely(isinstance(made, Callback)):
            made.learn = self
            computed(made, "model", lambda: self.model)
            computed(made, "opt", lambda: self.opt)
            computed(made, "loss_func", lambda: self.loss_func)
            computed(made, "training", lambda: self.training)
            computed(made, "xb", lambda: self.xb)
            computed(made, "yb", lambda: self.yb)
            computed(made, "x", lambda: self.xb[0])
            computed(made, "y", lambda: self.yb[0])
            computed(made, "pred", lambda: self.pred)
            computed(made, "loss", lambda: self.loss)
            computed(made, "loss_grad", lambda: self.loss_grad)
            self.cbs.append(made)
        return self

    def _called(self):
        """The callbacks that run in an inner loop."""
        return [cb for cb in self.cbs if not surely((cb.run_train if self.training else cb.run_valid) is False)]

    def _one_batch(self):
        self.xb = (unknown(is_data=True),)
        self.yb = (unknown(is_data=True),)
        for cb in self._called():
            cb.before_batch()
        self.pred = self.model(*self.xb)
        for cb in self._called():
            cb.after_pred()
        self.loss_grad = self.loss_func(self.pred, *self.yb)
        self.loss = self.loss_grad.clone()
        for cb in self._called():
            cb.after_loss()
        if self.training:
            self._step()
        for cb in self._called():
            cb.after_batch()

    def _step(self):
        for cb in self._called():
            cb.before_backward()
        self.loss_grad.backward()
        for cb in self._called():
            cb.after_backward()
            cb.before_step()
        self.opt.step()
        for cb in self._called():
            cb.after_step()
        self.opt.zero_grad()

    def fit(self, n_epoch=1, *rest, cbs=None, **options):
        self.add_cbs(cbs)
        for cb in self.cbs:
            cb.before_fit()
            cb.before_epoch()
            cb.before_train()
        for _ in range(2):
            self._one_batch()
        for cb in self.cbs:
            cb.after_train()
            cb.before_validate()
        self.validate()
        for cb in self.cbs:
            cb.after_validate()
            cb.after_epoch()
            cb.after_fit()

    def fit_one_cycle(self, n_epoch, *rest, cbs=None, **options):
        self.fit(n_epoch, cbs=cbs)

    def fit_flat_cos(self, n_epoch, *rest, cbs=None, **options):
        self.fit(n_epoch, cbs=cbs)

    def fine_tune(self, epochs, *rest, cbs=None, **options):
        self.fit(epochs, cbs=cbs)

    @torch.no_grad()
    def validate(self, *args, **options):
        self.training = False
        self._one_batch()
        self.training = True
        return unknown()

    def get_preds(self, *args, **options):
        self.validate()
        return unknown(is_data=True), unknown(is_data=True)
