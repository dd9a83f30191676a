"""MONAI's sliding windows: one at a time is a part of the image, and overlaps with the next."""

import torch

from inplace_lint.intrinsics import surely


def sliding_window_inference(inputs, roi_size, sw_batch_size, predictor, overlap=0.25, *rest, **options):
    found = []
    for _ in range(2):
        window = inputs[:, :, :8]
        if not surely(sw_batch_size == 1):
            window = torch.cat([window])
        found.append(predictor(window))
    return torch.stack(found).mean(0)


class SlidingWindowInferer:
    def __init__(self, roi_size, sw_batch_size=1, overlap=0.25, *rest, **options):
        self.sw_batch_size = sw_batch_size

    def __call__(self, inputs, network, *args, **kwargs):
        return sliding_window_inference(
            inputs, None, self.sw_batch_size, lambda window: network(window, *args, **kwargs)
        )


class SimpleInferer:
    def __call__(self, inputs, network, *args, **kwargs):
        return network(inputs, *args, **kwargs)
