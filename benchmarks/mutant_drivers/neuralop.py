"""Runs neuraloperator 2.0.0 (with tensorly, tensorly-torch and torch-harmonics 0.8.0)."""

from functools import partial
from typing import Any

from torch import cfloat, linspace, meshgrid, nn, rand, randn, stack

NOT_INSTALLED = ("requests", "wandb", "h5py", "zencfg", "ruamel", "ruamel.yaml")
_SIZES = {"in_channels": 2, "out_channels": 3, "hidden_channels": 4, "n_layers": 2}


def _fno(*shape: int, **given: Any) -> tuple[Any, ...]:
    from neuralop.models import FNO

    return _plain(FNO(**{"n_modes": (4,) * len(shape), **_SIZES, **given})), randn(2, 2, *shape)


def _plain(model: Any) -> Any:
    """The model, with a state of tensors only."""
    model.state_dict = partial(nn.Module.state_dict, model)
    return model


def _points(*sizes: int) -> Any:
    return stack(meshgrid(*[linspace(0, 1, size) for size in sizes], indexing="ij"), dim=-1)


def fourier() -> Any:
    return _fno(8, 8)


def fourier_of_lines() -> Any:
    return _fno(12, domain_padding=0.25, norm="instance_norm", channel_mlp_skip="linear", stabilizer="tanh")


def fourier_of_volumes() -> Any:
    return _fno(6, 6, 6, use_channel_mlp=False, norm="group_norm", fno_skip="identity", positional_embedding=None)


def fourier_rescaled() -> Any:
    return _fno(8, 8, resolution_scaling_factor=[2, 0.5], channel_mlp_dropout=0.1)


def fourier_before() -> Any:
    return _fno(8, 8, preactivation=True, norm="group_norm", separable=True, max_n_modes=(4, 4))


def fourier_complex() -> Any:
    called, x = _fno(8, 8, complex_data=True, positional_embedding=None, norm=None)

    def run(x: Any, y: Any) -> Any:
        made = called((x + 1j * y).to(cfloat))
        return made.real, made.imag

    return run, x, randn(2, 2, 8, 8)


def fourier_adaptive() -> Any:
    from neuralop.layers.fno_block import FNOBlocks

    blocks = FNOBlocks(4, 4, (4, 4), n_layers=2, norm="ada_in", ada_in_features=3, resolution_scaling_factor=2)

    def run(x: Any, embedding: Any) -> Any:
        blocks.set_ada_in_embeddings(embedding)
        return blocks(blocks(x, 0), 1, output_shape=(6, 6)), blocks[0](x)

    return run, randn(2, 4, 8, 8), randn(3)


def tucker() -> Any:
    return _fno(8, 8, factorization="Tucker", rank=0.5)


def cp_and_trains() -> Any:
    one, x = _fno(8, 8, factorization="CP", rank=0.5)
    other, _ = _fno(8, 8, factorization="TT", rank=0.5, implementation="reconstructed")
    return lambda x: (one(x), other(x, output_shape=(6, 6))), x


def spectral() -> Any:
    from neuralop.layers.spectral_convolution import SpectralConv

    one = SpectralConv(3, 3, (4, 4), factorization="Tucker", separable=True, implementation="factorized", rank=0.6)
    other = SpectralConv(3, 2, (4, 4), resolution_scaling_factor=0.5, fft_norm="ortho", bias=False)
    last = SpectralConv(3, 3, (4, 4), complex_data=True)

    def run(x: Any) -> Any:
        made = last(x.to(cfloat))
        other.n_modes = (4, 4)
        return one(x), other(x), other.transform(x), made.real, made.imag

    return run, randn(2, 3, 8, 8)


