"""The last feature map of `DiscriminatorP` is overwritten with the score

The period discriminator keeps the output of `conv_post` as its last feature map, and then adds the conditioning term
to that tensor in place: `fmap.append(x); x += h`. The feature map is thereafter the score, term included. With
`cond_embedding_id`, as in the training of the EnCodec variant, the feature matching loss silently compares scores.
The embedding starts at zero, so the difference grows with training. `DiscriminatorR`, in the same file, has the same
two lines.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "vocos==0.1.0"
NEEDS = []
FINDINGS = [
    "vocos/discriminators.py:97:9: warning[IPL304] `+=` modifies `x`, which was kept for later",
]
EFFECT = "wrong values, silently, when the discriminator is conditioned"
CURE = [("x += h", "x = x + h")]
PRINTS = """
released: relative error of the last feature map 40.4
cured:    relative error of the last feature map 0.0
"""

# Importing the package needs torchaudio and an audio codec; DiscriminatorP needs torch only.
SOURCE = Path(find_spec("vocos").submodule_search_locations[0], "discriminators.py").read_text("utf-8")
TREE = ast.parse(SOURCE)
TREE.body = [node for node in TREE.body if getattr(node, "module", None) not in ("einops", "torchaudio.transforms")]


def last_feature_map(source: str) -> tuple[torch.Tensor, torch.Tensor]:
    """What is returned as the last feature map, and what `conv_post` gave."""
    module = {"__name__": "vocos.discriminators"}
    exec(source, module)
    torch.manual_seed(0)
    discriminator = module["DiscriminatorP"](period=2, num_embeddings=4)
    torch.nn.init.normal_(discriminator.emb.weight)
    given = []
    discriminator.conv_post.register_forward_hook(lambda layer, args, output: given.append(output.clone()))
    _, feature_maps = discriminator(torch.randn(1, 2000), cond_embedding_id=torch.tensor(2))
    return feature_maps[-1], given[0]


def error(source: str) -> float:
    returned, given = last_feature_map(source)
    return ((returned - given).norm() / given.norm()).item()


released = error(ast.unparse(TREE))
cured = error(ast.unparse(TREE).replace(*CURE[0]))

print(f"released: relative error of the last feature map {released:.1f}")
print(f"cured:    relative error of the last feature map {cured:.1f}")
assert released > 1
assert cured == 0
