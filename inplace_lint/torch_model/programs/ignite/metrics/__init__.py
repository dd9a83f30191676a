"""Ignite's metrics: an engine begins them anew, hands them each output, and has them computed in the end."""

import torch

from inplace_lint.intrinsics import surely, unknown


class Metric:
    def __init__(self, output_transform=lambda x: x, device="cpu", skip_unrolling=False):
        self._output_transform = output_transform
        self._device = device
        self.reset()

    def reset(self):
        pass

    def update(self, output):
        pass

    def compute(self):
        return unknown()

    def started(self, engine):
        self.reset()

    def iteration_completed(self, engine):
        self.update(self._output_transform(engine.state.output))

    def completed(self, engine, name):
        self.compute()

    def attach(self, engine, name, usage=None):
        engine.add_event_handler("epoch_started", self.started)
        engine.add_event_handler("iteration_completed", self.iteration_completed)
        engine.add_event_handler("epoch_completed", self.completed, name)


class _Compared(Metric):
    """It compares what a model gave with what was to come out."""

    def reset(self):
        self._total = torch.zeros(())

    def update(self, output):
        y_pred, y = output[0], output[1]
        self._total += (y_pred.detach() - y.detach()).sum()


class Accuracy(_Compared):
    pass


class Precision(_Compared):
    pass


class Recall(_Compared):
    pass


class TopKCategoricalAccuracy(_Compared):
    pass


class MeanAbsoluteError(_Compared):
    pass


class MeanSquaredError(_Compared):
    pass


class RootMeanSquaredError(_Compared):
    pass


class Loss(Metric):
    def __init__(self, loss_fn, output_transform=lambda x: x, batch_size=len, device="cpu", skip_unrolling=False):
        self._loss_fn = loss_fn
        super().__init__(output_transform, device)

    def reset(self):
        self._total = torch.zeros(())

    def update(self, output):
        self._total += self._loss_fn(output[0], output[1]).detach()


class ConfusionMatrix(Metric):
    """It gives the very matrix that it adds to."""

    def __init__(self, num_classes, average=None, output_transform=lambda x: x, device="cpu", skip_unrolling=False):
        self.num_classes = num_classes
        self.average = average
        super().__init__(output_transform, device)

    def reset(self):
        self.confusion_matrix = torch.zeros(self.num_classes, self.num_classes, dtype=torch.int64)

    def update(self, output):
        self.confusion_matrix += torch.bincount(unknown(is_data=True)).reshape(self.num_classes, self.num_classes)

    def compute(self):
        if surely(self.average is None):
            return self.confusion_matrix
        return self.confusion_matrix * 1.0
