"""Runs vector-quantize-pytorch 1.32.0 (with einops, einx and torch-einops-utils)."""

from typing import Any

from torch import nn, ones, optim, randint, randn, tensor


def _vq(*shape: int, **given: Any) -> tuple[Any, ...]:
    from vector_quantize_pytorch import VectorQuantize

    return VectorQuantize(**{"dim": 8, "codebook_size": 6, **given}), randn(*(shape or (2, 5, 8)))


def plain() -> tuple[Any, ...]:
    return _vq(threshold_ema_dead_code=2, rotation_trick=False, layernorm_after_project_in=True, codebook_dim=4)


def rotated() -> tuple[Any, ...]:
    return _vq(rotation_trick=True, kmeans_init=True, kmeans_iters=3)


def cosine() -> tuple[Any, ...]:
    return _vq(use_cosine_sim=True, kmeans_init=True, kmeans_iters=2, threshold_ema_dead_code=2, codebook_dim=4)


def heads() -> tuple[Any, ...]:
    return _vq(heads=2, separate_codebook_per_head=True, codebook_dim=4, commitment_use_cross_entropy_loss=True)


def shared_heads() -> tuple[Any, ...]:
    layer, x = _vq(heads=2, codebook_dim=4, stochastic_sample_codes=True, straight_through=True, rotation_trick=False)
    return lambda x: layer(x, sample_codebook_temp=0.5, return_loss_breakdown=True), x


def learnable() -> tuple[Any, ...]:
    return _vq(
        learnable_codebook=True,
        ema_update=False,
        orthogonal_reg_weight=0.5,
        orthogonal_reg_active_codes_only=True,
        orthogonal_reg_max_codes=4,
        codebook_diversity_loss_weight=0.3,
        sync_update_v=0.1,
    )


def by_own_optimizer() -> tuple[Any, ...]:
    def made(parameters: Any) -> Any:
        return optim.SGD(parameters, lr=0.1)

    return _vq(learnable_codebook=True, ema_update=False, in_place_codebook_optimizer=made)


def directional() -> tuple[Any, ...]:
    given = {"rotation_trick": False, "learnable_codebook": True, "ema_update": False}
    return _vq(threshold_ema_dead_code=2, directional_reparam=True, **given)


def affine() -> tuple[Any, ...]:
    layer, x = _vq(affine_param=True, rotation_trick=False)
    return lambda x: layer(x, mask=tensor([[True] * 5, [True] * 3 + [False] * 2])), x


def images() -> tuple[Any, ...]:
    return _vq(2, 8, 3, 3, accept_image_fmap=True, codebook_diversity_loss_weight=0.2, channel_last=False)


def of_lengths() -> tuple[Any, ...]:
    layer, x = _vq(return_zeros_for_masked_padding=False, manual_ema_update=True)

    def run(x: Any) -> Any:
        made = layer(x, lens=tensor([3, 5]), accum_ema_update=True)
        layer.update_indices(x.detach(), made[1])
        return made, layer.get_output_from_indices(made[1].clamp(min=0))

    return run, x


def to_given_codes() -> tuple[Any, ...]:
    layer, x = _vq(learnable_codebook=True, ema_update=False)
    indices = randint(0, 6, (2, 5))
    return lambda x: layer(x, indices=indices), x


def transformed() -> tuple[Any, ...]:
    layer, x = _vq(rotation_trick=True, learnable_codebook=True, ema_update=False)
    change = nn.Linear(8, 8)

    def moved(codes: Any) -> Any:
        return change(codes).unsqueeze(1).expand(-1, 2, -1, -1).unsqueeze(2).expand(-1, -1, 5, -1, -1)

    def run(x: Any) -> Any:
        return change.weight, layer(x, codebook_transform_fn=moved)

    return run, x


