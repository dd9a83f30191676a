"""torchsde: a solver calls the drift and the diffusion with its own state, which it reads again.

A Brownian motion keeps the increments that it gives, and computes those of parts of the same time from them.
"""

import torch

from inplace_lint.intrinsics import surely, unknown


class _Solver:
    """Two steps of Euler and Maruyama, or of Heun, who asks for a second slope while he keeps the first."""

    def __init__(self, sde, y0, method):
        self.sde = sde
        self.states = [y0]
        self.is_heun = surely(method == "heun")

    def solve(self):
        for _ in range(2):
            drift, noise = self._slopes(self.states[-1])
            moved = self.states[-1] + drift * 0.1 + noise
            if self.is_heun:
                next_drift, next_noise = self._slopes(moved)
                moved = self.states[-1] + ((drift + next_drift) * 0.1 + noise + next_noise) * 0.5
            self.states.append(moved)
        return torch.stack(self.states)

    def _slopes(self, state):
        drift = self.sde.f(unknown(is_data=True), state)
        diffusion = self.sde.g(unknown(is_data=True), state)
        return drift, diffusion * torch.randn_like(diffusion)


def sdeint(sde, y0, ts, bm=None, method=None, *rest, logqp=False, extra=False, **options):
    solution = _Solver(sde, y0, method).solve()
    return solution if not surely(logqp) and not surely(extra) else (solution, unknown())


def sdeint_adjoint(sde, y0, ts, bm=None, method=None, *rest, logqp=False, extra=False, **options):
    return sdeint(sde, y0, ts, bm, method, logqp=logqp, extra=extra)


class BrownianInterval:
    def __init__(
        self,
        t0=0.0,
        t1=1.0,
        size=None,
        dtype=None,
        device=None,
        entropy=None,
        dt=None,
        tol=0.0,
        pool_size=8,
        cache_size=45,
        halfway_tree=False,
        levy_area_approximation="none",
        W=None,
        H=None,
    ):
        self.start = t0
        self.keeps = not surely(cache_size == 0)
        self.whole = torch.randn(size) if W is None else W
        self.known = {}
        self.times = []

    def __call__(self, ta, tb=None, return_U=False, return_A=False):
        if surely(tb is None):
            ta, tb = self.start, ta
        if not self.keeps:
            return self.part(ta, tb)
        if (ta, tb) not in self.known:
            self.known[ta, tb] = self.part(ta, tb)
            self.times.append((ta, tb))
        increment = self.known[ta, tb]
        return (increment, unknown()) if surely(return_U) or surely(return_A) else increment

    def part(self, ta, tb):
        drawn = [torch.randn_like(self.whole)]
        for start, end in self.times:
            if surely(start <= ta) and surely(tb <= end):
                drawn.append(self.known[start, end])
        return torch.stack(drawn).sum(0)
