"""`LSTMFlipout` trains its standard deviations with the noise of the last time step

As in the variational layers, `self.eps_weight.data.normal_()` overwrites the noise that the previous call has saved
for backward. An LSTM calls its two flipout layers once for each time step, so for every sequence longer than one step
the gradients of `rho` belong to other noise than the loss. Loss and gradients of `mu` are right; nothing is raised.
"""

import inspect

import torch
from bayesian_torch.layers.flipout_layers import linear_flipout, rnn_flipout

RELEASE = "bayesian-torch==0.5.0"
NEEDS = ["numpy"]
CHECKED = ["bayesian_torch/layers"]
FINDINGS = [
    "bayesian_torch/layers/flipout_layers/linear_flipout.py:150:22: warning[IPL401] `normal_` modifies `self.eps_weight.data` unseen by autograd, which backward needs unchanged",
    "bayesian_torch/layers/flipout_layers/linear_flipout.py:162:34: warning[IPL401] `normal_` modifies `self.eps_bias.data` unseen by autograd, which backward needs unchanged",
]
EFFECT = "wrong gradients, silently, for every sequence of two steps or more"
CURE = [
    ("self.eps_weight.data.normal_()", "torch.randn_like(self.eps_weight)"),
    ("self.eps_bias.data.normal_()", "torch.randn_like(self.eps_bias)"),
]
PRINTS = """
loss: released 5.8008, cured 5.8008
relative error of the released gradient of ih.mu_weight: 0.00
relative error of the released gradient of ih.rho_weight: 1.85
relative error of the released gradient of ih.mu_bias: 0.00
relative error of the released gradient of ih.rho_bias: 1.42
relative error of the released gradient of hh.mu_weight: 0.00
relative error of the released gradient of hh.rho_weight: 1.55
relative error of the released gradient of hh.mu_bias: 0.00
relative error of the released gradient of hh.rho_bias: 1.57
"""


def loss_and_gradients() -> tuple[float, dict[str, torch.Tensor]]:
    torch.manual_seed(0)
    lstm = rnn_flipout.LSTMFlipout(5, 3, posterior_rho_init=0.0)
    loss = lstm(torch.randn(4, 6, 5))[0].pow(2).sum()
    loss.backward()
    return loss.item(), {name: parameter.grad for name, parameter in lstm.named_parameters()}


loss, released = loss_and_gradients()
source = inspect.getsource(linear_flipout)
for old, new in CURE:
    source = source.replace(old, new)
exec(source, vars(linear_flipout))
rnn_flipout.LinearFlipout = linear_flipout.LinearFlipout
same_loss, cured = loss_and_gradients()

error = {name: ((released[name] - cured[name]).norm() / cured[name].norm()).item() for name in cured}
print(f"loss: released {loss:.4f}, cured {same_loss:.4f}")
for name in error:
    print(f"relative error of the released gradient of {name}: {error[name]:.2f}")
assert abs(loss - same_loss) < 1e-5
assert all((error[name] > 0.1) == ("rho" in name) for name in error)
