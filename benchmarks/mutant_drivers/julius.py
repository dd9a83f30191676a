"""Runs julius 0.2.8."""

from typing import Any

from torch import randn


def resample() -> tuple[Any, ...]:
    from julius import ResampleFrac

    return ResampleFrac(4, 5, zeros=6), randn(2, 3, 40)


def resample_function() -> tuple[Any, ...]:
    from julius import resample_frac

    return lambda x: (resample_frac(x, 3, 2, zeros=4, full=True), resample_frac(x, 2, 3, zeros=4)), randn(2, 40)


def by_two() -> tuple[Any, ...]:
    from julius.resample import _downsample2, _upsample2

    return lambda x: (_upsample2(x, zeros=4), _downsample2(x, zeros=4)), randn(2, 21)


def low_pass() -> tuple[Any, ...]:
    from julius import LowPassFilter, LowPassFilters

    one, many = LowPassFilter(0.25, stride=2), LowPassFilters([0.1, 0.4], fft=True)
    return lambda x: (one(x), many(x)), randn(2, 3, 120)


def high_pass() -> tuple[Any, ...]:
    from julius import HighPassFilter, HighPassFilters

    one, many = HighPassFilter(0.2, pad=False), HighPassFilters([0.1, 0.3], stride=2)
    return lambda x: (one(x), many(x)), randn(2, 150)


def band_pass() -> tuple[Any, ...]:
    from julius import BandPassFilter, bandpass_filter

    layer = BandPassFilter(0.1, 0.3, fft=False)
    return lambda x: (layer(x), bandpass_filter(x, 0.05, 0.2)), randn(2, 150)


def split_bands() -> tuple[Any, ...]:
    from julius import SplitBands, split_bands

    layer = SplitBands(sample_rate=128, n_bands=4)
    return lambda x: (layer(x), split_bands(x, sample_rate=64, cutoffs=[12, 24])), randn(2, 300)


def convolution() -> tuple[Any, ...]:
    from julius import FFTConv1d

    return FFTConv1d(3, 4, 12, stride=2, padding=3), randn(2, 3, 90)


def convolution_function() -> tuple[Any, ...]:
    from julius import fft_conv1d

    return lambda x, w, b: fft_conv1d(x, w, b, block_ratio=3), randn(2, 3, 90), randn(4, 3, 9), randn(4)


def helpers() -> tuple[Any, ...]:
    from julius.core import hz_to_mel, mel_to_hz, pad_to, pure_tone, sinc, unfold, volume

    def run(x: Any) -> Any:
        tone = pure_tone(3.0, 16, 2)
        mels = hz_to_mel(x.abs())
        return sinc(x), mels, mel_to_hz(mels), volume(x), pad_to(x, 20), unfold(x, 4, 3), tone * x[0, 0]

    return run, randn(2, 15)
