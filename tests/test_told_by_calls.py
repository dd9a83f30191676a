"""What the calls in a file tell of functions: what they are meant for, and where gradients are recorded."""

from __future__ import annotations

from textwrap import dedent

import pytest

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config


def _codes(text: str) -> set[str]:
    found = lint_source(dedent(text), "told.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


SOLVER = """
    import torch
    def substituted(lower, b):
        x = torch.zeros_like(b)
        for i in range(lower.shape[0]):
            x[i] = b[i] - lower[i, :i] @ x[:i]
        return x
    def solved(lower, b):
        return substituted(torch.tril(lower), b)
    def refined(lower, b, x):
        return x + solved(lower, b - lower @ x)
    {program}
"""


@pytest.mark.parametrize(
    ("program", "codes"),
    [
        ("", {"IPL201"}),
        ("result = solved(torch.rand(3, 3), torch.rand(3))", set()),
        ("result = solved(torch.rand(3, 3, requires_grad=True), torch.rand(3)).sum().backward()", {"IPL201"}),
    ],
)
def test_a_program_tells_what_all_who_call_its_function_may_give(program: str, codes: set[str]) -> None:
    assert _codes(SOLVER.format(program=program)) == codes


MADE = """
    from typing import Callable
    import torch
    Step = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    def repeated(penalty) -> {made}:
        def run(ids, scores):
            seen = scores.gather(1, ids)
            return scores.scatter_(1, ids, torch.where(seen < 0, seen * penalty, seen / penalty))
        return run
    class Decoder:
        def __init__(self, model, steps: list[Step]):
            self.model, self.steps = model, steps
        def decode(self, ids):
            with torch.{mode}():
                scores = self.model(ids)
                for step in self.steps:
                    scores = step(ids, scores)
            return scores
"""
CALLED = """
    import torch
    class Step:
        def __call__(self, ids, scores):
            raise NotImplementedError
    class Repeated(Step):
        def __call__(self, ids, scores):
            seen = scores.gather(1, ids)
            return scores.scatter_(1, ids, seen / 2)
    class Decoder:
        def __init__(self, model, steps: list[Step]):
            self.model = model
            self.steps = steps
        def decode(self, ids):
            with torch.{mode}():
                scores = self.model(ids)
                for i, step in enumerate(self.steps):
                    scores = step(ids, scores)
            return scores
"""


def test_what_a_file_calls_by_its_type_is_called_where_it_calls_that() -> None:
    for text in (MADE.replace("{made}", "Step"), CALLED):
        assert _codes(text.format(mode="no_grad")) == set()
        assert _codes(text.format(mode="enable_grad")) == {"IPL201"}
    assert _codes(MADE.format(made="object", mode="no_grad")) == {"IPL201"}


LONG_PROGRAM = """
    import torch
    from torch import nn
    from torch.nn.utils import parameters_to_vector, vector_to_parameters
    class Learner:
        def __init__(self, model):
            self.model = model
            self.theta = parameters_to_vector(model.parameters()).detach()
        def adapted(self, x):
            vector_to_parameters(self.theta{copy}, self.model.parameters())
            optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
            for _ in range(8):
                optimizer.zero_grad()
                self.model(x).pow(2).mean().backward()
                optimizer.step()
            return parameters_to_vector(self.model.parameters()).detach()
        def step(self, x):
            return (self.adapted(x) - self.theta).norm()
    if __name__ == "__main__":
        learner = Learner(nn.Sequential(nn.Linear(1, 4), nn.Tanh(), nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 1)))
        for _ in range(200):
            for _ in range(8):
                learner.step(torch.rand(10, 1))
"""


def test_a_long_program_leaves_something_for_the_rest_of_its_file() -> None:
    assert _codes(LONG_PROGRAM.format(copy="")) == {"IPL304"}
    assert _codes(LONG_PROGRAM.format(copy=".clone()")) == set()


ENVIRONMENTS = """
    import numpy as np
    import torch
    class CorridorEnv:
        def reset(self):
            return np.array([0.0, 1.0], dtype=np.float32)
        def step(self, action):
            return np.array([1.0, 1.0], dtype=np.float32)
    class ManyEnv:
        def __init__(self, makers):
            self.envs = [make() for make in makers]
            self._obs = np.zeros((len(self.envs), 2), dtype=np.float32)
        def reset(self):
            for i, env in enumerate(self.envs):
                self._obs[i] = env.reset()
            return self._obs{copy}
        def step(self, actions):
            for i, (env, action) in enumerate(zip(self.envs, actions)):
                self._obs[i] = env.step(action)
            return self._obs{copy}
    class Collector:
        def __init__(self, env):
            self.env = env
            self.last = torch.from_numpy(env.reset())
        def collect(self, policy, n):
            seen = []
            for _ in range(n):
                actions = policy(self.last)
                seen.append(self.last)
                self.last = torch.from_numpy(self.env.step(actions.numpy()))
            return torch.stack(seen)
"""


def test_of_several_classes_one_that_uses_the_others_stands_for_them() -> None:
    assert _codes(ENVIRONMENTS.format(copy="")) == {"IPL304"}
    assert _codes(ENVIRONMENTS.format(copy=".copy()")) == set()


READ_AGAIN = """
    import torch
    def relative(target):
        target = target.copy()
        target["boxes"].div_(2)
        return flipped(target)
    def flipped(target):
        {}
        return boxes + 1
"""


def test_a_part_that_is_taken_out_again_is_as_it_is_by_then() -> None:
    assert _codes(READ_AGAIN.format('boxes = target["boxes"]')) == set()


KEPT = """
    import torch
    class Dynamics:
        def __init__(self):
            self.position = torch.zeros(3)
        def step(self, velocity):
            self.position += velocity
    class HoverEnv:
        def __init__(self):
            self.dynamics = Dynamics()
        def cost(self, action):
            self.dynamics.step(action)
            return self.dynamics.position.pow(2).sum()
    class Training:
        def __init__(self, env, rate):
            {}
        def learn(self, actions: torch.Tensor):
            costs = [self.env.cost(action * self.rate) for action in actions]
            sum(costs).backward()
            return self.env.dynamics
"""


@pytest.mark.parametrize("kept", ["self.env = env; self.rate = rate", "self.env, self.rate = env, rate"])
def test_what_a_constructor_keeps_is_known_by_its_use(kept: str) -> None:
    assert _codes(KEPT.format(kept)) == {"IPL201"}
