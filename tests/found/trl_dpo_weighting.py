"""DPO with `use_weighting=True` cannot be trained with the losses `hinge` and `sft`

`DPOTrainer._compute_loss` multiplies the loss of each pair by its weight in place. For `hinge` that loss is what `relu`
gave and has saved for backward, which then raises; for `sft` it is one number that was expanded over the batch, and
`*=` refuses to write a tensor whose elements share memory. Other losses save nothing of what is written. Multiplied out
of place, all train.
"""

import ast
import math
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

import torch
from torch import nn

RELEASE = "trl==1.16.0"
NEEDS = []
CHECKED = ["trl"]
FINDINGS = [
    "trl/trainer/dpo_trainer.py:1526:17: error[IPL104] `*=` modifies `per_sequence_loss`, whose elements share memory",
    "trl/trainer/dpo_trainer.py:1526:17: warning[IPL202] `*=` modifies `per_sequence_loss`, the result that `relu` "
    "saved for backward if `model(...).log_probs` requires grad",
]
EFFECT = "raises with the option, for two of the losses"
CURE = [
    (
        "per_sequence_loss *= chosen_weights * rejected_weights",
        "per_sequence_loss = per_sequence_loss * (chosen_weights * rejected_weights)",
    )
]
PRINTS = """
hinge, released: one of the variables needed for gradient computation has been modified by an inplace operation
hinge, cured:    a gradient of norm 0.022
sft, released: unsupported operation
sft, cured:    a gradient of norm 0.051
"""

# The package imports training frameworks; the method needs torch only.
SOURCE = Path(find_spec("trl").submodule_search_locations[0], "trainer", "dpo_trainer.py").read_text("utf-8")


def compute_loss(source: str):
    """The method, by itself."""
    tree = ast.parse(source)
    [trainer] = [each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "DPOTrainer"]
    [method] = [each for each in trainer.body if getattr(each, "name", "") == "_compute_loss"]
    module = {"torch": torch, "F": nn.functional, "math": math}
    exec(compile(ast.Module([method], []), "dpo_trainer.py", "exec"), module)
    return module["_compute_loss"]


class Policy(nn.Module):
    """A model of two words, whose log probabilities are its parameters."""

    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(4, 3))

    def forward(self, **_):
        given = torch.nn.functional.logsigmoid(self.scores)
        beside = torch.zeros(4, 3)
        return SimpleNamespace(
            log_probs=given, log_sum_sq_probs=beside, entropy=beside, mean_logits=beside, is_top1=beside.bool()
        )


def trained(source: str, loss: str) -> str:
    """What a step of training comes to."""
    model = Policy()
    trainer = MagicMock(
        model=model, aux_loss_enabled=False, ld_alpha=None, precompute_ref_logps=True, f_divergence_type="reverse_kl",
        loss_types=[loss], loss_weights=[1.0], beta=0.1, use_weighting=True, _total_train_tokens=0, _tp_size=1,
    )  # fmt: skip
    for name in ("gather", "gather_for_metrics"):
        setattr(trainer.accelerator, name, lambda tensor: tensor)
    inputs = {
        "input_ids": torch.zeros(4, 4, dtype=torch.long),
        "attention_mask": torch.ones(4, 4),
        "completion_mask": torch.ones(4, 4),
        "ref_chosen_logps": torch.zeros(2),
        "ref_rejected_logps": torch.zeros(2),
    }
    try:
        compute_loss(source)(trainer, model, inputs, False).backward()
    except RuntimeError as error:
        return str(error).split(":")[0].split(". ")[0]
    return f"a gradient of norm {model.scores.grad.norm():.3f}"


for loss in ("hinge", "sft"):
    released, cured = trained(SOURCE, loss), trained(SOURCE.replace(*CURE[0]), loss)
    print(f"{loss}, released: {released}")
    print(f"{loss}, cured:    {cured}")
    assert "norm" not in released
    assert "norm" in cured
