"""Evidence that a copy was meant: stronger than habits such as keeping a variable or a state."""

import torch
from torch import nn


def _values():
    return {"values": torch.zeros(3)}


def case_compared_with_where_it_came_from():
    kept = _values()
    new = kept["values"]
    new[0] = 1.0  # warning: [IPL304]
    delta = (new - kept["values"]).abs().max()
    kept["values"] = new
    return delta


def case_compared_with_where_it_came_from_cured():
    kept = _values()
    new = kept["values"].clone()
    new[0] = 1.0
    delta = (new - kept["values"]).abs().max()
    kept["values"] = new
    return delta


def case_compared_pair_by_pair():
    kept = _values()
    values = kept["values"]
    values[0] = 1.0
    return values[:, None] - kept["values"][None]


class Rounded(nn.Linear):
    def rounded(self):
        weight = self.weight.data
        weight.mul_(4).round_().div_(4)  # warning: [IPL304]
        return weight

    def forward(self, x):
        return x @ (self.weight + (self.rounded() - self.weight).detach()).t()


class RoundedCopy(nn.Linear):
    def rounded(self):
        weight = self.weight.data.clone()
        weight.mul_(4).round_().div_(4)
        return weight

    def forward(self, x):
        return x @ (self.weight + (self.rounded() - self.weight).detach()).t()


def _weight_after_a_call(layer):
    layer.weight.data.copy_(torch.tensor([[0.1, 0.4]]))
    layer(torch.ones(1, 2))
    return layer.weight.detach()


def case_master_weights_rounded():
    return _weight_after_a_call(Rounded(2, 1))


def case_master_weights_rounded_cured():
    return _weight_after_a_call(RoundedCopy(2, 1))


def case_state_under_a_second_name():
    weight, state = torch.ones(3), {"average": torch.zeros(3)}
    for _ in range(3):
        average = state["average"]
        average.mul_(0.9).add_(weight, alpha=0.1)
        update = average
        update.mul_(0.5)  # warning: [IPL304]
        weight.sub_(update)
    return weight


def case_state_under_a_second_name_cured():
    weight, state = torch.ones(3), {"average": torch.zeros(3)}
    for _ in range(3):
        average = state["average"]
        average.mul_(0.9).add_(weight, alpha=0.1)
        update = average.clone()
        update.mul_(0.5)
        weight.sub_(update)
    return weight


def case_state_under_a_second_name_that_is_only_read():
    weight, state = torch.ones(3), {"velocity": torch.zeros(3)}
    for _ in range(3):
        velocity = state["velocity"]
        velocity.mul_(0.9)
        velocity.sub_(weight, alpha=0.1)
        update = velocity
        weight.add_(update)
    return weight


def case_state_that_gets_its_name_when_it_is_made():
    weight, state = torch.ones(3), {}
    for _ in range(3):
        if "buffer" not in state:
            buffer = state["buffer"] = torch.zeros(3)
            buffer.mul_(0.9).add_(weight)
        else:
            buffer = state["buffer"]
            buffer.mul_(0.9).add_(weight)
        weight = weight - buffer * 0.1
    return weight


def _rounded_in_place(weight):
    scale = weight.abs().max() / 3
    weight.div_(scale).round_().mul_(scale)  # warning: [IPL304]
    return weight


def _rounded_apart(weight):
    scale = weight.abs().max() / 3
    return weight.div(scale).round().mul(scale)


def _layer():
    layer = nn.Linear(2, 1)
    layer.weight.data.copy_(torch.tensor([[0.3, 0.4]]))
    return layer


def case_call_changes_weights_for_its_result():
    layer, x = _layer(), torch.ones(1, 2)
    rounded = _rounded_in_place(layer.weight.data)
    return (x @ rounded.t() + layer.bias - layer(x)).detach()


def case_call_changes_weights_for_its_result_cured():
    layer, x = _layer(), torch.ones(1, 2)
    rounded = _rounded_apart(layer.weight.data)
    return (x @ rounded.t() + layer.bias - layer(x)).detach()