def spectral_legacy() -> Any:
    from neuralop.layers import legacy_spectral_convolution as c

    one = c.SpectralConv(3, 3, (4, 4), n_layers=2, joint_factorization=True, factorization="tucker")
    line, plane = c.SpectralConv1d(3, 2, (4,)), c.SpectralConv2d(3, 2, (4, 4), factorization="cp")
    volume = c.SpectralConv3d(3, 3, (4, 4, 4), separable=True, factorization=None)

    def run(x: Any) -> Any:
        return one(x, 1), one[0](x), line(x[..., 0]), plane(x), volume(x.unsqueeze(-1).expand(-1, -1, -1, -1, 6))

    return run, randn(2, 3, 8, 8)


def spherical() -> Any:
    from neuralop.models import SFNO

    model = SFNO((4, 4), **_SIZES, factorization="dense")
    return _plain(model), randn(2, 2, 8, 16)


def u_shaped() -> Any:
    from neuralop.models import UNO

    model = UNO(
        2,
        3,
        hidden_channels=4,
        lifting_channels=4,
        projection_channels=4,
        n_layers=3,
        channel_mlp_skip="linear",
        uno_out_channels=[4, 6, 4],
        uno_n_modes=[[4, 4]] * 3,
        uno_scalings=[[0.5, 0.5], [1, 1], [2, 2]],
        norm="group_norm",
        domain_padding=0.2,
    )
    return _plain(model), randn(2, 2, 8, 8)


def uncertain() -> Any:
    from neuralop.models import UQNO

    base, x = _fno(8, 8)
    model = _plain(UQNO(base))
    return model, x


def local() -> Any:
    from neuralop.models.local_no import LocalNO

    given = {"disco_kernel_shape": [2, 4], "domain_length": [2.0, 2.0], "radius_cutoff": 0.6}
    model = LocalNO(n_modes=(4, 4), default_in_shape=(8, 8), **_SIZES, **given, disco_layers=[True, False])
    return _plain(model), randn(2, 2, 8, 8)


def codomain() -> Any:
    from neuralop.models import CODANO

    model = CODANO(
        output_variable_codimension=1,
        hidden_variable_codimension=2,
        lifting_channels=4,
        projection_channels=4,
        use_positional_encoding=True,
        positional_encoding_dim=2,
        positional_encoding_modes=[4, 4],
        static_channel_dim=1,
        variable_ids=["a", "b"],
        n_layers=3,
        n_modes=[[4, 4]] * 3,
        n_heads=[2, 2, 2],
        per_layer_scaling_factors=[[1, 1]] * 3,
        attention_scaling_factors=[1, 1, 1],
        enable_cls_token=True,
    )
    return lambda x, static: model(x, static, ["a", "b"]), randn(2, 2, 8, 8), randn(2, 1, 8, 8)


def codomain_layers() -> Any:
    from neuralop.layers.coda_layer import CODALayer

    given = {"n_modes": [4, 4], "factorization": None, "use_channel_mlp": True}
    one = CODALayer(**given, n_heads=2, token_codimension=2, codimension_size=4, per_channel_attention=False)
    other = CODALayer(**given, n_heads=1, token_codimension=1, codimension_size=4, nonlinear_attention=True)
    last = CODALayer(**given, token_codimension=4, codimension_size=4, norm=None, preactivation=True)
    return lambda x: (one(x), other(x), last(x)), randn(2, 4, 8, 8)


def graphs() -> Any:
    from neuralop.layers.gno_block import GNOBlock

    given = {"coord_dim": 2, "radius": 0.4, "pos_embedding_channels": 4, "channel_mlp_layers": [6]}
    given |= {"use_torch_scatter_reduce": False, "use_open3d_neighbor_search": False}
    one = GNOBlock(3, 3, **given, weighting_fn=None)
    other = GNOBlock(3, 3, **given, transform_type="nonlinear", reduction="mean", pos_embedding_type="nerf")
    last = GNOBlock(3, 3, **given, transform_type="nonlinear_kernelonly", pos_embedding_type=None)
    points = _points(4, 4).flatten(0, 1)

    def run(values: Any, several: Any) -> Any:
        made = [each(points, points[::3] * 0.9, values) for each in (one, other, last)]
        return made, one(points, points[::3], several)

    return run, randn(16, 3), randn(2, 16, 3)


