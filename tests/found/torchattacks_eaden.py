"""EADEN and EADL1 move the image that they measure all distances from

`y_k = nn.Parameter(images)` does not copy: the parameter is the memory of `images`. The first gradient step,
`y_k -= y_k.grad * lr`, therefore moves `images` too, and every later distance, and the shrinkage of `FISTA`, is taken
from this moved image instead of the original. With the default `initial_const=0.001` the images move little; with
larger constants the attack finds adversarial images that are clearly farther away. Nothing is raised.
"""

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import torch
from torch import nn

RELEASE = "torchattacks==3.5.1"
NEEDS = []
FINDINGS = [
    "torchattacks/attacks/eaden.py:123:21: warning[IPL303] `-=` modifies `y_k`, which is also `images`, read later",
    "torchattacks/attacks/eadl1.py:123:21: warning[IPL303] `-=` modifies `y_k`, which is also `images`, read later",
]
EFFECT = "wrong values, silently, in every attack; the error grows with `initial_const`"
CURE = [("y_k = nn.Parameter(images)", "y_k = nn.Parameter(images.clone())")]
PRINTS = """
released: mean L1 distance of the adversarial images 2.56
cured:    mean L1 distance of the adversarial images 1.85
"""

# `import torchattacks` imports all attacks, and what they depend on; one of them needs torch only.
PLACE = Path(find_spec("torchattacks").submodule_search_locations[0])
for name, folder in (("torchattacks", PLACE), ("torchattacks.attacks", PLACE / "attacks")):
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [str(folder)]


def mean_distance(source: str) -> float:
    """The L1 distance of the adversarial images from the originals."""
    module = vars(import_module("torchattacks.attacks.eaden"))
    exec(source, module)
    torch.manual_seed(0)
    model = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 32), nn.ReLU(), nn.Linear(32, 5)).eval()
    for parameter in model.parameters():
        parameter.data.mul_(8)
    images = torch.rand(8, 3, 8, 8)
    attack = module["EADEN"](model, max_iterations=100, initial_const=1)
    adversarial = attack(images, model(images).argmax(1))
    return (adversarial - images).abs().flatten(1).sum(1).mean().item()


source = (PLACE / "attacks" / "eaden.py").read_text("utf-8")
released = mean_distance(source)
cured = mean_distance(source.replace(*CURE[0]))

print(f"released: mean L1 distance of the adversarial images {released:.2f}")
print(f"cured:    mean L1 distance of the adversarial images {cured:.2f}")
assert released > 1.2 * cured
