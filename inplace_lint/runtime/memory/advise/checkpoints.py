"""Which layers would save most if they were checkpointed; done for real, compared and measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from torch import nn
from torch.utils.checkpoint import checkpoint

from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.memory.advise.recording import Change, Recording, record, same, same_buffers
from inplace_lint.runtime.target import Target

_MOST_TRIED = 4
_CONTAINERS = (nn.Sequential, nn.ModuleList, nn.ModuleDict)


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """The layers of one class, each checkpointed; results and gradients stay the same, to the bit.

    Args:
        kind: the class.
        layers: their paths in the model.
        peak: the peak then.
        buffers: buffers stay the same, too; those of BatchNorm do not, as it sees each batch twice.
    """

    kind: str
    layers: Sequence[str]
    peak: int
    buffers: bool


def checkpointed(target: Target, plain: Recording) -> list[Checkpointed]:
    """Checkpoint the layers of each repeated class, outer ones first; those that lower the peak, the best first."""
    model = target.fresh().model
    assert model is not None
    found = []
    for kind, layers in list(_repeated(model).items())[:_MOST_TRIED]:
        try:
            run = record(target, True, Change(prepare=partial(_checkpoint, layers=layers)))
        except TargetError:  # the class does what a checkpoint cannot repeat
            continue
        if run.peak < plain.peak and same(plain, run):
            found.append(Checkpointed(kind, layers, run.peak, same_buffers(plain, run)))
    return sorted(found, key=lambda each: each.peak)


def _repeated(model: nn.Module) -> dict[str, list[str]]:
    """The layers of each class that made of others and there more than once, outer classes first."""
    layers: dict[str, list[str]] = {}
    for path, module in model.named_modules():
        kind = type(module).__qualname__
        others = layers.get(kind, [])
        inner = any(path.startswith(f"{other}.") for other in others)
        if path and any(module.children()) and not isinstance(module, _CONTAINERS) and not inner:
            layers.setdefault(kind, []).append(path)
    repeated = {kind: paths for kind, paths in layers.items() if len(paths) > 1}
    return dict(sorted(repeated.items(), key=lambda each: each[1][0].count(".")))


def _checkpoint(model: nn.Module, layers: Sequence[str]) -> None:
    for path in layers:
        layer = model.get_submodule(path)
        layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)
