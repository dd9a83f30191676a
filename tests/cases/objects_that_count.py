"""Objects that count what they keep: in a loop that goes on, there is enough at last."""

from collections import deque

import torch


class Memory:
    def __init__(self, most):
        self.kept = deque(maxlen=most)

    def push(self, state):
        self.kept.append(state)

    def mean(self):
        return torch.stack(list(self.kept)).mean(0)

    def __len__(self):
        return len(self.kept)


class Learner:
    def __init__(self):
        self.memory = Memory(100)
        self.learned = torch.zeros(2)

    def learn(self, enough):
        if len(self.memory) < enough:
            return
        self.learned = self.learned + self.memory.mean()


def case_states_that_are_one():
    learner = Learner()
    state = torch.zeros(2)
    for step in range(12):
        state += step  # warning: [IPL304]
        learner.memory.push(state)
        learner.learn(4)
    return learner.learned


def case_states_that_are_one_cured():
    learner = Learner()
    state = torch.zeros(2)
    for step in range(12):
        state = state + step
        learner.memory.push(state)
        learner.learn(4)
    return learner.learned
