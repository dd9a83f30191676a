"""Circumstances in which a write may matter that does not matter in a run: other weights, the other mode."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from inplace_lint.runtime.target import SEED, Call, Target

# Large enough to show, and small beside the weights that layers begin with.
_NOISE = 0.05


@dataclass(frozen=True, slots=True)
class Circumstance:
    """A target under other circumstances.

    Args:
        words: which, as the end of a sentence.
        target: the target.
        likely: training brings it about, so that what goes wrong there goes wrong.
    """

    words: str
    target: Target
    likely: bool


def circumstances(target: Target) -> Sequence[Circumstance]:
    """The other circumstances of a model: none for a whole program, which makes its own.

    Zero weights hide what is computed before them, and the first steps of training move them. Zero
    buffers, and weights that nothing trains, may stay what they are.
    """
    call = target.fresh()
    if call.model is None:
        return ()
    trained, other = _trained_zeros(call), _other_zeros(call)
    found = []
    if trained:
        words = "once parameters that are all zero hold noise"
        found.append(Circumstance(words, _noisy(target, trained), True))
    if other:
        words = "with noise in buffers and frozen parameters that are all zero"
        found.append(Circumstance(words, _noisy(target, trained | other), False))
    mode = "evaluation" if call.model.training else "training"
    found.append(Circumstance(f"in {mode} mode", _in_other_mode(_noisy(target, trained | other)), False))
    return found


def _trained_zeros(call: Call) -> frozenset[str]:
    assert call.model is not None
    return _zeros((name, each) for name, each in call.model.named_parameters() if each.requires_grad)


def _other_zeros(call: Call) -> frozenset[str]:
    assert call.model is not None
    frozen = ((name, each) for name, each in call.model.named_parameters() if not each.requires_grad)
    return _zeros(frozen) | _zeros(call.model.named_buffers())


def _zeros(named: Iterable[tuple[str, Tensor]]) -> frozenset[str]:
    return frozenset(
        name
        for name, each in named
        if each.layout is torch.strided and each.is_floating_point() and each.numel() and not each.any()
    )


def _noisy(target: Target, names: frozenset[str]) -> Target:
    def fresh() -> Call:
        call = target.fresh()
        assert call.model is not None
        generator = torch.Generator().manual_seed(SEED)
        for name, each in (*call.model.named_parameters(), *call.model.named_buffers()):
            if name in names:
                noise = torch.randn(each.shape, generator=generator) * _NOISE
                each.data.copy_(noise.abs() if _is_variance(name) else noise)
        return call

    return replace(target, fresh=fresh)


def _is_variance(name: str) -> bool:
    return name.rpartition(".")[2].endswith("var")


def _in_other_mode(target: Target) -> Target:
    def fresh() -> Call:
        call = target.fresh()
        assert call.model is not None
        call.model.train(not call.model.training)
        return call

    return replace(target, fresh=fresh)
