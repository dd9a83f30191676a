"""The `final_loss` that is logged for an intermediate CTC model is the total loss

`add_interctc_losses` puts the loss into the dictionary of metrics, as `final_loss`, and then scales it in place and adds
the losses of the inner layers to it, in place: `loss_value *= ...`, `loss_value += ...`. The dictionary has the same
tensor, so what is logged as the loss of the final layer is the total. The losses of the inner layers are logged as they
are, and so nobody sees how much of the total is the final layer's.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "nemo-toolkit==3.0.0"
NEEDS = []
CHECKED = ["nemo/collections/asr/parts/mixins/interctc_mixin.py", "nemo/collections/asr/models/ctc_models.py"]
FINDINGS = [
    "nemo/collections/asr/parts/mixins/interctc_mixin.py:259:13: warning[IPL304] `*=` modifies `loss_value`, which was kept for later",
    "nemo/collections/asr/parts/mixins/interctc_mixin.py:274:17: warning[IPL304] `+=` modifies `loss_value`, which was kept for later",
]
EFFECT = "wrong loss in the log: the total instead of the final layer's"
CURE = [('metrics[f"{log_prefix}final_loss"] = loss_value', 'metrics[f"{log_prefix}final_loss"] = loss_value.clone()')]
PRINTS = """
released: final_loss 1.70, total 1.70
cured:    final_loss 2.00, total 1.70
"""

# The package imports very much; the method needs nothing of it but one switch, which is on.
FILE = Path(find_spec("nemo").submodule_search_locations[0], "collections/asr/parts/mixins/interctc_mixin.py")
CODE = FILE.read_text("utf-8")
PARAMS = {
    "main_loss_weight": 0.7,
    "intermediate_loss_weights": [0.3],
    "apply_at_layers": [4],
    "loss": lambda **given: given["log_probs"].sum(),
}


class On:
    """In place of `AccessMixin`."""

    @staticmethod
    def is_access_enabled(guid):
        return True


class Model:
    """What the mixin is for."""

    def is_interctc_enabled(self):
        return True

    def get_interctc_param(self, name):
        return PARAMS[name]

    def get_captured_interctc_tensors(self):
        return [(torch.tensor([0.5, 0.5]), None)]


def logged(code: str) -> str:
    (mixin,) = [node for node in ast.parse(code).body if getattr(node, "name", "") == "InterCTCMixin"]
    (method,) = [node for node in mixin.body if getattr(node, "name", "") == "add_interctc_losses"]
    module = {"AccessMixin": On, "torch": torch}
    exec(f"from typing import *\n{ast.unparse(method)}", module)
    total, metrics = module["add_interctc_losses"](Model(), torch.tensor(2.0), None, None, compute_wer=False)
    return f"final_loss {metrics['final_loss']:.2f}, total {total:.2f}"


released = logged(CODE)
cured = logged(CODE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released == "final_loss 1.70, total 1.70"
assert cured == "final_loss 2.00, total 1.70"
