"""`torch.distributions`: the base of distributions, and what several share."""

import torch


def together(*values):
    """The arguments as tensors of one shape: views of them, so that a later write reaches them."""
    return torch.broadcast_tensors(*[torch.as_tensor(value) for value in values])


def noise(shape, like):
    return torch.empty(shape, dtype=like.dtype, device=like.device).normal_()


def sum_last(value, count):
    """The sum over the last `count` dimensions."""
    if count == 0:
        return value
    return value.reshape((*value.shape[:-count], -1)).sum(-1)


def clamped(probs):
    eps = torch.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


class Distribution:
    """What all have."""

    has_rsample = False

    def __init__(self, batch_shape=(), event_shape=(), validate_args=None):
        self._batch_shape = batch_shape
        self._event_shape = event_shape

    @property
    def batch_shape(self):
        return self._batch_shape

    @property
    def event_shape(self):
        return self._event_shape

    @property
    def stddev(self):
        return self.variance.sqrt()

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self.rsample(sample_shape)

    def perplexity(self):
        return torch.exp(self.entropy())

    def _shape(self, sample_shape):
        return torch.Size(tuple(sample_shape) + tuple(self._batch_shape) + tuple(self._event_shape))


class Located(Distribution):
    """Keeps views of its mean and its scale."""

    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = together(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc
