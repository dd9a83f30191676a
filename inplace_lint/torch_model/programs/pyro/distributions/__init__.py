"""Pyro's distributions: PyTorch's, with events and calls."""

from torch import distributions

from inplace_lint.intrinsics import surely


class TorchDistributionMixin:
    def __call__(self, sample_shape=()):
        return self.rsample(sample_shape) if surely(self.has_rsample) else self.sample(sample_shape)

    def to_event(self, reinterpreted_batch_ndims=None):
        count = len(self.batch_shape) if surely(reinterpreted_batch_ndims is None) else reinterpreted_batch_ndims
        return Independent(self, count) if count else self

    def independent(self, reinterpreted_batch_ndims=None):
        return self.to_event(reinterpreted_batch_ndims)

    def mask(self, mask):
        return self


class Independent(TorchDistributionMixin, distributions.Independent):
    @property
    def has_rsample(self):
        return self.base_dist.has_rsample


class Normal(TorchDistributionMixin, distributions.Normal):
    pass


class Laplace(TorchDistributionMixin, distributions.Laplace):
    pass


class Uniform(TorchDistributionMixin, distributions.Uniform):
    pass


class Exponential(TorchDistributionMixin, distributions.Exponential):
    pass


class Poisson(TorchDistributionMixin, distributions.Poisson):
    pass


class Gamma(TorchDistributionMixin, distributions.Gamma):
    pass


class Dirichlet(TorchDistributionMixin, distributions.Dirichlet):
    pass


class Beta(TorchDistributionMixin, distributions.Beta):
    pass


class Bernoulli(TorchDistributionMixin, distributions.Bernoulli):
    pass


class Categorical(TorchDistributionMixin, distributions.Categorical):
    pass


class OneHotCategorical(TorchDistributionMixin, distributions.OneHotCategorical):
    pass


class MultivariateNormal(TorchDistributionMixin, distributions.MultivariateNormal):
    pass


class LogNormal(TorchDistributionMixin, distributions.LogNormal):
    has_rsample = True


class TransformedDistribution(TorchDistributionMixin, distributions.TransformedDistribution):
    def clear_cache(self):
        for transform in self.transforms:
            transform.clear_cache()
