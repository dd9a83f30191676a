"""`ChannelSwap` duplicates a channel instead of swapping two, and changes its input

`store_channel = waveforms[:, :, rand_perm2[i]]` is a view, not a copy. The next line overwrites that channel, so what
is "stored" is already the other channel, and the third line writes it back to where it came from: both channels end
up equal, and one is lost. The writes also go into the caller's batch. Nothing is raised; augmented training data is
silently poorer.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "speechbrain==1.1.2"
NEEDS = []
FINDINGS = [
    "speechbrain/augment/time_domain.py:1268:17: warning[IPL303] item assignment modifies `waveforms`, which is also `store_channel`, read later",
]
EFFECT = "wrong values, silently, for every swap; changes the caller's tensor"
CURE = [
    ("store_channel = waveforms[:, :, rand_perm2[i]]", "store_channel = waveforms[:, :, rand_perm2[i]].clone()"),
    ("N_swaps = torch.randint(", "waveforms = waveforms.clone()\n    N_swaps = torch.randint("),
]
PRINTS = """
released: [1.0, 2.0, 3.0, 4.0] becomes [2.0, 2.0, 3.0, 4.0]; the caller's batch is [2.0, 2.0, 3.0, 4.0]
cured:    [1.0, 2.0, 3.0, 4.0] becomes [2.0, 1.0, 3.0, 4.0]; the caller's batch is [1.0, 2.0, 3.0, 4.0]
"""

# The package imports audio libraries; the class needs torch only.
PLACE = Path(find_spec("speechbrain").submodule_search_locations[0], "augment", "time_domain.py")
(SWAP,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "ChannelSwap"]


def swap(changes: list[tuple[str, str]]) -> tuple[list[float], list[float]]:
    """The channels of one sample after one swap, and the batch of the caller."""
    code = ast.unparse(SWAP)
    for old, new in changes:
        code = code.replace(old, new.replace("\n    ", "\n        "))
    namespace = {"torch": torch}
    exec(code, namespace)
    torch.manual_seed(1)
    batch = torch.tensor([[[1.0, 2.0, 3.0, 4.0]]])
    swapped = namespace["ChannelSwap"](min_swap=1, max_swap=1)(batch)
    return swapped.flatten().tolist(), batch.flatten().tolist()


released, cured = swap([]), swap(CURE)
print("released: [1.0, 2.0, 3.0, 4.0] becomes {}; the caller's batch is {}".format(*released))
print("cured:    [1.0, 2.0, 3.0, 4.0] becomes {}; the caller's batch is {}".format(*cured))
assert len(set(released[0])) == 3
assert released[1] != [1.0, 2.0, 3.0, 4.0]
assert sorted(cured[0]) == [1.0, 2.0, 3.0, 4.0] != cured[0]
assert cured[1] == [1.0, 2.0, 3.0, 4.0]
