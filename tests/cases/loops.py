"""Loops: the second turn meets what the first one left."""

import torch


def case_recurrence_by_product():
    drive = torch.rand(4, requires_grad=True)
    states = torch.ones(4)
    for t in range(1, 4):
        states[t] = states[t - 1] * drive[t]  # error: [IPL201]
    states.sum().backward()
    return drive.grad


def case_recurrence_by_list():
    drive = torch.rand(4, requires_grad=True)
    states = [torch.ones(())]
    for t in range(1, 4):
        states.append(states[-1] * drive[t])
    torch.stack(states).sum().backward()
    return drive.grad


def case_recurrence_by_sigmoid():
    drive = torch.rand(4, requires_grad=True)
    states = torch.zeros(4)
    for t in range(1, 4):
        states[t] = torch.sigmoid(states[t - 1] + drive[t])
    states.sum().backward()
    return drive.grad


def case_rows_from_other_rows():
    x = torch.randn(3, 2, requires_grad=True)
    out = torch.zeros(3, 2)
    for i, row in enumerate(x):
        out[i] = row * row
    out.sum().backward()
    return x.grad


def case_activation_applied_twice():
    x = torch.randn(3, requires_grad=True)
    h = x * 2
    for _ in range(2):
        h.tanh_()  # error: [IPL202]
    h.sum().backward()
    return x.grad


def case_activation_applied_to_new_tensors():
    x = torch.randn(3, requires_grad=True)
    h = x * 2
    for _ in range(2):
        h = h + 1
        h.tanh_()
    h.sum().backward()
    return x.grad


def case_sum_of_losses():
    x = torch.randn(3, requires_grad=True)
    total = torch.zeros(())
    for power in (2, 3):
        loss = (x ** power).mean()
        total += loss
    total /= 2
    total.backward()
    return x.grad


def case_product_of_factors():
    x = torch.rand(3, requires_grad=True)
    total = torch.ones(())
    for factor in (x * 2).unbind():
        total *= factor
    total.backward()
    return x.grad


def case_decayed_saved_state():
    x = torch.rand(3, requires_grad=True)
    state = torch.zeros(3)
    loss = torch.zeros(())
    for _ in range(3):
        state += x
        loss = loss + (state ** 2).sum()
        state *= 0.5  # error: [IPL201]
    loss.backward()
    return x.grad


def case_decayed_new_state():
    x = torch.rand(3, requires_grad=True)
    state = torch.zeros(3)
    loss = torch.zeros(())
    for _ in range(3):
        state = state + x
        loss = loss + (state ** 2).sum()
        state = state * 0.5
    loss.backward()
    return x.grad


def case_saved_in_the_turn_before():
    x = torch.rand(3, requires_grad=True)
    state = x * 1
    loss = torch.zeros(())
    for _ in range(2):
        state += 1  # error: [IPL201]
        loss = loss + (state * state).sum()
    loss.backward()
    return x.grad


def case_training_loop():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(3):
        loss = (weight ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return weight


def case_step_before_the_second_backward():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    first = (weight ** 2).sum()
    second = (weight ** 3).sum()
    first.backward()
    optimizer.step()  # error: [IPL203]
    second.backward()
    return weight.grad


def case_step_after_both_backwards():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    first = (weight ** 2).sum()
    second = (weight ** 3).sum()
    first.backward()
    second.backward()
    optimizer.step()
    return weight.grad


def case_state_carried_over_a_step():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    state = torch.tanh(weight)
    for _ in range(2):
        state = torch.tanh(state * weight)
        loss = state.sum()
        loss.backward(retain_graph=True)
        optimizer.step()  # error: [IPL203]
    return weight


def case_state_detached_before_the_next_turn():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    state = torch.tanh(weight)
    for _ in range(2):
        state = torch.tanh(state.detach() * weight)
        loss = state.sum()
        loss.backward()
        optimizer.step()
    return weight


def case_while_loop():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    steps = 0
    while steps < 2:
        y -= 1  # error: [IPL202]
        steps += 1
    y.sum().backward()
    return x.grad


def case_gradient_accumulated_by_hand():
    weight = torch.ones(3, requires_grad=True)
    total = torch.zeros(3)
    for scale in (1.0, 2.0):
        loss = (weight * scale).square().sum()
        loss.backward()
        total += weight.grad
        weight.grad.zero_()
    return total


def case_parameters_without_gradient_are_not_stepped():
    used, other = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)
    optimizer = torch.optim.SGD([*used.parameters(), *other.parameters()], lr=0.1)
    x = torch.randn(2, 3, requires_grad=True)
    late = other(x).sum()
    used(x).sum().backward()
    optimizer.step()
    late.backward()
    return x.grad
