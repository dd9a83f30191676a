"""Doge's mixture of experts cannot be trained with `norm_topk_prob=True`

`routing_weights /= routing_weights.sum(...)` writes the result of `softmax`, which autograd has saved. With the option
`norm_topk_prob` of `DogeConfig`, `backward()` raises, always. The default is `False`.
"""

import inspect

import torch
from transformers import DogeConfig
from transformers.models.doge import modeling_doge

RELEASE = "transformers==5.23.0"
NEEDS = [
    "numpy",
    "huggingface_hub",
    "tokenizers",
    "safetensors",
    "regex",
    "pyyaml",
    "packaging",
    "tqdm",
    "typer",
    "click",
    "rich",
    "shellingham",
    "httpx2",
    "httpcore2",
    "h11",
    "anyio",
    "idna",
    "certifi",
    "truststore",
    "hf-xet",
]
FINDINGS = [
    "transformers/models/doge/modeling_doge.py:425:13: error[IPL202] [*] `/=` modifies `routing_weights`, the result that `softmax` saved for backward",
]
EFFECT = "raises in backward, for everyone who sets the option"
CURE = [("routing_weights /= routing_weights.sum(", "routing_weights = routing_weights / routing_weights.sum(")]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient, all finite: True
"""

CONFIG = DogeConfig(
    hidden_size=16, intermediate_size=32, num_experts=16, num_experts_per_tok=4, is_moe=True, norm_topk_prob=True
)


def gradient() -> str:
    torch.manual_seed(0)
    experts = modeling_doge.DogeCDMoE(CONFIG)
    try:
        experts(torch.randn(2, 3, 16))[0].sum().backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return f"a gradient, all finite: {experts.router_gate.weight.grad.isfinite().all()}"


released = gradient()
source = inspect.getsource(modeling_doge).replace(*CURE[0])
exec(compile(source, modeling_doge.__file__, "exec"), vars(modeling_doge))
cured = gradient()

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient, all finite: True"
