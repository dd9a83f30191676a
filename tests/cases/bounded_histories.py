"""A bounded history that a whole loop fills has let go of what it had before."""

from collections import deque

import torch


def case_rows_of_each_step_fill_the_history():
    weight, scale = torch.ones(3, requires_grad=True), torch.ones(4, 3)
    rows = deque(maxlen=4)
    for _ in range(3):
        scale.mul_(0.5)
        for row in weight * scale:
            rows.append(row)
        torch.stack(list(rows)).sum().backward(retain_graph=True)
    return weight.grad


def case_steps_stay_in_the_history():
    weight, scale = torch.ones(3, requires_grad=True), torch.ones(4, 3)
    steps = deque(maxlen=4)
    for _ in range(3):
        scale.mul_(0.5)  # error: [IPL201]
        steps.append(weight * scale)
    torch.stack(list(steps)).sum().backward()
    return weight.grad


def case_rows_of_one_step_are_in_the_history():
    weight, scale = torch.ones(3, requires_grad=True), torch.ones(4, 3)
    rows = deque(maxlen=4)
    for row in weight * scale:
        rows.append(row)
    scale.mul_(0.5)  # error: [IPL201]
    torch.stack(list(rows)).sum().backward()
    return weight.grad
