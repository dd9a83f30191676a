"""`Tacotron2(mask_padding=True)` cannot be trained

`forward` runs the postnet on `mel_specgram`, whose first convolution saves it for backward, and then masks it in place:
`mel_specgram.masked_fill_(mask, 0.0)`. With `mask_padding=True`, an option of the constructor, `backward()` raises, always.
"""

from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchaudio==2.11.0"
NEEDS = []
FINDINGS = [
    "torchaudio/models/tacotron2.py:1001:13: error[IPL201] [*] `masked_fill_` modifies `mel_specgram`, which `nn.Conv1d` saved for backward",
]
EFFECT = "raises in backward, for everyone who sets the option"
CURE = [
    ("mel_specgram.masked_fill_(mask, 0.0)", "mel_specgram = mel_specgram.masked_fill(mask, 0.0)"),
    (
        "mel_specgram_postnet.masked_fill_(mask, 0.0)",
        "mel_specgram_postnet = mel_specgram_postnet.masked_fill(mask, 0.0)",
    ),
]
PRINTS = """
released: RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation
cured:    a gradient
"""

# The package loads compiled ops; this file needs torch only.
SOURCE = Path(find_spec("torchaudio").submodule_search_locations[0], "models", "tacotron2.py").read_text("utf-8")


def gradient(source: str) -> str:
    module = {"__name__": "tacotron2"}
    exec(source, module)
    torch.manual_seed(0)
    model = module["Tacotron2"](mask_padding=True, n_mels=8)
    tokens, lengths = torch.randint(0, 148, (2, 6)), torch.tensor([6, 5])
    mel_lengths = torch.tensor([7, 4], dtype=torch.int32)
    before, after, gates, _ = model(tokens, lengths, torch.randn(2, 8, 7), mel_lengths)
    try:
        (before.sum() + after.sum() + gates.sum()).backward()
    except RuntimeError as error:
        return f"RuntimeError: {str(error).split(':')[0]}"
    return "a gradient"


released = gradient(SOURCE)
source = SOURCE
for old, new in reversed(CURE):
    source = source.replace(old, new)
cured = gradient(source)

print("released:", released)
print("cured:   ", cured)
assert released.startswith("RuntimeError")
assert cured == "a gradient"