def weights() -> Any:
    from neuralop.layers import gno_weighting_functions as w
    from neuralop.layers.integral_transform import IntegralTransform
    from neuralop.layers.neighbor_search import NeighborSearch

    names = "bump", "half_cos", "quartic", "quadr", "octic"
    functions = [w.dispatch_weighting_fn(name, sq_radius=0.4, scale=1.0) for name in names]
    search, points = NeighborSearch(use_open3d=False, return_norm=True), _points(4, 4).flatten(0, 1)
    neighbors = search(points, points[::2], radius=0.5)
    given = {"reduction": "mean", "use_torch_scatter": False}
    layer = IntegralTransform(channel_mlp_layers=[4, 5, 3], weighting_fn=functions[1], **given)

    def run(x: Any, values: Any) -> Any:
        made = layer(points, neighbors, points[::2], values)
        return [each(x.sigmoid() * 0.3) for each in functions], made

    return run, randn(6), randn(1, 16, 3)


_GRAPHS = {
    "gno_coord_dim": 2,
    "fno_n_modes": (4, 4),
    "fno_hidden_channels": 4,
    "fno_n_layers": 2,
    "gno_embed_channels": 4,
    "gno_use_open3d": False,
    "gno_use_torch_scatter": False,
    "projection_channel_ratio": 2,
}


def of_geometries() -> Any:
    from neuralop.models import GINO

    sizes = {"in_gno_channel_mlp_hidden_layers": [6], "out_gno_channel_mlp_hidden_layers": [6], "fno_in_channels": 2}
    radii = {"in_gno_radius": 0.5, "out_gno_radius": 0.5, "gno_weighting_function": "half_cos"}
    model = _plain(GINO(2, 3, **_GRAPHS, **sizes, **radii, fno_norm="ada_in", fno_ada_in_features=4))
    geometry, latent = rand(1, 9, 2), _points(6, 6).unsqueeze(0)

    def run(x: Any, queries: Any, ada: Any) -> Any:
        return model(geometry, latent, queries.detach().sigmoid(), x, ada_in=ada)

    return run, randn(2, 9, 2), randn(1, 5, 2), randn(1)


def of_points() -> Any:
    from neuralop.models import FNOGNO

    model = _plain(FNOGNO(2, 3, **_GRAPHS, gno_radius=0.5, gno_channel_mlp_hidden_layers=[6]))
    grid, out = _points(6, 6), rand(5, 2)
    return lambda f: model(grid, out, f), randn(6, 6, 2)


def attention() -> Any:
    from neuralop.layers.attention_kernel_integral import AttentionKernelIntegral
    from neuralop.layers.embeddings import RotaryEmbedding2D

    one, rotary = AttentionKernelIntegral(4, 6, 2, 4), RotaryEmbedding2D(2)
    weights = rand(2, 9)

    def run(u: Any, query: Any, positions: Any) -> Any:
        places = positions.sigmoid()
        made = one(u, places, rotary, weights=weights), one(u, places)
        return made, one(u, places, rotary, u_qry=query, pos_qry=places * 0.5, associative=False, return_kernel=True)

    return run, randn(2, 9, 4), randn(2, 9, 4), randn(2, 9, 2)


def embeddings() -> Any:
    from neuralop.layers import embeddings as e

    one, other = e.GridEmbedding2D(2), e.GridEmbeddingND(2, dim=3, grid_boundaries=[[0, 1]] * 3)
    sines = [e.SinusoidalEmbedding(2, 3), e.SinusoidalEmbedding(2, 3, "nerf")]

    def run(x: Any, volumes: Any, points: Any) -> Any:
        return one(x), other(volumes), [each(points) for each in sines], one(x[0], batched=False)

    return run, randn(2, 2, 4, 4), randn(2, 2, 3, 3, 3), randn(5, 2)


