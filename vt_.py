from argparse import Namespace
from collections import OrderedDict
from copy import deepcopy

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class MLP(nn.Module):
    def __init__(self, in_dim=16, hidden=32, classes=4):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(in_dim, hidden), nn.ReLU())
        self.classifier = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.classifier(self.base(x))


class FedAvgClient:
    def __init__(self, client_id, dataset, args):
        self.client_id = client_id
        self.args = args
        self.model = MLP()
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=args.lr, momentum=args.momentum)
        self.init_opt_state = deepcopy(self.optimizer.state_dict())
        self.local_epoch = args.local_epoch
        generator = torch.Generator().manual_seed(client_id)
        self.trainloader = DataLoader(dataset, batch_size=args.batch_size, shuffle=True, generator=generator)

    def set_parameters(self, package):
        self.model.load_state_dict(package["model_params"], strict=False)
        self.optimizer.load_state_dict(self.init_opt_state)

    def package(self):
        return {
            "weight": len(self.trainloader.dataset),
            "model_params": OrderedDict((k, v.detach().clone()) for k, v in self.model.state_dict().items()),
        }

    def train(self, server_package):
        self.set_parameters(server_package)
        self.fit()
        return self.package()

    def fit(self):
        raise NotImplementedError


class FedProxClient(FedAvgClient):
    def fit(self):
        self.model.train()
        global_params = list(self.model.parameters())
        for _ in range(self.local_epoch):
            for x, y in self.trainloader:
                if y is None:
                    continue
                logit = self.model(x)
                loss = self.criterion(logit, y)
                if loss.item() > 100.0:
                    break
                self.optimizer.zero_grad()
                loss.backward()
                for w, w_t in zip(self.model.parameters(), global_params):
                    if w.requires_grad:
                        w.grad.data += self.args.mu * (w.data - w_t.data)
                self.optimizer.step()


class FedProxServer:
    def __init__(self, clients):
        self.clients = clients
        self.public_params = OrderedDict((k, v.clone()) for k, v in clients[0].model.state_dict().items())

    def aggregate(self, packages):
        total = sum(p["weight"] for p in packages)
        for name in self.public_params:
            stacked = torch.stack([p["model_params"][name] * (p["weight"] / total) for p in packages])
            self.public_params[name] = stacked.sum(0)

    def train(self, rounds):
        drift = []
        for _ in range(rounds):
            packages = [c.train({"model_params": self.public_params}) for c in self.clients]
            drift.append(sum(
                (p["model_params"][n] - self.public_params[n]).norm().item()
                for p in packages for n in self.public_params))
            self.aggregate(packages)
        return drift


def get_args():
    return Namespace(lr=0.05, momentum=0.5, local_epoch=3, batch_size=8, mu=2.0)


def main(rounds=3, num_clients=3):
    torch.manual_seed(0)
    args = get_args()
    datasets = [TensorDataset(torch.randn(32, 16) + i, torch.randint(0, 4, (32,))) for i in range(num_clients)]
    server = FedProxServer([FedProxClient(i, d, args) for i, d in enumerate(datasets)])
    drift = server.train(rounds)
    print("client drift per round:", [round(d, 4) for d in drift])
    return drift


if __name__ == "__main__":
    main()
