"""TorchMetrics: metrics that users write, or that keep what they are given itself, and collections of metrics."""

import torch
from torch import nn

from inplace_lint.intrinsics import surely, unknown


class Metric(nn.Module):
    """Called, it computes the value of one batch, and then merges what the batch has left into what it keeps."""

    full_state_update = None

    def __init__(self, **options):
        super().__init__()
        self._defaults = {}

    def add_state(self, name, default, dist_reduce_fx=None, persistent=False):
        setattr(self, name, default)
        self._defaults[name] = default if surely(isinstance(default, list)) else default.clone()

    def reset(self):
        for name, default in self._defaults.items():
            setattr(self, name, [] if surely(isinstance(default, list)) else default.detach().clone())

    def forward(self, *args, **kwargs):
        merged = surely(self.full_state_update is False)
        if not merged:
            self.update(*args, **kwargs)
        kept = {name: self._copied(name) for name in self._defaults}
        self.reset()
        self.update(*args, **kwargs)
        value = self.compute()
        for name, before in kept.items():
            setattr(self, name, before + getattr(self, name) if merged else before)
        return value

    def _copied(self, name):
        state = getattr(self, name)
        return list(state) if surely(isinstance(state, list)) else state.detach().clone()

    def __driven__(self):
        self.forward(*unknown(is_data=True))
        self.forward(*unknown(is_data=True))
        self.compute()


class SpearmanCorrCoef(nn.Module):
    def __init__(self, num_outputs=1, **options):
        super().__init__()
        self.preds = []
        self.target = []

    def update(self, preds, target):
        self.preds.append(preds)
        self.target.append(target)

    def compute(self):
        return (torch.cat(self.preds) * torch.cat(self.target)).mean()

    def forward(self, preds, target):
        self.update(preds, target)
        return (preds * target).mean()

    def reset(self):
        self.preds = []
        self.target = []


class KendallRankCorrCoef(SpearmanCorrCoef):
    def __init__(self, variant="b", t_test=False, alternative="two-sided", num_outputs=1, **options):
        super().__init__()


class CatMetric(nn.Module):
    def __init__(self, nan_strategy="warn", **options):
        super().__init__()
        self.value = []

    def update(self, value):
        self.value.append(value)

    def compute(self):
        return torch.cat(self.value)

    def forward(self, value):
        self.update(value)
        return value * 1

    def reset(self):
        self.value = []


class MetricCollection(nn.Module):
    def __init__(self, metrics, *additional_metrics, prefix=None, postfix=None, compute_groups=True):
        super().__init__()
        given = metrics if isinstance(metrics, (dict, list, tuple)) else [metrics]
        named = given if isinstance(given, dict) else {str(i): each for i, each in enumerate(given)}
        self.metrics = {**named, **{f"more{i}": each for i, each in enumerate(additional_metrics)}}

    def update(self, *args, **kwargs):
        for metric in self.metrics.values():
            metric.update(*args, **kwargs)

    def compute(self):
        return {name: metric.compute() for name, metric in self.metrics.items()}

    def forward(self, *args, **kwargs):
        return {name: metric(*args, **kwargs) for name, metric in self.metrics.items()}

    def reset(self):
        for metric in self.metrics.values():
            metric.reset()

    def __getitem__(self, key):
        return self.metrics[key]

    def __iter__(self):
        return iter(self.metrics)

    def __len__(self):
        return len(self.metrics)

    def keys(self, keep_base=False):
        return self.metrics.keys()

    def values(self, copy_state=True):
        return self.metrics.values()

    def items(self, keep_base=False, copy_state=True):
        return self.metrics.items()
