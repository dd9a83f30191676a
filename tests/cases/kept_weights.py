"""Weights and gradients that were kept by reference where a copy was meant, and what tells so."""

import torch
from torch import nn
from torch.func import functional_call
from torch.nn.utils import parameters_to_vector, vector_to_parameters


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
        shadow[name].mul_(0.9).add_(value, alpha=0.5)
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
