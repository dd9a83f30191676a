"""Runs flow-matching 1.0.10 (with torchdiffeq, scipy and tqdm, which it needs)."""

from typing import Any

from torch import nn, rand, randint, randn, tensor


class _Velocity(nn.Module):
    """A network of a point and a time: of one time for each point, or for all."""

    def __init__(self, size: int = 3, out: int = 3) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(size + 1, 8), nn.Linear(8, out)

    def forward(self, x: Any, t: Any) -> Any:
        from torch import cat

        times = t.reshape(-1, 1).expand(len(x), 1)
        return self.second(self.first(cat([x, times], 1)).tanh())


class _Logits(nn.Module):
    def __init__(self, probabilities: bool = False) -> None:
        super().__init__()
        self.embedding, self.out, self.probabilities = nn.Embedding(5, 8), nn.Linear(9, 5), probabilities

    def forward(self, x: Any, t: Any) -> Any:
        from torch import cat

        times = t.view(-1, 1, 1).expand(*x.shape, 1)
        logits = self.out(cat([self.embedding(x), times], -1))
        return logits.softmax(-1) if self.probabilities else logits


def _scheduler(name: str) -> Any:
    from flow_matching.path import scheduler

    return getattr(scheduler, name)(*([3] if name == "PolynomialConvexScheduler" else []))


def _affine(name: str) -> tuple[Any, ...]:
    """Trains a velocity, and reads a prediction as each of the three that the path can be described by."""
    from flow_matching.path import AffineProbPath

    model, path = _Velocity(), AffineProbPath(scheduler=_scheduler(name))
    x_0, x_1, t = randn(4, 3), randn(4, 3), rand(4) * 0.8 + 0.1
    times = t[:, None]

    def run(hint: Any) -> Any:
        sample = path.sample(x_0=x_0, x_1=x_1, t=t)
        made = model(sample.x_t, sample.t) + hint
        loss = (made - sample.dx_t).pow(2).mean()
        return (
            loss,
            path.target_to_velocity(x_1=made, x_t=sample.x_t, t=times),
            path.epsilon_to_velocity(epsilon=made, x_t=sample.x_t, t=times),
            path.velocity_to_target(velocity=made, x_t=sample.x_t, t=times),
            path.epsilon_to_target(epsilon=made, x_t=sample.x_t, t=times),
            path.velocity_to_epsilon(velocity=made, x_t=sample.x_t, t=times),
            path.target_to_epsilon(x_1=made, x_t=sample.x_t, t=times),
        )

    return run, randn(4, 3)


def affine_of_optimal_transport() -> tuple[Any, ...]:
    return _affine("CondOTScheduler")


def affine_of_polynomial() -> tuple[Any, ...]:
    return _affine("PolynomialConvexScheduler")


def affine_keeping_variance() -> tuple[Any, ...]:
    return _affine("VPScheduler")


def affine_keeping_variance_linearly() -> tuple[Any, ...]:
    return _affine("LinearVPScheduler")


def affine_of_cosine() -> tuple[Any, ...]:
    return _affine("CosineScheduler")


def optimal_transport_of_images() -> tuple[Any, ...]:
    from flow_matching.path import CondOTProbPath

    model, path = nn.Conv2d(2, 2, 3, padding=1), CondOTProbPath()
    x_0, x_1, t = randn(2, 2, 4, 4), randn(2, 2, 4, 4), rand(2)

    def run() -> Any:
        sample = path.sample(t=t, x_0=x_0, x_1=x_1)
        return (model(sample.x_t) - sample.dx_t).pow(2).mean()

    return (run,)


def _transformed(old: str, new: str) -> tuple[Any, ...]:
    from flow_matching.path.scheduler import ScheduleTransformedModel

    model = ScheduleTransformedModel(_Velocity(), _scheduler(old), _scheduler(new))
    t = tensor(0.4)
    return lambda x: model(x=x, t=t), randn(4, 3)


def transformed_to_cosine() -> tuple[Any, ...]:
    return _transformed("CondOTScheduler", "CosineScheduler")


def transformed_to_polynomial() -> tuple[Any, ...]:
    return _transformed("VPScheduler", "PolynomialConvexScheduler")


