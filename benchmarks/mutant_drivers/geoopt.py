"""Runs geoopt 0.5.1."""

from typing import Any

import torch
from torch import nn, randn


def _stereographic(ball: Any) -> tuple[Any, ...]:
    matrix = randn(3, 4) / 4

    def run(a: Any, b: Any, c: Any) -> Any:
        x, y = ball.expmap0(a / 4), ball.projx(b / 6)
        v = c / 5
        return (
            x,
            y,
            ball.dist(x, y),
            ball.dist2(x, y),
            ball.dist0(x),
            ball.expmap(x, v),
            ball.logmap(x, y),
            ball.logmap0(y),
            ball.mobius_add(x, y),
            ball.mobius_sub(x, y),
            ball.mobius_coadd(x, y),
            ball.mobius_cosub(x, y),
            ball.mobius_scalar_mul(torch.tensor(0.5), x),
            ball.mobius_pointwise_mul(c, x),
            ball.mobius_matvec(matrix, x),
            ball.geodesic(torch.tensor(0.3), x, y),
            ball.geodesic_unit(torch.tensor(0.3), x, v),
            ball.lambda_x(x),
            ball.transp(x, y, v),
            ball.transp0(y, v),
            ball.transp0back(y, v),
            ball.gyration(x, y, v),
            ball.antipode(x),
            ball.dist2plane(x, y, v, signed=True),
            ball.dist2plane(x, y, v, scaled=True),
            ball.inner(x, v, c),
            ball.norm(x, v),
            ball.egrad2rgrad(x, v),
            ball.retr(x, v),
            ball.transp_follow_retr(x, v, c),
            ball.expmap_transp(x, v, c),
            ball.mobius_fn_apply(torch.tanh, x),
            ball.weighted_midpoint(
                torch.stack((x, y)), torch.tensor([[0.4, 0.6], [0.5, 0.5]])[:, :1].expand(2, 2), reducedim=[0]
            ),
            ball.sproj(ball.inv_sproj(x)),
        )

    return run, randn(2, 4), randn(2, 4), randn(2, 4)


def ball() -> tuple[Any, ...]:
    from geoopt import PoincareBall

    return _stereographic(PoincareBall(c=1.0))


def sphere_projection() -> tuple[Any, ...]:
    from geoopt import SphereProjection

    return _stereographic(SphereProjection(k=0.7))


def flat() -> tuple[Any, ...]:
    from geoopt import Stereographic

    return _stereographic(Stereographic(k=0.0, learnable=True))


def hyperplanes() -> tuple[Any, ...]:
    from geoopt import PoincareBall
    from geoopt.layers.stereographic import Distance2StereographicHyperplanes

    one = Distance2StereographicHyperplanes(3, 4, ball=PoincareBall(), init_std=0.2)
    two = Distance2StereographicHyperplanes(3, 4, squared=True, ball=PoincareBall(c=0.5), ndim=1)
    return lambda x: (one(x / 6), two(x.T[None] / 6)), randn(5, 3)


def lorentz() -> tuple[Any, ...]:
    from geoopt import Lorentz
    from geoopt.manifolds.lorentz import math

    space = Lorentz()

    def run(a: Any, b: Any, c: Any) -> Any:
        x, y = space.projx(a), space.projx(b)
        v = space.proju(x, c / 3)
        return (
            x,
            y,
            space.dist(x, y),
            space.dist0(x),
            v,
            space.expmap(x, v),
            space.expmap0(c / 3),
            space.logmap(x, y),
            space.logmap0(y),
            space.logmap0back(x),
            space.inner(x, v, v),
            space.egrad2rgrad(x, c),
            space.transp(x, y, v),
            space.transp0(y, v),
            space.transp0back(x, v),
            space.geodesic_unit(torch.tensor(0.4), x, v),
            space.norm(v),
            space.transp_follow_expmap(x, v, v),
            math.lorentz_to_poincare(x, torch.tensor(1.0)),
            math.poincare_to_lorentz(a / 6, torch.tensor(1.0)),
            space.inner0(v),
        )

    return run, randn(2, 4), randn(2, 4), randn(2, 4)


def sphere() -> tuple[Any, ...]:
    from geoopt import Sphere, SphereExact

    whole, part = Sphere(), SphereExact(intersection=torch.eye(4)[:, :3])

    def run(a: Any, b: Any, c: Any) -> Any:
        every = []
        for space in (whole, part):
            x, y = space.projx(a), space.projx(b)
            v = space.proju(x, c)
            every += [
                x,
                y,
                v,
                space.expmap(x, v),
                space.retr(x, v),
                space.logmap(x, y),
                space.dist(x, y),
                space.transp(x, y, v),
                space.inner(x, v),
            ]
        return every

    return run, randn(2, 4), randn(2, 4), randn(2, 4)


def stiefel() -> tuple[Any, ...]:
    from geoopt import CanonicalStiefel, EuclideanStiefel, EuclideanStiefelExact

    spaces = [CanonicalStiefel(), EuclideanStiefel(), EuclideanStiefelExact()]

    def run(a: Any, c: Any) -> Any:
        every = []
        for space in spaces:
            x = space.projx(a)
            v = space.proju(x, c)
            every += [x, v, space.inner(x, v), space.egrad2rgrad(x, c)]
        canonical, euclidean, exact = spaces
        every += [canonical.retr_transp(x, v, v), canonical.retr(x, v), euclidean.transp(x, x, v), exact.retr(x, v)]
        return every

    return run, randn(2, 4, 3), randn(2, 4, 3)


