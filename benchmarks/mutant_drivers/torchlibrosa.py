"""Runs torchlibrosa 0.1.0 (with librosa)."""

from typing import Any

from torch import nn, rand, randn

_FFT = {"n_fft": 16, "hop_length": 4}


def transform() -> Any:
    from torchlibrosa.stft import DFT

    layer = DFT(8, None)

    def run(x: Any, y: Any) -> Any:
        real, imaginary = layer.rdft(x)
        return layer.dft(x, y), layer.idft(x, y), real, imaginary, layer.irdft(real, imaginary)

    return run, randn(8), randn(8)


def stft() -> Any:
    from torchlibrosa.stft import STFT

    return STFT(**_FFT), randn(2, 40)


def stft_trained() -> Any:
    from torchlibrosa.stft import STFT

    return STFT(n_fft=16, win_length=12, center=False, freeze_parameters=False), randn(2, 40)


def stft_constant() -> Any:
    from torchlibrosa.stft import STFT, magphase

    layer = STFT(**_FFT, pad_mode="constant", freeze_parameters=False)
    return lambda x: magphase(*layer(x)), randn(2, 40)


def back() -> Any:
    from torchlibrosa.stft import ISTFT, STFT

    layer, other = STFT(**_FFT), ISTFT(**_FFT)
    return lambda x: (other(*layer(x), 40), other(*layer(x * 2), None)), randn(2, 40)


def back_trained() -> Any:
    from torchlibrosa.stft import ISTFT

    layer = ISTFT(n_fft=16, center=False, freeze_parameters=False)
    return lambda x, y: layer(x, y, 24), randn(2, 1, 6, 9), randn(2, 1, 6, 9)


def back_exported() -> Any:
    from torchlibrosa.stft import ISTFT

    layer = ISTFT(**_FFT, onnx=True, frames_num=6, device="cpu")
    return lambda x, y: layer(x, y, 20), randn(2, 1, 6, 9), randn(2, 1, 6, 9)


def back_longer() -> Any:
    from torchlibrosa.stft import ISTFT

    layer = ISTFT(**_FFT)
    return lambda x, y: (layer(x, y, 20), layer(x[:, :, :4], y[:, :, :4], 12)), randn(2, 1, 6, 9), randn(2, 1, 6, 9)


def spectrogram() -> Any:
    from torchlibrosa.stft import Spectrogram

    return Spectrogram(**_FFT, freeze_parameters=False), randn(2, 40)


def spectrogram_powered() -> Any:
    from torchlibrosa.stft import Spectrogram

    one, other = Spectrogram(**_FFT, power=1.0), Spectrogram(**_FFT, power=3.0)
    return lambda x: (one(x), other(x)), randn(2, 40)


def logmel() -> Any:
    from torchlibrosa.stft import LogmelFilterBank, Spectrogram

    parts = nn.Sequential(Spectrogram(**_FFT), LogmelFilterBank(sr=2000, n_fft=16, n_mels=5, freeze_parameters=False))
    return parts, randn(2, 40)


def logmel_unlimited() -> Any:
    from torchlibrosa.stft import LogmelFilterBank

    one = LogmelFilterBank(sr=2000, n_fft=16, n_mels=5, top_db=None, ref=2.0, freeze_parameters=False)
    other = LogmelFilterBank(sr=2000, n_fft=16, n_mels=5, is_log=False, fmin=20)
    return lambda x: (one(x.abs()), other(x)), rand(2, 1, 6, 9)


def logmel_limited() -> Any:
    from torchlibrosa.stft import LogmelFilterBank

    layer = LogmelFilterBank(sr=2000, n_fft=16, n_mels=5, top_db=5.0, amin=1e-4)
    return lambda x: (layer(x), layer.power_to_db(x)), rand(2, 1, 6, 9)


def framed() -> Any:
    from torchlibrosa.stft import Enframe

    layer = Enframe(frame_length=8, hop_length=4)
    layer.top_db, layer.ref, layer.amin = 60.0, 1.0, 1e-8
    return layer, randn(2, 40)


def scaled() -> Any:
    from torchlibrosa.stft import Scalar

    layer = Scalar({"mean": [0.5, 1.0, 2.0], "std": [1.5, 1.0, 2.0]}, freeze_parameters=False)
    return layer, randn(2, 4, 3)


def stripes() -> Any:
    from torchlibrosa.augmentation import DropStripes

    one, other = DropStripes(2, 3, 2), DropStripes(3, 2, 1)
    return lambda x: (one(x * 2), other(x * 3)), randn(2, 1, 8, 6)


def augmented() -> Any:
    from torchlibrosa.augmentation import SpecAugmentation

    layer = SpecAugmentation(3, 2, 2, 1)
    return lambda x: layer(x * 2), randn(2, 1, 8, 6)


def whole() -> Any:
    from torchlibrosa.augmentation import SpecAugmentation
    from torchlibrosa.stft import LogmelFilterBank, Spectrogram

    layers = Spectrogram(**_FFT), LogmelFilterBank(sr=2000, n_fft=16, n_mels=5), SpecAugmentation(3, 1, 2, 1)
    return nn.Sequential(*layers), randn(2, 40)
