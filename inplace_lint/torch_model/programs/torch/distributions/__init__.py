"""`torch.distributions`, reduced to the ops that it runs: this is read as part of the program that uses it.

Checks of arguments and facts on shapes are left out, and values that no gradient needs; what is kept, shared, recorded
and saved is as in `torch/distributions/*.py`. `tests/test_programs.py` runs both side by side. A class that is not
here is an unknown one.
"""

from torch.distributions.continuous import (
    Beta,
    Dirichlet,
    Exponential,
    Gamma,
    Laplace,
    MultivariateNormal,
    Normal,
    Uniform,
)
from torch.distributions.derived import Independent, LogNormal, TransformedDistribution
from torch.distributions.discrete import (
    Bernoulli,
    Categorical,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
    Poisson,
)
from torch.distributions.distribution import Distribution
from torch.distributions.kl import kl_divergence
from torch.distributions.transforms import AffineTransform, ExpTransform, SigmoidTransform, TanhTransform, Transform
