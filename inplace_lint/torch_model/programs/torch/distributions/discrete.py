"""`torch.distributions`: distributions of counts and choices."""

import math

import torch
from torch.distributions.distribution import Distribution, clamped, together
from torch.nn.functional import binary_cross_entropy_with_logits, one_hot, softmax


class Poisson(Distribution):
    """Keeps a view of its rate."""

    def __init__(self, rate, validate_args=None):
        (self.rate,) = together(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.rate

    @property
    def variance(self):
        return self.rate

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.poisson(self.rate.expand(self._shape(sample_shape)))

    def log_prob(self, value):
        rate, value = together(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()


class Bernoulli(Distribution):
    """Keeps a view of what it is given, and what it has once computed from that."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._probs = self._logits = None
        if probs is not None:
            (self._probs,) = together(probs)
            self._param = self._probs
        else:
            (self._logits,) = together(logits)
            self._param = self._logits
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def probs(self):
        if self._probs is None:
            with torch.enable_grad():
                self._probs = torch.sigmoid(self._logits)
        return self._probs

    @property
    def logits(self):
        if self._logits is None:
            with torch.enable_grad():
                probs = clamped(self._probs)
                self._logits = torch.log(probs) - torch.log1p(-probs)
        return self._logits

    @property
    def mean(self):
        return self.probs

    @property
    def variance(self):
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._shape(sample_shape)))

    def log_prob(self, value):
        logits, value = together(self.logits, value)
        return -binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self):
        return binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")


class Categorical(Distribution):
    """Normalises what it is given, and keeps what it has once computed."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._probs = self._logits = None
        if probs is not None:
            self._probs = probs / probs.sum(-1, keepdim=True)
            self._param = self._probs
        else:
            self._logits = logits - logits.logsumexp(dim=-1, keepdim=True)
            self._param = self._logits
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    @property
    def probs(self):
        if self._probs is None:
            with torch.enable_grad():
                self._probs = softmax(self._logits, dim=-1)
        return self._probs

    @property
    def logits(self):
        if self._logits is None:
            with torch.enable_grad():
                self._logits = torch.log(clamped(self._probs))
        return self._logits

    @property
    def param_shape(self):
        return self._param.size()

    @property
    def mean(self):
        return torch.full(self._shape(()), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def variance(self):
        return torch.full(self._shape(()), math.nan, dtype=self.probs.dtype, device=self.probs.device)

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape=()):
        rows = self.probs.reshape(-1, self._num_events)
        found = torch.multinomial(rows, torch.Size(sample_shape).numel(), True).T
        return found.reshape(self._shape(sample_shape))

    def log_prob(self, value):
        value, chances = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return chances.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


class OneHotCategorical(Distribution):
    """A categorical distribution whose samples are rows of zeros and a one."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        shape = self._categorical.param_shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    @property
    def probs(self):
        return self._categorical.probs

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def mean(self):
        return self._categorical.probs

    @property
    def mode(self):
        probs = self._categorical.probs
        return one_hot(probs.argmax(dim=-1), num_classes=probs.shape[-1]).to(probs)

    @property
    def variance(self):
        return self._categorical.probs * (1 - self._categorical.probs)

    def sample(self, sample_shape=()):
        probs = self._categorical.probs
        return one_hot(self._categorical.sample(sample_shape), self._categorical._num_events).to(probs)

    def log_prob(self, value):
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Gradients go to the probabilities as if these were the sample."""

    has_rsample = True

    def rsample(self, sample_shape=()):
        sample = self.sample(sample_shape)
        probs = self._categorical.probs
        return sample + (probs - probs.detach())
