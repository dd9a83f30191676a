"""What loops take out of containers, add to, and put elsewhere."""

from itertools import accumulate
from operator import add, iadd
from types import SimpleNamespace

import torch
from torch import nn
from torch.utils.data import DataLoader


def case_residuals_added_to_what_is_used_again():
    sample = torch.ones(3)
    middle = sample * 2
    added = ()
    for each in (sample, middle):
        each += 1  # warning: [IPL303]
        added += (each,)
    return middle * 3, added


def case_residuals_added_to_what_is_used_again_cured():
    sample = torch.ones(3)
    middle = sample * 2
    added = ()
    for each in (sample, middle):
        added += (each + 1,)
    return middle * 3, added


def case_a_loop_is_there_to_change_them():
    sample = torch.ones(3)
    middle = sample * 2
    for each in (sample, middle):
        each += 1
    return sample, middle * 3


def _codes():
    for _ in range(3):
        code = torch.ones(2)
        yield code


def case_totals_in_one_tensor():
    totals = list(accumulate(_codes(), iadd))  # warning: [IPL304]
    return torch.stack(totals)


def case_totals_in_one_tensor_cured():
    totals = list(accumulate(_codes(), add))
    return torch.stack(totals)


def case_chosen_parameters_of_a_list():
    params = [torch.ones(2), torch.zeros(2)]
    single = [param.float() for param in params]
    chosen = [0, 1]
    for param in [single[i] for i in chosen]:
        param.add_(1.0)
    return [single[i] * 2 for i in chosen]


class Environment:
    def __init__(self):
        self.position = torch.zeros(2)
        self.seen = torch.zeros(2)

    def step(self):
        self.position += 1
        self.seen[:] = self.position
        return self.seen


class CopyingEnvironment(Environment):
    def step(self):
        self.position += 1
        return self.position.clone()


class Rollout:
    def __init__(self):
        self.seen = torch.zeros(3, 2)

    def add(self, index, transition):
        for name, value in vars(transition).items():
            getattr(self, name)[index].copy_(value)


def _rolled_out(environment):
    rollout, seen = Rollout(), environment.seen
    for index in range(3):
        transition = SimpleNamespace()
        transition.seen = seen
        seen = environment.step()
        rollout.add(index, transition)
    return rollout.seen


class WritingEnvironment(Environment):
    def step(self):
        self.position += 1
        self.seen[:] = self.position  # warning: [IPL304]
        return self.seen


def case_transitions_that_keep_the_buffer():
    return _rolled_out(WritingEnvironment())


def case_transitions_that_keep_the_buffer_cured():
    return _rolled_out(CopyingEnvironment())


def _synchronized(module):
    with torch.no_grad():
        for _, buffer in module.named_buffers():
            buffer.copy_(buffer.clone())  # error: [IPL201]


def case_buffers_synchronized_between_two_forwards():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    loss = model(torch.rand(4, 2)).sum()
    _synchronized(model)
    loss.backward()


def case_buffers_are_kept_as_variables():
    model = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    buffers = [buffer for _, buffer in model.named_buffers()]
    model(torch.rand(4, 2))
    return buffers[0] * 2


class Samples(torch.utils.data.Dataset):
    def __init__(self):
        self.samples = [torch.ones(2), torch.ones(2)]

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self.samples[index]


class Prefetcher:
    def __init__(self, loader, device="cpu"):
        self.loader = iter(loader)
        self.batch = next(self.loader).to(device, non_blocking=True).float()
        self.batch.div_(2)  # warning: [IPL306]


class CopyingPrefetcher:
    def __init__(self, loader, device="cpu"):
        self.loader = iter(loader)
        self.batch = next(self.loader).to(device, non_blocking=True).float() / 2


def _epochs(prefetch):
    samples = Samples()
    for _ in range(2):
        prefetch(DataLoader(samples, batch_size=1, collate_fn=lambda batch: batch[0][None]))
    return samples[0]


def case_views_of_samples_normalized_by_a_prefetcher():
    return _epochs(Prefetcher)


def case_views_of_samples_normalized_by_a_prefetcher_cured():
    return _epochs(CopyingPrefetcher)


def _ratios(ones, others):
    return [one - other for one, other in zip(ones, others, strict=True)]


def _shaped(data):
    data["kl"] = _ratios(data["log_probs"], data["reference"])
    rewards = []
    for reward, kl in zip(data["rewards"], data["kl"], strict=True):
        kl *= -reward  # warning: [IPL304]
        rewards.append(kl)
    data["advantages"] = rewards


def _shaped_copies(data):
    data["kl"] = _ratios(data["log_probs"], data["reference"])
    rewards = []
    for reward, kl in zip(data["rewards"], data["kl"], strict=True):
        rewards.append(kl * -reward)
    data["advantages"] = rewards


def _rollout():
    return {
        "log_probs": [torch.ones(3), torch.full((3,), 2.0)],
        "reference": [torch.zeros(3), torch.ones(3)],
        "rewards": [1.0, 2.0],
    }


def case_what_a_loop_shapes_is_logged():
    data = _rollout()
    _shaped(data)
    return torch.stack([kl.mean() for kl in data["kl"]])


def case_what_a_loop_shapes_is_logged_cured():
    data = _rollout()
    _shaped_copies(data)
    return torch.stack([kl.mean() for kl in data["kl"]])
