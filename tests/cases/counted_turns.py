"""Loops that count their turns and ask for the number: what happens in a late turn only is seen, too."""

import torch
from torch import nn


def _means_since(batches, first, mean):
    kept = []
    for number, batch in enumerate(batches):
        mean.mul_(0.5).add_(batch)  # warning: [IPL304]
        if number > first:
            kept.append(mean)
    return torch.stack(kept)


def case_kept_since_a_late_turn():
    return _means_since(torch.arange(200.0).view(200, 1), 100, torch.zeros(1))


def _copies_since(batches, first, mean):
    kept = []
    for number, batch in enumerate(batches):
        mean.mul_(0.5).add_(batch)
        if number > first:
            kept.append(mean.clone())
    return torch.stack(kept)


def case_kept_since_a_late_turn_cured():
    return _copies_since(torch.arange(200.0).view(200, 1), 100, torch.zeros(1))


def case_kept_every_tenth_turn():
    mean, kept = torch.zeros(1), []
    for number in range(200):
        mean.mul_(0.5).add_(number)  # warning: [IPL304]
        if number % 50 == 49:
            kept.append(mean)
    return torch.stack(kept)


def case_kept_every_tenth_turn_cured():
    mean, kept = torch.zeros(1), []
    for number in range(200):
        mean.mul_(0.5).add_(number)
        if number % 50 == 49:
            kept.append(mean.clone())
    return torch.stack(kept)


def case_steps_are_counted():
    mean, kept, step = torch.zeros(1), [], 0
    while step < 200:
        step += 1
        mean.mul_(0.5).add_(step)  # warning: [IPL304]
        if step >= 150:
            kept.append(mean)
    return torch.stack(kept)


def case_steps_are_counted_cured():
    mean, kept, step = torch.zeros(1), [], 0
    while step < 200:
        step += 1
        mean.mul_(0.5).add_(step)
        if step >= 150:
            kept.append(mean.clone())
    return torch.stack(kept)


def case_each_turn_has_a_row_of_its_own():
    x = torch.ones(200, requires_grad=True)
    rows, squares = torch.zeros(200, 1), []
    for number in range(200):
        rows[number] = x[number]
        squares.append(rows[number] * 2)
        if number > 150:
            rows[number] += 1
    torch.stack(squares).sum().backward()
    return x.grad


def case_only_the_first_turn():
    x = torch.ones(200, requires_grad=True)
    h = x * 1
    total = torch.zeros(())
    for number in range(200):
        if number == 0:
            h.relu_()
        if number % 100 == 50:
            total = total + h.square().sum()
    total.backward()
    return x.grad


def _rings(signal):
    ring, filled = torch.zeros(4), 0
    for value in signal:
        ring[:-1] = ring[1:].clone()  # warning: [IPL304]
        ring[-1] = value  # warning: [IPL304]
        filled += 1
        if filled >= 4:
            yield ring, filled


def case_windows_once_the_ring_is_full():
    windows, numbers = zip(*_rings(torch.arange(60.0)))
    return torch.stack(windows), numbers


def _copied_rings(signal):
    ring, filled = torch.zeros(4), 0
    for value in signal:
        ring[:-1] = ring[1:].clone()
        ring[-1] = value
        filled += 1
        if filled >= 4:
            yield {"window": ring.clone(), "number": filled}


def case_windows_once_the_ring_is_full_cured():
    windows, numbers = zip(*[(each["window"], each["number"]) for each in _copied_rings(torch.arange(60.0))])
    return torch.stack(windows), numbers


def _named_rows(turns):
    buffer = torch.zeros(2, 3)
    for turn in range(turns):
        buffer.fill_(turn).add_(1)
        yield {name: row for name, row in zip(("a", "b"), buffer)}


class Totals:
    def __init__(self):
        self.total = torch.zeros(())

    def consume(self, stream):
        for rows in stream:
            for _, row in rows.items():
                self.total += row.sum()
        return self.total


def case_rows_are_consumed_before_the_next_are_drawn():
    return Totals().consume(_named_rows(30))


class Average:
    def __init__(self):
        self.count = 0
        self.mean = torch.zeros(1)
        self.kept = []

    def update(self, value):
        self.count += 1
        self.mean.mul_(0.5).add_(value)  # warning: [IPL304]
        if self.count % 50 == 0:
            self.kept.append(self.mean)


class AverageOfCopies:
    def __init__(self):
        self.count = 0
        self.mean = torch.zeros(1)
        self.kept = []

    def update(self, value):
        self.count += 1
        self.mean = self.mean * 0.5 + value
        if self.count % 50 == 0:
            self.kept.append(self.mean)


def case_an_object_counts():
    average = Average()
    for number in range(200):
        average.update(number)
    return torch.stack(average.kept)


