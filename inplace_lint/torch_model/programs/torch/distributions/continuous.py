"""`torch.distributions`: distributions of numbers, of rows that sum up to one, and of Gaussian vectors."""

import math

import torch
from torch.distributions.distribution import Distribution, Located, noise, together


class Normal(Located):
    """Its scale is its deviation."""

    @property
    def stddev(self):
        return self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def expand(self, batch_shape):
        return Normal(self.loc.expand(batch_shape), self.scale.expand(batch_shape))

    def sample(self, sample_shape=()):
        shape = self._shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape=()):
        return self.loc + noise(self._shape(sample_shape), self.loc) * self.scale

    def log_prob(self, value):
        variance = self.scale**2
        log_scale = self.scale.log()
        return -((value - self.loc) ** 2) / (2 * variance) - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value):
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value):
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)


class Laplace(Located):
    """Its scale is not its deviation."""

    @property
    def stddev(self):
        return 2**0.5 * self.scale

    @property
    def variance(self):
        return 2 * self.scale.pow(2)

    def rsample(self, sample_shape=()):
        noise = self.loc.new_empty(self._shape(sample_shape)).uniform_(torch.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * noise.sign() * torch.log1p(-noise.abs())

    def log_prob(self, value):
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def entropy(self):
        return 1 + torch.log(2 * self.scale)


class Uniform(Distribution):
    """Keeps views of its ends."""

    has_rsample = True

    def __init__(self, low, high, validate_args=None):
        self.low, self.high = together(low, high)
        super().__init__(self.low.size(), validate_args=validate_args)

    @property
    def mean(self):
        return (self.high + self.low) / 2

    @property
    def stddev(self):
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self):
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape=()):
        noise = torch.rand(self._shape(sample_shape), dtype=self.low.dtype, device=self.low.device)
        return self.low + noise * (self.high - self.low)

    def log_prob(self, value):
        above = self.low.le(value).type_as(self.low)
        below = self.high.gt(value).type_as(self.low)
        return torch.log(above.mul(below)) - torch.log(self.high - self.low)

    def entropy(self):
        return torch.log(self.high - self.low)


class Exponential(Distribution):
    """Keeps a view of its rate."""

    has_rsample = True

    def __init__(self, rate, validate_args=None):
        (self.rate,) = together(rate)
        super().__init__(self.rate.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.rate.reciprocal()

    @property
    def stddev(self):
        return self.rate.reciprocal()

    @property
    def variance(self):
        return self.rate.pow(-2)

    def rsample(self, sample_shape=()):
        return self.rate.new_empty(self._shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        return self.rate.log() - self.rate * value

    def entropy(self):
        return 1.0 - torch.log(self.rate)


class Gamma(Distribution):
    """Keeps views of its shape and its rate."""

    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = together(concentration, rate)
        super().__init__(self.concentration.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.concentration / self.rate

    @property
    def variance(self):
        return self.concentration / self.rate.pow(2)

    def rsample(self, sample_shape=()):
        shape = self._shape(sample_shape)
        return torch._standard_gamma(self.concentration.expand(shape)) / self.rate.expand(shape)

    def log_prob(self, value):
        value = torch.as_tensor(value, dtype=self.rate.dtype, device=self.rate.device)
        return (
            torch.xlogy(self.concentration, self.rate)
            + torch.xlogy(self.concentration - 1, value)
            - self.rate * value
            - torch.lgamma(self.concentration)
        )

    def entropy(self):
        return (
            self.concentration
            - torch.log(self.rate)
            + torch.lgamma(self.concentration)
            + (1.0 - self.concentration) * torch.digamma(self.concentration)
        )


class Dirichlet(Distribution):
    """Keeps the very tensor that it is given."""

    has_rsample = True

    def __init__(self, concentration, validate_args=None):
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return _SampleOfDirichlet.apply(self.concentration.expand(self._shape(sample_shape)))

    def log_prob(self, value):
        return (
            torch.xlogy(self.concentration - 1.0, value).sum(-1)
            + torch.lgamma(self.concentration.sum(-1))
            - torch.lgamma(self.concentration).sum(-1)
        )

    def entropy(self):
        total = self.concentration.sum(-1)
        return (
            torch.lgamma(self.concentration).sum(-1)
            - torch.lgamma(total)
            - (self.concentration.size(-1) - total) * torch.digamma(total)
            - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1)
        )


class _SampleOfDirichlet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, concentration):
        sample = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(sample, concentration)
        return sample

    @staticmethod
    def backward(ctx, grad_output):
        sample, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        grad = torch._dirichlet_grad(sample, concentration, total)
        return grad * (grad_output - (sample * grad_output).sum(-1, True))


class Beta(Distribution):
    """Copies what it is given."""

    has_rsample = True

    def __init__(self, concentration1, concentration0, validate_args=None):
        self._dirichlet = Dirichlet(torch.stack(together(concentration1, concentration0), -1))
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    @property
    def concentration1(self):
        return self._dirichlet.concentration[..., 0]

    @property
    def concentration0(self):
        return self._dirichlet.concentration[..., 1]

    @property
    def mean(self):
        return self.concentration1 / (self.concentration1 + self.concentration0)

    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape=()):
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()


class MultivariateNormal(Distribution):
    """Keeps views of what it is given."""

    has_rsample = True

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if scale_tril is not None:
            self._root = scale_tril
        elif covariance_matrix is not None:
            self._root = torch.linalg.cholesky(covariance_matrix)
        else:
            self._root = torch.linalg.cholesky(torch.linalg.inv(precision_matrix))
        batch_shape = torch.broadcast_shapes(self._root.shape[:-2], loc.shape[:-1])
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)

    @property
    def scale_tril(self):
        return self._root.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def covariance_matrix(self):
        return torch.matmul(self._root, self._root.mT)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self._root.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        drawn = noise(self._shape(sample_shape), self.loc)
        return self.loc + torch.matmul(self._root, drawn.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        off = (value - self.loc).unsqueeze(-1)
        distance = torch.linalg.solve_triangular(self._root, off, upper=False).squeeze(-1).pow(2).sum(-1)
        half = self._root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half

    def entropy(self):
        half = self._root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return (0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half).expand(self._batch_shape)
