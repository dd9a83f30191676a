"""Runs torchmin (pytorch-minimize) 0.1.0."""

from typing import Any

from torch import nn, rand, randn, tensor


def _bowl(x: Any) -> Any:
    """What has one minimum."""
    return ((x - 0.5) ** 2 * (1 + x.detach().new_tensor(range(x.numel())).view_as(x))).sum() + 0.1 * (x**4).sum()


def _minimized(method: str, *every: dict[str, Any], size: int = 4, steps: int = 4) -> tuple[Any, ...]:
    from torchmin import minimize
    from torchmin.benchmarks import rosen

    def run(x: Any) -> Any:
        x = x.detach()
        seen: list[Any] = []
        plain = minimize(_bowl, x, method=method, max_iter=steps, tol=1e-4, return_all=True)
        hard = minimize(rosen, x * 0.5, method=method, max_iter=steps, callback=lambda x: seen.append(x.clone()))
        return plain, hard, seen, [minimize(rosen, x, method=method, max_iter=steps, options=each) for each in every]

    return run, randn(size)


def bfgs() -> tuple[Any, ...]:
    return _minimized("bfgs", {"line_search": "none", "lr": 0.01}, {"inv_hess": False}, {"normp": 2})


def bfgs_with_little_memory() -> tuple[Any, ...]:
    return _minimized("l-bfgs", {"line_search": "none", "lr": 0.01}, {"history_size": 2}, steps=6)


def conjugate() -> tuple[Any, ...]:
    return _minimized("cg", {"normp": 2}, steps=6)


def newton() -> tuple[Any, ...]:
    return _minimized("newton-cg", {"line_search": "none", "lr": 0.1}, {"cg_max_iter": 2}, {"twice_diffable": True})


def newton_exact() -> tuple[Any, ...]:
    return _minimized(
        "newton-exact",
        {"line_search": "none", "lr": 0.5},
        {"tikhonov": 0.1},
        {"handle_npd": "lu"},
        {"handle_npd": "eig"},
    )


def dogleg() -> tuple[Any, ...]:
    from torchmin import minimize

    return lambda x: minimize(_bowl, x.detach(), method="dogleg", max_iter=5, return_all=True), randn(4) * 3


def regions() -> tuple[Any, ...]:
    return _minimized("trust-ncg", {"initial_trust_radius": 0.3}, {"eta": 0.2, "max_trust_radius": 2.0})


def regions_exact() -> tuple[Any, ...]:
    return _minimized("trust-exact", {"initial_trust_radius": 0.3}, steps=6)


def regions_by_krylov() -> tuple[Any, ...]:
    from torchmin import minimize

    def mixed(x: Any) -> Any:
        return (x.cumsum(0) - 0.5).square().sum() + 0.3 * x.exp().sum() - (x[1:] * x[:-1]).sin().sum()

    def run(x: Any) -> Any:
        given = {"method": "trust-krylov", "max_iter": 3}
        return [minimize(mixed, x.detach(), options={"initial_trust_radius": each}, **given) for each in (0.1, 1.0)]

    return run, randn(12)


def bounded() -> tuple[Any, ...]:
    from torchmin import minimize_constr
    from torchmin.benchmarks import rosen

    def run(x: Any) -> Any:
        x = x.detach()
        given = {"method": "l-bfgs-b", "max_iter": 5}
        one = minimize_constr(_bowl, x, bounds=(-0.3, 0.3), **given)
        other = minimize_constr(rosen, x, bounds=(tensor([-1.0, -2, 0, -1]), [0.5, 1.0, 2.0, 3.0]), **given)
        return one, other, minimize_constr(rosen, x, max_iter=5, options={"history_size": 2, "return_all": True})

    return run, randn(4)


def frank_wolfe() -> tuple[Any, ...]:
    from torchmin import minimize_constr

    def run(x: Any) -> Any:
        x = x.detach()
        given = {"method": "frank-wolfe", "max_iter": 4}
        one = minimize_constr(_bowl, x, constr="tracenorm", options={"t": 1.5}, **given)
        return one, minimize_constr(_bowl, x * 0 + 1 / 3, constr="birkhoff", **given)

    return run, rand(3, 3)


