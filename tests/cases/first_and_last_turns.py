"""What happens in the first turn of a loop of unknown length only, and what in the last."""

import torch


def _length(x):
    return int(x.sum())


def case_first_turn():
    x = torch.ones(3)
    seen = []
    for step in range(_length(x)):
        y = x + 1
        x = y
        if step == 0:
            y *= 3  # warning: [IPL303]
        seen.append(y * 1)
    return seen


def case_first_turn_cured():
    x = torch.ones(3)
    seen = []
    for step in range(_length(x)):
        y = x + 1
        x = y
        if step == 0:
            y = y * 3
        seen.append(y * 1)
    return seen


def case_last_of_reversed_turns():
    x = torch.ones(3)
    seen = []
    for step in range(_length(x))[::-1]:
        y = x + 1
        x = y
        if step == 0:
            y *= 3
        seen.append(y * 1)
    return seen


def case_last_of_turns_that_count_down():
    x = torch.ones(3)
    seen = []
    for step in range(_length(x) - 1, -1, -1):
        y = x + 1
        x = y
        if step == 0:
            y *= 3
        seen.append(y * 1)
    return seen


def case_all_but_the_last_of_turns_that_count_down():
    x = torch.ones(3)
    seen = []
    for step in range(_length(x) - 1, -1, -1):
        y = x + 1
        x = y
        if step > 0:
            y *= 3  # warning: [IPL303]
        seen.append(y * 1)
    return seen


def case_all_but_the_last_of_turns_that_count_down_cured():
    x = torch.ones(3)
    seen = []
    for step in range(_length(x) - 1, -1, -1):
        y = x + 1
        x = y
        if step > 0:
            y = y * 3
        seen.append(y * 1)
    return seen


def case_best_value_of_all_turns():
    state, best, kept = torch.zeros(3), float("inf"), None
    for step in range(3):
        state.add_(step)  # warning: [IPL304]
        loss = (state - 1).abs().sum().item()
        if loss < best:
            best, kept = loss, [state]
    return kept[0]


def case_best_value_of_all_turns_cured():
    state, best, kept = torch.zeros(3), float("inf"), None
    for step in range(3):
        state.add_(step)
        loss = (state - 1).abs().sum().item()
        if loss < best:
            best, kept = loss, [state.clone()]
    return kept[0]
