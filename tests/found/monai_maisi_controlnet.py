"""With ControlNet residuals, the middle block of the MAISI U-Net gets a residual that is not its own

`_apply_down_blocks` adds the residuals in place, `down_block_res_sample += down_block_additional_residual`. The last of
these samples is the hidden state `h` itself, which goes on into the middle block: its input silently holds the last
residual too. `DiffusionModelUNet`, the class that MAISI is derived from, adds out of place and gives other results for
the same weights. If the U-Net is trained together with the ControlNet, `backward()` raises, since its normalization
layers have saved the samples. Models trained as released have learned with it, so the cure needs a note to users.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "monai==1.6.1"
NEEDS = []
FINDINGS = [
    "monai/apps/generation/maisi/networks/diffusion_model_unet_maisi.py:353:17: error[IPL201] `+=` modifies `down_block_res_sample`, which `nn.GroupNorm` saved for backward",
]
EFFECT = "wrong values, silently, always with a ControlNet; raises in backward if the U-Net is trained with it"
CURE = [
    (
        "down_block_res_sample += down_block_additional_residual",
        "down_block_res_sample = down_block_res_sample + down_block_additional_residual",
    )
]
PRINTS = """
what the last down block gave: 2.0
released, into the middle block: 12.0
cured, into the middle block:    2.0
"""

# The method is all that is needed; the network around it is large.
PLACE = "apps/generation/maisi/networks/diffusion_model_unet_maisi.py"
SOURCE = Path(find_spec("monai").submodule_search_locations[0], PLACE).read_text("utf-8")
(METHOD,) = [node for node in ast.walk(ast.parse(SOURCE)) if getattr(node, "name", "") == "_apply_down_blocks"]


def down_block(hidden_states: torch.Tensor, temb: None, context: None) -> tuple[torch.Tensor, list[torch.Tensor]]:
    """A block as all of MONAI's are: its last sample is its hidden state."""
    output = 2 * hidden_states
    return output, [output]


def input_of_middle_block(code: str) -> float:
    namespace = {"torch": torch}
    exec(code, namespace)
    network = SimpleNamespace(down_blocks=[down_block], with_conditioning=False)
    residuals = [torch.tensor([10.0]), torch.tensor([10.0])]
    hidden, _ = namespace["_apply_down_blocks"](network, torch.tensor([1.0]), None, None, residuals)
    return hidden.item()


released = input_of_middle_block(ast.unparse(METHOD))
cured = input_of_middle_block(ast.unparse(METHOD).replace(*CURE[0]))
print("what the last down block gave: 2.0")
print("released, into the middle block:", released)
print("cured, into the middle block:   ", cured)
assert released == 12
assert cured == 2
