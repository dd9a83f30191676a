"""The router's jitter of DBRX also disturbs what the experts see

In training with `moe_jitter_eps`, `DbrxRouter.forward` multiplies its input by noise in place. The input is the hidden
state that the feed-forward block passes to the experts next, so these get the noise as well, where the noise is meant
for the choice of experts alone. Nothing is raised. The default of `moe_jitter_eps` is `None`, which is not hurt.
"""

import inspect

import torch
from transformers.models.dbrx import configuration_dbrx, modeling_dbrx

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
    "transformers/models/dbrx/modeling_dbrx.py:319:13: warning[IPL305] `*=` modifies `hidden_states`, an argument that the caller reads again",
]
EFFECT = "wrong values, silently, in training with the option"
CURE = [("hidden_states *= torch.empty_like(", "hidden_states = hidden_states * torch.empty_like(")]
PRINTS = """
released: the experts' input is moved by up to 0.47
cured:    the experts' input is moved by up to 0.00
"""

CONFIG = configuration_dbrx.DbrxFFNConfig(
    hidden_size=8, ffn_hidden_size=8, moe_num_experts=2, moe_top_k=1, moe_jitter_eps=0.5
)


def change_of_input() -> float:
    """How far the hidden states that go on to the experts are moved."""
    torch.manual_seed(0)
    router = modeling_dbrx.DbrxRouter(CONFIG).train()
    hidden = torch.ones(1, 3, 8)
    router(hidden)
    return (hidden - 1).abs().max().item()


released = change_of_input()
source = inspect.getsource(modeling_dbrx).replace(*CURE[0])
exec(compile(source, modeling_dbrx.__file__, "exec"), vars(modeling_dbrx))
cured = change_of_input()

print(f"released: the experts' input is moved by up to {released:.2f}")
print(f"cured:    the experts' input is moved by up to {cured:.2f}")
assert released > 0.1
assert cured == 0