def _clipped(weight):
    weight.clamp_(-0.1, 0.1)
    return weight


def case_result_of_a_call_goes_back_to_the_weights():
    layer = _layer()
    layer.weight.data = _clipped(layer.weight.data)
    layer.bias = nn.Parameter(_clipped(layer.bias.detach()))
    return layer(torch.ones(1, 2)).detach()


def case_results_of_calls_that_nobody_takes():
    layer = _layer()
    [_clipped(parameter.data) for parameter in layer.parameters()]
    _ = _clipped(layer.weight.data)
    return layer(torch.ones(1, 2)).detach()


class _Merged:
    def __init__(self):
        self.values = torch.ones(2)

    def merge(self, delta):
        values = self.values
        values += delta  # warning: [IPL304]
        if values.isnan().any():
            raise ValueError("not merged")
        self.values = values


class _MergedApart:
    def __init__(self):
        self.values = torch.ones(2)

    def merge(self, delta):
        values = self.values.clone()
        values += delta
        if values.isnan().any():
            raise ValueError("not merged")
        self.values = values


def _after_a_merge(table):
    try:
        table.merge(torch.full((2,), float("nan")))
    except ValueError:
        pass
    return table.values.isnan()


def case_put_back_after_a_check():
    return _after_a_merge(_Merged())


def case_put_back_after_a_check_cured():
    return _after_a_merge(_MergedApart())


def case_put_back_if_it_is_better():
    best = {"x": torch.ones(2)}
    x = best["x"]
    x -= 3  # warning: [IPL304]
    loss = x.square().sum()
    if loss < 2:
        best["x"] = x
    return best["x"]


def case_put_back_if_it_is_better_cured():
    best = {"x": torch.ones(2)}
    x = best["x"].clone()
    x -= 3
    loss = x.square().sum()
    if loss < 2:
        best["x"] = x
    return best["x"]


class _Moved:
    def __init__(self):
        self.values, self.seen = torch.ones(2), []

    def move(self, delta, limit):
        values = self.values
        values += delta
        if limit:
            values.clamp_(-limit, limit)
        if len(self.seen) > 3:
            raise ValueError("seen enough")
        self.values = values
        return self.values.sum()


def case_put_back_after_tests_of_other_things():
    return _Moved().move(torch.ones(2), 1.5)


def _training(update):
    torch.manual_seed(0)
    net, target = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    target.load_state_dict(net.state_dict())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in torch.arange(12.0).reshape(3, 2, 2):
        loss = (net(x) - target(x).detach() - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update(net, target)
    return target.weight.detach()


def _averaged(net, target):
    for ours, theirs in zip(net.parameters(), target.parameters()):
        theirs.data.copy_(0.1 * ours.data + 0.9 * theirs.data)


def case_a_target_network_is_averaged():
    return _training(_averaged)


def case_a_target_network_is_averaged_in_the_loop():
    torch.manual_seed(0)
    net, target = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
    target.load_state_dict(net.state_dict())
    for _ in range(3):
        for ours, theirs in zip(net.parameters(), target.parameters()):
            theirs.data.copy_(0.1 * ours.data + 0.9 * theirs.data)
    return target.weight.detach()


class _Decayed(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.1})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                p.add_(p.grad, alpha=-group["lr"])
                p.add_(p, alpha=-0.01)


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 1, bias=False)

    def forward(self, x):
        return self.inner(x)


def case_decay_adds_a_parameter_to_itself():
    net = _Net()
    optimizer = _Decayed(net.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        net(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    return net.inner.weight.shape


def _zeroed(layer):
    for p in layer.parameters():
        p.detach().zero_()
    return layer


class _Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = _zeroed(nn.Linear(2, 2))

    def forward(self, x):
        return x + self.out(x)


def case_zeroed_layer_changes_its_type():
    block = _Residual()
    block.out.weight.data = block.out.weight.data.double()
    block.out.bias.data = block.out.bias.data.double()
    return block(torch.ones(1, 2).double())
