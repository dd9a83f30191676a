"""Early stopping of the Bayesian last layer model keeps the last weights, not the best ones

`fit` notes `best_model_state = self.model.state_dict()` whenever the loss is the lowest so far, and loads it at the
end: "load best model". But `state_dict()` does not copy: its tensors are the parameters, which `optimizer.step()`
writes on. Loading them puts each weight where it is already, so the model has the weights of the last epoch, which is
`patience` epochs (100 by default) behind the best one. Nothing is raised, and the log tells the loss of the best epoch.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch
from torch import nn

RELEASE = "botorch==0.18.1"
NEEDS = []
FINDINGS = [
    "botorch_community/models/vblls.py:432:17: warning[IPL304] `step` modifies `weight`, which was kept for later",
]
EFFECT = "wrong weights, silently, whenever the last epoch is not the best one"
CURE = [
    (
        "best_model_state = self.model.state_dict()",
        "best_model_state = {key: value.clone() for key, value in self.model.state_dict().items()}",
    ),
]
PRINTS = """
released: lowest validation loss 0.95, of the model that is left 1.15
cured:    lowest validation loss 0.95, of the model that is left 0.95
"""

# The package imports GPyTorch and Pyre; `fit` itself needs torch only.
SOURCE = Path(find_spec("botorch_community").submodule_search_locations[0], "models/vblls.py").read_text("utf-8")
FUNCTIONS = [node for node in ast.walk(ast.parse(SOURCE)) if getattr(node, "name", "") in ("fit", "_get_optimizer")]


class Model(nn.Module):
    """A last layer on a backbone, with losses as those of the package."""

    device, kl_scale = "cpu", 1.0

    def __init__(self) -> None:
        super().__init__()
        self.backbone, self.head = nn.Sequential(nn.Linear(1, 32), nn.Tanh()), nn.Linear(32, 1)
        self.seen: list[float] = []

    def forward(self, x: torch.Tensor) -> SimpleNamespace:
        out = self.head(self.backbone(x))
        return SimpleNamespace(train_loss_fn=lambda y: (out - y).square().mean(), val_loss_fn=self._validation)

    def _validation(self, y: torch.Tensor) -> torch.Tensor:
        loss = (self.head(self.backbone(HELD_OUT[0])) - y).square().mean()
        self.seen.append(loss.item())
        return loss


def fitted(changes: list[tuple[str, str]]) -> tuple[float, float]:
    """The lowest validation loss of an epoch, and that of the model after fitting."""
    code = "from __future__ import annotations\n" + "\n".join(map(ast.unparse, FUNCTIONS))
    for old, new in changes:
        assert old in code
        code = code.replace(old, new)
    logger = SimpleNamespace(info=lambda text: None)
    namespace = {"torch": torch, "DataLoader": torch.utils.data.DataLoader, "logger": logger}
    exec(code, namespace)
    torch.manual_seed(0)
    model = Model()
    settings = {"num_epochs": 300, "lr": 0.05, "optimizer_class": torch.optim.AdamW}
    holder = SimpleNamespace(model=model, set_reg_weight=lambda weight: None)
    namespace["fit"](holder, *TRAINING, *HELD_OUT, optimization_settings=settings)
    lowest = min(model.seen)
    return lowest, model(HELD_OUT[0]).val_loss_fn(HELD_OUT[1]).item()


generator = torch.Generator().manual_seed(0)
X = torch.rand(24, 1, generator=generator) * 4
Y = X.sin() + torch.randn(24, 1, generator=generator) * 0.8
TRAINING, HELD_OUT = (X[:8], Y[:8]), (X[8:], Y[8:])
released, cured = fitted([]), fitted(CURE)
print("released: lowest validation loss {:.2f}, of the model that is left {:.2f}".format(*released))
print("cured:    lowest validation loss {:.2f}, of the model that is left {:.2f}".format(*cured))
assert released[1] > 1.2 * released[0]
assert abs(cured[1] - cured[0]) < 1e-5
