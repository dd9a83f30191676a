"""Runs nnAudio 0.3.4."""

from typing import Any

from torch import nn, randn

_SMALL = {"sr": 2000, "verbose": False}
_FFT = {"n_fft": 32, "hop_length": 8}
_FORMATS = ("Magnitude", "Complex", "Phase")


def _with_windows() -> None:
    from scipy import signal

    # Where they were when the package was released.
    signal.blackmanharris = signal.windows.blackmanharris


def _formats(layer: Any, length: int = 2000, **given: Any) -> Any:
    def run(x: Any) -> Any:
        return [layer(x, output_format=each, **given) for each in _FORMATS]

    return run, randn(2, length)


def _of_both(layer: Any, length: int = 2000) -> Any:
    def run(x: Any) -> Any:
        kinds = [("Magnitude", "librosa"), ("Complex", "convolutional"), ("Phase", "wrap")]
        return [layer(x, output_format=one, normalization_type=other) for one, other in kinds]

    return run, randn(2, length)


def stft() -> Any:
    from nnAudio.features import STFT

    return _formats(STFT(**_FFT, **_SMALL, trainable=True), 100)


def stft_frozen() -> Any:
    from nnAudio.features import STFT

    return _formats(STFT(**_FFT, **_SMALL, freq_bins=12, win_length=20, center=False, pad_mode="constant"), 100)


def stft_scales() -> Any:
    from nnAudio.features import STFT

    kinds = [STFT(**_FFT, **_SMALL, freq_scale=each, fmin=50, fmax=900, freq_bins=8) for each in ("linear", "log")]
    layers = nn.ModuleList([*kinds, STFT(**_FFT, **_SMALL, freq_scale="log2", fmin=50, fmax=900, freq_bins=8)])
    return lambda x: [each(x) for each in layers], randn(2, 1, 100)


def stft_back() -> Any:
    from nnAudio.features import STFT

    layer = STFT(**_FFT, **_SMALL, iSTFT=True)

    def run(x: Any) -> Any:
        made = layer(x, output_format="Complex")
        return layer.inverse(made, length=100), layer.inverse(made, refresh_win=False)

    return run, randn(2, 100)


def stft_back_two_sided() -> Any:
    from nnAudio.features import STFT, iSTFT

    layer = STFT(**_FFT, **_SMALL)
    other = iSTFT(**_FFT, **_SMALL, trainable_kernels=True, trainable_window=True)
    return lambda x: other(layer(x, output_format="Complex"), onesided=True, length=96), randn(2, 100)


def stft_back_whole() -> Any:
    from nnAudio.features import iSTFT

    layer = iSTFT(**_FFT, **_SMALL, center=False)
    return lambda x: layer(x, onesided=True), randn(2, 17, 6, 2)


def mel() -> Any:
    from nnAudio.features import MelSpectrogram

    return MelSpectrogram(**_FFT, **_SMALL, n_mels=6, trainable_mel=True, trainable_STFT=True), randn(2, 100)


def mel_of_htk() -> Any:
    from nnAudio.features import MelSpectrogram

    return MelSpectrogram(**_FFT, **_SMALL, n_mels=6, htk=True, power=1.0, norm=None), randn(2, 100)


def mfcc() -> Any:
    from nnAudio.features import MFCC

    return MFCC(**_SMALL, n_mfcc=5, n_mels=8, **_FFT), randn(2, 100)


def mfcc_of_low() -> Any:
    from nnAudio.features import MFCC

    return MFCC(**_SMALL, n_mfcc=5, n_mels=8, **_FFT, top_db=None, ref=2.0), randn(2, 100)


def gammatone() -> Any:
    from nnAudio.features import Gammatonegram

    return Gammatonegram(**_FFT, **_SMALL, n_bins=6, trainable_bins=True, trainable_STFT=True), randn(2, 100)


def cqt1992() -> Any:
    from nnAudio.features import CQT1992

    layer = CQT1992(sr=2000, hop_length=64, fmin=110, n_bins=12, trainable_STFT=True, trainable_CQT=True)
    return _of_both(layer)


def cqt1992_plain() -> Any:
    from nnAudio.features import CQT1992

    return _of_both(CQT1992(sr=2000, hop_length=64, fmin=110, n_bins=12, center=False, norm=False))


def cqt1992v2() -> Any:
    from nnAudio.features import CQT1992v2

    return _of_both(CQT1992v2(**_SMALL, hop_length=64, fmin=110, n_bins=12, trainable=True))


def cqt() -> Any:
    from nnAudio.features import CQT

    layer = CQT(**_SMALL, hop_length=64, fmin=110, n_bins=12, center=False)
    return lambda x: (layer(x), layer.forward_manual(x)), randn(2, 2000)


def cqt2010() -> Any:
    from nnAudio.features import CQT2010

    layer = CQT2010(**_SMALL, hop_length=64, fmin=110, n_bins=24, trainable_CQT=True, trainable_STFT=True)
    return _of_both(layer)


def cqt2010_late() -> Any:
    from nnAudio.features import CQT2010

    layer = CQT2010(**_SMALL, hop_length=64, fmin=110, n_bins=24, earlydownsample=False, pad_mode="constant")
    return _of_both(layer)


def cqt2010v2() -> Any:
    from nnAudio.features import CQT2010v2

    return _of_both(CQT2010v2(**_SMALL, hop_length=64, fmin=55, n_bins=36, trainable=True))


def cqt2010v2_late() -> Any:
    from nnAudio.features import CQT2010v2

    return _of_both(CQT2010v2(sr=8000, hop_length=64, fmin=55, n_bins=24, verbose=False, norm=False), 4000)


def vqt() -> Any:
    from nnAudio.features import VQT

    return _of_both(VQT(**_SMALL, hop_length=64, fmin=110, n_bins=24, gamma=3, trainable=True))


def vqt_late() -> Any:
    from nnAudio.features import VQT

    return _of_both(VQT(sr=8000, hop_length=64, fmin=55, n_bins=24, verbose=False, norm=False), 4000)


def periodicity() -> Any:
    _with_windows()
    from nnAudio.features.cfp import CFP

    layer = CFP(fr=10, fs=2000, hop_length=100, window_size=129, fc=80, tc=1 / 500, NumPerOct=12)
    return lambda x: layer(x.detach()), randn(2, 800)


def periodicity_combined() -> Any:
    _with_windows()
    from nnAudio.features import Combined_Frequency_Periodicity

    given = {"hop_length": 100, "window_size": 129, "fc": 80, "tc": 1 / 500, "NumPerOct": 12}
    layer = Combined_Frequency_Periodicity(fr=10, fs=2000, **given)
    return lambda x: layer(x.detach()), randn(2, 800)


def helpers() -> Any:
    from nnAudio import utils as u

    def run(x: Any, y: Any, kernel: Any) -> Any:
        made = u.complex_mul((x, y), (y.mT, x.mT)), u.extend_fbins(randn(2, 5, 3, 2) + x.sum())
        return (
            made,
            u.broadcast_dim(x),
            u.downsampling_by_2(x[:, None], kernel),
            u.downsampling_by_n(x[:, None], kernel, 3),
        )

    return run, randn(3, 9), randn(3, 9), randn(1, 1, 5)
