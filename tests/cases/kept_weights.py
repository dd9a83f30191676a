"""Weights and gradients that were kept by reference where a copy was meant, and what tells so."""

import copy
import weakref
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call
from torch.nn.utils import parameters_to_vector, vector_to_parameters
from torch.utils.data import DataLoader, TensorDataset


def _net():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1))


def _batches():
    torch.manual_seed(1)
    return [torch.randn(5, 3) for _ in range(3)]


def _loss(net, x):
    return (net(x) - 1).pow(2).mean()


def _weights(net):
    return [p.detach().clone() for p in net.parameters()]


def case_best_written_back_onto_itself():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    best = dict(net.named_parameters())
    for x in _batches():
        optimizer.zero_grad()
        _loss(net, x).backward()
        optimizer.step()  # warning: [IPL304]
    for name, p in net.named_parameters():
        p.data.copy_(best[name])
    return _weights(net)


def case_best_written_back_onto_itself_cured():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    best = {name: p.detach().clone() for name, p in net.named_parameters()}
    for x in _batches():
        optimizer.zero_grad()
        _loss(net, x).backward()
        optimizer.step()
    for name, p in net.named_parameters():
        p.data.copy_(best[name])
    return _weights(net)


def case_way_from_the_start():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    start = list(net.parameters())
    for x in _batches():
        optimizer.zero_grad()
        _loss(net, x).backward()
        optimizer.step()  # warning: [IPL304]
    return [(p - q).detach().norm() for p, q in zip(net.parameters(), start)]


def case_way_from_the_start_cured():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    start = [p.clone() for p in net.parameters()]
    for x in _batches():
        optimizer.zero_grad()
        _loss(net, x).backward()
        optimizer.step()
    return [(p - q).detach().norm() for p, q in zip(net.parameters(), start)]


def case_data_put_back_where_it_is():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    saved = [p.data for p in net.parameters()]
    _loss(net, _batches()[0]).backward()
    optimizer.step()  # warning: [IPL304]
    for p, kept in zip(net.parameters(), saved):
        p.data = kept
    return _weights(net)


def case_data_put_back_where_it_is_cured():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    saved = [p.data.clone() for p in net.parameters()]
    _loss(net, _batches()[0]).backward()
    optimizer.step()
    for p, kept in zip(net.parameters(), saved):
        p.data = kept
    return _weights(net)


def case_average_of_the_weights_with_themselves():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    shadow = dict(net.state_dict())
    _loss(net, _batches()[0]).backward()
    optimizer.step()  # warning: [IPL304]
    for name, value in net.state_dict().items():
        shadow[name].mul_(0.9).add_(value, alpha=0.5)  # warning: [IPL303]
    return list(shadow.values())


def case_average_of_the_weights_with_themselves_cured():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    shadow = {name: value.clone() for name, value in net.state_dict().items()}
    _loss(net, _batches()[0]).backward()
    optimizer.step()
    for name, value in net.state_dict().items():
        shadow[name].mul_(0.9).add_(value, alpha=0.5)
    return list(shadow.values())


def case_teacher_that_was_assigned():
    net, teacher = _net(), _net()
    teacher.load_state_dict(net.state_dict(), assign=True)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    x = _batches()[0]
    _loss(net, x).backward()
    optimizer.step()  # warning: [IPL304]
    with torch.no_grad():
        return teacher(x)


def case_teacher_that_was_assigned_cured():
    net, teacher = _net(), _net()
    teacher.load_state_dict(net.state_dict())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    x = _batches()[0]
    _loss(net, x).backward()
    optimizer.step()
    with torch.no_grad():
        return teacher(x)


def case_weights_looked_at_as_they_are():
    net = _net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    params, named = list(net.parameters()), dict(net.named_parameters())
    for x in _batches():
        optimizer.zero_grad()
        _loss(net, x).backward()
        optimizer.step()
    return [p.norm().detach() for p in params] + [p.norm().detach() for p in named.values()]


def case_state_loaded_again_at_once():
    net = _net()
    state = net.state_dict()
    state["0.bias"] = torch.zeros(4)
    net.load_state_dict(state)
    _loss(net, _batches()[0]).backward()
    return _weights(net)


def case_fast_weights_in_place():
    net, x = _net(), _batches()[0]
    fast = {name: p.clone() for name, p in net.named_parameters()}
    loss = functional_call(net, fast, (x,)).pow(2).mean()
    grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
    for name, g in zip(fast, grads):
        fast[name] -= 0.1 * g  # error: [IPL201]
    functional_call(net, fast, (x,)).pow(2).mean().backward()
    return [p.grad for p in net.parameters()]


