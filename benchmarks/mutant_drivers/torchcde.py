"""Runs torchcde 0.2.5 (with torchdiffeq 0.2.5)."""

from typing import Any

from torch import linspace, nn, rand, randn, tensor

NOT_INSTALLED = ("torchsde", "signatory")


class _Field(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 12)

    def forward(self, t: Any, z: Any) -> Any:
        return self.linear(z).tanh().view(*z.shape[:-1], 4, 3)


class _Product(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 12)

    def prod(self, t: Any, z: Any, control: Any) -> Any:
        return (self.linear(z).tanh().view(*z.shape[:-1], 4, 3) @ control.unsqueeze(-1)).squeeze(-1)


def _with_gaps(x: Any) -> Any:
    x = x.clone()
    x[0, 0, 0] = float("nan")
    x[0, 2, 1] = x[1, 3, 1] = x[1, 4, 1] = float("nan")
    x[1, -1, 2] = float("nan")
    return x


def cubic() -> tuple[Any, ...]:
    from torchcde import CubicSpline, natural_cubic_coeffs

    def run(x: Any, t: Any) -> Any:
        spline = CubicSpline(natural_cubic_coeffs(x))
        return spline.evaluate(t), spline.derivative(t), spline.interval

    return run, randn(2, 6, 3), tensor(1.4)


def cubic_with_times() -> tuple[Any, ...]:
    from torchcde import CubicSpline, natural_cubic_coeffs

    def run(x: Any, steps: Any) -> Any:
        times = steps.abs().add(0.1).cumsum(0)
        spline = CubicSpline(natural_cubic_coeffs(x, times), times)
        return spline.evaluate(times[2] * 0.7), spline.derivative(times[1])

    return run, randn(2, 5, 3), rand(5)


def cubic_with_gaps() -> tuple[Any, ...]:
    from torchcde import CubicSpline, natural_cubic_coeffs, natural_cubic_spline_coeffs

    def run(x: Any, t: Any) -> Any:
        given = _with_gaps(x)
        one, other = CubicSpline(natural_cubic_coeffs(given)), CubicSpline(natural_cubic_spline_coeffs(given))
        return one.evaluate(t), other.evaluate(t), other.derivative(t)

    return run, randn(2, 6, 3), tensor(2.4)


def cubic_of_two() -> tuple[Any, ...]:
    from torchcde import CubicSpline, natural_cubic_coeffs

    return lambda x, t: CubicSpline(natural_cubic_coeffs(x)).evaluate(t), randn(2, 2, 3), tensor(0.4)


def linear() -> tuple[Any, ...]:
    from torchcde import LinearInterpolation, linear_interpolation_coeffs

    def run(x: Any, t: Any) -> Any:
        path = LinearInterpolation(linear_interpolation_coeffs(x))
        return path.evaluate(t), path.derivative(t), path.interval

    return run, randn(2, 6, 3), tensor(1.4)


def linear_with_gaps() -> tuple[Any, ...]:
    from torchcde import LinearInterpolation, linear_interpolation_coeffs

    def run(x: Any, t: Any) -> Any:
        path = LinearInterpolation(linear_interpolation_coeffs(_with_gaps(x)))
        return path.evaluate(t), path.derivative(t)

    return run, randn(2, 6, 3), tensor(1.4)


def linear_with_many_gaps() -> tuple[Any, ...]:
    from torchcde import hermite_cubic_coefficients_with_backward_differences, linear_interpolation_coeffs

    gaps = randn(2, 12, 3) > 0.5
    gaps[0, 2:5, 0] = gaps[0, 3:6, 1] = True
    gaps[:, 0] = gaps[:, 6] = gaps[:, -1] = False

    def run(x: Any, steps: Any) -> Any:
        given, times = x.masked_fill(gaps, float("nan")), steps.abs().add(0.1).cumsum(0)
        made = linear_interpolation_coeffs(given), linear_interpolation_coeffs(given, times), times
        return made, hermite_cubic_coefficients_with_backward_differences(given, times)

    return run, randn(2, 12, 3), rand(12)


def several_times() -> tuple[Any, ...]:
    from torchcde import CubicSpline, LinearInterpolation, natural_cubic_coeffs

    def run(x: Any, t: Any) -> Any:
        made = LinearInterpolation(x), CubicSpline(natural_cubic_coeffs(x))
        return [(each.evaluate(t), each.derivative(t)) for each in made]

    return run, randn(2, 6, 3), tensor([1.4, 2.2])


def rectilinear() -> tuple[Any, ...]:
    from torchcde import LinearInterpolation, linear_interpolation_coeffs

    def run(x: Any, t: Any) -> Any:
        x = x.clone()
        x[..., 0] = linspace(0, 1, 6)
        x[0, 2, 1] = float("nan")
        path = LinearInterpolation(linear_interpolation_coeffs(x, rectilinear=0))
        return path.evaluate(t), path.derivative(t)

    return run, randn(2, 6, 3), tensor(1.4)


def hermite() -> tuple[Any, ...]:
    from torchcde import CubicSpline, hermite_cubic_coefficients_with_backward_differences

    def run(x: Any, t: Any) -> Any:
        spline = CubicSpline(hermite_cubic_coefficients_with_backward_differences(x))
        return spline.evaluate(t), spline.derivative(t)

    return run, randn(2, 6, 3), tensor(3.4)


def several() -> tuple[Any, ...]:
    from torchcde import CubicSpline, LinearInterpolation, TupleControl, natural_cubic_coeffs

    def run(x: Any, t: Any) -> Any:
        both = TupleControl(CubicSpline(natural_cubic_coeffs(x)), LinearInterpolation(x))
        return both.evaluate(t), both.derivative(t), both.interval

    return run, randn(2, 6, 3), tensor(1.4)


def solved() -> tuple[Any, ...]:
    from torchcde import LinearInterpolation, cdeint

    field = _Field()

    def run(x: Any, start: Any) -> Any:
        path = LinearInterpolation(x)
        return cdeint(path, field, start, path.interval, adjoint=False, method="rk4", options={"step_size": 1.0})

    return run, randn(2, 4, 3), randn(2, 4)


def solved_by_product() -> tuple[Any, ...]:
    from torchcde import CubicSpline, cdeint, natural_cubic_coeffs

    field = _Product()

    def run(x: Any, start: Any) -> Any:
        path = CubicSpline(natural_cubic_coeffs(x))
        return cdeint(path, field, start, path.interval, adjoint=False, method="euler", options={"step_size": 0.5})

    return run, randn(2, 4, 3), randn(2, 4)


def solved_pair() -> tuple[Any, ...]:
    from torchcde import LinearInterpolation, TupleControl, cdeint

    field = _Field()

    def run(x: Any, start: Any) -> Any:
        path = TupleControl(LinearInterpolation(x), LinearInterpolation(x * 2))

        def both(t: Any, z: Any) -> Any:
            return field(t, z[0]), field(t, z[1])

        times = path.interval
        return cdeint(path, both, (start, start * 2), times, adjoint=False, method="euler", options={"step_size": 1.0})

    return run, randn(2, 4, 3), randn(2, 4)


def filled() -> tuple[Any, ...]:
    from torchcde.misc import forward_fill, tridiagonal_solve

    def run(x: Any, b: Any, sides: Any) -> Any:
        return forward_fill(_with_gaps(x)), tridiagonal_solve(b, sides[:-1], sides.abs() + 3, sides[1:])

    return run, randn(2, 6, 3), randn(3, 5), randn(5)
