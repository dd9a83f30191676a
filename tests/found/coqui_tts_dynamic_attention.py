"""Gradients of dynamic convolution attention ignore the weight that padding gets

`MonotonicDynamicConvolutionAttention` masks after the softmax, by `attention_weights.data.masked_fill_`. Autograd does
not see that, and softmax computes its derivative from its saved result, by now 1e-8 where there is padding. So the
gradient of the scores of padding is zero, while more attention on padding means less on the text. Nothing is raised, and
the forward pass is right. It hurts who trains Tacotron with `attention_type="dynamic_convolution"`, on batches of texts
of different lengths, at the steps at which the attention comes near the end of a text: the prior lets it move ten tokens
in one step at most.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "coqui-tts==0.28.0"
NEEDS = ["numpy", "scipy"]
FINDINGS = [
    "TTS/tts/layers/tacotron/attentions.py:421:13: warning[IPL401] `masked_fill_` modifies `attention_weights.data` unseen by autograd, which backward needs unchanged",
]
EFFECT = "wrong gradients, silently, whenever padding is in reach of the attention"
CURE = [
    (
        "attention_weights.data.masked_fill_(~mask, self._mask_value)",
        "attention_weights = attention_weights.masked_fill(~mask, self._mask_value)",
    )
]
PRINTS = """
released: gradient of one weight -0.0231, by finite differences -0.0076
cured:    gradient of one weight -0.0076, by finite differences -0.0076
"""

# The package imports tools for audio; the module needs torch and SciPy only.
SOURCE = Path(find_spec("TTS").submodule_search_locations[0], "tts/layers/tacotron/attentions.py").read_text("utf-8")
SOURCE = SOURCE.replace("from TTS.tts.layers.tacotron.common_layers import Linear", "")


def slopes(source: str) -> tuple[float, float]:
    """How the loss changes with one weight: by `backward()`, and by running the module with the weight changed."""
    module = {"__name__": "attentions", "Linear": torch.nn.Linear}
    exec(source, module)
    torch.manual_seed(0)
    attention = module["MonotonicDynamicConvolutionAttention"](4, 4, 6, 8, 21, 8, 21).double()
    mask = torch.arange(10).expand(1, -1) < 6
    text = torch.randn(1, 10, 4).double() * mask.unsqueeze(-1)
    query = torch.randn(1, 4).double()

    def loss() -> torch.Tensor:
        attention.init_states(text)
        attention.attention_weights = torch.nn.functional.one_hot(torch.tensor([4]), 10).double()
        return attention(query, text, None, mask).sum()

    loss().backward()
    weight, change = attention.v.weight, 1e-4
    values = []
    for sign in (1, -1):
        with torch.no_grad():
            weight[0, 0] += sign * change
            values.append(loss().item())
            weight[0, 0] -= sign * change
    return round(weight.grad[0, 0].item(), 4), round((values[0] - values[1]) / (2 * change), 4)


released = slopes(SOURCE)
assert CURE[0][0] in SOURCE
cured = slopes(SOURCE.replace(*CURE[0]))

print("released: gradient of one weight {}, by finite differences {}".format(*released))
print("cured:    gradient of one weight {}, by finite differences {}".format(*cured))
assert abs(released[0] - released[1]) > 0.01
assert abs(cured[0] - cured[1]) < 0.001