def residual() -> tuple[Any, ...]:
    from vector_quantize_pytorch import ResidualVQ

    layer = ResidualVQ(
        dim=8, num_quantizers=3, codebook_size=5, codebook_dim=4, quantize_dropout=True, quant_grad_frac=0.3
    )
    return lambda x: layer(x, return_all_codes=True, rand_quantize_dropout_fixed_seed=3), randn(2, 4, 8)


def residual_shared() -> tuple[Any, ...]:
    from vector_quantize_pytorch import ResidualVQ

    layer = ResidualVQ(
        dim=8,
        num_quantizers=3,
        codebook_size=5,
        shared_codebook=True,
        kmeans_init=True,
        kmeans_iters=2,
        stochastic_sample_codes=True,
    )
    return lambda x: layer(x, sample_codebook_temp=0.3), randn(2, 6, 8)


def residual_implicit() -> tuple[Any, ...]:
    from vector_quantize_pytorch import ResidualVQ

    layer = ResidualVQ(dim=8, num_quantizers=3, codebook_size=5, implicit_neural_codebook=True)
    return layer, randn(2, 4, 8)


def residual_beams() -> tuple[Any, ...]:
    from vector_quantize_pytorch import ResidualVQ

    layer = ResidualVQ(dim=8, num_quantizers=3, codebook_size=5, beam_size=2, beam_score_quantizer_weights=[1, 2, 0.5])
    return layer, randn(2, 4, 8)


def residual_to_codes() -> tuple[Any, ...]:
    from vector_quantize_pytorch import GroupedResidualVQ

    given = {"learnable_codebook": True, "ema_update": False}
    layer = GroupedResidualVQ(dim=8, groups=2, num_quantizers=2, codebook_size=5, **given)

    def run(x: Any) -> Any:
        made = layer(x)
        return made, layer.get_output_from_indices(made[1])

    return run, randn(2, 4, 8)


def similar() -> tuple[Any, ...]:
    from vector_quantize_pytorch import SimVQ

    layers = SimVQ(8, 5), SimVQ(8, 5, channel_first=True, rotation_trick=False, frozen_codebook_dim=4)
    one, other = layers
    return lambda x: (one(x), other(x.mT)), randn(2, 4, 8)


def residual_similar() -> tuple[Any, ...]:
    from vector_quantize_pytorch import ResidualSimVQ

    layer = ResidualSimVQ(dim=8, num_quantizers=3, codebook_size=5, quantize_dropout=True)
    return lambda x: layer(x, return_all_codes=True, rand_quantize_dropout_fixed_seed=1), randn(2, 4, 8)


def scalars() -> tuple[Any, ...]:
    from vector_quantize_pytorch import FSQ

    one = FSQ([5, 4, 3], dim=8, num_codebooks=2)
    other = FSQ([5, 4, 3], dim=8, preserve_symmetry=True, noise_dropout=0.4, orthogonal_rotation=True)
    last = FSQ([3, 3], dim=4, bound_hard_clamp=True, channel_first=True, return_indices=False)

    def run(x: Any) -> Any:
        made = one(x)
        return made, one.indices_to_codes(made[1]), other(x), last(x.view(2, 4, 2, 4))

    return run, randn(2, 4, 8)


def residual_scalars() -> tuple[Any, ...]:
    from vector_quantize_pytorch import GroupedResidualFSQ, ResidualFSQ

    one = ResidualFSQ(dim=8, levels=[5, 3, 3], num_quantizers=3, quantize_dropout=True)
    given = {"bound_hard_clamp": False, "soft_clamp_input_value": 2.0}
    other = GroupedResidualFSQ(dim=8, groups=2, levels=[5, 3], num_quantizers=2, **given)

    def run(x: Any) -> Any:
        made = other(x, return_all_codes=True)
        return one(x, return_all_codes=True, rand_quantize_dropout_fixed_seed=2), made

    return run, randn(2, 4, 8)


