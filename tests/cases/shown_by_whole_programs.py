"""Sums, proxies, trees and observers of whole programs, which the program shows to be right."""

import copy

import numpy as np
import torch
from torch.nn import functional as F


class ModelTrainerTAGPred:
    def __init__(self, model):
        self.model = model

    def get_model_params(self):
        return self.model.cpu().state_dict()

    def set_model_params(self, model_parameters):
        self.model.load_state_dict(model_parameters)


class Client:
    def __init__(self, model_trainer):
        self.model_trainer = model_trainer

    def get_sample_number(self):
        return 3

    def train(self, w_global):
        self.model_trainer.set_model_params(w_global)
        return self.model_trainer.get_model_params()


class FedAvgAPI:
    def __init__(self, model):
        self.model_trainer = ModelTrainerTAGPred(model)
        self.client_list = [Client(self.model_trainer) for _ in range(3)]

    def train(self, comm_round):
        w_global = self.model_trainer.get_model_params()
        for round_idx in range(comm_round):
            w_locals = []
            for idx, client in enumerate(self.client_list):
                w = client.train(copy.deepcopy(w_global))
                w_locals.append((client.get_sample_number(), copy.deepcopy(w)))
            w_global = self._aggregate(w_locals)
            self.model_trainer.set_model_params(w_global)

    def _aggregate(self, w_locals):
        training_num = 0
        for idx in range(len(w_locals)):
            (sample_num, averaged_params) = w_locals[idx]
            training_num += sample_num
        (sample_num, averaged_params) = w_locals[0]
        for k in averaged_params.keys():
            for i in range(0, len(w_locals)):
                local_sample_number, local_model_params = w_locals[i]
                w = local_sample_number / training_num
                if i == 0:
                    averaged_params[k] = local_model_params[k] * w
                else:
                    averaged_params[k] += local_model_params[k] * w
        return averaged_params


ORIGINAL_AGENT, OPPONENT_AGENT = "me", "opponent"


class SMACReward:
    def get_reward(self, engine, action, game_end_code):
        reward = {
            ORIGINAL_AGENT: np.asarray(self.reward_battle_split(engine, action, is_opponent=False)),
            OPPONENT_AGENT: np.asarray(self.reward_battle_split(engine, action, is_opponent=True)),
        }
        for k in reward:
            if reward[k].shape == ():
                reward[k] = np.expand_dims(reward[k], 0)
        if game_end_code is not None:
            reward[ORIGINAL_AGENT] += 1
            reward[OPPONENT_AGENT] += -1
        return reward


class SMACEnv:
    def __init__(self, cfg):
        self.reward_helper = SMACReward()
        self._episode_steps = 0

    def _collect_step_data(self, game_end_code, action):
        self._episode_steps += 1
        reward = self.reward_helper.get_reward(self, action, game_end_code)
        for k in reward:
            reward[k] = np.array(reward[k]).astype(np.float32)
        info = {"fake_eval_episode_return": 0.0}
        if self._episode_steps == 1:
            for k in reward.keys():
                reward[k] *= 0.0
        info["fake_eval_episode_return"] = reward[ORIGINAL_AGENT]
        return reward, game_end_code is not None, info


class pgd_AWP:
    def __init__(self, model, proxy, proxy_optim, gamma):
        self.model = model
        self.proxy = proxy
        self.proxy_optim = proxy_optim
        self.gamma = gamma

    def calc_awp(self, adv_samples, labels):
        self.proxy.load_state_dict(self.model.state_dict())
        self.proxy.train()
        loss = -1 * F.cross_entropy(self.proxy(adv_samples), labels)
        self.proxy_optim.zero_grad()
        loss.backward()
        self.proxy_optim.step()


class AWP_AT:
    def __init__(self, model):
        self.model = model

    def train(self, train_loader, optimizer, proxy, proxy_optim):
        awp_adversary = pgd_AWP(model=self.model, proxy=proxy, proxy_optim=proxy_optim, gamma=0.01)
        for data, target in train_loader:
            optimizer.zero_grad()
            output = self.adv_data(data)
            awp_adversary.calc_awp(data, target)
            loss = F.cross_entropy(output, target)
            loss.backward()
            optimizer.step()

    def adv_data(self, data):
        return self.model(data)


class AffineQuantizedMinMaxObserver(torch.nn.Module):
    def forward(self, input: torch.Tensor):
        input_detached = input.detach()
        min_val = torch.amin(input_detached, dim=-1, keepdim=False)
        max_val = torch.amax(input_detached, dim=-1, keepdim=False)
        if not hasattr(self, "min_val") or not hasattr(self, "max_val"):
            self.min_val = min_val
            self.max_val = max_val
        else:
            assert self.min_val.shape == min_val.shape
            min_val = torch.min(self.min_val, min_val)
            max_val = torch.max(self.max_val, max_val)
            self.min_val.copy_(min_val)
            self.max_val.copy_(max_val)
        return input

    def calculate_qparams(self):
        return (self.max_val - self.min_val) / 255


class AffineFakeQuantize(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.observer = AffineQuantizedMinMaxObserver()

    def forward(self, x):
        self.observer(x)
        scale = self.observer.calculate_qparams()
        return (x / scale.unsqueeze(-1)).round() * scale.unsqueeze(-1)


def case_an_observer_of_what_was_detached():
    quantize, x = AffineFakeQuantize(), torch.rand(2, 3, requires_grad=True)
    (quantize(x) + quantize(x)).sum().backward()
    return x.grad


class StereographicTreeDataset(torch.utils.data.Dataset):
    def __init__(self, ball, dim, depth, numberOfChildren=2):
        self.dim = int(dim)
        self.ball = ball
        self.root = ball.origin(self.dim)
        self.depth = int(depth)
        self.numberOfChildren = int(numberOfChildren)
        self.data, self.labels = map(torch.detach, self.bst())

    def __getitem__(self, idx):
        return self.data[idx], self.labels[idx]

    def get_directions(self, parent_value, numberOfChildren):
        directions = torch.randn(numberOfChildren, self.dim)
        parent_value_n = parent_value / parent_value.norm().clamp_min(1e-15)
        directions -= (directions @ parent_value_n)[:, None] * parent_value_n
        return directions

    def get_children(self, parent_value):
        directions = self.get_directions(parent_value, self.numberOfChildren)
        return list(self.ball.geodesic_unit(torch.tensor(1.0), parent_value, directions))

    def bst(self):
        queue, visited = [(self.root, 0)], []
        while len(queue) > 0:
            node, depth = queue.pop(0)
            visited.append(node)
            if depth < self.depth:
                queue += [(child, depth + 1) for child in self.get_children(node)]
        return torch.stack(visited), torch.arange(len(visited))
