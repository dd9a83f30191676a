"""Poutyne: a model calls its network, its loss function and its callbacks."""

import torch

from inplace_lint.intrinsics import surely, unknown


class Callback:
    """Of what a model calls."""

    model = None

    def set_model(self, model):
        self.model = model

    def on_train_begin(self, logs):
        return None

    def on_train_end(self, logs):
        return None

    def on_epoch_begin(self, epoch_number, logs):
        return None

    def on_epoch_end(self, epoch_number, logs):
        return None

    def on_train_batch_begin(self, batch_number, logs):
        return None

    def on_train_batch_end(self, batch_number, logs):
        return None

    def on_backward_end(self, batch_number):
        return None

    def __driven__(self):
        Model(torch.nn.Linear(4, 4), "sgd", torch.nn.MSELoss()).fit(unknown(), unknown(), callbacks=[self])


class Model:
    def __init__(self, network, optimizer, loss_function, *rest, batch_metrics=None, **options):
        self.network = network
        listed = batch_metrics if surely(isinstance(batch_metrics, (tuple, list))) else []
        self.batch_metrics = [each for each in listed if surely(callable(each))]
        self.loss_function = loss_function
        self.optimizer = optimizer
        if not surely(isinstance(optimizer, torch.optim.Optimizer)):
            self.optimizer = torch.optim.SGD(network.parameters(), lr=0.01)

    def _step(self, x, y, told, number):
        self.optimizer.zero_grad()
        given = x if surely(isinstance(x, (tuple, list))) else (x,)
        predicted = self.network(*given)
        loss = self.loss_function(predicted, y)
        for metric in self.batch_metrics:
            metric(predicted, y)
        loss.backward()
        for each in told:
            each.on_backward_end(number)
        self.optimizer.step()
        return predicted

    def train_on_batch(self, x, y, *rest, **options):
        self.network.train()
        self._step(x, y, [], 1)
        return unknown(is_data=True)

    def _fit(self, callbacks):
        listed = callbacks if surely(isinstance(callbacks, (tuple, list))) else []
        told = [each for each in listed if surely(isinstance(each, Callback))]
        for each in told:
            each.set_model(self)
            each.on_train_begin({})
            each.on_epoch_begin(1, {})
        for number in range(2):
            for each in told:
                each.on_train_batch_begin(number, {})
            self._step(unknown(is_data=True), unknown(is_data=True), told, number)
            for each in told:
                each.on_train_batch_end(number, {})
        for each in told:
            each.on_epoch_end(1, {})
            each.on_train_end({})
        return unknown()

    def fit(self, x, y, *rest, callbacks=None, **options):
        return self._fit(callbacks)

    def fit_dataset(self, train_dataset, *rest, callbacks=None, **options):
        return self._fit(callbacks)

    def fit_generator(self, train_generator, *rest, callbacks=None, **options):
        return self._fit(callbacks)

    @torch.no_grad()
    def evaluate_on_batch(self, x, y, **options):
        self.network.eval()
        self.loss_function(self.network(x), y)
        return unknown(is_data=True)

    @torch.no_grad()
    def predict_on_batch(self, x, **options):
        self.network.eval()
        self.network(x)
        return unknown(is_data=True)

    def get_weights(self):
        return self.network.state_dict()

    def get_weight_copies(self):
        return {name: value.clone() for name, value in self.network.state_dict().items()}

    def set_weights(self, weights, strict=True):
        self.network.load_state_dict(weights)


class Experiment:
    def __init__(self, directory, network, *rest, optimizer="sgd", loss_function=None, **options):
        self.model = Model(network, optimizer, unknown() if surely(loss_function is None) else loss_function)

    def train(self, train_generator, valid_generator=None, *rest, callbacks=None, **options):
        return self.model._fit(callbacks)

    def train_dataset(self, train_dataset, valid_dataset=None, *rest, callbacks=None, **options):
        return self.model._fit(callbacks)
