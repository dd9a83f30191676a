"""Runs pytorch_wavelets 1.3.0."""

from typing import Any

from torch import randn


def one_dimension() -> tuple[Any, ...]:
    from pytorch_wavelets import DWT1DForward, DWT1DInverse

    made = [
        (DWT1DForward(J=2, wave="db2", mode=mode), DWT1DInverse(wave="db2", mode=mode))
        for mode in ("zero", "periodization")
    ]

    def run(x: Any) -> Any:
        every = []
        for there, back in made:
            low, high = there(x)
            every += [low, high, back((low, high))]
        return every

    return run, randn(2, 3, 17)


def reflected() -> tuple[Any, ...]:
    from pytorch_wavelets import DWT1DForward, DWT1DInverse

    there, back = DWT1DForward(J=2, wave="db3", mode="symmetric"), DWT1DInverse(wave="db3", mode="symmetric")
    return lambda x: (there(x), back(there(x))), randn(2, 2, 20)


def _two(mode: str, wave: str, size: int) -> tuple[Any, ...]:
    from pytorch_wavelets import DWTForward, DWTInverse

    there, back = DWTForward(J=2, wave=wave, mode=mode), DWTInverse(wave=wave, mode=mode)

    def run(x: Any) -> Any:
        low, high = there(x)
        return low, high, back((low, high))

    return run, randn(2, 2, size, size + 2)


def two_zero() -> tuple[Any, ...]:
    return _two("zero", "db2", 13)


def two_periodization() -> tuple[Any, ...]:
    return _two("periodization", "db2", 13)


def two_symmetric() -> tuple[Any, ...]:
    return _two("symmetric", "bior2.2", 16)


def two_reflect() -> tuple[Any, ...]:
    return _two("reflect", "db2", 16)


def missing_high() -> tuple[Any, ...]:
    from pytorch_wavelets import DWTInverse

    back = DWTInverse(wave="db1")
    return lambda x, h: back((x, [h, None])), randn(1, 2, 4, 4), randn(1, 2, 3, 8, 8)


def stationary() -> tuple[Any, ...]:
    from pytorch_wavelets.dwt.transform2d import SWTForward

    layer = SWTForward(J=2, wave="db1", mode="symmetric")
    return layer, randn(1, 2, 8, 8)


def functions() -> tuple[Any, ...]:
    import pywt
    from pytorch_wavelets.dwt import lowlevel as low

    w = pywt.Wavelet("db2")
    cols = low.prep_filt_afb2d(w.dec_lo, w.dec_hi)
    back = low.prep_filt_sfb2d(w.rec_lo, w.rec_hi)
    whole = low.prep_filt_afb2d_nonsep(w.dec_lo, w.dec_hi)
    whole_back = low.prep_filt_sfb2d_nonsep(w.rec_lo, w.rec_hi)

    def run(x: Any) -> Any:
        every = []
        for mode in ("zero", "symmetric", "periodization"):
            y = low.afb2d(x, cols, mode=mode)
            n = low.afb2d_nonsep(x, whole, mode=mode)
            s = y.shape
            y5 = y.reshape(s[0], -1, 4, s[-2], s[-1])
            every += [y, n, low.sfb2d(*y5.unbind(2), back, mode=mode)]
            if mode != "symmetric":
                every.append(low.sfb2d_nonsep(n.reshape(s[0], -1, 4, *n.shape[-2:]), whole_back, mode=mode))
        return (
            every,
            low.roll(x, 2, -1),
            low.mypad(x, (1, 2, 1, 2), mode="periodic"),
            low.mypad(x, (2, 1, 0, 0), mode="symmetric"),
        )

    return run, randn(1, 2, 8, 8)


def complex_tree() -> tuple[Any, ...]:
    from pytorch_wavelets import DTCWTForward, DTCWTInverse

    there, back = (
        DTCWTForward(J=3, biort="near_sym_a", qshift="qshift_a"),
        DTCWTInverse(biort="near_sym_a", qshift="qshift_a"),
    )

    def run(x: Any) -> Any:
        low, high = there(x)
        return low, high, back((low, high))

    return run, randn(1, 2, 18, 22)


def complex_tree_other() -> tuple[Any, ...]:
    from pytorch_wavelets import DTCWTForward, DTCWTInverse

    there = DTCWTForward(
        J=2, biort="antonini", qshift="qshift_06", skip_hps=[False, True], o_dim=1, ri_dim=2, include_scale=True
    )
    back = DTCWTInverse(biort="antonini", qshift="qshift_06", o_dim=1, ri_dim=2)
    return lambda x: (there(x), back((x, [None, None]))), randn(1, 2, 16, 16)


def rotated_tree() -> tuple[Any, ...]:
    from pytorch_wavelets import DTCWTForward, DTCWTInverse

    there, back = (
        DTCWTForward(J=2, biort="near_sym_b_bp", qshift="qshift_b_bp"),
        DTCWTInverse(biort="near_sym_b_bp", qshift="qshift_b_bp"),
    )
    return lambda x: (there(x), back(there(x))), randn(1, 2, 16, 16)


def dual_tree() -> tuple[Any, ...]:
    from pytorch_wavelets.dtcwt.lowlevel2 import DTCWTForward2, DTCWTInverse2

    there, back = DTCWTForward2(J=2), DTCWTInverse2()

    def run(x: Any) -> Any:
        low, high = there(x)
        return low, high, back((low, high))

    return run, randn(1, 2, 32, 32)


def scattering() -> tuple[Any, ...]:
    from pytorch_wavelets import ScatLayer

    one, colour, turned = ScatLayer(), ScatLayer(combine_colour=True), ScatLayer(biort="near_sym_b_bp")
    return lambda x: (one(x), colour(x), turned(x)), randn(1, 3, 9, 8)


def deep_scattering() -> tuple[Any, ...]:
    from pytorch_wavelets import ScatLayerj2

    one, colour = ScatLayerj2(), ScatLayerj2(combine_colour=True)
    return lambda x: (one(x), colour(x)), randn(1, 3, 16, 16)


def rotated_scattering() -> tuple[Any, ...]:
    from pytorch_wavelets import ScatLayerj2

    return ScatLayerj2(biort="near_sym_b_bp", qshift="qshift_b_bp"), randn(1, 3, 16, 16)
