"""Runs efficientnet-pytorch 0.7.1."""

from typing import Any

from torch import randn


def plain() -> tuple[Any, ...]:
    from efficientnet_pytorch import EfficientNet

    return EfficientNet.from_name("efficientnet-b0", image_size=32, num_classes=3), randn(2, 3, 32, 32)


def with_swish_of_torch() -> tuple[Any, ...]:
    from efficientnet_pytorch import EfficientNet

    model = EfficientNet.from_name("efficientnet-b0", image_size=32, num_classes=3)
    model.set_swish(memory_efficient=False)
    return lambda x: list(model.extract_endpoints(x).values()), randn(2, 3, 32, 32)


def swish() -> tuple[Any, ...]:
    from efficientnet_pytorch.utils import MemoryEfficientSwish

    return MemoryEfficientSwish(), randn(2, 3)


def dropped() -> tuple[Any, ...]:
    from efficientnet_pytorch.utils import drop_connect

    return lambda x: drop_connect(x, 0.5, True), randn(4, 3, 2, 2)


def padded() -> tuple[Any, ...]:
    from efficientnet_pytorch.utils import Conv2dDynamicSamePadding, MaxPool2dDynamicSamePadding
    from torch import nn

    return nn.Sequential(Conv2dDynamicSamePadding(3, 4, 3, 2), MaxPool2dDynamicSamePadding(3, 2)), randn(1, 3, 9, 9)
