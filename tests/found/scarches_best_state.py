"""With `reload_best`, the trainers of trVAE and expiMap reload the last state instead of the best

Whenever the validation loss improves, `check_early_stop` keeps `self.model.state_dict()` as the best state. But
`state_dict()` does not copy: its tensors are the parameters, which `self.optimizer.step()` writes on. At the end,
`load_state_dict` copies them to themselves, and "Saving best state of network..." is printed all the same. The model that
is left is that of the last epoch: where early stopping ended the training, by default at least 20 epochs after the best
one. Nothing is raised. `reload_best` and early stopping are on by default. The trainers of scPoli and scGen keep their
best state by the same line.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "scArches==0.6.1"
NEEDS = ["numpy"]
CHECKED = ["scarches/trainers"]
FINDINGS = [
    "scarches/trainers/trvae/trainer.py:280:9: warning[IPL304] `step` modifies `parameter`, which was kept for later",
]
EFFECT = "wrong values, silently, unless the last epoch is the best"
CURE = [
    (
        "self.best_state_dict = self.model.state_dict()",
        "self.best_state_dict = {name: value.clone() for name, value in self.model.state_dict().items()}",
    )
]
PRINTS = """
released: best epoch 11, its validation loss 3.5e-05; of the model that is left 0.21
cured:    best epoch 11, its validation loss 3.5e-05; of the model that is left 3.5e-05
"""

# The package imports tools for cells; the trainer needs torch only, besides what is given here.
PACKAGE = Path(find_spec("scarches").submodule_search_locations[0])
SOURCE = (PACKAGE / "trainers/trvae/trainer.py").read_text("utf-8")
STOPPING = (PACKAGE / "utils/monitor.py").read_text("utf-8")


def losses(source: str) -> tuple[int, str, str]:
    """The best epoch, its validation loss, and that of the model after training."""
    module = {"__name__": "trainer", "print": lambda *words: None}
    exec(STOPPING, module)
    module["make_dataset"] = lambda *given, **named: (["cells to train"], ["cells to validate"])
    exec("\n".join(line for line in source.splitlines() if not line.startswith("from .")), module)

    class Trainer(module["Trainer"]):
        """Trains one weight towards 1, and validates it against 0.3."""

        def initialize_loaders(self):
            self.dataloader_train = [{"wanted": torch.tensor([1.0])}]
            self.dataloader_valid = [{"wanted": torch.tensor([0.3])}]

        def loss(self, batch):
            value = (self.model(torch.ones(1, 1, device=self.device)) - batch["wanted"]).square().sum()
            self.iter_logs["unweighted_loss"].append(value.item())
            return value

    torch.manual_seed(0)
    model = torch.nn.Linear(1, 1, bias=False)
    torch.nn.init.zeros_(model.weight)
    model.freeze, model.condition_encoder, model.cell_type_encoder = False, None, None
    trainer = Trainer(model, None, monitor=False)
    trainer.train(n_epochs=100, lr=0.025)
    after = (model.weight.item() - 0.3) ** 2
    best = trainer.logs["val_unweighted_loss"][trainer.best_epoch]
    return trainer.best_epoch, f"{best:.2g}", f"{after:.2g}"


released = losses(SOURCE)
assert CURE[0][0] in SOURCE
cured = losses(SOURCE.replace(*CURE[0]))

print("released: best epoch {}, its validation loss {}; of the model that is left {}".format(*released))
print("cured:    best epoch {}, its validation loss {}; of the model that is left {}".format(*cured))
assert float(released[2]) > 100 * float(released[1])
assert cured[1] == cured[2]