def transformed_to_linear() -> tuple[Any, ...]:
    return _transformed("CosineScheduler", "LinearVPScheduler")


def transformed_to_variance() -> tuple[Any, ...]:
    return _transformed("LinearVPScheduler", "VPScheduler")


def transformed_from_polynomial() -> tuple[Any, ...]:
    return _transformed("PolynomialConvexScheduler", "CondOTScheduler")


def solved() -> tuple[Any, ...]:
    from flow_matching.solver import ODESolver

    model = _Velocity()
    solver = ODESolver(velocity_model=model)

    def run(x: Any) -> Any:
        grid = tensor([0.0, 0.5, 1.0])
        return (
            solver.sample(x, step_size=0.25, enable_grad=True),
            solver.sample(x, None, method="midpoint", time_grid=grid, return_intermediates=True, enable_grad=True),
            solver.sample(x, None, method="dopri5", rtol=1e-2, atol=1e-2),
            model(x, grid[1]),
        )

    return run, randn(4, 3)


def solved_with_new_schedule() -> tuple[Any, ...]:
    from flow_matching.path.scheduler import ScheduleTransformedModel
    from flow_matching.solver import ODESolver

    model = ScheduleTransformedModel(_Velocity(), _scheduler("CondOTScheduler"), _scheduler("CosineScheduler"))
    solver = ODESolver(velocity_model=model)
    return lambda x: solver.sample(x, 0.2, time_grid=tensor([0.1, 0.9]), enable_grad=True), randn(4, 3)


def _likelihood(**more: Any) -> tuple[Any, ...]:
    from flow_matching.solver import ODESolver

    solver, x_1 = ODESolver(velocity_model=_Velocity()), randn(4, 3)

    def run() -> Any:
        return solver.compute_likelihood(x_1.clone(), lambda x: -x.pow(2).sum(1) / 2, step_size=0.25, **more)

    return (run,)


def likelihood() -> tuple[Any, ...]:
    return _likelihood()


def exact_likelihood() -> tuple[Any, ...]:
    return _likelihood(
        exact_divergence=True, time_grid=tensor([1.0, 0.5, 0.0]), return_intermediates=True, method="midpoint"
    )


def _manifold(name: str) -> Any:
    from flow_matching.utils import manifolds

    return getattr(manifolds, name)()


def _geodesic(manifold: str, scheduler: str) -> tuple[Any, ...]:
    from flow_matching.path import GeodesicProbPath

    on, model = _manifold(manifold), _Velocity()
    path = GeodesicProbPath(scheduler=_scheduler(scheduler), manifold=on)
    x_0, x_1, t = on.projx(randn(4, 3)), on.projx(randn(4, 3)), rand(4) * 0.8 + 0.1

    def run() -> Any:
        sample = path.sample(t=t, x_0=x_0, x_1=x_1)
        made = on.proju(sample.x_t, model(sample.x_t, t))
        return (made - sample.dx_t).pow(2).mean(), sample.x_t

    return (run,)


def geodesic_of_sphere() -> tuple[Any, ...]:
    return _geodesic("Sphere", "CondOTScheduler")


def geodesic_of_torus() -> tuple[Any, ...]:
    return _geodesic("FlatTorus", "PolynomialConvexScheduler")


def geodesic_of_plane() -> tuple[Any, ...]:
    return _geodesic("Euclidean", "CondOTScheduler")


def _on_manifold(manifold: str, method: str, enable_grad: bool = True, **more: Any) -> tuple[Any, ...]:
    from flow_matching.solver import RiemannianODESolver

    on, model = _manifold(manifold), _Velocity()
    solver, x = RiemannianODESolver(on, model), on.projx(randn(4, 3))

    def run(shift: Any) -> Any:
        start = on.projx(x + 0.1 * shift)
        return solver.sample(start, step_size=0.3, method=method, enable_grad=enable_grad, **more), start

    return run, randn(4, 3)


def sphere_by_euler() -> tuple[Any, ...]:
    return _on_manifold("Sphere", "euler")


def sphere_at_times() -> tuple[Any, ...]:
    # Its gradient at the first time, where nothing has moved yet, is not a number.
    grid = tensor([0.0, 0.5, 1.0])
    return _on_manifold("Sphere", "euler", enable_grad=False, time_grid=grid, return_intermediates=True)


