"""Runs nflows 0.14."""

from typing import Any

from torch import arange, nn, rand, randn, tensor

_NET = {"features": 4, "hidden_features": 8, "num_blocks": 1}


def _there_and_back(*every: Any, context: int = 0, unit: bool = False, shape: tuple[int, ...] = (3, 4)) -> Any:
    transforms = nn.ModuleList(every)

    def run(x: Any, *given: Any) -> Any:
        x = x.sigmoid() * 0.98 + 0.01 if unit else x
        made = [each(x, *given) for each in transforms]
        return made, [each.inverse(y, *given) for each, (y, _) in zip(transforms, made, strict=True)]

    return (run, randn(shape), *([randn(shape[0], context)] if context else []))


def _mask() -> Any:
    return arange(4) % 2


def _net(inputs: int, outputs: int) -> Any:
    from nflows.nn.nets import ResidualNet

    return ResidualNet(inputs, outputs, hidden_features=8, context_features=2, num_blocks=1)


def _image_net(inputs: int, outputs: int) -> Any:
    from nflows.nn.nets import ConvResidualNet

    return ConvResidualNet(inputs, outputs, hidden_channels=4, num_blocks=1)


def linear() -> Any:
    from nflows.transforms import LULinear, QRLinear, SVDLinear

    return _there_and_back(
        LULinear(4, identity_init=False),
        QRLinear(4, num_householder=3),
        SVDLinear(4, num_householder=2, identity_init=False),
    )


def linear_with_cache() -> Any:
    from nflows.transforms import LULinear, NaiveLinear, QRLinear, SVDLinear

    kinds = [NaiveLinear(4, using_cache=True), LULinear(4, identity_init=False, using_cache=True)]
    kinds += [QRLinear(4, num_householder=3, using_cache=True), SVDLinear(4, num_householder=2, using_cache=True)]
    layers = nn.ModuleList(kinds)

    def run(x: Any) -> Any:
        layers.train()
        made = [each(x) for each in layers]
        layers.eval()
        return made, [[each(x), each(x * 2), each.inverse(x), each.inverse(x * 2)] for each in layers]

    return run, randn(3, 4)


def weights() -> Any:
    from nflows.transforms import LULinear, NaiveLinear, QRLinear, SVDLinear

    kinds = [NaiveLinear(4), LULinear(4, identity_init=False), QRLinear(4, num_householder=3)]
    layers = nn.ModuleList([*kinds, SVDLinear(4, num_householder=2, identity_init=False)])

    def run(x: Any) -> Any:
        return [[each(x), each.weight(), each.weight_inverse(), each.logabsdet()] for each in layers]

    return run, randn(3, 4)


def householders() -> Any:
    from nflows.transforms.orthogonal import HouseholderSequence

    layer = HouseholderSequence(features=4, num_transforms=3)
    return lambda x: (layer(x), layer.inverse(x), layer.matrix()), randn(3, 4)


def bounded() -> Any:
    from nflows.transforms.nonlinearities import CauchyCDF, LeakyReLU, LogTanh, Sigmoid

    return _there_and_back(Sigmoid(temperature=2, learn_temperature=True), LogTanh(0.5), LeakyReLU(0.1), CauchyCDF())


def bounded_back() -> Any:
    from nflows.transforms.nonlinearities import CauchyCDFInverse, Logit

    return _there_and_back(Logit(), CauchyCDFInverse(), unit=True)


def gated() -> Any:
    from nflows.transforms.nonlinearities import GatedLinearUnit, Tanh

    one, other = GatedLinearUnit(), Tanh()

    def run(x: Any, context: Any) -> Any:
        made, change = other(x)
        return one(x, context), made, change, other.inverse(made * 0.9)

    return run, randn(3, 4), randn(3, 4)


def piecewise() -> Any:
    from nflows.transforms import nonlinearities as n

    return _there_and_back(
        n.PiecewiseLinearCDF([4], num_bins=3),
        n.PiecewiseQuadraticCDF([4], num_bins=3),
        n.PiecewiseCubicCDF([4], num_bins=3),
        n.PiecewiseRationalQuadraticCDF([4], num_bins=3),
        unit=True,
    )


