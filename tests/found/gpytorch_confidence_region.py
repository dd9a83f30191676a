"""`MultivariateNormal.confidence_region()` cannot be differentiated

`confidence_region` doubles `self.stddev` in place. `stddev` is the result of a square root, which autograd has saved,
so every `backward()` through a bound of the region raises. Whoever maximizes an upper confidence bound over the query
points, or puts the width of the region into a loss, meets this; the same bound written by hand, `mean + 2 * stddev`,
works. Plots and other uses without gradients are not hurt.
"""

import inspect

import torch
from gpytorch.distributions import multivariate_normal

RELEASE = "gpytorch==1.15.2"
NEEDS = ["linear_operator==0.6.1", "jaxtyping==0.3.2", "wadler-lindig==0.1.7", "scipy", "scikit-learn", "mpmath"]
FINDINGS = [
    "gpytorch/distributions/multivariate_normal.py:129:16: warning[IPL202] [*] `mul_` modifies `self.stddev`, the result that `sqrt` saved for backward if `diag.expand(...)` requires grad",
]
EFFECT = "raises in backward, for everyone who differentiates the region"
CURE = [("self.stddev.mul_(2)", "self.stddev.mul(2)")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    gradient of the variance [2.0, 2.0, 2.0]
"""


def gradient_of_upper_bound() -> str:
    mean = torch.zeros(3, requires_grad=True)
    variance = torch.full((3,), 0.25, requires_grad=True)
    _, upper = multivariate_normal.MultivariateNormal(mean, torch.diag(variance)).confidence_region()
    try:
        upper.sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"gradient of the variance {variance.grad.tolist()}"


released = gradient_of_upper_bound()
exec(inspect.getsource(multivariate_normal).replace(*CURE[0]), vars(multivariate_normal))
cured = gradient_of_upper_bound()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "gradient of the variance [2.0, 2.0, 2.0]"
