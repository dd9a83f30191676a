"""`mse_temporal_loss` and `ce_temporal_loss` overwrite the caller's spike times

`SpikeTime.forward` replaces negative targets, which count from the end of the recording, by `targets[targets < 0] = ...`
in the tensor that it was given. With `target_is_time=True` that is the user's own: the targets of the data set are
changed by the first evaluation, and are no longer relative. A recording of another length is then compared with the
end of the first one.
"""

import inspect

import torch
from snntorch.functional import loss

RELEASE = "snntorch==1.0.0"
NEEDS = ["nir", "nirtorch"]
FINDINGS = [
    "snntorch/functional/loss.py:469:9: warning[IPL305] item assignment modifies `targets`, an argument that the caller reads again",
]
EFFECT = "changes the caller's tensor, with `target_is_time=True` and targets that count from the end"
CURE = [
    (
        "targets[targets < 0] = spk_out.size(0) + targets[targets < 0]",
        "targets = torch.where(targets < 0, spk_out.size(0) + targets, targets)",
    )
]
PRINTS = """
the caller's targets:  [-1, 2]
released, afterwards:  [4, 2]
cured, afterwards:     [-1, 2]
"""


def targets_afterwards() -> list[int]:
    spikes, targets = torch.zeros(5, 2, 3), torch.tensor([-1, 2])
    loss.SpikeTime(target_is_time=True)(spikes, targets)
    return targets.tolist()


released = targets_afterwards()
exec(inspect.getsource(loss).replace(*CURE[0]), vars(loss))
cured = targets_afterwards()

print("the caller's targets:  [-1, 2]")
print("released, afterwards: ", released)
print("cured, afterwards:    ", cured)
assert released != [-1, 2]
assert cured == [-1, 2]