def piecewise_with_tails() -> Any:
    from nflows.transforms import nonlinearities as n

    given = {"num_bins": 3, "tails": "linear", "tail_bound": 1.2}
    return _there_and_back(
        n.PiecewiseLinearCDF([4], **given),
        n.PiecewiseQuadraticCDF([4], **given),
        n.PiecewiseCubicCDF([4], **given),
        n.PiecewiseRationalQuadraticCDF([4], **given, identity_init=True),
        n.CompositeCDFTransform(n.Sigmoid(), n.PiecewiseLinearCDF([4], num_bins=3)),
    )


def normalized() -> Any:
    from nflows.transforms import ActNorm, BatchNorm

    one, other = BatchNorm(4, affine=True), ActNorm(4)

    def run(x: Any) -> Any:
        made, change = one.train()(x)
        return made, change, one.eval().inverse(made), other(x), other.inverse(x)

    return run, randn(5, 4)


def of_images() -> Any:
    from nflows.transforms import ActNorm, OneByOneConvolution, ReversePermutation, SqueezeTransform

    kinds = OneByOneConvolution(4, identity_init=False), ActNorm(4), SqueezeTransform(), ReversePermutation(4)
    return _there_and_back(*kinds, shape=(2, 4, 2, 2))


def composed() -> Any:
    from nflows.transforms import (
        CompositeTransform,
        InverseTransform,
        LULinear,
        PointwiseAffineTransform,
        RandomPermutation,
        Sigmoid,
    )

    scaled = PointwiseAffineTransform(shift=tensor([0.5, 1.0, 0.1, 0.2]), scale=2.0)
    every = CompositeTransform([RandomPermutation(4), InverseTransform(LULinear(4)), scaled, Sigmoid()])
    return _there_and_back(every, scaled)


def multiscale() -> Any:
    from nflows.transforms import ActNorm, CompositeTransform, MultiscaleCompositeTransform, SqueezeTransform

    every = MultiscaleCompositeTransform(num_transforms=2)
    shape = every.add_transform(CompositeTransform([SqueezeTransform(), ActNorm(4)]), (4, 2, 2))
    every.add_transform(ActNorm(shape[0]), shape)
    return _there_and_back(every, shape=(2, 1, 4, 4))


def couplings() -> Any:
    from nflows.transforms import coupling as c

    return _there_and_back(
        c.AffineCouplingTransform(_mask(), _net),
        c.AdditiveCouplingTransform(_mask(), _net),
        c.PiecewiseRationalQuadraticCouplingTransform(_mask(), _net, num_bins=3, tails="linear"),
        context=2,
    )


def couplings_in_unit() -> Any:
    from nflows.transforms import coupling as c

    given = _mask(), _net, 3
    return _there_and_back(
        c.PiecewiseLinearCouplingTransform(*given),
        c.PiecewiseQuadraticCouplingTransform(*given, apply_unconditional_transform=True),
        c.PiecewiseCubicCouplingTransform(*given),
        c.PiecewiseRationalQuadraticCouplingTransform(*given, apply_unconditional_transform=True),
        context=2,
        unit=True,
    )


def couplings_with_tails() -> Any:
    from nflows.transforms import coupling as c

    given = {"num_bins": 3, "tails": "linear"}
    return _there_and_back(
        c.PiecewiseLinearCouplingTransform(_mask(), _net, **given),
        c.PiecewiseQuadraticCouplingTransform(_mask(), _net, **given),
        c.PiecewiseCubicCouplingTransform(_mask(), _net, **given),
        context=2,
    )


def couplings_of_images() -> Any:
    from nflows.transforms import coupling as c

    return _there_and_back(
        c.AffineCouplingTransform(_mask(), _image_net),
        c.PiecewiseRationalQuadraticCouplingTransform(_mask(), _image_net, num_bins=3, tails="linear"),
        c.PiecewiseQuadraticCouplingTransform(_mask(), _image_net, num_bins=3, tails="linear"),
        shape=(2, 4, 2, 2),
    )


def autoregressive() -> Any:
    from nflows.transforms import autoregressive as a

    return _there_and_back(
        a.MaskedAffineAutoregressiveTransform(**_NET, context_features=2, use_batch_norm=True),
        a.MaskedPiecewiseQuadraticAutoregressiveTransform(**_NET, context_features=2, num_bins=3, tails="linear"),
        a.MaskedPiecewiseRationalQuadraticAutoregressiveTransform(
            **_NET, context_features=2, num_bins=3, tails="linear", use_residual_blocks=True, dropout_probability=0.2
        ),
        context=2,
    )