def definite() -> tuple[Any, ...]:
    from geoopt import SymmetricPositiveDefinite

    spaces = [SymmetricPositiveDefinite(metric) for metric in ("AIM", "SM", "LEM")]

    def run(a: Any, b: Any, c: Any) -> Any:
        every = []
        for space in spaces:
            x, y = a @ a.mT + torch.eye(3), b @ b.mT + torch.eye(3)
            v = space.proju(x, c)
            every += [
                v,
                space.dist(x, y),
                space.inner(x, v),
                space.retr(x, v / 9),
                space.expmap(x, v / 9),
                space.logmap(x, y),
                space.egrad2rgrad(x, c),
            ]
            every += [space.transp(x, y, v), space.projx(c @ c.mT + x)]
        return every

    return run, randn(2, 3, 3), randn(2, 3, 3), randn(2, 3, 3)


def siegel() -> tuple[Any, ...]:
    from geoopt import BoundedDomain, UpperHalf
    from geoopt.manifolds.siegel.vvd_metrics import SiegelMetricType

    kinds = list(SiegelMetricType)[:4]
    halves, domains = [UpperHalf(kind, 2) for kind in kinds], [BoundedDomain(kind, 2) for kind in kinds]

    def run(a: Any, b: Any, c: Any) -> Any:
        every = []
        for half, domain in zip(halves, domains, strict=False):
            x, y = (
                half.projx(torch.complex(a, a @ a.mT + torch.eye(2))),
                half.projx(torch.complex(b, b @ b.mT + torch.eye(2))),
            )
            v = torch.complex(c, c.mT)
            every += [half.dist(x, y), half.egrad2rgrad(x, v), half.inner(x, v, v), half.retr(x, v / 9)]
            z, w = domain.projx(torch.complex(a, b) / 9), domain.projx(torch.complex(b, c) / 9)
            every += [domain.dist(z, w), domain.egrad2rgrad(z, v), domain.inner(z, v, v)]
        return [torch.view_as_real(each) if each.is_complex() else each for each in every]

    return run, randn(2, 2, 2), randn(2, 2, 2), randn(2, 2, 2)


def doubly() -> tuple[Any, ...]:
    from geoopt import BirkhoffPolytope

    space = BirkhoffPolytope(max_iter=15)

    def run(a: Any, c: Any) -> Any:
        x = space.projx(a.abs() + 0.1)
        v = space.proju(x, c)
        return x, v, space.retr(x, v / 9), space.inner(x, v), space.retr_transp(x, v / 9, v)

    return run, randn(3, 3), randn(3, 3)


def products() -> tuple[Any, ...]:
    from geoopt import (
        Euclidean,
        PoincareBall,
        ProductManifold,
        Scaled,
        Sphere,
        SphereProjection,
        StereographicProductManifold,
    )

    one = ProductManifold((Sphere(), 3), (Euclidean(), 2), (Scaled(PoincareBall(), 2.0), 2))
    two = StereographicProductManifold((PoincareBall(), 3), (SphereProjection(), 4))

    def run(a: Any, b: Any, c: Any) -> Any:
        x, y = one.projx(a / 4), one.projx(b / 4)
        v = one.proju(x, c / 4)
        p, q, w = a / 9, b / 9, c / 9
        return (
            x,
            y,
            v,
            one.expmap(x, v),
            one.retr(x, v),
            one.logmap(x, y),
            one.transp(x, y, v),
            one.dist(x, y),
            one.inner(x, v),
            one.component_inner(x, v),
            one.transp_follow_retr(x, v, v),
            one.expmap_transp(x, v, v),
            one.retr_transp(x, v, v),
            one.egrad2rgrad(x, v),
            two.mobius_add(p, q),
            two.mobius_sub(p, q),
            two.mobius_scalar_mul(torch.tensor(0.4), p),
            two.geodesic(torch.tensor(0.4), p, q),
            two.dist0(p),
            two.expmap0(w),
            two.logmap0(p),
            two.transp0(q, w),
            two.gyration(p, q, w),
            two.antipode(p),
            two.mobius_fn_apply(torch.tanh, p),
            two.dist2(p, q),
        )

    return run, randn(2, 7), randn(2, 7), randn(2, 7)


def _stepped(make: Any, steps: int = 3) -> tuple[Any, ...]:
    from geoopt import ManifoldParameter, PoincareBall, Sphere

    layer = nn.Linear(3, 2)
    first, second = (
        ManifoldParameter(torch.ones(3) / 4, PoincareBall()),
        ManifoldParameter(torch.ones(3) / 3**0.5, Sphere()),
    )

    def run(x: Any) -> Any:
        every = [*layer.parameters(), first, second]
        optimizer = make(every)
        seen = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = layer(x).sin().square().mean() + (first * second + x).square().mean()
            loss.backward()
            optimizer.step()
            seen += [loss.detach(), *[each.detach().clone() for each in every]]
        return seen

    return run, randn(4, 3)


def gradient_descent() -> tuple[Any, ...]:
    from geoopt.optim import RiemannianSGD

    return _stepped(
        lambda every: RiemannianSGD(every, lr=0.05, momentum=0.9, nesterov=True, weight_decay=0.01, stabilize=2)
    )


def adam() -> tuple[Any, ...]:
    from geoopt.optim import RiemannianAdam

    return _stepped(lambda every: RiemannianAdam(every, lr=0.05, amsgrad=True, weight_decay=0.01, stabilize=2))
