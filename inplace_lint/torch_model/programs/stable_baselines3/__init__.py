"""Stable-Baselines3: an algorithm collects steps with its policy, then trains it, and calls its callback between.

What the policy is given shares the memory of the last observation, which goes into the buffer afterwards.
"""

import torch
from torch import nn

from inplace_lint.intrinsics import as_tensor, surely, unknown


class BaseFeaturesExtractor(nn.Module):
    def __init__(self, observation_space, features_dim=0):
        super().__init__()
        self._observation_space = observation_space
        self._features_dim = features_dim

    @property
    def features_dim(self):
        return self._features_dim

    def __driven__(self):
        _collected(self)
        loss = self(unknown(is_data=True)).mean()
        loss.backward()


class BasePolicy(nn.Module):
    def __init__(self, observation_space=None, action_space=None, *rest, **options):
        super().__init__()
        self.observation_space = observation_space
        self.action_space = action_space

    def extract_features(self, obs, features_extractor):
        return features_extractor(obs)

    def predict(self, observation, state=None, episode_start=None, deterministic=False):
        with torch.no_grad():
            self._predict(unknown(is_data=True), deterministic)
        return unknown(is_data=True), state


class ActorCriticPolicy(BasePolicy):
    """Its `forward` gives actions, values and their log probabilities, without gradients."""

    def __driven__(self):
        _collected(self)
        values, log_prob, _ = self.evaluate_actions(unknown(is_data=True), unknown(is_data=True))
        loss = values.mean() + log_prob.mean()
        loss.backward()


class _Collected:
    """The last observation of an environment, which goes into the buffer when the policy has seen it."""

    def __init__(self):
        self.last = as_tensor(unknown(is_data=True))
        self.buffer = []

    @torch.no_grad()
    def step(self, called):
        called(self.last)
        self.buffer.append(self.last + 0)
        self.last = as_tensor(unknown(is_data=True))


def _collected(called):
    steps = _Collected()
    for _ in range(2):
        steps.step(called)


class BaseCallback:
    """Of what an algorithm calls."""

    def __init__(self, verbose=0):
        self.verbose = verbose
        self.n_calls = 0
        self.num_timesteps = 0
        self.locals = {}
        self.globals = {}
        self.parent = None

    def init_callback(self, model):
        self.model = model
        self._init_callback()

    def _init_callback(self):
        return None

    def _on_training_start(self):
        return None

    def _on_rollout_start(self):
        return None

    def _on_step(self):
        return True

    def _on_rollout_end(self):
        return None

    def _on_training_end(self):
        return None

    def on_training_start(self, locals_, globals_):
        self._on_training_start()

    def on_rollout_start(self):
        self._on_rollout_start()

    def on_step(self):
        self.n_calls += 1
        return self._on_step()

    def on_rollout_end(self):
        self._on_rollout_end()

    def on_training_end(self):
        self._on_training_end()

    def update_locals(self, locals_):
        self.locals.update(locals_)

    def __driven__(self):
        PPO(unknown(), unknown()).learn(unknown(), callback=self)


class EventCallback(BaseCallback):
    def __init__(self, callback=None, verbose=0):
        super().__init__(verbose)
        self.callback = callback


class _Policy(nn.Module):
    """A policy of which nothing is known."""

    def __init__(self):
        super().__init__()
        self.features_extractor = nn.Linear(4, 4)
        self.optimizer = torch.optim.Adam(self.parameters(), lr=0.01)

    def forward(self, obs):
        return self.features_extractor(obs)


class BaseAlgorithm:
    """Collects and trains twice."""

    def __init__(self, policy, env, *rest, policy_kwargs=None, **options):
        self.env = env
        self.device = unknown()
        self.num_timesteps = 0
        self.policy = policy if surely(isinstance(policy, BasePolicy)) else _Policy()

    def learn(self, total_timesteps, callback=None, *rest, **options):
        told = callback if surely(isinstance(callback, (list, tuple))) else [callback]
        told = [each for each in told if surely(isinstance(each, BaseCallback))]
        for each in told:
            each.init_callback(self)
            each.on_training_start({}, {})
        for _ in range(2):
            for each in told:
                each.on_rollout_start()
            for each in told:
                each.on_step()
            for each in told:
                each.on_rollout_end()
            self.train()
        for each in told:
            each.on_training_end()
        return self

    def train(self):
        optimizer = self.policy.optimizer
        loss = self.policy(unknown(is_data=True)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    def get_env(self):
        return self.env

    def get_parameters(self):
        return {"policy": self.policy.state_dict(), "policy.optimizer": self.policy.optimizer.state_dict()}

    def set_parameters(self, load_path_or_dict, exact_match=True, device="auto"):
        if surely(isinstance(load_path_or_dict, dict)):
            self.policy.load_state_dict(load_path_or_dict["policy"])


class PPO(BaseAlgorithm):
    pass


class A2C(BaseAlgorithm):
    pass


class DQN(BaseAlgorithm):
    pass


class SAC(BaseAlgorithm):
    pass


class TD3(BaseAlgorithm):
    pass


class DDPG(BaseAlgorithm):
    pass
