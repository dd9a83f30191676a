"""Runs zuko 1.6.0."""

from typing import Any

import torch
from torch import rand, randn


def _flow(make: Any) -> tuple[Any, ...]:
    flow = make()
    return (
        lambda x, c: (flow(c).log_prob(x), flow(c).rsample((2,)), flow(c).rsample_and_log_prob()),
        randn(4, 3),
        randn(4, 2),
    )


def maf() -> tuple[Any, ...]:
    from zuko.flows import MAF

    return _flow(lambda: MAF(3, 2, transforms=2, hidden_features=[8], residual=True))


def coupling() -> tuple[Any, ...]:
    from zuko.flows import NICE

    return _flow(lambda: NICE(3, 2, transforms=2, hidden_features=[8], randmask=True))


def real_nvp() -> tuple[Any, ...]:
    from zuko.flows import RealNVP

    return _flow(lambda: RealNVP(3, 2, transforms=2, hidden_features=[8], normalize=True))


def spline() -> tuple[Any, ...]:
    from zuko.flows import NSF

    return _flow(lambda: NSF(3, 2, bins=4, transforms=2, hidden_features=[8]))


def circular() -> tuple[Any, ...]:
    from zuko.flows import NCSF

    flow = NCSF(3, 2, bins=4, transforms=2, hidden_features=[8])
    return lambda x, c: (flow(c).log_prob(x.tanh()), flow(c).rsample((2,))), randn(4, 3), randn(4, 2)


def polynomial() -> tuple[Any, ...]:
    from zuko.flows import SOSPF

    return _flow(lambda: SOSPF(3, 2, degree=3, polynomials=2, transforms=2, hidden_features=[8]))


def bernstein() -> tuple[Any, ...]:
    from zuko.flows import BPF

    return _flow(lambda: BPF(3, 2, degree=5, transforms=2, hidden_features=[8]))


def neural() -> tuple[Any, ...]:
    from zuko.flows import NAF

    return _flow(lambda: NAF(3, 2, transforms=2, signal=4, network={"hidden_features": [6]}, hidden_features=[8]))


def unconstrained() -> tuple[Any, ...]:
    from zuko.flows import UNAF

    return _flow(lambda: UNAF(3, 2, transforms=2, signal=4, network={"hidden_features": [6]}, hidden_features=[8]))


def gaussianization() -> tuple[Any, ...]:
    from zuko.flows import GF

    return _flow(lambda: GF(3, 2, transforms=2, components=4, hidden_features=[8]))


def continuous() -> tuple[Any, ...]:
    from zuko.flows import CNF

    flow = CNF(3, 2, hidden_features=[8], atol=1e-3, rtol=1e-3)
    return lambda x, c: (flow(c).log_prob(x), flow(c).rsample_and_log_prob()), randn(4, 3), randn(4, 2)


def hutchinson() -> tuple[Any, ...]:
    from zuko.flows import CNF

    flow = CNF(3, 2, hidden_features=[8], exact=False, atol=1e-3, rtol=1e-3)
    return lambda x, c: flow(c).log_prob(x), randn(4, 3), randn(4, 2)


def mixture() -> tuple[Any, ...]:
    from zuko.mixtures import GMM

    full, diagonal = GMM(3, 2, components=2, hidden_features=[8]), GMM(3, components=2, covariance_type="diagonal")
    tied = GMM(3, components=2, covariance_type="spherical", tied=True)
    return lambda x, c: (full(c).log_prob(x), diagonal().log_prob(x), tied().log_prob(x)), randn(4, 3), randn(4, 2)


def mixture_start() -> tuple[Any, ...]:
    from zuko.mixtures import GMM

    def run(x: Any) -> Any:
        every = []
        for kind, strategy in (("full", "random"), ("diagonal", "kmeans"), ("spherical", "kmeans++")):
            model = GMM(2, components=2, covariance_type=kind, tied=kind == "diagonal")
            model.initialize(x.detach(), strategy=strategy)
            every += [model().log_prob(x), *[each.detach() for each in model.parameters()]]
        return every

    return run, randn(12, 2)


