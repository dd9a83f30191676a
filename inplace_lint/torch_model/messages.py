"""The parts of PyTorch's error messages about in-place operations."""

from __future__ import annotations

import re
from dataclasses import dataclass

from inplace_lint.torch_model.events import Refused

_REFUSALS: tuple[tuple[Refused, str], ...] = (
    ("leaf-view", r"a view of a leaf Variable that requires grad"),
    ("leaf", r"a leaf Variable that requires grad"),
    ("stale-view", r"its base or another view of its base has been modified"),
    ("multi-view", r"is the output of a function that returns multiple views"),
    ("hooked", r"Output \d+ of BackwardHookFunction\w* is a view"),
    ("custom-view", r"This view was created inside a custom Function"),
    ("no-grad-view", r"A view was created in (?:no_grad|inference) mode"),
    ("expanded", r"more than one element of the written-to tensor refers"),
    ("overlap", r"some elements of the input tensor and the written-to tensor refer"),
    ("out-with-grad", r"functions with out=\.\.\. arguments don't support automatic differentiation"),
    ("inference", r"Inplace update to inference tensor"),
    ("inference-saved", r"Inference tensors cannot be saved"),
    ("detached-view", r"Can't detach views in-place"),
)
_STALE = "one of the variables needed for gradient computation has been modified by an inplace operation"
_CACHED = "Tensor cached during selective activation checkpoint has been mutated"
_DETAILS = re.compile(
    r"\[(?P<type>[\w.]+) \[(?P<shape>[\d,\s]*)\]\]"
    r"(?:,\s+which\s+is\s+output\s+(?P<output>\d+)\s+of\s+(?P<node>[\w:]+),)?"
    r"\s+is\s+at\s+version\s+(?P<version>\d{1,18});\s+expected\s+version\s+(?P<expected>\d{1,18})"
)


@dataclass(frozen=True, slots=True)
class Stale:
    """The message of a backward pass that found a saved tensor overwritten.

    Args:
        type: of the tensor (`torch.FloatTensor`).
        shape: its size.
        node: what made the tensor, in autograd's words (`Sigmoid`); None for a leaf.
        version: of the tensor when backward read it.
        expected: when it was saved.
    """

    type: str
    shape: tuple[int, ...]
    node: str | None
    version: int
    expected: int


def is_stale(text: str) -> bool:
    """Whether a backward pass says that it found a saved tensor overwritten."""
    return _STALE in " ".join(text.split())


def is_cached(text: str) -> bool:
    """Whether a selective checkpoint says that it found overwritten what it had saved."""
    return _CACHED in text


def stale(text: str) -> Stale | None:
    """What such a message says of the tensor; None if the text holds no such details."""
    found = _DETAILS.search(text)
    if found is None:
        return None
    return Stale(
        found["type"],
        tuple(int(size) for size in re.findall(r"\d{1,18}", found["shape"])),
        node_name(found["node"]) if found["node"] else None,
        int(found["version"]),
        int(found["expected"]),
    )


def node_name(text: str) -> str:
    """A node's name without what some versions of PyTorch leave out: `SigmoidBackward0` is `Sigmoid`."""
    return text.rpartition("::")[2].rstrip("0123456789").removesuffix("Backward")


def refusal(text: str) -> Refused | None:
    """Why PyTorch refuses a write at once; None if the text says nothing of the kind."""
    flat = " ".join(text.split())
    return next((kind for kind, pattern in _REFUSALS if re.search(pattern, flat)), None)


def is_in_place(text: str) -> bool:
    """Whether PyTorch raised because of an in-place change, at once or in backward."""
    return is_stale(text) or refusal(text) is not None
