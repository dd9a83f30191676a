"""SAM with a target embedding cannot be trained, and its point embeddings are changed with the queries

`SamTwoWayTransformer.forward` adds the target embedding in place, `queries += target_embedding`, once for each layer.
From the second layer on, the queries have been saved by the projections of the layer before, and `backward()` raises.
In the first layer, `queries` is `point_embeddings` itself: the embeddings that every layer adds as positions
(`query_point_embedding`) silently contain the target embedding, too. Personalized segmentation (PerSAM) passes
`target_embedding`; without it nothing is wrong. SAM 2, SAM 3, SAM-HQ and EdgeTAM have copies of the line.
"""

import inspect

import torch
from transformers import SamMaskDecoderConfig
from transformers.models.sam import modeling_sam

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
    "transformers/models/sam/modeling_sam.py:387:17: error[IPL201] `+=` modifies `queries`, which `nn.Linear` saved for backward",
]
EFFECT = "raises in backward, and wrong values silently, with `target_embedding`"
CURE = [("queries += target_embedding", "queries = queries + target_embedding")]
PRINTS = """
released: point embeddings unchanged: False; RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    point embeddings unchanged: True; a gradient
"""

CONFIG = SamMaskDecoderConfig(hidden_size=16, mlp_dim=16, num_attention_heads=2, num_hidden_layers=2)
CONFIG._attn_implementation = "eager"


def points_and_gradient() -> tuple[bool, str]:
    """Whether the point embeddings keep their values, and what `backward()` does."""
    torch.manual_seed(0)
    transformer = modeling_sam.SamTwoWayTransformer(CONFIG)
    points, image, positions = torch.zeros(1, 1, 3, 16), torch.randn(1, 16, 4, 4), torch.randn(1, 16, 4, 4)
    queries, _ = transformer(points, image, positions, None, target_embedding=torch.ones(1, 1, 1, 16))
    try:
        queries.sum().backward()
    except RuntimeError as error:
        return bool((points == 0).all()), f"RuntimeError: {str(error).split(':')[0]}"
    return bool((points == 0).all()), "a gradient"


released = points_and_gradient()
source = inspect.getsource(modeling_sam).replace(*CURE[0])
exec(compile(source, modeling_sam.__file__, "exec"), vars(modeling_sam))
cured = points_and_gradient()

print("released: point embeddings unchanged: {}; {}".format(*released))
print("cured:    point embeddings unchanged: {}; {}".format(*cured))
assert released[0] is False
assert released[1].startswith("RuntimeError")
assert cured == (True, "a gradient")
