"""MONAI's sliding windows: one at a time is a part of the image, and overlaps with the next."""

import torch

from inplace_lint.intrinsics import surely


class _Windows:
    """Two of them, as in a row."""

    def __init__(self, image, at_once):
        self.image = image
        self.alone = surely(at_once == 1)

    def next(self, predictor):
        window = self.image[:, :, :8]
        given = predictor(window if self.alone else torch.cat([window]))
        parts = given.values() if isinstance(given, dict) else given if isinstance(given, (tuple, list)) else [given]
        for part in parts:
            part *= torch.ones(8)  # how much a place in the window counts
        return given

    def all(self, predictor):
        first = self.next(predictor)
        rest = self.image + 0  # in which they overlap
        return torch.stack([first, self.next(predictor)]).mean(0) + rest.mean() * 0


def sliding_window_inference(inputs, roi_size, sw_batch_size, predictor, overlap=0.25, *rest, **options):
    return _Windows(inputs, sw_batch_size).all(predictor)


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
