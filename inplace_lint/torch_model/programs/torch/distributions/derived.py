"""`torch.distributions`: distributions made of others."""

import torch
from torch.distributions.continuous import Normal
from torch.distributions.distribution import Distribution, sum_last, together
from torch.distributions.transforms import ExpTransform


class Independent(Distribution):
    """Another distribution whose last dimensions belong together."""

    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist = base_distribution
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims
        shape = base_distribution.batch_shape
        cut = len(shape) - reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:] + base_distribution.event_shape, validate_args=validate_args)

    @property
    def mean(self):
        return self.base_dist.mean

    @property
    def mode(self):
        return self.base_dist.mode

    @property
    def variance(self):
        return self.base_dist.variance

    def sample(self, sample_shape=()):
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape=()):
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value):
        return sum_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return sum_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)


class TransformedDistribution(Distribution):
    """Another distribution, whose samples go through transforms."""

    def __init__(self, base_distribution, transforms, validate_args=None):
        self.transforms = transforms if isinstance(transforms, list) else [transforms]
        self.base_dist = base_distribution
        super().__init__(base_distribution.batch_shape, base_distribution.event_shape, validate_args=validate_args)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            x = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                x = transform(x)
            return x

    def rsample(self, sample_shape=()):
        x = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value):
        count = len(self.event_shape)
        log_prob = 0.0
        y = value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            log_prob = log_prob - sum_last(transform.log_abs_det_jacobian(x, y), count)
            y = x
        return log_prob + self.base_dist.log_prob(y)


class LogNormal(TransformedDistribution):
    """What has a normal distribution for its logarithm."""

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self):
        return self.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def variance(self):
        squared = self.scale.pow(2)
        return squared.expm1() * (2 * self.loc + squared).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
