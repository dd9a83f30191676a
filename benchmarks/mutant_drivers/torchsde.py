"""Runs torchsde 0.2.6 (with trampoline and scipy, which it needs)."""

from typing import Any

from torch import nn, randn, tensor


class _Equation(nn.Module):
    def __init__(self, noise: str, kind: str) -> None:
        super().__init__()
        self.noise_type, self.sde_type = noise, kind
        self.size = {"diagonal": 3, "scalar": 1}.get(noise, 2)
        self.drift, self.spread = nn.Linear(3, 3), nn.Linear(3, 3 * self.size)

    def f(self, t: Any, y: Any) -> Any:
        return self.drift(y).tanh() + t

    def h(self, t: Any, y: Any) -> Any:
        return -y

    def g(self, t: Any, y: Any) -> Any:
        if self.noise_type == "diagonal":
            return self.spread(y)[:, :3].sigmoid() + 0.1
        if self.noise_type == "additive":
            return (self.spread.bias * (t + 1)).view(3, self.size).expand(y.shape[0], 3, self.size)
        return self.spread(y).sigmoid().view(-1, 3, self.size)


def _solved(noise: str, kind: str, method: str, **more: Any) -> tuple[Any, ...]:
    import torchsde

    equation, times = _Equation(noise, kind), tensor([0.0, 0.3, 0.5])
    levy = {"srk": "space-time", "log_ode": "foster"}.get(method, "none")

    def run(y: Any) -> Any:
        bm = torchsde.BrownianInterval(
            0.0, 0.5, size=(2, equation.size), entropy=3, levy_area_approximation=levy, dtype=y.dtype
        )
        solve = torchsde.sdeint_adjoint if more.get("adjoint") else torchsde.sdeint
        given = {key: value for key, value in more.items() if key != "adjoint"}
        return solve(equation, y, times, bm=bm, method=method, dt=0.1, **given)

    return run, randn(2, 3)


def euler() -> tuple[Any, ...]:
    return _solved("general", "ito", "euler")


def euler_against_prior() -> tuple[Any, ...]:
    return _solved("general", "ito", "euler", logqp=True)


def milstein() -> tuple[Any, ...]:
    return _solved("diagonal", "ito", "milstein")


def milstein_without_gradients() -> tuple[Any, ...]:
    return _solved("diagonal", "ito", "milstein", options={"grad_free": True})


def milstein_of_stratonovich() -> tuple[Any, ...]:
    return _solved("scalar", "stratonovich", "milstein")


def milstein_of_stratonovich_without_gradients() -> tuple[Any, ...]:
    return _solved("diagonal", "stratonovich", "milstein", options={"grad_free": True})


def srk() -> tuple[Any, ...]:
    return _solved("diagonal", "ito", "srk")


def srk_additive() -> tuple[Any, ...]:
    return _solved("additive", "ito", "srk", adaptive=True, rtol=1e-2, atol=1e-2)


def midpoint() -> tuple[Any, ...]:
    return _solved("general", "stratonovich", "midpoint", extra=True)


def heun() -> tuple[Any, ...]:
    return _solved("general", "stratonovich", "heun", adaptive=True, rtol=1e-2, atol=1e-2)


def euler_heun() -> tuple[Any, ...]:
    return _solved("scalar", "stratonovich", "euler_heun")


def reversible_heun() -> tuple[Any, ...]:
    return _solved("general", "stratonovich", "reversible_heun")


def log_ode() -> tuple[Any, ...]:
    return _solved("general", "stratonovich", "log_ode")


def adjoint_diagonal() -> tuple[Any, ...]:
    return _solved("diagonal", "ito", "milstein", adjoint=True)


def adjoint_general() -> tuple[Any, ...]:
    return _solved("general", "ito", "euler", adjoint=True)


def adjoint_midpoint() -> tuple[Any, ...]:
    return _solved("general", "stratonovich", "midpoint", adjoint=True)


def adjoint_reversible() -> tuple[Any, ...]:
    return _solved("general", "stratonovich", "reversible_heun", adjoint=True)


def brownian() -> tuple[Any, ...]:
    import torchsde

    def run(w: Any) -> Any:
        path = torchsde.BrownianPath(t0=0.0, w0=w)
        tree = torchsde.BrownianTree(t0=0.0, w0=w, t1=1.0, entropy=5)
        interval = torchsde.BrownianInterval(0.0, 1.0, size=(2, 3), entropy=3, levy_area_approximation="davie")
        back = interval
        return (
            path(0.3, 0.4).sum() * 0,
            tree(0.2, 0.7),
            interval(0.1, 0.6, return_U=True, return_A=True),
            back(0.0, 0.5),
        )

    return run, randn(2, 3)


def areas() -> tuple[Any, ...]:
    import torchsde

    def run(w: Any, h: Any) -> Any:
        made = [
            torchsde.BrownianInterval(0.0, 1.0, W=w, H=h, entropy=3, levy_area_approximation=kind)
            for kind in ("davie", "foster")
        ]
        return [each(0.2, 0.7, return_U=True, return_A=True) for each in made]

    return run, randn(2, 3), randn(2, 3)