def case_fast_weights():
    net, x = _net(), _batches()[0]
    fast = {name: p.clone() for name, p in net.named_parameters()}
    loss = functional_call(net, fast, (x,)).pow(2).mean()
    grads = torch.autograd.grad(loss, list(fast.values()), create_graph=True)
    fast = {name: p - 0.1 * g for (name, p), g in zip(fast.items(), grads)}
    functional_call(net, fast, args=x, kwargs={}).pow(2).mean().backward()
    return [p.grad for p in net.parameters()]


def case_parameters_are_their_own_again():
    net, x = _net(), _batches()[0]
    other = {"0.weight": torch.ones(4, 3)}
    outside = functional_call(net, (other,), (x,)).sum()
    other["0.weight"].zero_()
    return outside, net(x).sum()


def _forever():
    while True:
        yield from _batches()
        return


def case_gradients_kept_every_third_turn():
    net, norms = _net(), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i, x in enumerate(_forever()):
        _loss(net, x).backward()
        if (i + 1) % 3 == 0:
            kept = [p.grad for p in net.parameters()]
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)  # warning: [IPL304]
            norms += [g.norm() for g in kept]
    return norms


def case_gradients_kept_every_third_turn_cured():
    net, norms = _net(), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i, x in enumerate(_forever()):
        _loss(net, x).backward()
        if (i + 1) % 3 == 0:
            kept = [p.grad.clone() for p in net.parameters()]
            optimizer.step()
            optimizer.zero_grad(set_to_none=False)
            norms += [g.norm() for g in kept]
    return norms


def _projected(grads, kept):
    for own in kept:
        for other in grads:
            overlap = (own * other).sum()
            if overlap < 0:
                own -= overlap / other.norm() ** 2 * other  # warning: [IPL304]
    return kept


def _projected_anew(grads, kept):
    return [
        own - sum(min((own * other).sum(), 0) / other.norm() ** 2 * other for other in grads if other is not own)
        for own in kept
    ]


def _gradients():
    return [torch.tensor([1.0, 0.0]), torch.tensor([-1.0, 1.0])]


def case_gradients_projected_in_a_copied_list():
    grads = _gradients()
    return _projected(grads, [g for g in grads])


def case_gradients_projected_in_a_copied_list_cured():
    grads = _gradients()
    return _projected_anew(grads, list(grads))


def _trained(net, optimizer):
    optimizer.zero_grad()
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()  # warning: [IPL303]


def case_parameters_become_parts_of_a_kept_vector():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    best = parameters_to_vector(net.parameters()).detach()
    vector_to_parameters(best, net.parameters())
    _trained(net, optimizer)
    return best


def _trained_on_copies(net, optimizer):
    optimizer.zero_grad()
    net(torch.ones(1, 3)).sum().backward()
    optimizer.step()


def case_parameters_become_parts_of_a_kept_vector_cured():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    best = parameters_to_vector(net.parameters()).detach()
    vector_to_parameters(best.clone(), net.parameters())
    _trained_on_copies(net, optimizer)
    return best


def case_parameters_become_parts_of_a_new_vector():
    torch.manual_seed(0)
    net = nn.Linear(3, 2)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    flat = parameters_to_vector(net.parameters()).detach()
    vector_to_parameters(flat * 0.5, net.parameters())
    _trained_on_copies(net, optimizer)
    return flat, net.weight


class _InducingPoints(nn.Module):
    def __init__(self, points):
        super().__init__()
        self.register_parameter("points", nn.Parameter(points))

    def forward(self, x):
        return torch.cdist(x, self.points).sum()


def _fitted(points, x):
    model = _InducingPoints(points)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(x).backward()
        optimizer.step()  # warning: [IPL303]
    return x.sum()


def case_parameter_made_of_a_part_of_the_data():
    x = torch.arange(12.0).view(4, 3)
    return _fitted(x[:2], x)


def _fitted_apart(points, x):
    model = _InducingPoints(points)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(x).backward()
        optimizer.step()
    return x.sum()


def case_parameter_made_of_a_part_of_the_data_cured():
    x = torch.arange(12.0).view(4, 3)
    return _fitted_apart(x[:2].clone(), x)


