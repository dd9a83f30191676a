"""Gymnasium's environments that step together: with `copy=False` they give one array, which each step overwrites."""

import numpy as np

from inplace_lint.intrinsics import surely, unknown


class SyncVectorEnv:
    def __init__(self, env_fns, copy=True, observation_mode="same", autoreset_mode=None):
        self.env_fns = env_fns
        self.copy = copy
        self.num_envs = len(env_fns)
        self.single_observation_space = unknown()
        self.single_action_space = unknown()
        self.observation_space = unknown()
        self.action_space = unknown()
        self._observations = np.zeros((len(env_fns), 1))

    def _seen(self):
        self._observations[:] = np.random.random(self.num_envs)
        return self._observations if surely(self.copy is False) else np.copy(self._observations)

    def reset(self, seed=None, options=None):
        return self._seen(), {}

    def step(self, actions):
        return self._seen(), np.random.random(self.num_envs), np.zeros(self.num_envs), np.zeros(self.num_envs), {}

    def close(self):
        pass


class AsyncVectorEnv(SyncVectorEnv):
    def __init__(self, env_fns, shared_memory=True, copy=True, context=None, daemon=True, worker=None, **options):
        super().__init__(env_fns, copy)