def case_an_object_counts_cured():
    average = AverageOfCopies()
    for number in range(200):
        average.update(number)
    return torch.stack(average.kept)


class Rows:
    """A position is another one in each turn, as far as it goes."""

    def __init__(self):
        self.position, self.full = 0, False
        self.rows = torch.zeros(60, 1)

    def put(self, value):
        self.rows[self.position] = value
        row = self.rows[self.position]
        self.position += 1
        if self.position >= 60:
            self.full = True
        return row


def case_each_row_has_its_position():
    rows = Rows()
    return torch.stack([rows.put(number) for number in range(60)]), rows.full


class Warming:
    def __init__(self):
        self.step = 0
        self.weight = torch.ones(1, requires_grad=True)

    def losses(self, values):
        total = torch.zeros(())
        for value in values:
            self.step += 1
            h = torch.exp(self.weight * value)
            if self.step > 30:
                h.mul_(2)  # error: [IPL202]
            total = total + h.sum()
        return total


def case_what_is_done_after_a_warm_up():
    model = Warming()
    model.losses(torch.arange(60.0) / 60).backward()
    return model.weight.grad


class Memory:
    def __init__(self):
        self.states = []

    def remember(self, state):
        self.states.append(state)

    def replayed(self):
        if len(self.states) < 50:
            return torch.zeros(())
        return torch.stack(self.states).mean()


def case_states_are_replayed_once_there_are_enough():
    memory, state, total = Memory(), torch.zeros(2), torch.zeros(())
    for number in range(60):
        state += number  # warning: [IPL304]
        memory.remember(state)
        total = total + memory.replayed()
    return total


def case_states_are_replayed_once_there_are_enough_cured():
    memory, state, total = Memory(), torch.zeros(2), torch.zeros(())
    for number in range(60):
        state = state + number
        memory.remember(state)
        total = total + memory.replayed()
    return total


def case_batches_of_a_size():
    weight = torch.ones(1, requires_grad=True)
    batch, losses = [], []
    for number in range(64):
        batch.append(torch.sigmoid(weight * number))
        if len(batch) == 16:
            for each in batch:
                each.mul_(0.5)  # error: [IPL202]
            losses.append(torch.stack(batch).sum())
            batch = []
    torch.stack(losses).sum().backward()
    return weight.grad


class Delayed:
    """Another method asks for what this one counts."""

    def __init__(self):
        self.updates = 0
        self.weight = torch.ones(2, requires_grad=True)

    def loss(self, value):
        h = torch.exp(self.weight * value)
        if self.updates >= 20 and self.updates % 2 == 0:
            h.mul_(0.5)  # error: [IPL202]
        return h.sum()

    def update(self, value):
        loss = self.loss(value)
        self.updates += 1
        return loss


def case_another_method_asks():
    model = Delayed()
    losses = [model.update(number / 50) for number in range(50)]
    torch.stack(losses).sum().backward()
    return model.weight.grad


class Every:
    """An object that is called with the number of the turn, two calls deep."""

    def __init__(self, turns, weight):
        self.turns = turns
        self.weight = weight

    def __call__(self, step):
        if step == 0 or step % self.turns:
            return None
        with torch.no_grad():
            self.weight.mul_(0.99)  # error: [IPL203]
        return step


def _note(every, step, losses):
    if every(step) is not None:
        losses.append(0.0)


def case_weights_are_scaled_every_tenth_turn_before_backward():
    weight = torch.ones(1, requires_grad=True)
    every, losses = Every(10, weight), []
    for number in range(40):
        loss = (weight * weight * number).sum()
        _note(every, number, losses)
        loss.backward()
    return weight.grad


class Numbered:
    def __init__(self, most):
        self.most = most

    def batches(self):
        for step in range(self.most):
            yield step, torch.full((2, 3), float(step))


def trained_with_checks(most, every):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    optimizer, checked = torch.optim.SGD(net.parameters(), lr=0.1), None
    for step, x in Numbered(most).batches():
        loss = net(x).square().mean()
        if step % every == 0:
            with torch.no_grad():
                for p in net.parameters():
                    if checked is not None:
                        p.mul_(0.9)  # error: [IPL203]
            checked = step
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.detach()


def case_turn_that_a_generator_numbers():
    return trained_with_checks(40, 30)


def trained_with_checks_before(most, every):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 1))
    optimizer, checked = torch.optim.SGD(net.parameters(), lr=0.1), None
    for step, x in Numbered(most).batches():
        if step % every == 0:
            with torch.no_grad():
                for p in net.parameters():
                    if checked is not None:
                        p.mul_(0.9)
            checked = step
        loss = net(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.detach()


def case_turn_that_a_generator_numbers_before():
    return trained_with_checks_before(40, 30)
