"""`detach_` takes the tensor itself out of the graph, for all who use it afterwards."""

import torch
from torch import nn


def _layer(width=3):
    layer = nn.Linear(2, width)
    nn.init.constant_(layer.weight, 0.5)
    nn.init.zeros_(layer.bias)
    return layer


def _cell():
    cell = nn.RNNCell(2, 3)
    for parameter in cell.parameters():
        nn.init.constant_(parameter, 0.1)
    return cell


def _gradient(weight):
    return torch.zeros_like(weight) if weight.grad is None else weight.grad


def case_commitment_to_what_was_detached():
    encoder, code = _layer(), torch.zeros(3, requires_grad=True)
    z = encoder(torch.ones(1, 2))
    codes = (code - z.detach_()).square().sum()  # warning: [IPL401]
    commitment = (z - code.detach()).square().sum()
    (codes + commitment).backward()
    return _gradient(encoder.weight)


def case_commitment_to_what_was_detached_cured():
    encoder, code = _layer(), torch.zeros(3, requires_grad=True)
    z = encoder(torch.ones(1, 2))
    codes = (code - z.detach()).square().sum()
    commitment = (z - code.detach()).square().sum()
    (codes + commitment).backward()
    return _gradient(encoder.weight)


def case_states_that_were_collected():
    cell, h, states = _cell(), torch.zeros(1, 3), []
    for x in torch.ones(3, 1, 2):
        h = cell(x, h)
        states.append(h)
        h = h.detach_()  # warning: [IPL401]
    (torch.stack(states).sum() + cell.bias_ih.sum()).backward()
    return _gradient(cell.weight_ih)


def case_states_that_were_collected_cured():
    cell, h, states = _cell(), torch.zeros(1, 3), []
    for x in torch.ones(3, 1, 2):
        h = cell(x, h)
        states.append(h)
        h = h.detach()
    (torch.stack(states).sum() + cell.bias_ih.sum()).backward()
    return _gradient(cell.weight_ih)


def case_state_that_is_the_output():
    cell, head = _cell(), nn.Linear(3, 1)
    nn.init.ones_(head.weight)
    h = cell(torch.ones(1, 2), torch.zeros(1, 3))
    kept = h
    kept.detach_()  # warning: [IPL401]
    head(h).sum().backward()
    return _gradient(cell.weight_ih)


def case_state_that_is_the_output_cured():
    cell, head = _cell(), nn.Linear(3, 1)
    nn.init.ones_(head.weight)
    h = cell(torch.ones(1, 2), torch.zeros(1, 3))
    kept = h.detach()
    head(h + 0 * kept).sum().backward()
    return _gradient(cell.weight_ih)


def _discriminated(judge, fake):
    return judge(fake.detach_()).sum()  # warning: [IPL401]


def case_callee_detaches_its_argument():
    generator, judge = _layer(), nn.Linear(3, 1)
    nn.init.ones_(judge.weight)
    fake = generator(torch.ones(1, 2))
    _discriminated(judge, fake).backward()
    judge(fake).sum().backward()
    return _gradient(generator.weight)


def case_callee_detaches_its_argument_cured():
    generator, judge = _layer(), nn.Linear(3, 1)
    nn.init.ones_(judge.weight)
    fake = generator(torch.ones(1, 2))
    judge(fake.detach()).sum().backward()
    judge(fake).sum().backward()
    return _gradient(generator.weight)


def case_backward_through_a_part_of_the_sequence():
    cell, head, h = _cell(), nn.Linear(3, 1), torch.zeros(1, 3)
    for x in torch.ones(3, 1, 2):
        h = cell(x, h)
        head(h).sum().backward()
        h = h.detach_()
    return _gradient(cell.weight_ih)


def _let_go(states):
    for state in states:
        state.detach_()


def case_states_that_a_function_lets_go():
    cell, states = _cell(), [torch.zeros(1, 3)]
    for x in torch.ones(3, 1, 2):
        _let_go(states)
        states[0] = cell(x, states[0])
    states[0].sum().backward()
    return _gradient(cell.weight_ih)


def case_states_that_are_put_anew():
    cell, state = nn.LSTMCell(2, 3), (torch.zeros(1, 3), torch.zeros(1, 3))
    for parameter in cell.parameters():
        nn.init.constant_(parameter, 0.1)
    for x in torch.ones(3, 1, 2):
        state = tuple(s.detach_() for s in cell(x, state))
    (state[0].sum() + cell(torch.ones(1, 2), state)[0].sum()).backward()
    return _gradient(cell.weight_ih)


def case_statement_that_stops_the_gradient():
    layer, head = _layer(), nn.Linear(3, 1)
    h = layer(torch.ones(1, 2))
    penalty = h.mean()
    h.detach_()
    (head(h).sum() + penalty).backward()
    return _gradient(layer.weight)


def case_read_after_its_backward():
    layer = _layer()
    losses = []
    for _ in range(2):
        loss = layer(torch.ones(1, 2)).sum()
        loss.backward()
        losses.append(loss.detach_())
        penalty = loss * 2 + layer.bias.sum()
    penalty.backward()
    return sum(losses)