def autoregressive_in_unit() -> Any:
    from nflows.transforms import autoregressive as a

    given = {"num_bins": 3, **_NET, "use_residual_blocks": False}
    return _there_and_back(
        a.MaskedPiecewiseLinearAutoregressiveTransform(**given, random_mask=True),
        a.MaskedPiecewiseCubicAutoregressiveTransform(**given),
        a.MaskedPiecewiseQuadraticAutoregressiveTransform(**given),
        a.MaskedPiecewiseRationalQuadraticAutoregressiveTransform(**given),
        unit=True,
    )


def real_nvp() -> Any:
    from nflows.flows import SimpleRealNVP

    given = {"features": 4, "hidden_features": 8, "num_layers": 2, "num_blocks_per_layer": 1}
    one = SimpleRealNVP(**given, batch_norm_within_layers=True)
    other = SimpleRealNVP(**given, use_volume_preserving=True, dropout_probability=0.1)

    def run(x: Any) -> Any:
        return one.log_prob(x), other.log_prob(x), other.sample_and_log_prob(3), other.transform_to_noise(x)

    return run, randn(5, 4)


def masked_flow() -> Any:
    from nflows.flows import MaskedAutoregressiveFlow

    flow = MaskedAutoregressiveFlow(4, 8, num_layers=2, num_blocks_per_layer=1, batch_norm_between_layers=True)
    return lambda x: (flow.train().log_prob(x), flow.eval().sample(3)), randn(5, 4)


def conditional_flow() -> Any:
    from nflows.distributions import ConditionalDiagonalNormal
    from nflows.flows import Flow
    from nflows.transforms import MaskedAffineAutoregressiveTransform

    transform = MaskedAffineAutoregressiveTransform(**_NET, context_features=3)
    flow = Flow(transform, ConditionalDiagonalNormal([4], nn.Linear(3, 8)), nn.Linear(2, 3))

    def run(x: Any, context: Any) -> Any:
        return flow.log_prob(x, context), flow.sample_and_log_prob(2, context), flow.sample(2, context)

    return run, randn(3, 4), randn(3, 2)


def distributions() -> Any:
    from nflows import distributions as d

    normal, other = d.DiagonalNormal([4]), d.ConditionalDiagonalNormal([4])
    plain, coins = d.StandardNormal([4]), d.ConditionalIndependentBernoulli([4])

    def run(x: Any, context: Any) -> Any:
        probabilities = normal.log_prob(x), other.log_prob(x, context), plain.log_prob(x)
        samples = other.sample(2, context), other.mean(context), normal.mean(), plain.sample(5, batch_size=2)
        return probabilities, samples, coins.log_prob(x.sigmoid().round(), context[:, :4]), coins.mean(context[:, :4])

    return run, randn(3, 4), randn(3, 8)


def mixture() -> Any:
    from nflows.distributions import MADEMoG

    net = MADEMoG(4, 8, context_features=2, num_blocks=1, num_mixture_components=3, custom_initialization=True)
    return lambda x, context: (net.log_prob(x, context), net.sample(2, context)), randn(3, 4), randn(3, 2)


def nets() -> Any:
    from nflows.nn.nets import MLP, ConvResidualNet, ResidualNet

    mlp = MLP([4], [3], [5, 6], activate_output=True)
    net = ResidualNet(4, 3, 8, context_features=2, num_blocks=2, dropout_probability=0.1, use_batch_norm=True)
    images = ConvResidualNet(2, 3, 4, context_channels=2, num_blocks=1, use_batch_norm=True)

    def run(x: Any, context: Any, image: Any) -> Any:
        return mlp(x), net(x, context), images(image, image)

    return run, randn(3, 4), randn(3, 2), randn(2, 2, 4, 4)


def helpers() -> Any:
    from nflows.utils import torchutils as u

    def run(x: Any, square: Any) -> Any:
        made = u.tile(x[0], 2), u.repeat_rows(x, 2), u.sum_except_batch(x), u.merge_leading_dims(x[None], 2)
        return made, u.split_leading_dim(x, [1, 3]), u.logabsdet(square), u.cbrt(x), u.gaussian_kde_log_eval(x, x * 2)

    return run, randn(3, 4), randn(4, 4)


def uniform() -> Any:
    from nflows.distributions.uniform import BoxUniform

    return lambda x: BoxUniform(-x.abs() - 1, x.abs() + 1).log_prob(x * 0.5), rand(3, 4)
