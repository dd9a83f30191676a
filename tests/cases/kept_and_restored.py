"""What a method keeps and then overwrites, another one reads; so does the caller, in its own lists and dictionaries."""

import copy

import torch
from torch import nn


class _Averages:
    """Keeps the weights of a model aside while it has others."""

    def __init__(self, model, decay=0.99):
        self.model = model
        self.decay = decay
        self.shadow = {name: param.data.clone() for name, param in model.named_parameters()}
        self.backup = {}

    def apply(self):
        for name, param in self.model.named_parameters():
            self.backup[name] = param.data
            param.data.copy_(self.shadow[name])  # warning: [IPL304]

    def restore(self):
        for name, param in self.model.named_parameters():
            param.data.copy_(self.backup[name])
        self.backup = {}


class _AveragesCured(_Averages):
    def apply(self):
        for name, param in self.model.named_parameters():
            self.backup[name] = param.data.clone()
            param.data.copy_(self.shadow[name])


class _AveragesExchanged(_Averages):
    def apply(self):
        for name, param in self.model.named_parameters():
            self.backup[name] = param.data
            param.data = self.shadow[name]


class _Binarized:
    def __init__(self, model):
        self.weights = [module.weight for module in model.modules() if isinstance(module, nn.Linear)]
        self.saved = []

    def save(self):
        self.saved = [weight.data for weight in self.weights]

    def binarize(self):
        self.save()
        for weight in self.weights:
            weight.data.copy_(torch.sign(weight.data))  # warning: [IPL304]

    def restore(self):
        for weight, saved in zip(self.weights, self.saved):
            weight.data.copy_(saved)


class _Merged(nn.Module):
    def __init__(self, base: nn.Linear):
        super().__init__()
        self.base = base
        self.delta = nn.Parameter(torch.zeros(3, 3))
        self.merged = False
        self.kept = {}

    @torch.no_grad()
    def merge(self):
        if self.merged:
            return
        self.kept["weight"] = self.base.weight.data
        self.base.weight.data.copy_(self.base.weight + self.delta)  # warning: [IPL304]
        self.merged = True

    @torch.no_grad()
    def unmerge(self):
        if not self.merged:
            return
        self.base.weight.data.copy_(self.kept.pop("weight"))
        self.merged = False


class _Best:
    def __init__(self, model):
        self.model = model
        self.best = None

    def fit(self, loader, optimizer):
        least = 1e9
        for x, y in loader:
            loss = (self.model(x) - y).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()  # warning: [IPL304]
            if loss.item() < least:
                least = loss.item()
                self.best = self.model.state_dict()

    def restore(self):
        self.model.load_state_dict(self.best)


def state_in_a_checkpoint(model, checkpoint):
    checkpoint["state_dict"] = model.state_dict()
    for p in model.parameters():
        p.data.mul_(2)  # warning: [IPL304]


def copy_of_state_in_a_checkpoint(model, checkpoint):
    checkpoint["state_dict"] = copy.deepcopy(model.state_dict())
    for p in model.parameters():
        p.data.mul_(2)


def sums_in_a_list(sums: list, x: torch.Tensor):
    total = torch.zeros(3)
    for _ in range(3):
        total.add_(x)  # warning: [IPL304]
        sums.append(total)


def copies_of_sums_in_a_list(sums: list, x: torch.Tensor):
    total = torch.zeros(3)
    for _ in range(3):
        total.add_(x)
        sums.append(total.clone())


class _OneNetwork:
    """The target is the network itself: its state is loaded into itself."""

    def __init__(self):
        network = nn.Linear(3, 3)
        self.policy = network
        self.target = network
        self.optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)

    def learn(self, x):
        loss = (self.policy(x) - self.target(x).detach()).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()  # warning: [IPL304]
        self.target.load_state_dict(self.policy.state_dict())


class _TwoNetworks:
    def __init__(self):
        self.policy = nn.Linear(3, 3)
        self.target = nn.Linear(3, 3)
        self.optimizer = torch.optim.SGD(self.policy.parameters(), lr=0.1)

    def learn(self, x):
        loss = (self.policy(x) - self.target(x).detach()).pow(2).mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.target.load_state_dict(self.policy.state_dict())


class _KeptByConstructor(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.kept = self.layer.weight.data
        self.up, self.down = nn.Parameter(torch.ones(3, 1)), nn.Parameter(torch.ones(1, 3))

    @torch.no_grad()
    def merge(self):
        self.layer.weight.add_(self.up @ self.down)  # warning: [IPL304]

    @torch.no_grad()
    def unmerge(self):
        self.layer.weight.data = self.kept


class _CopiedByConstructor(_KeptByConstructor):
    def __init__(self):
        super().__init__()
        self.kept = self.layer.weight.detach().clone()


class _SwitchedOn(nn.Module):
    """Merging waits for a flag that another method turns, and writes by a local name."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.snapshot = layer.weight.detach().to("cpu")
        self.update = None
        self.disabled = True

    def set_update(self, update):
        self.update = update
        self.disabled = False

    @torch.no_grad()
    def merge(self):
        if self.disabled:
            return
        weight = self.layer.weight
        weight.add_(self.update)  # warning: [IPL304]

    @torch.no_grad()
    def unmerge(self):
        self.layer.weight.data = self.snapshot.to(self.layer.weight.device)


class _SwitchedOnCured(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer
        self.snapshot = layer.weight.detach().to("cpu").clone()
        self.update = None
        self.disabled = True

    def set_update(self, update):
        self.update = update
        self.disabled = False

    @torch.no_grad()
    def merge(self):
        if self.disabled:
            return
        weight = self.layer.weight
        weight.add_(self.update)

    @torch.no_grad()
    def unmerge(self):
        self.layer.weight.data = self.snapshot.to(self.layer.weight.device).clone()


def _merged_and_unmerged(adapted):
    adapted.set_update(torch.ones(2, 2))
    adapted.merge()
    adapted.unmerge()
    return adapted.layer.weight.detach().clone()


def case_snapshot_of_a_weight_that_is_merged():
    torch.manual_seed(0)
    return _merged_and_unmerged(_SwitchedOn(nn.Linear(2, 2)))


def case_snapshot_of_a_weight_that_is_merged_cured():
    torch.manual_seed(0)
    return _merged_and_unmerged(_SwitchedOnCured(nn.Linear(2, 2)))


class _SyncedNowAndThen:
    """After the first synchronization both names stand for one network."""

    def __init__(self, every=1000):
        self.network, self.target = nn.Linear(2, 2), nn.Linear(2, 2)
        self.every, self.updates = every, 0
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
        self.synchronize()

    def synchronize(self):
        self.target.load_state_dict(self.network.state_dict())
        self.target = self.network  # warning: [IPL304]

    def learn(self, x):
        loss = (self.network(x) - self.target(x).detach() - 1).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()  # warning: [IPL304]
        self.updates += 1
        if self.updates % self.every == 0:
            self.synchronize()


class _LoadedNowAndThen:
    def __init__(self, every=1000):
        self.network, self.target = nn.Linear(2, 2), nn.Linear(2, 2)
        self.every, self.updates = every, 0
        self.optimizer = torch.optim.SGD(self.network.parameters(), lr=0.1)
        self.synchronize()

    def synchronize(self):
        self.target.load_state_dict(self.network.state_dict())

    def learn(self, x):
        loss = (self.network(x) - self.target(x).detach() - 1).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.updates += 1
        if self.updates % self.every == 0:
            self.synchronize()