def layers() -> Any:
    from neuralop.layers.channel_mlp import ChannelMLP, LinearChannelMLP
    from neuralop.layers.complex import ComplexValued
    from neuralop.layers.differential_conv import FiniteDifferenceConvolution
    from neuralop.layers.normalization_layers import AdaIN, InstanceNorm
    from neuralop.layers.skip_connections import skip_connection

    mlp, linear = ChannelMLP(4, 3, 5, n_layers=3, dropout=0.1), LinearChannelMLP([4, 5, 3], dropout=0.1)
    both, difference = ComplexValued(nn.Conv2d(4, 2, 1)), FiniteDifferenceConvolution(4, 3, 2)
    gate, adaptive, norm = skip_connection(4, 4, bias=True), AdaIN(3, 4), InstanceNorm()

    def run(x: Any, embedding: Any) -> Any:
        adaptive.set_embedding(embedding)
        made = both(x + 1j * x.sin())
        return mlp(x), linear(x[:, :, 0, 0]), made.real, difference(x, 0.1), gate(x), adaptive(x), norm(x)

    return run, randn(2, 4, 6, 6), randn(3)


def continued() -> Any:
    from neuralop.layers.fourier_continuation import FCLegendre
    from neuralop.layers.padding import DomainPadding
    from neuralop.layers.resample import resample
    from neuralop.layers.spectral_projection import spectral_projection_divergence_free

    legendre = FCLegendre(d=2, n_additional_pts=4)
    one, other = DomainPadding(0.25), DomainPadding([0.2, 0.4])

    def run(x: Any) -> Any:
        padded, more = one.pad(x), other.pad(x)
        made = legendre(x[0, 0], dim=1), legendre(x[0, 0], dim=2)
        resampled = resample(x, 2, [2, 3]), resample(x[..., 0], 0.5, [2]), resample(x, 1, [2, 3], output_shape=(6, 10))
        free = spectral_projection_divergence_free(x, 1.0, [4, 4])
        return made, one.unpad(padded * 2), other.unpad(more), resampled, free

    return run, randn(2, 2, 8, 8)


def discrete() -> Any:
    from neuralop.layers import discrete_continuous_convolution as c

    grid = _points(4, 4).flatten(0, 1).T.contiguous()
    one = c.DiscreteContinuousConv2d(2, 3, grid, grid[:, ::2], [2, 4], quadrature_weights=rand(16), radius_cutoff=0.5)
    other = c.DiscreteContinuousConvTranspose2d(
        2, 3, grid, grid, [2, 4], quadrature_weights=rand(16), radius_cutoff=0.5
    )
    even = c.EquidistantDiscreteContinuousConv2d(2, 4, (8, 8), (4, 4), [2, 4], groups=2, domain_length=(2, 2))
    back = c.EquidistantDiscreteContinuousConvTranspose2d(2, 4, (4, 4), (8, 8), [2, 4], domain_length=(2, 2))

    def run(points: Any, x: Any) -> Any:
        return one(points), other(points), even(x), back(x[..., ::2, ::2])

    return run, randn(2, 2, 16), randn(2, 2, 8, 8)


def losses() -> Any:
    from neuralop import losses as k
    from neuralop.losses.data_losses import HdivLoss, MSELoss, PointwiseQuantileLoss

    lp, h1, mean = k.LpLoss(d=2, reduction="mean"), k.H1Loss(d=2), MSELoss()
    line, volume = k.H1Loss(d=1, periodic_in_x=False), k.H1Loss(d=3, reduction="mean")
    divergence, quantiles = HdivLoss(d=2, periodic_in_y=False), PointwiseQuantileLoss(0.1)

    def run(x: Any, y: Any) -> Any:
        plane = lp(x, y), lp.abs(x, y), h1(x, y), h1.abs(x, y), mean(x, y), quantiles(x.abs(), y)
        one, other = x.reshape(2, 1, 4, 4, 4)[:, 0], y.reshape(2, 1, 4, 4, 4)[:, 0]
        return plane, line(x[..., 0], y[..., 0]), volume(one, other), divergence(x, y), divergence.abs(x, y)

    return run, randn(2, 1, 8, 8), randn(2, 1, 8, 8)


