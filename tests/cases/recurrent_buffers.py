"""Buffers that live over time steps: recurrent states, caches, queues, histories."""

import torch
from torch import nn


class BufferedRnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def forward(self, x):
        states = torch.zeros(x.shape[0], x.shape[1] + 1, 3)
        for t in range(x.shape[1]):
            states[:, t + 1] = torch.tanh(self.cell(states[:, t]) + x[:, t])  # error: [IPL201]
        return states


def case_states_in_one_tensor():
    net = BufferedRnn()
    net(torch.randn(2, 4, 3)).sum().backward()
    return net.cell.weight.grad


class ListedRnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def forward(self, x):
        states = [torch.zeros(x.shape[0], 3)]
        for t in range(x.shape[1]):
            states.append(torch.tanh(self.cell(states[-1]) + x[:, t]))
        return torch.stack(states, dim=1)


def case_states_in_a_list():
    net = ListedRnn()
    net(torch.randn(2, 4, 3)).sum().backward()
    return net.cell.weight.grad


class CarriedRnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.Linear(3, 3)

    def forward(self, x):
        outputs = torch.zeros(x.shape[0], x.shape[1], 3)
        state = torch.zeros(x.shape[0], 3)
        for t in range(x.shape[1]):
            state = torch.tanh(self.cell(state) + x[:, t])
            outputs[:, t] = state
        return outputs


def case_state_carried_beside_the_buffer():
    net = CarriedRnn()
    net(torch.randn(2, 4, 3)).sum().backward()
    return net.cell.weight.grad


def case_gru_cell():
    cell = nn.GRUCell(3, 3)
    x = torch.randn(4, 2, 3)
    state = torch.zeros(2, 3)
    outputs = []
    for t in range(4):
        state = cell(x[t], state)
        outputs.append(state)
    torch.stack(outputs).sum().backward()
    return cell.weight_hh.grad


def case_cache_for_generation():
    keys = torch.zeros(4, 3)
    project = nn.Linear(3, 3)
    outputs = []
    with torch.no_grad():
        token = torch.randn(3)
        for t in range(4):
            keys[t] = project(token)
            scores = (keys[: t + 1] @ token).softmax(0)
            token = scores @ keys[: t + 1]
            outputs.append(token)
    return outputs


def case_cache_trained_through():
    keys = torch.zeros(4, 3)
    project = nn.Linear(3, 3)
    query = torch.randn(3, requires_grad=True)
    token = torch.randn(3)
    loss = torch.zeros(())
    for t in range(4):
        keys[t] = project(token)  # error: [IPL201]
        loss = loss + (keys[: t + 1] @ query).square().sum()
    loss.backward()
    return project.weight.grad


def case_cache_read_with_plain_data():
    # A product saves a factor only if the other one requires grad.
    keys = torch.zeros(4, 3)
    project = nn.Linear(3, 3)
    token = torch.randn(3)
    loss = torch.zeros(())
    for t in range(4):
        keys[t] = project(token)
        loss = loss + (keys[: t + 1] @ token).square().sum()
    loss.backward()
    return project.weight.grad


def case_cache_rebuilt_by_cat():
    project = nn.Linear(3, 3)
    token = torch.randn(3)
    loss = torch.zeros(())
    keys = torch.zeros(0, 3)
    for _ in range(4):
        keys = torch.cat([keys, project(token)[None]])
        loss = loss + (keys @ token).square().sum()
    loss.backward()
    return project.weight.grad


def case_masked_reset_of_the_state():
    cell = nn.Linear(3, 3)
    state = torch.zeros(2, 3)
    done = torch.tensor([True, False])
    loss = torch.zeros(())
    for _ in range(2):
        state = torch.tanh(cell(state))
        loss = loss + state.sum()
        state[done] = 0.0  # error: [IPL202]
    loss.backward()
    return cell.weight.grad


def case_masked_reset_of_a_new_state():
    cell = nn.Linear(3, 3)
    state = torch.zeros(2, 3)
    done = torch.tensor([[1.0], [0.0]])
    loss = torch.zeros(())
    for _ in range(2):
        state = torch.tanh(cell(state))
        loss = loss + state.sum()
        state = state * (1 - done)
    loss.backward()
    return cell.weight.grad


def case_history_of_one_state():
    state = torch.zeros(2)
    history = []
    for _ in range(3):
        history.append(state)
        state += 1  # warning: [IPL304]
    return torch.stack(history)


def case_history_of_one_state_cured():
    state = torch.zeros(2)
    history = []
    for _ in range(3):
        history.append(state.clone())
        state += 1
    return torch.stack(history)


def case_queue_written_after_the_logits():
    queue = torch.randn(4, 3)
    query = torch.randn(2, 3, requires_grad=True)
    logits = query @ queue.t()
    queue[:2] = query.detach()  # error: [IPL201]
    logits.sum().backward()
    return query.grad


def case_queue_cloned_for_the_logits():
    queue = torch.randn(4, 3)
    query = torch.randn(2, 3, requires_grad=True)
    logits = query @ queue.clone().t()
    queue[:2] = query.detach()
    logits.sum().backward()
    return query.grad


def case_replay_buffer():
    rewards = torch.zeros(4)
    for t in range(4):
        rewards[t] = float(t)
    for t in reversed(range(3)):
        rewards[t] += 0.9 * rewards[t + 1]
    return rewards


def case_states_of_lstm_written():
    lstm = torch.nn.LSTM(3, 4)
    out, (h, c) = lstm(torch.randn(5, 2, 3))
    h += 1
    c.mul_(2)
    loss = out.sum() + h.sum() + c.sum()
    loss.backward()
    return loss
