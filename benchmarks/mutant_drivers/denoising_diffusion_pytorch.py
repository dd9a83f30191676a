"""Runs denoising-diffusion-pytorch 2.3.4."""

from typing import Any

from torch import ones, rand, randint, randn

NOT_INSTALLED = (
    "torchvision",
    "scipy",
    "scipy.optimize",
    "PIL",
    "tqdm",
    "tqdm.auto",
    "ema_pytorch",
    "accelerate",
    "pytorch_fid",
    "pytorch_fid.inception",
    "pytorch_fid.fid_score",
)


def unet() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import Unet

    model = Unet(8, dim_mults=(1, 2), channels=3, self_condition=True, dropout=0.1, attn_heads=2, attn_dim_head=8)
    times, before = randint(0, 10, (1,)), randn(1, 3, 8, 8)
    return lambda x: model(x, times, before), randn(1, 3, 8, 8)


def gaussian() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import GaussianDiffusion, Unet

    model = Unet(8, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8, random_fourier_features=True)
    return GaussianDiffusion(
        model, image_size=8, timesteps=10, min_snr_loss_weight=True, offset_noise_strength=0.1
    ), rand(2, 3, 8, 8)


def gaussian_v() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import GaussianDiffusion, Unet

    model = Unet(8, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8)
    diffusion = GaussianDiffusion(model, image_size=8, timesteps=4, objective="pred_noise", beta_schedule="cosine")
    return lambda x: (diffusion(x), diffusion.p_losses(x, ones(2).long())), rand(2, 3, 8, 8)


def in_one_dimension() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch_1d import GaussianDiffusion1D, Unet1D

    model = Unet1D(8, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8, dropout=0.1)
    return GaussianDiffusion1D(model, seq_length=8, timesteps=10), rand(2, 3, 8)


def guided() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.classifier_free_guidance import GaussianDiffusion, Unet

    model = Unet(8, num_classes=4, cond_drop_prob=0.5, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8)
    diffusion, classes = GaussianDiffusion(model, image_size=8, timesteps=10), randint(0, 4, (2,))
    return lambda x: diffusion(x, classes=classes), rand(2, 3, 8, 8)


def elucidated() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import Unet
    from denoising_diffusion_pytorch.elucidated_diffusion import ElucidatedDiffusion

    model = Unet(
        8,
        dim_mults=(1, 2),
        channels=3,
        attn_heads=2,
        attn_dim_head=8,
        self_condition=True,
        learned_sinusoidal_cond=True,
    )
    return ElucidatedDiffusion(model, image_size=8), rand(2, 3, 8, 8)


def karras() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.karras_unet import KarrasUnet

    model = KarrasUnet(
        image_size=8,
        dim=8,
        dim_max=16,
        num_classes=4,
        num_downsamples=2,
        num_blocks_per_stage=1,
        attn_res=(4,),
        attn_dim_head=4,
        dropout=0.1,
        fourier_dim=8,
    )
    times, labels = rand(1), randint(0, 4, (1,))
    return lambda x: model(x, times, class_labels=labels), randn(1, 4, 8, 8)


def karras_in_one_dimension() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.karras_unet_1d import KarrasUnet1D

    model = KarrasUnet1D(
        seq_len=8,
        dim=8,
        dim_max=16,
        num_downsamples=2,
        num_blocks_per_stage=1,
        attn_res=(4,),
        attn_dim_head=4,
        fourier_dim=8,
    )
    times = rand(1)
    return lambda x: model(x, times), randn(1, 4, 8)


def continuous() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.continuous_time_gaussian_diffusion import ContinuousTimeGaussianDiffusion
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import Unet

    model = Unet(8, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8, random_fourier_features=True)
    return ContinuousTimeGaussianDiffusion(model, image_size=8, noise_schedule="learned"), rand(2, 3, 8, 8)


def v_continuous() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import Unet
    from denoising_diffusion_pytorch.v_param_continuous_time_gaussian_diffusion import (
        VParamContinuousTimeGaussianDiffusion,
    )

    model = Unet(8, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8, random_fourier_features=True)
    return VParamContinuousTimeGaussianDiffusion(model, image_size=8), rand(2, 3, 8, 8)


def learned() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import Unet
    from denoising_diffusion_pytorch.learned_gaussian_diffusion import LearnedGaussianDiffusion

    model = Unet(8, out_dim=6, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8)
    return LearnedGaussianDiffusion(model, image_size=8, timesteps=10), rand(2, 3, 8, 8)


def weighted() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.denoising_diffusion_pytorch import Unet
    from denoising_diffusion_pytorch.weighted_objective_gaussian_diffusion import WeightedObjectiveGaussianDiffusion

    model = Unet(8, out_dim=8, dim_mults=(1, 2), channels=3, attn_heads=2, attn_dim_head=8)
    return WeightedObjectiveGaussianDiffusion(model, image_size=8, timesteps=10), rand(2, 3, 8, 8)


def simple() -> tuple[Any, ...]:
    from denoising_diffusion_pytorch.simple_diffusion import GaussianDiffusion, UViT

    model = UViT(
        8,
        channels=3,
        dim_mults=(1, 2),
        downsample_factor=1,
        vit_depth=1,
        attn_heads=2,
        attn_dim_head=8,
        vit_dropout=0.1,
    )
    return GaussianDiffusion(model, image_size=8), rand(2, 3, 8, 8)