def equations() -> Any:
    from neuralop.losses import BurgersEqnLoss, ICLoss
    from neuralop.losses.data_losses import LpLoss
    from neuralop.losses.meta_losses import FieldwiseAggregatorLoss, Relobralo, SoftAdapt, WeightedSumLoss

    burgers, start = BurgersEqnLoss(), ICLoss()
    fields = FieldwiseAggregatorLoss({"a": LpLoss(d=1), "b": LpLoss(d=1)}, {"a": slice(0, 40), "b": slice(40, 90)})
    net = nn.Linear(3, 3)
    soft, balanced = SoftAdapt(net.parameters(), 2), Relobralo(net.parameters(), 2)
    both = WeightedSumLoss([LpLoss(d=1), LpLoss(d=2)], [0.3, 0.7])

    def run(x: Any, y: Any) -> Any:
        made = burgers(x[:, :1].squeeze(1)), start(x, y), both(x, y)
        parts = {"one": net(x[0, 0, :, :3]).square().mean(), "other": net(y[0, 0, :, :3]).abs().mean()}
        more = {key: value * 2 for key, value in parts.items()}
        steps = [(each(parts, 0), each(more, 1)) for each in (soft, balanced)]
        return made, fields(x.flatten(), y.view(-1, 1)), steps

    return run, randn(2, 2, 6, 6), randn(2, 2, 6, 6)


def derivatives() -> Any:
    from neuralop.losses import differentiation as d

    plane, volume, line = d.FiniteDiff(2, (0.1, 0.1), periodic_in_x=False), d.FiniteDiff(3, 0.2), d.FiniteDiff(1, 0.1)
    fourier, filtered = d.FourierDiff(2, (1.0, 1.0)), d.FourierDiff(1, 1.0, low_pass_filter_ratio=0.5)
    points = _points(5, 5).flatten(0, 1) + rand(25, 2) * 0.02

    def run(x: Any) -> Any:
        made = plane.dx(x), plane.dy(x), plane.laplacian(x), line.dx(x[0]), volume.dz(x.view(4, 4, 4))
        more = fourier.dx(x), fourier.laplacian(x), filtered.dx(x), plane.dx(x, 2), volume.laplacian(x.view(4, 4, 4))
        return made, more, d.non_uniform_fd(points, x.flatten()[:25], derivative_indices=[0, 1])

    return run, randn(8, 8)


def patches() -> Any:
    from neuralop.training.patching import MultigridPatching2D, make_patches

    patching = MultigridPatching2D(nn.Conv2d(1, 1, 1), levels=1, padding_fraction=0.25)

    def run(x: Any, y: Any) -> Any:
        one, other = patching.patch(x, y)
        return one, patching.unpatch(one[:, :1], other), make_patches(x, 2, [1, 1])

    return run, randn(1, 1, 8, 8), randn(1, 1, 8, 8)


def normalized() -> Any:
    from neuralop.data.transforms.data_processors import DefaultDataProcessor
    from neuralop.data.transforms.normalizers import UnitGaussianNormalizer

    one, other = UnitGaussianNormalizer(dim=[0, 2, 3]), UnitGaussianNormalizer(dim=[0, 2, 3])
    one.fit(randn(6, 2, 4, 4))
    other.partial_fit(randn(6, 2, 4, 4), batch_size=3)
    processor = DefaultDataProcessor(one, other).wrap(nn.Identity())

    def run(x: Any, y: Any) -> Any:
        processor.train()
        made = processor.preprocess({"x": x, "y": y})
        processor.eval()
        return made, processor.postprocess(made["x"] * 2, made), one.inverse_transform(x)

    return run, randn(2, 2, 4, 4), randn(2, 2, 4, 4)
