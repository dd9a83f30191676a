"""Observations of environments with dictionaries change after they were given

`DummyVecEnv` keeps the observations in buffers, and gives copies of them. Where an environment has a dictionary of
observations, the buffers are in a dictionary, and `self.buf_obs.copy()` copies that, but none of the arrays. Whoever
keeps an observation to store it beside the next one, as every agent does, has the next one twice.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np

RELEASE = "xuance==1.4.4"
NEEDS = []
CHECKED = ["xuance"]
FINDINGS = [
    "xuance/environment/vector_envs/dummy/dummy_vec_env.py:92:17: warning[IPL304] item assignment modifies `self.buf_obs[k]`, which was kept for later",
]
EFFECT = "wrong observations: those that were given change with the next step"
CURE = [
    (
        "self.buf_obs.copy()",
        "{k: v.copy() for k, v in self.buf_obs.items()} if isinstance(self.buf_obs, dict) else self.buf_obs.copy()",
    )
]
PRINTS = """
released: before 1.0, after 1.0
cured:    before 0.0, after 1.0
"""

# The package imports gymnasium and much else; the methods need neither.
FILE = Path(find_spec("xuance").submodule_search_locations[0], "environment/vector_envs/dummy/dummy_vec_env.py")
CODE = FILE.read_text("utf-8")


class Env:
    """An environment that tells its time."""

    def reset(self):
        self.time = 0.0
        return {"time": np.array([self.time])}, {}

    def step(self, action):
        self.time += 1
        return {"time": np.array([self.time])}, 0.0, False, False, {}


def observed(code: str) -> str:
    (cls,) = [node for node in ast.parse(code).body if getattr(node, "name", "") == "DummyVecEnv"]
    methods = [
        node for node in cls.body if getattr(node, "name", "") in ("reset", "step_wait", "_save_obs", "_save_infos")
    ]
    module = {"np": np, "Dict": dict, "NotSteppingError": RuntimeError}
    exec("class Vec:\n    pass\n\n\n" + "\n\n\n".join(map(ast.unparse, methods)), module)
    vec = module["Vec"]()
    for method in methods:
        setattr(module["Vec"], method.name, module[method.name])
    vars(vec).update(vars(SimpleNamespace(
        envs=[Env()], num_envs=1, actions=[None], waiting=True, observation_space={}, obs_shape={"time": (1,)},
        buf_obs={"time": np.zeros((1, 1))}, buf_info=[{}],
        buf_rewards=np.zeros(1), buf_terminated=np.zeros(1, bool), buf_truncated=np.zeros(1, bool),
    )))  # fmt: skip
    before = vec.reset()[0]
    after = vec.step_wait()[0]
    return f"before {before['time'].item()}, after {after['time'].item()}"


released = observed(CODE)
cured = observed(CODE.replace(*CURE[0]))

print("released:", released)
print("cured:   ", cured)
assert released == "before 1.0, after 1.0"
assert cured == "before 0.0, after 1.0"
