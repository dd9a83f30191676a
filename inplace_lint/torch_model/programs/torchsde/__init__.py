"""torchsde: a solver calls the drift and the diffusion with its own state, which it reads again."""

import torch

from inplace_lint.intrinsics import surely, unknown


class _Solver:
    """Two steps of Euler and Maruyama."""

    def __init__(self, sde, y0):
        self.sde = sde
        self.states = [y0]

    def solve(self):
        for _ in range(2):
            drift = self.sde.f(unknown(is_data=True), self.states[-1])
            diffusion = self.sde.g(unknown(is_data=True), self.states[-1])
            self.states.append(self.states[-1] + drift * 0.1 + diffusion * torch.randn_like(diffusion))
        return torch.stack(self.states)


def sdeint(sde, y0, ts, *rest, logqp=False, extra=False, **options):
    solution = _Solver(sde, y0).solve()
    return solution if not surely(logqp) and not surely(extra) else (solution, unknown())


def sdeint_adjoint(sde, y0, ts, *rest, logqp=False, extra=False, **options):
    return sdeint(sde, y0, ts, logqp=logqp, extra=extra)