def distributions() -> tuple[Any, ...]:
    from torch.distributions import ExpTransform, Normal
    from zuko.distributions import (
        BoxUniform,
        DiagNormal,
        GeneralizedNormal,
        Joint,
        Maximum,
        Minimum,
        Mixture,
        Sort,
        TopK,
        TransformedUniform,
        Truncated,
    )

    def run(x: Any, a: Any, b: Any) -> Any:
        s = a.exp()
        one = DiagNormal(b, s)
        box = BoxUniform(b - 3, b + 3)
        mixed = Mixture(Normal(b, s), a)
        general = GeneralizedNormal(s)
        joint = Joint(one, box)
        cut = Truncated(Normal(b, s), b - 1, b + 1)
        inside = b + x[0].tanh()
        ordered = Sort(Normal(torch.zeros(()), s[0]), 3)
        top, low, high = TopK(Normal(b[0], s[0]), 2, 3), Minimum(Normal(b[0], s[0]), 3), Maximum(Normal(b[0], s[0]), 3)
        turned = TransformedUniform(ExpTransform(), b - 1, b + 1)
        return (
            one.log_prob(x),
            one.rsample((2,)),
            mixed.log_prob(x),
            general.log_prob(x),
            general.rsample((2,)),
            joint.rsample((2,)),
            joint.log_prob(torch.cat((x, b + x.tanh()), -1)),
            cut.log_prob(inside),
            cut.rsample((2,)),
            ordered.log_prob(x.sort(-1)[0]),
            top.log_prob(x[:, :2].sort(-1)[0]),
            low.log_prob(x[:, 0]),
            high.log_prob(x[:, 0]),
            turned.rsample((2,)),
        )

    return run, randn(4, 3), randn(3), randn(3)


def transforms() -> tuple[Any, ...]:
    from zuko import transforms as t

    def both(made: Any, x: Any) -> Any:
        y, jacobian = made.call_and_ladj(x)
        return y, jacobian, made.inv(y), made.log_abs_det_jacobian(x, y)

    def run(x: Any, a: Any, b: Any) -> Any:
        small = x.tanh()
        return (
            both(t.CosTransform(), small.abs() + 0.5),
            both(t.SinTransform(), small),
            both(t.SoftclipTransform(2.0), x),
            both(t.SignedPowerTransform(a), x),
            both(t.AdditiveTransform(a), x),
            both(t.MonotonicAffineTransform(a, b), x),
            both(t.PermutationTransform(torch.tensor([2, 0, 1])), x),
            t.CircularShiftTransform(1.0)(small),
        )

    return run, randn(4, 3), randn(3), randn(3)


def matrices() -> tuple[Any, ...]:
    from zuko import transforms as t

    def run(x: Any, a: Any) -> Any:
        every = []
        for made in (t.RotationTransform(a), t.LULinearTransform(a + 2 * torch.eye(3))):
            y = made(x)
            every += [y, made.inv(y), made.log_abs_det_jacobian(x, y)]
        composed = t.ComposedTransform(t.RotationTransform(a), t.DependentTransform(t.SoftclipTransform(3.0), 1))
        return every, composed.call_and_ladj(x), composed.inv(composed(x))

    return run, randn(4, 3), randn(3, 3)


def bayesian() -> tuple[Any, ...]:
    from zuko.bayesian import BayesianModel
    from zuko.nn import MLP

    model = BayesianModel(MLP(3, 2, [5]), init_logvar=-4.0)

    def run(x: Any) -> Any:
        with model.reparameterize() as one:
            first = one(x)
        with model.reparameterize(local_trick=True) as other:
            second = other(x)
        return first, second, model.kl_divergence(), model.sample_model()(x)

    return run, randn(4, 3)


def layers() -> tuple[Any, ...]:
    from zuko.nn import MLP, LayerNorm, Linear, MaskedMLP, MonotonicMLP

    stacked, plain, masked = (
        Linear(3, 4, stack=2),
        MLP(3, 2, [5, 5], normalize=True),
        MaskedMLP(rand(4, 3) < 0.6, [6], residual=True),
    )
    rising, norm = MonotonicMLP(3, 2, [6]), LayerNorm()
    return lambda x: (stacked(x[:, None]), plain(x), masked(x), rising(x), norm(x)), randn(4, 3)


def solving() -> tuple[Any, ...]:
    from zuko.utils import bisection, broadcast, gauss_legendre, odeint, unpack

    def run(a: Any, x: Any) -> Any:
        s = a.exp()
        root = (
            bisection(lambda z: s * z**3 + z - x, x - 5.0, x + 5.0, n=24, phi=(s, x))
            if False
            else bisection(f=lambda z: s * z**3 + z - x, y=torch.zeros(3), a=-9.0, b=9.0, n=24, phi=(s, x))
        )
        area = gauss_legendre(lambda z: (s * z).cos(), x - 1, x, n=6, phi=(s,))
        last = odeint(lambda t, z: -s * z + t, x, 0.0, 1.0, phi=(s,), atol=1e-3, rtol=1e-3)
        many = odeint(lambda t, z, y: (-s * z, z - y), (x, x + 1), 0.0, 1.0, phi=(s,), atol=1e-3, rtol=1e-3)
        return root, area, last, many, broadcast(a, x[:, None], ignore=1), unpack(x, [(2,), ()])

    return run, randn(3), randn(3)
