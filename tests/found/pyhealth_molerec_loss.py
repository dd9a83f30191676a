"""`MoleRec` binarizes the probabilities that its loss, its gradients and its caller need

`calc_loss` takes `y_prob.detach().cpu().numpy()` and sets it to 1 where it is at least 0.5 and to 0 elsewhere, to
count interacting drugs. On the CPU, that array is the memory of `y_prob`. The margin loss is then computed from zeros
and ones, and `backward()` takes the derivative of the sigmoid from them: it is zero, so neither the margin loss nor the
loss for interactions trains anything. The cross-entropy, which weighs most, is computed from the logits and is right.
The model also returns `y_prob`: whoever asks for probabilities gets zeros and ones, and so do the metrics that rank by
them. Nothing is raised. On a GPU, `cpu()` copies, and all is well.
"""

import ast
import math
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

RELEASE = "pyhealth==1.1.6"
NEEDS = ["numpy"]
FINDINGS = [
    "pyhealth/models/molerec.py:337:9: warning[IPL303] item assignment modifies `y_pred`, which is also `y_prob`, read later",
    "pyhealth/models/molerec.py:337:9: warning[IPL401] item assignment modifies `y_pred` unseen by autograd, which backward needs unchanged",
    "pyhealth/models/molerec.py:338:9: warning[IPL303] item assignment modifies `y_pred`, which is also `y_prob`, read later",
    "pyhealth/models/molerec.py:338:9: warning[IPL401] item assignment modifies `y_pred` unseen by autograd, so the gradient ignores the change",
]
EFFECT = "wrong values and gradients, silently, whenever it runs on the CPU"
CURE = [("y_pred = y_prob.detach().cpu().numpy()", "y_pred = y_prob.detach().cpu().numpy().copy()")]
PRINTS = """
released: probabilities [1.0, 0.0, 1.0], loss 0.268, gradient [0.0, 0.0, 0.0]
cured:    probabilities [0.731, 0.378, 0.574], loss 0.35, gradient [-0.045, 0.073, 0.071]
"""

# The package imports tools for molecules; the two functions need torch and NumPy only.
PACKAGE = Path(find_spec("pyhealth").submodule_search_locations[0])
SOURCE = (PACKAGE / "models/molerec.py").read_text("utf-8")
RATE = (PACKAGE / "metrics/drug_recommendation.py").read_text("utf-8")


class Layer:
    """The settings of a `MoleRecLayer` in which only the losses of the probabilities count, each about as much."""

    coef, target_ddi, multiloss_weight = 0.06, 0.08, 1.0


def results(source: str) -> list[list[float]]:
    """The probabilities after the loss was computed, the loss, and the gradient of the scores."""
    module = {
        "math": math,
        "np": np,
        "binary_cross_entropy_with_logits": functional.binary_cross_entropy_with_logits,
        "multilabel_margin_loss": functional.multilabel_margin_loss,
    }
    exec(RATE, module)
    (layer,) = (node for node in ast.parse(source).body if getattr(node, "name", "") == "MoleRecLayer")
    (function,) = (node for node in layer.body if getattr(node, "name", "") == "calc_loss")
    exec("from __future__ import annotations\n" + ast.unparse(function), module)
    scores = torch.tensor([[1.0, -0.5, 0.3]], requires_grad=True)
    probabilities = torch.sigmoid(scores)
    interactions, taken = 1 - torch.eye(3), torch.tensor([[1.0, 0.0, 0.0]])
    loss = module["calc_loss"](Layer, scores, probabilities, interactions, taken, torch.tensor([[0, -1, -1]]))
    loss.backward()
    return [
        [round(value, 3) + 0.0 for value in tensor.flatten().tolist()] for tensor in (probabilities, loss, scores.grad)
    ]


released = results(SOURCE)
assert CURE[0][0] in SOURCE
cured = results(SOURCE.replace(*CURE[0]))

print("released: probabilities {}, loss {[0]}, gradient {}".format(*released))
print("cured:    probabilities {}, loss {[0]}, gradient {}".format(*cured))
assert released[2] == [0, 0, 0]
assert all(0 < value < 1 for value in cured[0])
assert all(cured[2])