class _Pruned:
    def __init__(self):
        self.weight = nn.Parameter(torch.linspace(-1, 1, 6))
        self.optimizer = torch.optim.SGD([self.weight], lr=0.3)

    def prune(self):
        kept = torch.where(self.weight.data.abs() < 0.5, torch.zeros(6), self.weight.data)
        self.weight.data = kept
        self.support = kept

    def step(self):
        self.optimizer.zero_grad()
        (self.weight - 1).square().sum().backward()
        self.optimizer.step()  # warning: [IPL304]
        self.weight.data = self.weight.data * (self.support != 0)
        return self.weight.sum()


class _PrunedCured:
    def __init__(self):
        self.weight = nn.Parameter(torch.linspace(-1, 1, 6))
        self.optimizer = torch.optim.SGD([self.weight], lr=0.3)

    def prune(self):
        kept = torch.where(self.weight.data.abs() < 0.5, torch.zeros(6), self.weight.data)
        self.weight.data = kept
        self.support = kept.clone()

    def step(self):
        self.optimizer.zero_grad()
        (self.weight - 1).square().sum().backward()
        self.optimizer.step()
        self.weight.data = self.weight.data * (self.support != 0)
        return self.weight.sum()


def _pruned_twice(pruned):
    pruned.prune()
    return torch.stack([pruned.step() for _ in range(2)])


def case_support_kept_as_the_memory_of_the_weight():
    return _pruned_twice(_Pruned())


def case_support_kept_as_the_memory_of_the_weight_cured():
    return _pruned_twice(_PrunedCured())


def _share_statistics(target, source):
    for one, other in zip(target.modules(), source.modules(), strict=True):
        one._buffers = other._buffers.copy()


def case_statistics_shared_with_a_target():
    online, target = nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval()
    _share_statistics(target, online)
    x = torch.tensor([[0.0, 4.0], [2.0, 8.0]])
    online(x)  # warning: [IPL304]
    return target(x)


def case_statistics_shared_with_a_target_cured():
    online, target = nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval()
    target.load_state_dict(online.state_dict())
    x = torch.tensor([[0.0, 4.0], [2.0, 8.0]])
    online(x)
    return target(x)


def _orthogonalized(update):
    update = update.bfloat16()
    update.div_(update.norm())  # warning: [IPL305]
    return update


def _orthogonalized_copy(update):
    update = update.to(torch.bfloat16, copy=True)
    update.div_(update.norm())
    return update


class _Momentum(torch.optim.Optimizer):
    def __init__(self, params, change):
        super().__init__(params, {"lr": 0.1})
        self.change = change

    def _buffers(self, group):
        for p in group["params"]:
            state = self.state[p]
            if "momentum" not in state:
                state["momentum"] = torch.zeros_like(p.grad)
            yield p, p.grad, state["momentum"]

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p, grad, momentum in self._buffers(group):
                momentum.lerp_(grad, 0.5)
                p.add_(self.change(momentum), alpha=-group["lr"])


def _momenta(change):
    model = nn.Linear(2, 2, bias=False).to(torch.bfloat16)
    with torch.no_grad():
        model.weight.fill_(1.0)
    optimizer = _Momentum(model.parameters(), change)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(2, dtype=torch.bfloat16)).sum().backward()
        optimizer.step()
    return torch.stack([state["momentum"].float() for state in optimizer.state.values()])


def case_a_cast_that_copies_nothing():
    return _momenta(_orthogonalized)


def case_a_cast_that_copies_nothing_cured():
    return _momenta(_orthogonalized_copy)


def case_norms_are_recorded_with_their_graphs():
    model = nn.Linear(2, 1)
    with torch.no_grad():
        model.weight.fill_(1.0)
        model.bias.fill_(0.0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    norms = []
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.ones(2)).sum().backward()
        norms.append(torch.norm(model.weight))
        optimizer.step()
    return norms


class _Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ParameterDict({"first": torch.ones(3)})


def case_state_of_a_dictionary_of_parameters():
    net = _Scaled()
    kept = net.state_dict()["scales.first"]
    with torch.no_grad():
        net.scales["first"].mul_(2)  # warning: [IPL303]
    return kept + 1


def case_state_of_a_dictionary_of_parameters_cured():
    net = _Scaled()
    kept = net.state_dict()["scales.first"].clone()
    with torch.no_grad():
        net.scales["first"].mul_(2)
    return kept + 1


