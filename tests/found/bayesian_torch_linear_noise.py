"""Gradients of `rho` are wrong as soon as a variational layer runs twice before `backward()`

Each forward pass draws its noise into the same buffer, `self.eps_weight.data.normal_()`, and the product
`sigma_weight * eps_weight` saves that buffer for backward. The next pass overwrites it unseen by autograd, since the
write goes through `.data`. All passes of a graph then take the gradient of `sigma` with the noise of the *last* one.
The loss and the gradients of `mu` are right, and nothing is raised, so the standard deviations are trained with wrong
gradients. This hurts everyone who averages Monte Carlo samples in one loss, and every variational
LSTM, which calls its two layers once for each time step.
"""

import inspect

import torch
from bayesian_torch.layers.variational_layers import linear_variational

RELEASE = "bayesian-torch==0.5.0"
NEEDS = ["numpy"]
CHECKED = ["bayesian_torch/layers"]
FINDINGS = [
    "bayesian_torch/layers/variational_layers/linear_variational.py:161:22: warning[IPL401] `normal_` modifies `self.eps_weight.data` unseen by autograd, which backward needs unchanged",
    "bayesian_torch/layers/variational_layers/linear_variational.py:173:49: warning[IPL401] `normal_` modifies `self.eps_bias.data` unseen by autograd, which backward needs unchanged",
]
EFFECT = "wrong gradients, silently, whenever a layer runs more than once in a graph"
CURE = [
    ("self.eps_weight.data.normal_()", "torch.randn_like(self.eps_weight)"),
    ("self.eps_bias.data.normal_()", "torch.randn_like(self.eps_bias)"),
]
PRINTS = """
loss: released 20.3616, cured 20.3616
relative error of the released gradient of mu_weight: 0.00
relative error of the released gradient of rho_weight: 0.62
relative error of the released gradient of mu_bias: 0.00
relative error of the released gradient of rho_bias: 1.01
"""
SAMPLES = 2


def loss_and_gradients() -> tuple[float, dict[str, torch.Tensor]]:
    torch.manual_seed(0)
    layer = linear_variational.LinearReparameterization(5, 3, posterior_rho_init=0.0)
    data = torch.randn(4, 5)
    outputs = [layer(data, return_kl=False) for _ in range(SAMPLES)]
    loss = torch.stack(outputs).mean(0).pow(2).sum()
    loss.backward()
    return loss.item(), {name: parameter.grad for name, parameter in layer.named_parameters()}


loss, released = loss_and_gradients()
source = inspect.getsource(linear_variational)
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(linear_variational))
same_loss, cured = loss_and_gradients()

error = {name: ((released[name] - cured[name]).norm() / cured[name].norm()).item() for name in cured}
print(f"loss: released {loss:.4f}, cured {same_loss:.4f}")
for name in error:
    print(f"relative error of the released gradient of {name}: {error[name]:.2f}")
assert abs(loss - same_loss) < 1e-5
assert error["mu_weight"] < 1e-5
assert error["mu_bias"] < 1e-5
assert error["rho_weight"] > 0.1
assert error["rho_bias"] > 0.1
