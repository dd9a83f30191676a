"""The router's jitter of MiniMax also disturbs the residual connection

In training with `router_jitter_noise`, `MiniMaxSparseMoeBlock.forward` multiplies its input by noise in place. In
`MiniMaxDecoderLayer` that input is also `residual`, which is added afterwards: the noise, meant for the experts, goes
down the residual stream of every layer. Nothing is raised. Mixtral has the same block, but keeps another tensor as its
residual, and is not hurt.
"""

import inspect

import torch
from torch import nn
from transformers import MiniMaxConfig
from transformers.models.minimax import modeling_minimax

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
    "transformers/models/minimax/modeling_minimax.py:520:13: warning[IPL303] `*=` modifies `hidden_states`, which is also `residual`, read later",
]
EFFECT = "wrong values, silently, in training with the option"
CURE = [
    (
        "hidden_states *= torch.empty_like(hidden_states)",
        "hidden_states = hidden_states * torch.empty_like(hidden_states)",
    )
]
PRINTS = """
released: residual [0.74, 0.86, 0.68, 1.21]
cured:    residual [1.0, 1.0, 1.0, 1.0]
"""

CONFIG = MiniMaxConfig(
    hidden_size=16,
    intermediate_size=16,
    num_attention_heads=2,
    num_key_value_heads=2,
    num_hidden_layers=1,
    num_local_experts=2,
    vocab_size=10,
    router_jitter_noise=0.5,
    layer_types=["full_attention"],
    bos_token_id=1,
    eos_token_id=2,
)
CONFIG._attn_implementation = "eager"


class Nothing(nn.Module):
    """Stands in for experts and attention: gives zeros, so that the layer returns its residual."""

    def forward(self, hidden_states: torch.Tensor, *args: object, **options: object) -> torch.Tensor:
        return torch.zeros_like(hidden_states)


class NoAttention(Nothing):
    """The same, with attention weights."""

    def forward(self, hidden_states: torch.Tensor, **options: object) -> tuple[torch.Tensor, None]:
        return torch.zeros_like(hidden_states), None


def residual() -> list[float]:
    torch.manual_seed(0)
    layer = modeling_minimax.MiniMaxDecoderLayer(CONFIG, 0).train()
    layer.self_attn, layer.mlp.experts = NoAttention(), Nothing()
    return [round(value, 2) for value in layer(torch.ones(1, 2, 16))[0, 0, :4].tolist()]


released = residual()
source = inspect.getsource(modeling_minimax).replace(*CURE[0])
exec(compile(source, modeling_minimax.__file__, "exec"), vars(modeling_minimax))
cured = residual()

print("released: residual", released)
print("cured:    residual", cured)
assert len(set(released)) > 1
assert cured == [1.0, 1.0, 1.0, 1.0]