def case_statistics_that_a_function_updates():
    mean, var = torch.zeros(2), torch.ones(2)
    kept = {"mean": mean, "var": var}
    y = F.batch_norm(torch.tensor([[0.0, 4.0], [2.0, 8.0]]), mean, var, training=True)  # warning: [IPL304]
    return y, mean * 1, kept["mean"] * 1


def case_statistics_that_a_function_updates_cured():
    mean, var = torch.zeros(2), torch.ones(2)
    kept = {"mean": mean.clone(), "var": var.clone()}
    y = F.batch_norm(torch.tensor([[0.0, 4.0], [2.0, 8.0]]), mean, var, training=True)
    return y, mean * 1, kept["mean"] * 1


def case_statistics_of_the_evaluation_are_only_read():
    mean, var = torch.zeros(2), torch.ones(2)
    kept = [mean]
    y = F.batch_norm(torch.tensor([[0.0, 4.0], [2.0, 8.0]]), mean, var)
    return y, kept[0]


def case_only_the_step_after_the_second_name_changes_it():
    net = {"weight": torch.ones(3, requires_grad=True)}
    optimizer = torch.optim.SGD(list(net.values()), lr=0.5)
    net["weight"].exp().sum().backward()
    optimizer.step()
    before = net["weight"].detach()
    net["weight"].exp().sum().backward()
    optimizer.step()  # warning: [IPL304]
    return (net["weight"].detach() - before).abs()


def case_only_the_step_after_the_second_name_changes_it_cured():
    net = {"weight": torch.ones(3, requires_grad=True)}
    optimizer = torch.optim.SGD(list(net.values()), lr=0.5)
    net["weight"].exp().sum().backward()
    optimizer.step()
    before = net["weight"].detach().clone()
    net["weight"].exp().sum().backward()
    optimizer.step()
    return (net["weight"].detach() - before).abs()


class _Client:
    def __init__(self, data):
        torch.manual_seed(0)
        self.model = nn.Linear(2, 1)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(TensorDataset(data), batch_size=2)

    def train(self, package):
        self.model.load_state_dict(package)
        self.fit()
        return {name: tensor.detach().clone() for name, tensor in self.model.state_dict().items()}


class _Remembers(_Client):
    def fit(self):
        start = list(self.model.parameters())
        for _ in range(2):
            for (x,) in self.loader:
                if len(x) <= 1:
                    continue
                loss = self.model(x).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                for now, before in zip(self.model.parameters(), start):
                    now.grad.data += 2.0 * (now.data - before.data)
                self.optimizer.step()  # warning: [IPL304]


class _RemembersValues(_Client):
    def fit(self):
        start = [parameter.detach().clone() for parameter in self.model.parameters()]
        for _ in range(2):
            for (x,) in self.loader:
                if len(x) <= 1:
                    continue
                loss = self.model(x).square().mean()
                self.optimizer.zero_grad()
                loss.backward()
                for now, before in zip(self.model.parameters(), start):
                    now.grad.data += 2.0 * (now.data - before.data)
                self.optimizer.step()


def _rounds(make):
    clients = [make(torch.ones(5, 2)) for _ in range(2)]
    package = {name: tensor.clone() for name, tensor in clients[0].model.state_dict().items()}
    for _ in range(2):
        packages = [client.train(package) for client in clients]
        package = {name: torch.stack([each[name] for each in packages]).mean(0) for name in package}
    return list(package.values())


def case_distance_from_where_training_began():
    return _rounds(_Remembers)


def case_distance_from_where_training_began_cured():
    return _rounds(_RemembersValues)


class _BestSoFar:
    def __init__(self, patience):
        self.patience, self.waited = patience, 0
        self.score, self.weights = None, None

    def update(self, score, weights):
        if self.score is None or score < self.score:
            self.score, self.weights, self.waited = score, weights, 0
            return False
        self.waited += 1
        return self.waited >= self.patience


def _begun():
    torch.manual_seed(0)
    net = nn.Linear(2, 1)
    return net, torch.optim.SGD(net.parameters(), lr=2.0), torch.rand(8, 2), torch.rand(8, 1)


def case_best_weights_of_many_epochs_by_reference():
    net, optimizer, x, y = _begun()
    best = _BestSoFar(patience=2)
    for _ in range(60):
        optimizer.zero_grad()
        (net(x) - y).square().mean().backward()
        optimizer.step()  # warning: [IPL304]
        if best.update((net(x) - y).abs().mean().item(), net.state_dict()):
            break
    net.load_state_dict(best.weights)
    return net.weight.detach()


