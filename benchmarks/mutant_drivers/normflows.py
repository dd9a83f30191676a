"""Runs normflows 1.7.3."""

from typing import Any

from torch import randn, tensor


def _both(flow: Any) -> Any:
    def run(z: Any) -> Any:
        return flow(z), flow.inverse(z)

    return run


def planar() -> tuple[Any, ...]:
    from normflows.flows import Planar

    return Planar((3,)), randn(4, 3)


def radial() -> tuple[Any, ...]:
    from normflows.flows import Radial

    return Radial((3,)), randn(4, 3)


def real_nvp() -> tuple[Any, ...]:
    from normflows.flows import MaskedAffineFlow
    from normflows.nets import MLP

    return _both(MaskedAffineFlow(tensor([1.0, 0, 1, 0]), MLP([4, 8, 4], dropout=0.1), MLP([4, 8, 4]))), randn(4, 4)


def coupling() -> tuple[Any, ...]:
    from normflows.flows import AffineCouplingBlock
    from normflows.nets import MLP

    return _both(AffineCouplingBlock(MLP([2, 8, 4]), scale_map="sigmoid")), randn(4, 4)


def coupling_exp() -> tuple[Any, ...]:
    from normflows.flows import AffineCouplingBlock
    from normflows.nets import MLP

    return _both(AffineCouplingBlock(MLP([2, 8, 4]), split_mode="channel_inv")), randn(4, 4)


def glow() -> tuple[Any, ...]:
    from normflows.flows import GlowBlock

    return _both(GlowBlock(4, 8, scale_map="sigmoid")), randn(2, 4, 4, 4)


def mixing() -> tuple[Any, ...]:
    from normflows.flows import InvertibleAffine

    return _both(InvertibleAffine(4)), randn(3, 4)


def lu_permute() -> tuple[Any, ...]:
    from normflows.flows import LULinearPermute

    return _both(LULinearPermute(4)), randn(3, 4)


def batch_norm() -> tuple[Any, ...]:
    from normflows.flows import BatchNorm

    return BatchNorm(), randn(6, 4)


def autoregressive() -> tuple[Any, ...]:
    from normflows.flows import MaskedAffineAutoregressive

    return _both(MaskedAffineAutoregressive(4, 8, num_blocks=1)), randn(3, 4)


def spline() -> tuple[Any, ...]:
    from normflows.flows import CoupledRationalQuadraticSpline

    return _both(CoupledRationalQuadraticSpline(4, 1, 8)), randn(3, 4)


def autoregressive_spline() -> tuple[Any, ...]:
    from normflows.flows import AutoregressiveRationalQuadraticSpline

    return _both(AutoregressiveRationalQuadraticSpline(4, 1, 8)), randn(3, 4)


def circular_spline() -> tuple[Any, ...]:
    from normflows.flows import CircularCoupledRationalQuadraticSpline

    return _both(CircularCoupledRationalQuadraticSpline(4, 1, 8, ind_circ=[0, 1])), randn(3, 4)


def residual() -> tuple[Any, ...]:
    from normflows.flows import Residual
    from normflows.nets import LipschitzMLP

    return Residual(LipschitzMLP([4, 8, 4]), n_exact_terms=2, reduce_memory=False), randn(3, 4)


def residual_convolution() -> tuple[Any, ...]:
    from normflows.nets import LipschitzCNN

    return LipschitzCNN([3, 4, 3], [3, 3], max_lipschitz_iter=2, lipschitz_tolerance=None), randn(2, 3, 6, 6)


def residual_nets() -> tuple[Any, ...]:
    from normflows.nets.resnet import ConvResidualNet

    net = ConvResidualNet(3, 4, 4, context_channels=2, use_batch_norm=True, dropout_probability=0.1)
    return net, randn(2, 3, 4, 4), randn(2, 2, 4, 4)


def residual_net() -> tuple[Any, ...]:
    from normflows.nets.resnet import ResidualNet

    return ResidualNet(3, 4, 4, context_features=2, use_batch_norm=True), randn(2, 3), randn(2, 2)


def convolution() -> tuple[Any, ...]:
    from normflows.nets import ConvNet2d

    return ConvNet2d([3, 4, 3], [3, 3], leaky=0.1), randn(2, 3, 6, 6)


def periodic() -> tuple[Any, ...]:
    from normflows.utils.nn import PeriodicFeaturesElementwise

    return PeriodicFeaturesElementwise(4, [0, 2], bias=True), randn(3, 4)


def flow_of_all() -> tuple[Any, ...]:
    from normflows import NormalizingFlow
    from normflows.distributions import GaussianMixture
    from normflows.flows import ActNorm, MaskedAffineFlow
    from normflows.nets import MLP

    mask = tensor([1.0, 0, 1, 0])
    flows = [MaskedAffineFlow(mask, MLP([4, 8, 4]), MLP([4, 8, 4])), ActNorm((4,))]
    flow = NormalizingFlow(GaussianMixture(3, 4), flows)
    return lambda x: (flow.forward_kld(x), flow.log_prob(x), flow.sample(3)), randn(5, 4)


def targets() -> tuple[Any, ...]:
    from normflows.distributions import target

    made = [target.TwoMoons(), target.CircularGaussianMixture(), target.RingMixture()]
    return lambda z: [each.log_prob(z) for each in made], randn(5, 2)


def priors() -> tuple[Any, ...]:
    from normflows.distributions import prior

    made = [prior.TwoModes(2.0, 0.2), prior.Sinusoidal(0.4, 4), prior.Sinusoidal_gap(0.4, 4), prior.Smiley(0.1)]
    return lambda z: [each.log_prob(z) for each in made], randn(5, 2)


def bases() -> tuple[Any, ...]:
    from normflows.distributions import DiagGaussian, GaussianPCA

    one, other = DiagGaussian(4), GaussianPCA(4, 2)
    return lambda z: (one.log_prob(z), one(3), other.log_prob(z), other(3)), randn(5, 4)


def encoders() -> tuple[Any, ...]:
    from normflows.distributions import NNDiagGaussian
    from normflows.nets import MLP

    encoder = NNDiagGaussian(MLP([4, 8, 6]))
    return lambda x: encoder(x, 2), randn(5, 4)
