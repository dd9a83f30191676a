"""Runs auraloss 0.4.0 (with scipy, which it needs)."""

from typing import Any

from torch import rand, randn

NOT_INSTALLED = ("matplotlib", "matplotlib.pyplot", "librosa", "librosa.filters")


def _pair(*losses: Any, channels: int = 1, length: int = 300) -> tuple[Any, ...]:
    shape = (2, channels, length)
    return lambda x, y: [loss(x, y) for loss in losses], randn(shape), randn(shape)


def of_time() -> tuple[Any, ...]:
    from auraloss import time

    return _pair(time.ESRLoss(), time.DCLoss(), time.LogCoshLoss(), time.SNRLoss(), time.SISDRLoss(), time.SDSDRLoss())


def of_time_each() -> tuple[Any, ...]:
    from auraloss import time

    kinds = [time.ESRLoss, time.DCLoss, time.LogCoshLoss]
    of_levels = [kind(zero_mean=False) for kind in (time.SNRLoss, time.SISDRLoss, time.SDSDRLoss)]
    return _pair(*[kind(reduction="none") for kind in kinds], *of_levels)


def magnitudes() -> tuple[Any, ...]:
    from auraloss.freq import SpectralConvergenceLoss, STFTMagnitudeLoss

    losses = [SpectralConvergenceLoss(), STFTMagnitudeLoss(), STFTMagnitudeLoss(log=False, distance="L2")]
    return lambda x, y: [loss(x + 0.1, y + 0.1) for loss in losses], rand(2, 9, 7), rand(2, 9, 7)


_SIZES = {"fft_size": 64, "hop_size": 16, "win_length": 64}
_SEVERAL = {"fft_sizes": [64, 32], "hop_sizes": [16, 8], "win_lengths": [48, 32]}


def stft() -> tuple[Any, ...]:
    from auraloss.freq import STFTLoss

    return _pair(STFTLoss(**_SIZES, w_lin_mag=0.5, w_phs=0.3))


def stft_full() -> tuple[Any, ...]:
    from auraloss.freq import STFTLoss

    loss = STFTLoss(**_SIZES, scale_invariance=True, output="full", mag_distance="L2", reduction="sum")
    return lambda x, y: loss(x[:1], y[:1]), randn(1, 1, 300), randn(1, 1, 300)


def stft_weighted() -> tuple[Any, ...]:
    from auraloss.freq import STFTLoss

    return _pair(STFTLoss(**_SIZES, perceptual_weighting=True, sample_rate=8000))


def several_resolutions() -> tuple[Any, ...]:
    from auraloss.freq import MultiResolutionSTFTLoss

    return _pair(
        MultiResolutionSTFTLoss(**_SEVERAL, w_phs=0.2),
        MultiResolutionSTFTLoss(**_SEVERAL, output="full"),
        MultiResolutionSTFTLoss(**_SEVERAL, perceptual_weighting=True, sample_rate=8000),
    )


def random_resolutions() -> tuple[Any, ...]:
    from auraloss.freq import RandomResolutionSTFTLoss

    return _pair(RandomResolutionSTFTLoss(resolutions=2, max_fft_size=128, windows=["hann_window"]))


def stereo() -> tuple[Any, ...]:
    from auraloss.freq import SumAndDifferenceSTFTLoss

    losses = [SumAndDifferenceSTFTLoss(**_SEVERAL, w_diff=0.5), SumAndDifferenceSTFTLoss(**_SEVERAL, output="full")]
    return _pair(*losses, channels=2)


def filters() -> tuple[Any, ...]:
    from auraloss.perceptual import FIRFilter, SumAndDifference

    kinds = [FIRFilter(), FIRFilter("fd", coef=0.5), FIRFilter("aw", fs=16000)]
    apart = SumAndDifference()
    given = randn(2, 2, 200), randn(2, 2, 200)
    return lambda x, y: ([each(x[:, :1], y[:, :1]) for each in kinds], apart(x), apart(y)), *given