def case_best_weights_of_many_epochs_by_reference_cured():
    net, optimizer, x, y = _begun()
    best = _BestSoFar(patience=2)
    for _ in range(60):
        optimizer.zero_grad()
        (net(x) - y).square().mean().backward()
        optimizer.step()
        if best.update((net(x) - y).abs().mean().item(), {k: v.clone() for k, v in net.state_dict().items()}):
            break
    net.load_state_dict(best.weights)
    return net.weight.detach()


class Shadow:
    """Keeps parameters by weak references, and puts averages in their place for a while."""

    def __init__(self, parameters):
        parameters = list(parameters)
        self.means = [p.clone().detach() * 0.5 for p in parameters]
        self.references = [weakref.ref(p) for p in parameters]

    @contextmanager
    def averaged(self):
        kept = [reference().detach().clone() for reference in self.references]
        for reference, mean in zip(self.references, self.means):
            reference().data.copy_(mean)
        try:
            yield
        finally:
            for reference, value in zip(self.references, kept):
                reference().data.copy_(value)  # warning: [IPL401]


def case_averages_needed_after_they_were_taken_back():
    net, x = _net(), torch.ones(2, 3, requires_grad=True)
    with Shadow(net.parameters()).averaged():
        total = net(x).sum()
    return torch.autograd.grad(total, x)[0]


def case_averages_needed_after_they_were_taken_back_cured():
    net, x = _net(), torch.ones(2, 3, requires_grad=True)
    with torch.no_grad():
        for p in net.parameters():
            p.mul_(0.5)
    return torch.autograd.grad(net(x).sum(), x)[0]


class _Stopper:
    def __init__(self):
        self.lowest, self.weights, self.waited = float("inf"), {}, 0

    def sees(self, loss, weights):
        if loss < self.lowest:
            self.lowest, self.weights = loss, weights
        else:
            self.waited += 1
        return self.waited > 3


def _epoch(model, optimizer, rows):
    for row in rows:
        if len(row) < 2:
            continue
        optimizer.zero_grad()
        model(row).sum().backward()
        optimizer.step()  # warning: [IPL304]


def case_the_best_weights_and_otherwise_a_count():
    torch.manual_seed(0)
    model, stopper = nn.Linear(2, 1), _Stopper()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = torch.ones(5, 2)
    for _ in range(30):
        _epoch(model, optimizer, rows.split(2))
        loss = -model(rows).sum().item()
        if stopper.sees(loss, model.state_dict()):
            break
    model.load_state_dict(stopper.weights)
    return model(torch.ones(2)).detach()


def _epoch_of_copies(model, optimizer, rows):
    for row in rows:
        if len(row) < 2:
            continue
        optimizer.zero_grad()
        model(row).sum().backward()
        optimizer.step()


def case_the_best_weights_and_otherwise_a_count_cured():
    torch.manual_seed(0)
    model, stopper = nn.Linear(2, 1), _Stopper()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    rows = torch.ones(5, 2)
    for _ in range(30):
        _epoch_of_copies(model, optimizer, rows.split(2))
        loss = -model(rows).sum().item()
        if stopper.sees(loss, copy.deepcopy(model.state_dict())):
            break
    model.load_state_dict(stopper.weights)
    return model(torch.ones(2)).detach()


@torch.no_grad()
def kicked(model, scale):
    for p in model.parameters():
        p.add_(scale)  # warning: [IPL304]


def hopped(model, steps):
    here, moved = parameters_to_vector(model.parameters()).detach(), []
    for _ in range(steps):
        vector_to_parameters(here, model.parameters())
        kicked(model, 0.1)
        moved.append((parameters_to_vector(model.parameters()).detach() - here).norm())
    return torch.stack(moved)


def case_point_that_parameters_lie_on():
    return hopped(nn.Linear(3, 2), 3)


@torch.no_grad()
def kicked_apart(model, scale):
    for p in model.parameters():
        p.add_(scale)


def hopped_apart(model, steps):
    here, moved = parameters_to_vector(model.parameters()).detach(), []
    for _ in range(steps):
        vector_to_parameters(here.clone(), model.parameters())
        kicked_apart(model, 0.1)
        moved.append((parameters_to_vector(model.parameters()).detach() - here).norm())
    return torch.stack(moved)


def case_point_that_parameters_lie_on_cured():
    return hopped_apart(nn.Linear(3, 2), 3)
