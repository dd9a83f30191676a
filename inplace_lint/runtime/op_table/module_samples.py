"""How to construct and call the modules of `torch.nn`: PyTorch's own tests, and what they lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch
from torch import Tensor, nn

from inplace_lint.runtime.op_table.samples import Arguments, seed

MAX_SAMPLES = 8


@dataclass(frozen=True)
class ModuleSample:
    """Arguments of the constructor and of one call."""

    init: Arguments
    call: Arguments


def module_samples(cls: type[nn.Module]) -> list[ModuleSample]:
    """Some ways to build and call a class of `torch.nn`."""
    seed()
    if issubclass(cls, nn.RNNBase):
        calls: list[tuple[object, ...]] = [(torch.rand(5, 2, 3),)]
        for directions in (1, 2):  # which of the two fits is found by trying
            states = [torch.rand(directions, 2, 4), torch.rand(directions, 2, 4)]
            calls.append((torch.rand(5, 2, 3), states if cls is nn.LSTM else states[0]))
        return [ModuleSample(Arguments((3, 4), {}), Arguments(call, {})) for call in calls]
    extra = _EXTRA.get(cls.__name__)
    if extra is not None:
        init, inputs = extra()
        return [ModuleSample(init, Arguments(tuple(inputs), {}))]
    return list(islice(_from_tests(cls), MAX_SAMPLES))


def _from_tests(cls: type[nn.Module]) -> Iterator[ModuleSample]:
    # Late, as `load_tests` says.
    from torch.testing._internal.common_modules import module_db

    for info in module_db:
        if info.module_cls is not cls:
            continue
        inputs = info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=True)
        for given in inputs:
            if given.forward_input is not None:
                yield ModuleSample(_arguments(given.constructor_input), _arguments(given.forward_input))


def _arguments(given: Any) -> Arguments:
    return Arguments(tuple(given.args), dict(given.kwargs))


def _made(*shapes: tuple[int, ...], init: tuple[object, ...] = (), **named: object) -> Callable[[], Any]:
    return lambda: (Arguments(init, named), [torch.rand(shape) for shape in shapes])


def _with(inputs: Callable[[], list[Tensor]], *init: object) -> Callable[[], Any]:
    return lambda: (Arguments(init, {}), inputs())


def _unpool(dim: int) -> Callable[[], list[Tensor]]:
    pool = (nn.MaxPool1d, nn.MaxPool2d, nn.MaxPool3d)[dim - 1]
    return lambda: list(pool(2, return_indices=True)(torch.rand(1, 2, *[4] * dim)))


def _classes(*shape: int) -> Callable[[], list[Tensor]]:
    return lambda: [torch.rand(shape), torch.zeros((shape[0], *shape[2:]), dtype=torch.int64)]


_IMAGE = (2, 4, 4, 4)
_EXTRA: dict[str, Callable[[], Any]] = {
    "AdaptiveLogSoftmaxWithLoss": _with(_classes(4, 8), 8, 10, [3]),
    "AlphaDropout": _made((3, 3)),
    "ChannelShuffle": _made(_IMAGE, init=(2,)),
    "CosineSimilarity": _made((3, 3), (3, 3)),
    "CrossMapLRN2d": _made(_IMAGE, init=(2,)),
    "Dropout": _made((3, 3)),
    "Dropout1d": _made((2, 3, 4)),
    "Dropout2d": _made(_IMAGE),
    "Dropout3d": _made((2, 3, 4, 4, 4)),
    "EmbeddingBag": _with(lambda: [torch.zeros((2, 3), dtype=torch.int64)], 10, 3),
    "FeatureAlphaDropout": _made(_IMAGE),
    "Flatten": _made(_IMAGE),
    "Fold": _made((1, 12, 12), init=((4, 5), (2, 2))),
    "Hardsigmoid": _made((3, 3)),
    "Identity": _made((3, 3)),
    "LazyBatchNorm1d": _made((4, 3)),
    "LazyBatchNorm2d": _made(_IMAGE),
    "LazyBatchNorm3d": _made((2, 3, 4, 4, 4)),
    "LazyInstanceNorm1d": _made((2, 3, 4)),
    "LazyInstanceNorm2d": _made(_IMAGE),
    "LazyInstanceNorm3d": _made((2, 3, 4, 4, 4)),
    "LazyLinear": _made((3, 3), init=(4,)),
    "MaxUnpool1d": _with(_unpool(1), 2),
    "MaxUnpool2d": _with(_unpool(2), 2),
    "MaxUnpool3d": _with(_unpool(3), 2),
    "MultiheadAttention": _made((5, 2, 8), (5, 2, 8), (5, 2, 8), init=(8, 2)),
    "FractionalMaxPool2d": _made(_IMAGE, init=(2,), output_ratio=0.5),
    "FractionalMaxPool3d": _made((1, 2, 5, 5, 5), init=(2,), output_ratio=0.5),
    "MultiMarginLoss": _with(_classes(4, 8)),
    "NLLLoss2d": _with(_classes(2, 3, 4, 4)),
    "PairwiseDistance": _made((3, 3), (3, 3)),
    "PixelShuffle": _made(_IMAGE, init=(2,)),
    "PixelUnshuffle": _made(_IMAGE, init=(2,)),
    "RReLU": _made((3, 3)),
    "TransformerDecoder": _made((2, 3, 8), (2, 3, 8), init=(nn.TransformerDecoderLayer(8, 2, 16, dropout=0.0), 1)),
    "TripletMarginLoss": _made((3, 3), (3, 3), (3, 3)),
    "TripletMarginWithDistanceLoss": _made((3, 3), (3, 3), (3, 3)),
    "Unflatten": _made((2, 6), init=(1, (2, 3))),
    "Unfold": _made(_IMAGE, init=((2, 2),)),
    "Upsample": _made(_IMAGE, scale_factor=2),
    "UpsamplingBilinear2d": _made(_IMAGE, scale_factor=2),
    "UpsamplingNearest2d": _made(_IMAGE, scale_factor=2),
}
