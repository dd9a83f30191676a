"""Runs asteroid-filterbanks 0.4.0 (with librosa's mel filters made up)."""

import math
import sys
from typing import Any

import numpy as np
from torch import hann_window, rand, randn

NOT_INSTALLED = ("librosa", "librosa.filters")


def _pair(name: str, *sizes: int, **given: Any) -> tuple[Any, ...]:
    from asteroid_filterbanks import make_enc_dec

    encoder, decoder = make_enc_dec(name, *(sizes or (16, 16)), **given)

    def run(x: Any) -> Any:
        made = encoder(x)
        return made, decoder(made), decoder(made, length=x.shape[-1])

    return run, randn(2, 1, 64)


def free() -> tuple[Any, ...]:
    return _pair("free", padding=2)


def free_inverse() -> tuple[Any, ...]:
    return _pair("free", 16, 8, who_is_pinv="decoder")


def analytic() -> tuple[Any, ...]:
    return _pair("analytic_free", stride=4)


def analytic_inverse() -> tuple[Any, ...]:
    return _pair("analytic_free", 12, 16, who_is_pinv="encoder")


def sinc() -> tuple[Any, ...]:
    return _pair("param_sinc", 8, 17, stride=4, min_low_hz=40)


def fourier() -> tuple[Any, ...]:
    return _pair("stft", 20, 16)


def fourier_as_torch() -> tuple[Any, ...]:
    return _pair("torch_stft", stride=4, center=True)


def fourier_off_center() -> tuple[Any, ...]:
    from asteroid_filterbanks import Decoder, Encoder, TorchSTFTFB

    given = TorchSTFTFB.from_torch_args(n_fft=16, hop_length=4, win_length=16, window=hann_window(16), center=False)
    encoder, decoder = Encoder(given), Decoder(given)

    def run(x: Any) -> Any:
        made = encoder(x + 0.1)
        return made, decoder(made * 1.5), encoder(x[0]), encoder(x[0, 0])

    return run, randn(2, 3, 64)


def gammatone() -> tuple[Any, ...]:
    from asteroid_filterbanks import Encoder, MultiphaseGammatoneFB

    np.math, np.float, np.int = math, float, int  # of the NumPy that it was written for
    encoder = Encoder(MultiphaseGammatoneFB(64, 16))
    return lambda x: (encoder(x), encoder(x[0, 0])), randn(2, 1, 64)


def mel() -> tuple[Any, ...]:
    sys.modules["librosa.filters"].mel = lambda n_fft, n_mels, **_: np.ones((n_mels, n_fft // 2 + 1), np.float32)
    from asteroid_filterbanks import Encoder, MelGramFB

    encoder = Encoder(MelGramFB(16, 16, n_mels=4, stride=8), as_conv1d=False)
    return encoder, randn(2, 1, 64)


def channels() -> tuple[Any, ...]:
    from asteroid_filterbanks import Decoder, Encoder, FreeFB

    shared = FreeFB(8, 6, stride=3)
    encoder, decoder = Encoder(shared, as_conv1d=False, padding=1), Decoder(shared, padding=1, output_padding=1)

    def run(x: Any) -> Any:
        made = encoder(x)
        return made, decoder(made), decoder(made[0, 0]), decoder(encoder(x.unsqueeze(1)))

    return run, randn(2, 3, 30)


def complexes() -> tuple[Any, ...]:
    from asteroid_filterbanks import transforms as t

    def run(x: Any, mask: Any) -> Any:
        real, imaginary = t.reim(x)
        magnitudes, phases = t.magphase(x)
        return (
            t.mul_c(x, mask),
            t.magreim(x),
            t.apply_real_mask(x, mask),
            t.apply_mag_mask(x, mask[:, :4]),
            t.apply_complex_mask(x, mask),
            t.from_magphase(magnitudes, phases),
            t.centerfreq_correction(x, 6),
            t.from_torchaudio(t.to_torchaudio(x)),
            t.from_torch_complex(t.to_torch_complex(x)),
            real + imaginary,
        )

    return run, randn(2, 8, 5), randn(2, 8, 5)


def along_another() -> tuple[Any, ...]:
    from asteroid_filterbanks import transforms as t

    def run(x: Any, mask: Any) -> Any:
        made = t.apply_complex_mask(x, mask, dim=1), t.apply_mag_mask(x, mask[:, :2], dim=1)
        return made, t.mag(x, dim=1), t.angle(x, dim=1), t.magreim(x, dim=1)

    return run, randn(2, 4, 3, 5), randn(2, 4, 3, 5)


def phases() -> tuple[Any, ...]:
    from asteroid_filterbanks import STFTFB, Encoder, griffin_lim, transforms

    encoder = Encoder(STFTFB(16, 16, stride=8))

    def run(x: Any, angles: Any) -> Any:
        magnitudes = transforms.mag(encoder(x))
        return griffin_lim(magnitudes, encoder, n_iter=3), griffin_lim(magnitudes, encoder, angles=angles, n_iter=1)

    return run, randn(2, 1, 64), rand(2, 9, 7)


def phases_of_sources() -> tuple[Any, ...]:
    from asteroid_filterbanks import STFTFB, Encoder, misi, transforms

    encoder = Encoder(STFTFB(16, 16, stride=8))

    def run(x: Any, weights: Any) -> Any:
        magnitudes = transforms.mag(encoder(x).sigmoid())
        given = x.sum(1), magnitudes, encoder
        return misi(*given, n_iter=2, momentum=0.5), misi(*given, n_iter=1, src_weights=weights)

    return run, randn(2, 3, 64), rand(2, 3, 1)


def consistent() -> tuple[Any, ...]:
    from asteroid_filterbanks.griffin_lim import _mixture_consistency

    def run(mixture: Any, sources: Any) -> Any:
        return _mixture_consistency(mixture, sources), _mixture_consistency(mixture[:, None], sources)

    return run, randn(2, 20), randn(2, 3, 20)


def normalized() -> tuple[Any, ...]:
    from asteroid_filterbanks.pcen import PCEN

    layer = PCEN(n_channels=2, trainable=True, per_channel_smoothing=True)
    return lambda x: layer(x.abs() + 0.1), randn(2, 2, 4, 5)


def normalized_by_parts() -> tuple[Any, ...]:
    from asteroid_filterbanks.pcen import PCEN, StatefulPCEN

    trainable = {"alpha": True, "delta": True, "root": False, "smooth": True}
    layer = StatefulPCEN.from_pcen(PCEN(trainable=trainable))

    def run(x: Any) -> Any:
        x = x.abs() + 0.1
        made, state = layer(x[..., :3])
        return made, layer(x[..., 3:], state)

    return run, randn(2, 4, 6)
