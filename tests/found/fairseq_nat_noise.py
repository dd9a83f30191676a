"""The noise of the iterative NAT model replaces words where it should swap them

`_sequential_poisoning` takes `self_word = s[:, i]`, a view, and then writes `s[:, i]`. The next line, which computes
`s[:, i + 1]` from `self_word`, reads the new word. A swap of `a b` gives `b b` instead of `b a`, and the word `a` is
lost. Nothing is raised; the model is trained to undo another noise than the one that the code describes.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "fairseq==0.12.2"
NEEDS = []
FINDINGS = [
    "fairseq/models/nat/iterative_nonautoregressive_transformer.py:33:9: warning[IPL303] item assignment modifies `s`, which is also `self_word`, read later",
]
EFFECT = "wrong values, silently, in every step of training with `--dae-ratio` above zero"
CURE = [("self_word = s[:, i]\n", "self_word = s[:, i].clone()\n")]
PRINTS = """
released: 10 20 30 becomes 20 20 30
cured:    10 20 30 becomes 20 10 30
"""

# The package compiles extensions; the function needs torch only.
PLACE = "models/nat/iterative_nonautoregressive_transformer.py"
SOURCE = Path(find_spec("fairseq").submodule_search_locations[0], PLACE).read_text("utf-8")
(FUNCTION,) = [node for node in ast.parse(SOURCE).body if getattr(node, "name", "") == "_sequential_poisoning"]


def swapped(code: str) -> list[int]:
    """The sentence `10 20 30`, with `torch.rand` set so that the first pair of words is swapped."""
    choices = torch.tensor([[0.9, 0.99, 0.99]])
    module = SimpleNamespace(rand=lambda size, device: choices.clone(), randint=torch.randint)
    namespace = {"torch": module}
    exec(code, namespace)
    sentence = torch.tensor([[10, 20, 30]])
    return namespace["_sequential_poisoning"](sentence, 100, beta=0.95, bos=0, eos=2, pad=1)[0].tolist()


released, cured = swapped(ast.unparse(FUNCTION)), swapped(ast.unparse(FUNCTION).replace(*CURE[0]))
print("released: 10 20 30 becomes", *released)
print("cured:    10 20 30 becomes", *cured)
assert released == [20, 20, 30]
assert cured == [20, 10, 30]
