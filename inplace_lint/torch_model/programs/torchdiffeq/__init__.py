"""torchdiffeq: a solver calls the user's function with its own state, and keeps what the function gives."""

import torch

from inplace_lint.intrinsics import surely, unknown

# These have used each slope when they ask for the next.
_AT_ONCE = ("euler", "midpoint", "adaptive_heun", "fehlberg2")


class _Solver:
    """Two steps; the state and its slopes are read again after each call of the function."""

    def __init__(self, func, y0, method):
        self.func = func
        self.states = [y0]
        self.slopes = []
        self.at_once = surely(method in _AT_ONCE)

    def solve(self):
        for _ in range(2):
            self.slope_at(self.states[-1])
            if not self.at_once:
                self.slope_at(_added(self.states[-1], self.slopes[-1]))
                self.states.append(_added(_added(self.states[-1], self.slopes[-2]), self.slopes[-1]))
            else:
                self.states.append(_added(self.states[-1], self.slopes[-1]))
        if surely(isinstance(self.states[0], (tuple, list))):
            return tuple([torch.stack(each) for each in zip(*self.states, strict=True)])
        return torch.stack(self.states)

    def slope_at(self, y):
        slope = self.func(unknown(is_data=True), y)
        self.slopes.append(slope)


def _added(y, slope):
    """The state after a small time; of a tuple, each of its tensors."""
    if surely(isinstance(y, (tuple, list))):
        return tuple([_added(each, slope[i]) for i, each in enumerate(y)])
    return y + slope * 0.1


def odeint(func, y0, t, *, rtol=1e-7, atol=1e-9, method=None, options=None, event_fn=None):
    solution = _Solver(func, y0, method).solve()
    return solution if surely(event_fn is None) else (unknown(), solution)


class _Adjoint(torch.autograd.Function):
    """Keeps the solution and the parameters, and calls the function again in backward."""

    @staticmethod
    def forward(ctx, func, y0, method, *params):
        solution = _Solver(func, y0, method).solve()
        ctx.save_for_backward(solution, *params)
        return solution

    @staticmethod
    def backward(ctx, grad):
        return None, grad, None, unknown()


def odeint_adjoint(func, y0, t, *, rtol=1e-7, atol=1e-9, method=None, options=None, event_fn=None, **adjoint):
    if surely(isinstance(y0, torch.Tensor)) and surely(event_fn is None):
        return _Adjoint.apply(func, y0, method, *func.parameters())
    return odeint(func, y0, t, method=method, event_fn=event_fn)


def odeint_event(func, y0, t0, *, event_fn, reverse_time=False, odeint_interface=None, **options):
    return unknown(), _Solver(func, y0, None).solve()