def sphere_by_midpoint() -> tuple[Any, ...]:
    return _on_manifold("Sphere", "midpoint")


def sphere_by_rk4() -> tuple[Any, ...]:
    return _on_manifold("Sphere", "rk4", proju=False)


def torus_by_euler() -> tuple[Any, ...]:
    return _on_manifold("FlatTorus", "euler", projx=False)


def torus_by_rk4() -> tuple[Any, ...]:
    return _on_manifold("FlatTorus", "rk4")


def plane_by_midpoint() -> tuple[Any, ...]:
    return _on_manifold("Euclidean", "midpoint", time_grid=tensor([0.0, 0.5, 1.0]), return_intermediates=True)


def plane_by_grid() -> tuple[Any, ...]:
    from flow_matching.solver import RiemannianODESolver

    solver = RiemannianODESolver(_manifold("Euclidean"), _Velocity())

    def run(x: Any) -> Any:
        made = [
            solver.sample(x, step_size=None, method=method, time_grid=tensor([0.0, 0.4, 1.0]), enable_grad=grad)
            for method, grad in (("euler", True), ("rk4", True), ("midpoint", False))
        ]
        return made, x

    return run, randn(4, 3)


def maps_of_sphere() -> tuple[Any, ...]:
    on = _manifold("Sphere")

    def run(x: Any, y: Any) -> Any:
        x, y = on.projx(x), on.projx(y)
        tangent = on.logmap(x, y)
        return tangent, on.expmap(x, tangent * 0.5), on.proju(x, y), on.dist(x, y), x, y

    return run, randn(4, 3), randn(4, 3)


def maps_of_torus() -> tuple[Any, ...]:
    on = _manifold("FlatTorus")

    def run(x: Any, y: Any) -> Any:
        tangent = on.logmap(x, y)
        return tangent, on.expmap(x, tangent * 0.5), on.projx(y)

    return run, randn(4, 3), randn(4, 3)


def _discrete(scheduler: str, reduction: str) -> tuple[Any, ...]:
    from flow_matching.loss import MixturePathGeneralizedKL
    from flow_matching.path import MixtureDiscreteProbPath

    path, model = MixtureDiscreteProbPath(scheduler=_scheduler(scheduler)), _Logits()
    loss = MixturePathGeneralizedKL(path=path, reduction=reduction)
    x_0, x_1, t = randint(0, 5, (4, 6)), randint(0, 5, (4, 6)), rand(4) * 0.8 + 0.1

    def run() -> Any:
        sample = path.sample(t=t, x_0=x_0, x_1=x_1)
        logits = model(sample.x_t, sample.t)
        return (
            loss(logits=logits, x_1=x_1, x_t=sample.x_t, t=sample.t),
            path.posterior_to_velocity(posterior_logits=logits, x_t=sample.x_t, t=t),
        )

    return (run,)


def discrete() -> tuple[Any, ...]:
    return _discrete("PolynomialConvexScheduler", "mean")


def discrete_of_each() -> tuple[Any, ...]:
    return _discrete("CondOTScheduler", "none")


def _sampled(**more: Any) -> tuple[Any, ...]:
    from flow_matching.path import MixtureDiscreteProbPath
    from flow_matching.solver import MixtureDiscreteEulerSolver

    path, model = MixtureDiscreteProbPath(scheduler=_scheduler("PolynomialConvexScheduler")), _Logits(True)
    solver = MixtureDiscreteEulerSolver(model, path, 5, source_distribution_p=tensor([0.2] * 5))
    start = randint(0, 5, (4, 6))

    def run() -> Any:
        return solver.sample(x_init=start, **more).float(), start.float(), solver.source_distribution_p

    return (run,)


def sampled() -> tuple[Any, ...]:
    return _sampled(step_size=0.1)


def sampled_without_divergence() -> tuple[Any, ...]:
    return _sampled(step_size=0.1, div_free=1.0, time_grid=tensor([0.05, 0.5, 0.95]), return_intermediates=True)


def sampled_at_times() -> tuple[Any, ...]:
    return _sampled(step_size=None, div_free=lambda t: t, time_grid=tensor([0.1, 0.4, 0.7, 1.0]))
