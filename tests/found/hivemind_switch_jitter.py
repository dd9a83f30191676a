"""The jitter that `RemoteSwitchMixtureOfExperts` means for its gate goes to the experts and to the caller

If the input is a matrix, `input_for_gating` is the input itself, and `input_for_gating *= jitter_noise` writes it. The
noise is meant to regularize the routing. But the experts, the residual connection and the caller, who may have kept the
activations for a skip connection of their own, all get the noisy input, in evaluation as well. If the input is the
result of an op that saves it, as ReLU, `backward()` raises; if it is a leaf that requires grad, `forward()`. An input
of more dimensions is averaged first, and left alone.
"""

from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "hivemind==1.1.12"
NEEDS = []
FINDINGS = [
    "hivemind/moe/client/switch_moe.py:79:9: warning[IPL303] `*=` modifies `input_for_gating`, which is also `x`, read later",
]
EFFECT = "wrong values, silently, whenever the input is a matrix, or raises in `backward()`"
CURE = [("input_for_gating *= jitter_noise", "input_for_gating = input_for_gating * jitter_noise")]
PRINTS = """
released: experts get [0.999, 1.003, 0.997], the caller has [0.999, 1.003, 0.997]
          after ReLU, RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    experts get [1.0, 1.0, 1.0], the caller has [1.0, 1.0, 1.0]
          after ReLU, backward() runs
"""

# The package imports its network; here, the experts are functions that remember what they are sent.
SOURCE = Path(find_spec("hivemind").submodule_search_locations[0], "moe/client/switch_moe.py").read_text("utf-8")
SOURCE = "\n".join(line for line in SOURCE.splitlines() if not line.startswith("from hivemind"))


class Base(torch.nn.Module):
    """What the class inherits: the gate, and two experts that are always found."""

    def __init__(self, **options):
        super().__init__()
        expert = SimpleNamespace(uid="expert.0")
        self.proj, self.k_best = torch.nn.Linear(3, 2), 1
        self._expert_info = self.info = {"outputs_schema": None}
        self.beam_search = SimpleNamespace(
            grid_size=(2,), uid_prefix="expert.", batch_find_best_experts=lambda scores, k: [[expert]] * len(scores[0])
        )
        self.k_min = self.backward_k_min = self.timeout_after_k_min = self.forward_timeout = self.backward_timeout = (
            None
        )
        self.detect_anomalies = self.allow_zero_outputs = None


def run(source: str) -> tuple[str, str]:
    """What experts get and what the caller has after a call with ones; and what `backward()` says after ReLU."""
    sent = []

    def call(dummy, chosen, *options_and_input):
        sent.append(options_and_input[-1].clone())
        return torch.ones(len(chosen), 1, dtype=torch.bool), options_and_input[-1].unsqueeze(1) * 2

    module = {
        "__name__": "switch_moe",
        "get_logger": lambda name: None,
        "RemoteMixtureOfExperts": Base,
        "_RemoteCallMany": SimpleNamespace(apply=call),
        "DUMMY": None,
        "UID_DELIMITER": ".",
        "nested_flatten": lambda given: given[0],
        "nested_pack": lambda flat, schema: flat[0],
    }
    exec(source, module)
    torch.manual_seed(0)
    experts = module["RemoteSwitchMixtureOfExperts"](grid_size=(2,), in_features=3)
    activations = torch.ones(1, 3)
    experts(activations)
    values = [[round(value, 3) for value in tensor[0].tolist()] for tensor in (sent[0], activations)]
    hidden = torch.relu(torch.nn.Linear(3, 3)(activations))
    try:
        experts(hidden)[0].sum().backward()
    except RuntimeError as error:
        return f"experts get {values[0]}, the caller has {values[1]}", f"RuntimeError: {str(error).split(':')[0]}"
    return f"experts get {values[0]}, the caller has {values[1]}", "backward() runs"


released = run(SOURCE)
assert CURE[0][0] in SOURCE
cured = run(SOURCE.replace(*CURE[0]))

print("released: {}\n          after ReLU, {}".format(*released))
print("cured:    {}\n          after ReLU, {}".format(*cured))
assert "experts get [1.0, 1.0, 1.0]" not in released[0]
assert released[1].startswith("RuntimeError: one of the variables")
assert cured == ("experts get [1.0, 1.0, 1.0], the caller has [1.0, 1.0, 1.0]", "backward() runs")