def perturbed() -> tuple[Any, ...]:
    from vector_quantize_pytorch import FSP

    one = FSP([5, 4, 3], dim=8, quantize_rate=0.5)
    others = [FSP([5, 4, 3], dim=8, act_name=act, need_inv_act=True) for act in ("sigmoid", "normal", "laplace")]
    two, three, four = others
    return lambda x: [one(x), two(x), three(x), four(x, eps=0.1)], randn(2, 4, 8)


def bits() -> tuple[Any, ...]:
    from vector_quantize_pytorch import LFQ

    layer = LFQ(dim=8, codebook_size=8, num_codebooks=2, spherical=True, soft_clamp_input_value=3.0)
    mask = ones(2, 4).bool()
    mask[1, 2] = False

    def run(x: Any) -> Any:
        made = layer(x, inv_temperature=10.0, return_loss_breakdown=True, mask=mask)
        return made, layer.indices_to_codes(made[0][1])

    return run, randn(2, 4, 8)


def bits_of_images() -> tuple[Any, ...]:
    from vector_quantize_pytorch import LFQ

    layer = LFQ(
        dim=8,
        codebook_size=8,
        commitment_loss_weight=0.3,
        frac_per_sample_entropy=0.6,
        cosine_sim_project_in=True,
        experimental_softplus_entropy_loss=True,
        channel_first=True,
    )
    return layer, randn(2, 8, 2, 3)


def residual_bits() -> tuple[Any, ...]:
    from vector_quantize_pytorch import GroupedResidualLFQ, ResidualLFQ

    one = ResidualLFQ(dim=8, codebook_size=8, num_quantizers=3, quantize_dropout=True, soft_clamp_input_value=2.0)
    other = GroupedResidualLFQ(dim=8, groups=2, codebook_size=4, num_quantizers=2)

    def run(x: Any) -> Any:
        return one(x, return_all_codes=True, rand_quantize_dropout_fixed_seed=2), other(x, return_all_codes=True)

    return run, randn(2, 4, 8)


def latent() -> tuple[Any, ...]:
    from vector_quantize_pytorch import LatentQuantize

    one = LatentQuantize(levels=[5, 4, 3], dim=8)
    other = LatentQuantize(levels=4, dim=8, num_codebooks=2, codebook_dim=3)

    def run(x: Any) -> Any:
        made = one(x)
        return made, other(x), one.indices_to_codes(made[1])

    return run, randn(2, 8, 2, 3)


def projected() -> tuple[Any, ...]:
    from vector_quantize_pytorch import RandomProjectionQuantizer

    layer = RandomProjectionQuantizer(dim=8, num_codebooks=2, codebook_dim=4, codebook_size=5)
    indices = randint(0, 5, (2, 4, 2))
    return lambda x: (layer(x), layer(x, indices)), randn(2, 4, 8)


def binary() -> tuple[Any, ...]:
    from vector_quantize_pytorch import BinaryMapper

    layer = BinaryMapper(bits=3, kl_loss_threshold=0.1)

    def run(x: Any) -> Any:
        return layer(x, calc_aux_loss=True), layer(x, temperature=0.5, deterministic=True, reduce_aux_kl_loss=False)

    return run, randn(2, 4, 3)


def hierarchical() -> tuple[Any, ...]:
    from vector_quantize_pytorch import HierarchicalVQ

    one = HierarchicalVQ(
        dim=8, codebook_size=5, scales=[1, 2, 4], accept_image_fmap=True, kmeans_iters=2, nested_dropout=0.5
    )
    other = HierarchicalVQ(
        dim=8, codebook_size=5, scales=[1, 4], shared_codebook=False, rotation_trick=True, share_quant_resi=2
    )
    return lambda x: (one(x), other(x.flatten(2)[..., :4])), randn(2, 8, 4, 4)


def evolved() -> tuple[Any, ...]:
    from vector_quantize_pytorch import EvoLFQ

    layer = EvoLFQ(nn.Linear(6, 4), nn.Linear(4, 6), dim=4, codebook_size=16, pop_size=4, generations=2)
    return layer, randn(2, 3, 6)
