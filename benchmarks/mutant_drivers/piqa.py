"""Runs piqa 1.3.2, all but the networks of torchvision."""

from typing import Any

from torch import nn, rand, randn

NOT_INSTALLED = ("torchvision",)


def _compared(name: str, size: int = 32, **given: Any) -> tuple[Any, ...]:
    import piqa

    made = getattr(piqa, name)(**given)
    return lambda x, y: made(x.sigmoid(), y.sigmoid()), randn(2, 3, size, size), randn(2, 3, size, size)


def tv() -> tuple[Any, ...]:
    from piqa.tv import TV, tv

    plain = TV()
    return lambda x: (plain(x.sigmoid()), tv(x, norm="L2"), tv(x, norm="L2_squared")), randn(2, 3, 8, 8)


def psnr() -> tuple[Any, ...]:
    return _compared("PSNR", reduction="sum")


def ssim() -> tuple[Any, ...]:
    return _compared("SSIM")


def ssim_padded() -> tuple[Any, ...]:
    return _compared("SSIM", reduction="none", padding=True, channel_avg=False)


def ms_ssim() -> tuple[Any, ...]:
    return _compared("MS_SSIM", 176, reduction="none")


def gmsd() -> tuple[Any, ...]:
    return _compared("GMSD", reduction="none")


def gmsd_with_alpha() -> tuple[Any, ...]:
    return _compared("GMSD", downsample=False, alpha=0.3)


def ms_gmsd() -> tuple[Any, ...]:
    return _compared("MS_GMSD", 64)


def ms_gmsd_without_alpha() -> tuple[Any, ...]:
    return _compared("MS_GMSD", 64, alpha=0.0)


def mdsi() -> tuple[Any, ...]:
    return _compared("MDSI", reduction="none")


def mdsi_by_product() -> tuple[Any, ...]:
    return _compared("MDSI", downsample=False, combination="prod")


def haarpsi() -> tuple[Any, ...]:
    return _compared("HaarPSI", reduction="none")


def haarpsi_of_greys() -> tuple[Any, ...]:
    return _compared("HaarPSI", chromatic=False, downsample=False)


def vsi() -> tuple[Any, ...]:
    return _compared("VSI")


def vsi_of_greys() -> tuple[Any, ...]:
    return _compared("VSI", chromatic=False, downsample=False)


def fsim() -> tuple[Any, ...]:
    return _compared("FSIM")


def fsim_of_greys() -> tuple[Any, ...]:
    return _compared("FSIM", chromatic=False, downsample=False)


def frechet() -> tuple[Any, ...]:
    from piqa.fid import frechet_distance

    def run(mu_x: Any, x: Any, mu_y: Any, y: Any) -> Any:
        return frechet_distance(mu_x, x @ x.mT, mu_y, y @ y.mT)

    return run, randn(4), randn(4, 4), randn(4), randn(4, 4)


def perceptual() -> tuple[Any, ...]:
    from piqa.lpips import Perceptual
    from piqa.utils.color import ImageNetNorm
    from piqa.utils.functional import l2_norm, reduce_tensor

    normalize = ImageNetNorm()
    net = Perceptual([nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.ReLU()], [1, 3])

    def run(x: Any) -> Any:
        made = [each / (l2_norm(each, dim=1, keepdim=True) + 1e-6) for each in net(normalize(x))]
        return made, [reduce_tensor(each, "mean") for each in made]

    return run, rand(2, 3, 8, 8)