def constrained() -> tuple[Any, ...]:
    from torchmin import minimize_constr

    def run(x: Any) -> Any:
        x = x.detach()
        constraint = {"fun": lambda x: x.square().sum(), "ub": 0.5}
        one = minimize_constr(_bowl, x, method="trust-constr", constr=constraint, max_iter=5)
        return one, minimize_constr(_bowl, x, method="trust-constr", bounds=(-0.1, 0.4), max_iter=3)

    return run, randn(3) * 0.2


def least_squares() -> tuple[Any, ...]:
    from torchmin import least_squares

    def run(x: Any, times: Any, values: Any) -> Any:
        x, times, values = x.detach(), times.detach(), values.detach()

        def residual(x: Any) -> Any:
            return x[0] * (-x[1] * times).exp() + x[2] - values

        given = {"max_nfev": 6}
        return (
            least_squares(residual, x, **given),
            least_squares(residual, x, tr_solver="exact", **given),
            least_squares(residual, x, tr_solver="cgls", x_scale=tensor([1.0, 2.0, 0.5]), **given),
        )

    return run, rand(3), rand(8), rand(8)


def solvers() -> tuple[Any, ...]:
    from torchmin.lstsq.cg import cg, cgls
    from torchmin.lstsq.lsmr import lsmr

    def run(a: Any, b: Any) -> Any:
        a, b = a.detach(), b.detach()
        square = a.mT @ a
        tall = lsmr(a, b, damp=0.1, maxiter=3), lsmr(a, b, maxiter=8)
        return tall, cgls(a, b, max_iter=3), cg(square, a.mT @ b, max_iter=3)

    return run, randn(6, 4), randn(6)


def rosenbrock() -> tuple[Any, ...]:
    from torchmin import benchmarks as b

    def run(x: Any, p: Any) -> Any:
        return b.rosen(x), b.rosen(x, reduce=False), b.rosen_der(x), b.rosen_hess(x), b.rosen_hess_prod(x, p)

    return run, randn(2, 5), randn(2, 5)


def functions() -> tuple[Any, ...]:
    from torchmin.function import ScalarFunction, VectorFunction

    def run(x: Any, v: Any) -> Any:
        x, v = x.detach(), v.detach()
        made = ScalarFunction(_bowl, x.shape, hessp=True, hess=True)
        vector = VectorFunction(lambda x: x.sin() * x.sum(), x.shape, jacp=True, jac=True)
        closed, values = made.closure(x), vector.closure(x)
        return (
            closed.f,
            closed.grad,
            closed.hess,
            closed.hessp.mv(v),
            made.dir_evaluate(x, 0.5, v).grad,
            (
                values.f,
                values.jac,
            ),
        )

    return run, randn(4), randn(4)


def line_searches() -> tuple[Any, ...]:
    from torchmin.function import ScalarFunction
    from torchmin.line_search import backtracking, strong_wolfe

    def run(x: Any) -> Any:
        x, made = x.detach(), ScalarFunction(_bowl, x.shape)
        closed = made.closure(x)
        step, slope = -closed.grad, -closed.grad.dot(closed.grad)
        found = strong_wolfe(made.dir_evaluate, x, 1.0, step, closed.f, closed.grad, slope)
        moved = backtracking(
            lambda x, t, d: (_bowl(x + t * d), x + t * d), x, tensor(1.0), step, closed.f, closed.grad, max_ls=20
        )
        return found, moved

    return run, randn(4)


def _stepped(method: str, steps: int = 3) -> tuple[Any, ...]:
    from torchmin import Minimizer

    net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))

    def run(x: Any, y: Any) -> Any:
        minimizer = Minimizer(net.parameters(), method=method, max_iter=steps)

        def loss() -> Any:
            minimizer.zero_grad()
            return (net(x) - y).square().mean()

        return minimizer.step(loss), net(x)

    return run, randn(5, 3), randn(5, 1)


def steps() -> tuple[Any, ...]:
    return _stepped("bfgs")


def steps_of_newton() -> tuple[Any, ...]:
    return _stepped("newton-cg", 2)


def steps_by_scipy() -> tuple[Any, ...]:
    from torchmin import ScipyMinimizer

    net = nn.Linear(3, 1)

    def run(x: Any, y: Any) -> Any:
        minimizer = ScipyMinimizer(net.parameters(), method="bfgs", options={"maxiter": 3})

        def loss() -> Any:
            minimizer.zero_grad()
            return (net(x) - y).square().mean()

        return minimizer.step(loss), net(x)

    return run, randn(5, 3), randn(5, 1)
