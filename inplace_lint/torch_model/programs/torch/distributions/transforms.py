"""`torch.distributions`: maps between distributions, and their inverses."""

import math

import torch
from torch.distributions.distribution import clamped, sum_last
from torch.nn.functional import softplus


class Transform:
    """An invertible function; with a cache, the last pair is given back as it is."""

    def __init__(self, cache_size=0):
        self._cache_size = cache_size
        self._last = None

    def __call__(self, x):
        if self._cache_size == 0:
            return self._call(x)
        if self._last is not None and self._last[0] is x:
            self._last[0].detach().sum()  # what was computed of it holds for the values that it had
            return self._last[1]
        self._last = x, self._call(x)
        return self._last[1]

    def undo(self, y):
        if self._cache_size == 0:
            return self._inverse(y)
        if self._last is not None and self._last[1] is y:
            self._last[1].detach().sum()  # what was computed of it holds for the values that it had
            return self._last[0]
        self._last = self._inverse(y), y
        return self._last[0]

    def clear_cache(self):
        """Forget the last pair, as Pyro's distributions can."""
        self._last = None

    @property
    def inv(self):
        return self.undo


class ExpTransform(Transform):
    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class SigmoidTransform(Transform):
    def _call(self, x):
        return clamped(torch.sigmoid(x))

    def _inverse(self, y):
        y = clamped(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class TanhTransform(Transform):
    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AffineTransform(Transform):
    """Keeps the very tensors that it is given."""

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self.event_dim = event_dim

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if isinstance(self.scale, torch.Tensor):
            result = torch.abs(self.scale).log()
        else:
            result = torch.full_like(x, math.log(abs(self.scale)))
        return sum_last(result, self.event_dim).expand(x.shape[: x.dim() - self.event_dim])
