"""`torch.distributions`, reduced to the ops that it runs: this is read as part of the program that uses it.

Checks of arguments and facts on shapes are left out, and values that no gradient needs; what is kept, shared, recorded
and saved is as in `torch/distributions/*.py`. `tests/test_programs.py` runs both side by side. A class that is not
here is an unknown one.
"""

import math

import torch
from torch.nn.functional import binary_cross_entropy_with_logits, one_hot, softmax, softplus


def _together(*values):
    """The arguments as tensors of one shape: views of them, so that a later write reaches them."""
    return torch.broadcast_tensors(*[torch.as_tensor(value) for value in values])


def _noise(shape, like):
    return torch.empty(shape, dtype=like.dtype, device=like.device).normal_()


def _sum_last(value, count):
    """The sum over the last `count` dimensions."""
    if count == 0:
        return value
    return value.reshape((*value.shape[:-count], -1)).sum(-1)


def _clamped(probs):
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


class _Located(Distribution):
    """Keeps views of its mean and its scale."""

    has_rsample = True

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = _together(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc


class Normal(_Located):
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
        return self.loc + _noise(self._shape(sample_shape), self.loc) * self.scale

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


class Laplace(_Located):
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
        self.low, self.high = _together(low, high)
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
        (self.rate,) = _together(rate)
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


class Poisson(Distribution):
    """Keeps a view of its rate."""

    def __init__(self, rate, validate_args=None):
        (self.rate,) = _together(rate)
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
        rate, value = _together(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()


class Gamma(Distribution):
    """Keeps views of its shape and its rate."""

    has_rsample = True

    def __init__(self, concentration, rate, validate_args=None):
        self.concentration, self.rate = _together(concentration, rate)
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
        self._dirichlet = Dirichlet(torch.stack(_together(concentration1, concentration0), -1))
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


class Bernoulli(Distribution):
    """Keeps a view of what it is given, and what it has once computed from that."""

    def __init__(self, probs=None, logits=None, validate_args=None):
        self._probs = self._logits = None
        if probs is not None:
            (self._probs,) = _together(probs)
            self._param = self._probs
        else:
            (self._logits,) = _together(logits)
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
                probs = _clamped(self._probs)
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
        logits, value = _together(self.logits, value)
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
                self._logits = torch.log(_clamped(self._probs))
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
        noise = _noise(self._shape(sample_shape), self.loc)
        return self.loc + torch.matmul(self._root, noise.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value):
        off = (value - self.loc).unsqueeze(-1)
        distance = torch.linalg.solve_triangular(self._root, off, upper=False).squeeze(-1).pow(2).sum(-1)
        half = self._root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - half

    def entropy(self):
        half = self._root.diagonal(dim1=-2, dim2=-1).log().sum(-1)
        return (0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half).expand(self._batch_shape)


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
        return _sum_last(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self):
        return _sum_last(self.base_dist.entropy(), self.reinterpreted_batch_ndims)


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
        return _clamped(torch.sigmoid(x))

    def _inverse(self, y):
        y = _clamped(y)
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
        return _sum_last(result, self.event_dim).expand(x.shape[: x.dim() - self.event_dim])


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
            log_prob = log_prob - _sum_last(transform.log_abs_det_jacobian(x, y), count)
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


def kl_divergence(p, q):
    """Of two of one kind."""
    if isinstance(p, Independent):
        return _sum_last(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)
    if isinstance(p, Normal):
        ratio = (p.scale / q.scale).pow(2)
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())
    if isinstance(p, OneHotCategorical):
        return kl_divergence(p._categorical, q._categorical)
    if isinstance(p, Categorical):
        return (p.probs * (p.logits - q.logits)).sum(-1)
    if isinstance(p, Bernoulli):
        certain = p.probs * (softplus(-q.logits) - softplus(-p.logits))
        return certain + (1 - p.probs) * (softplus(q.logits) - softplus(p.logits))
    return torch.distributions.kl.kl_divergence_of_others(p, q)
