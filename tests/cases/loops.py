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
        loss = (x**power).mean()
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
        loss = loss + (state**2).sum()
        state *= 0.5  # error: [IPL201]
    loss.backward()
    return x.grad


def case_decayed_new_state():
    x = torch.rand(3, requires_grad=True)
    state = torch.zeros(3)
    loss = torch.zeros(())
    for _ in range(3):
        state = state + x
        loss = loss + (state**2).sum()
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
        loss = (weight**2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return weight


def case_step_before_the_second_backward():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    first = (weight**2).sum()
    second = (weight**3).sum()
    first.backward()
    optimizer.step()  # error: [IPL203]
    second.backward()
    return weight.grad


def case_step_after_both_backwards():
    weight = torch.ones(3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)
    first = (weight**2).sum()
    second = (weight**3).sum()
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


def _refilled(count):
    row = torch.zeros(3)
    for i in range(count):
        row.fill_(float(i))  # error: [IPL201]
        yield row


def case_a_generator_refills_what_it_yields():
    layer, losses = torch.nn.Linear(3, 1), []
    for row in _refilled(3):
        losses.append(layer(row).sum())
    torch.stack(losses).sum().backward()


def _made_anew(count):
    for i in range(count):
        yield torch.full((3,), float(i))


def case_a_generator_makes_what_it_yields():
    layer, losses = torch.nn.Linear(3, 1), []
    for index, row in enumerate(_made_anew(3)):
        losses.append(layer(row).sum() * index)
    torch.stack(losses).sum().backward()
    return layer.weight.grad


def _refilled_and_used(count):
    row = torch.zeros(3)
    for i in range(count):
        row.fill_(float(i))
        yield row


def case_each_is_used_before_the_next():
    layer = torch.nn.Linear(3, 1)
    for row in _refilled_and_used(3):
        layer(row).sum().backward()
    return layer.weight.grad


class _Source:
    def __init__(self):
        self.row = torch.ones(3)

    def __iter__(self):
        try:
            for _ in range(3):
                yield self.row
                self.row.mul_(0.5)  # error: [IPL201]
        finally:
            self.row = torch.ones(3)


def case_an_object_is_iterated_by_a_generator():
    layer, total = torch.nn.Linear(3, 1), 0.0
    for row in _Source():
        total = total + layer(row).sum()
    total.backward()


class _Steady:
    def __init__(self):
        self.row = torch.ones(3)

    def __iter__(self):
        try:
            for _ in range(3):
                yield self.row
                self.row.mul_(0.5)
        finally:
            self.row = torch.ones(3)


def case_a_loop_is_left_inside_of_a_generator():
    layer = torch.nn.Linear(3, 1)

    def first():
        for row in _Steady():
            return layer(row).sum()

    for row in _Steady():
        if row.sum() < 2:
            break
        layer(row).sum().backward()
    first().backward()
    return [layer(row).sum().item() > 0 or True for row in _Steady()], layer.weight.grad


def case_an_error_in_the_loop_is_no_error_of_the_generator():
    layer, seen = torch.nn.Linear(3, 1), []

    def tried():
        try:
            for row in _made_anew(2):
                seen.append(layer(row).sum())
                raise ValueError
        except ValueError:
            seen[0].backward()

    tried()
    return layer.weight.grad
