"""The padding of decoder labels counts in the loss

`prepare_decoder_labels` marks padding with -100, the index that the loss ignores, by
`decoder_labels.masked_fill(~decoder_attention_mask.bool(), -100)`. The method without underscore returns a copy, which
is thrown away. All labels of a batch are padded to the longest one, and the decoder of the models that generate their
labels is trained to predict the padding token after the end of every shorter label. The loss is a sum, so it also grows
with the amount of padding. Nothing is raised.
"""

import ast
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "gliner==0.2.29"
NEEDS = []
FINDINGS = [
    "gliner/data_processing/processor.py:1329:9: warning[IPL308] the result of `masked_fill` is thrown away, `decoder_labels` stays as it is",
]
EFFECT = "wrong loss and gradients, silently, unless all labels of a batch are equally long"
CURE = [("decoder_labels.masked_fill(~", "decoder_labels = decoder_labels.masked_fill(~")]
PRINTS = """
released: labels [7, 1, 0, 0], norms of the gradient of the logits [0.95, 0.95, 0.95, 0.95]
cured:    labels [7, 1, -100, -100], norms of the gradient of the logits [0.95, 0.95, 0.0, 0.0]
"""

# The package imports transformers; the method and the loss need torch only.
PLACE = Path(find_spec("gliner").submodule_search_locations[0])
CODE = [
    ast.unparse(node)
    for file, name in (
        ("data_processing/processor.py", "prepare_decoder_labels"),
        ("modeling/loss_functions.py", "cross_entropy_loss"),
    )
    for node in ast.walk(ast.parse(Path(PLACE, file).read_text("utf-8")))
    if getattr(node, "name", "") == name
]


class Processor:
    """Stands in for the processor: its tokenizer knows two labels, of four tokens and of two."""

    def decoder_tokenizer(self, labels: list[str], **options: object) -> dict[str, torch.Tensor]:
        return {
            "input_ids": torch.tensor([[4, 5, 6, 1], [7, 1, 0, 0]]),
            "attention_mask": torch.tensor([[1, 1, 1, 1], [1, 1, 0, 0]]),
        }


def labels_and_gradient(code: str) -> tuple[list[int], list[float]]:
    """The labels of the shorter one, and how strongly the loss pulls at the logits of each of its tokens."""
    namespace = {"torch": torch, "F": torch.nn.functional}
    exec(code, namespace)
    labels = namespace["prepare_decoder_labels"](Processor(), ["date of birth", "city"])["labels"]
    logits = torch.zeros(2, 4, 10, requires_grad=True)
    namespace["cross_entropy_loss"](logits, labels).backward()
    return labels[1].tolist(), [round(value, 2) for value in logits.grad[1].norm(dim=-1).tolist()]


assert len(CODE) == 2
released = labels_and_gradient("\n".join(CODE))
cured = labels_and_gradient("\n".join(CODE).replace(*CURE[0]))

print("released: labels {}, norms of the gradient of the logits {}".format(*released))
print("cured:    labels {}, norms of the gradient of the logits {}".format(*cured))
assert released[0] == [7, 1, 0, 0]
assert min(released[1]) > 0
assert cured[0] == [7, 1, -100, -100]
assert cured[1][2:] == [0, 0]
