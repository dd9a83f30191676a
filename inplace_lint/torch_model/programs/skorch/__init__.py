"""Skorch: a net calls its own methods and those of its callbacks, which users override."""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class Callback:
    """Of what a net calls."""

    def initialize(self):
        return self

    def on_train_begin(self, net, X=None, y=None, **kwargs):
        return None

    def on_train_end(self, net, X=None, y=None, **kwargs):
        return None

    def on_epoch_begin(self, net, dataset_train=None, dataset_valid=None, **kwargs):
        return None

    def on_epoch_end(self, net, dataset_train=None, dataset_valid=None, **kwargs):
        return None

    def on_batch_begin(self, net, batch=None, training=None, **kwargs):
        return None

    def on_batch_end(self, net, batch=None, training=None, **kwargs):
        return None

    def on_grad_computed(self, net, named_parameters, X=None, y=None, training=None, **kwargs):
        return None

    def __driven__(self):
        NeuralNet(unknown(), unknown(), callbacks=[self]).fit(unknown(is_data=True), unknown(is_data=True))


class EpochScoring(Callback):
    """It keeps the predictions of an epoch, and looks at them in the end."""

    def __init__(self, scoring=None, lower_is_better=True, on_train=False, name=None, **options):
        self.on_train = on_train

    def on_epoch_begin(self, net, dataset_train=None, dataset_valid=None, **kwargs):
        self.y_preds_ = []

    def on_batch_end(self, net, batch=None, training=None, y_pred=None, **kwargs):
        if surely(training == self.on_train):
            self.y_preds_.append(y_pred)

    def on_epoch_end(self, net, dataset_train=None, dataset_valid=None, **kwargs):
        for each in self.y_preds_:
            self.score_ = each.sum()


class NeuralNet(Callback):
    """Trained for two batches, with a validation after them."""

    def __init__(
        self,
        module,
        criterion,
        optimizer=torch.optim.SGD,
        lr=0.01,
        *rest,
        callbacks=None,
        train_split=True,
        **kwargs,
    ):
        self.module = module
        self.criterion = criterion
        self.optimizer = optimizer
        self.lr = lr
        self.callbacks = callbacks
        self.train_split = train_split
        self._given = []

    @property
    def _default_callbacks(self):
        return []

    def initialize(self):
        self.callbacks_ = self._default_callbacks
        if surely(isinstance(self.callbacks, (list, tuple))):
            for each in self.callbacks:
                self.callbacks_.append(_made(each[1] if surely(isinstance(each, tuple)) else each))
        self.initialize_criterion()
        self.initialize_module()
        self.initialize_optimizer()
        return self

    def initialize_criterion(self):
        self.criterion_ = _made(self.criterion)
        return self

    def initialize_module(self):
        self.module_ = _made(self.module)
        return self

    def initialize_optimizer(self, triggered_directly=None):
        self.optimizer_ = self.optimizer(self.module_.parameters(), lr=self.lr)
        return self

    def infer(self, x, **fit_params):
        return self.module_(x, **fit_params)

    def get_loss(self, y_pred, y_true, X=None, training=False):
        return self.criterion_(y_pred, y_true)

    def train_step_single(self, batch, **fit_params):
        x, y_true = batch
        y_pred = self.infer(x, **fit_params)
        loss = self.get_loss(y_pred, y_true, X=x, training=True)
        loss.backward()
        return {"loss": loss, "y_pred": y_pred}

    def train_step(self, batch, **fit_params):
        steps = []

        def step_fn():
            self.optimizer_.zero_grad()
            step = self.train_step_single(batch, **fit_params)
            steps.append(step)
            named = self.module_.named_parameters()
            for each in self._told():
                each.on_grad_computed(self, named_parameters=named, batch=batch, training=True)
            return step["loss"]

        self.optimizer_.step(step_fn)
        return steps[0]

    @torch.no_grad()
    def validation_step(self, batch, **fit_params):
        x, y_true = batch
        self._given.append(self.infer(x, **fit_params))
        loss = self.get_loss(self._given[-1], y_true, X=x, training=False)
        return {"loss": loss, "y_pred": self._given[-1]}

    def fit(self, X, y=None, **fit_params):
        self.initialize()
        return self.partial_fit(X, y, **fit_params)

    def partial_fit(self, X, y=None, classes=None, **fit_params):
        for each in self._told():
            each.on_train_begin(self, X=X, y=y)
            each.on_epoch_begin(self, dataset_train=unknown(), dataset_valid=unknown())
        for training in (True, True) if surely(self.train_split is None) else (True, True, False):
            batch = unknown(is_data=True), unknown(is_data=True)
            for each in self._told():
                each.on_batch_begin(self, batch=batch, training=training)
            step = self.train_step(batch, **fit_params) if training else self.validation_step(batch, **fit_params)
            for each in self._told():
                each.on_batch_end(self, batch=batch, training=training, **step)
        for each in self._told():
            each.on_epoch_end(self, dataset_train=unknown(), dataset_valid=unknown())
            each.on_train_end(self, X=X, y=y)
        return self

    @torch.no_grad()
    def predict_proba(self, X):
        self.infer(unknown(is_data=True))
        return unknown(is_data=True)

    def predict(self, X):
        return self.predict_proba(X)

    def _told(self):
        return [self, *self.callbacks_]

    def __driven__(self):
        self.fit(unknown(is_data=True), unknown(is_data=True))


class NeuralNetClassifier(NeuralNet):
    def __init__(self, module, *args, criterion=nn.NLLLoss, **kwargs):
        super().__init__(module, criterion, *args, **kwargs)

    @property
    def _default_callbacks(self):
        return [EpochScoring("accuracy", name="valid_acc")]

    def get_loss(self, y_pred, y_true, *args, **kwargs):
        if surely(isinstance(self.criterion_, nn.NLLLoss)):
            y_pred = torch.log(y_pred + 1e-7)
        return super().get_loss(y_pred, y_true, *args, **kwargs)


class NeuralNetBinaryClassifier(NeuralNet):
    def __init__(self, module, *args, criterion=nn.BCEWithLogitsLoss, **kwargs):
        super().__init__(module, criterion, *args, **kwargs)


class NeuralNetRegressor(NeuralNet):
    def __init__(self, module, *args, criterion=nn.MSELoss, **kwargs):
        super().__init__(module, criterion, *args, **kwargs)


def _made(part):
    """What a class makes, with options of which nothing is known here; what is made already stays."""
    return part if surely(isinstance(part, (nn.Module, Callback))) else part(**unknown())
