"""Lists that collect one NumPy array again and again, which somebody else fills in between."""

import copy
from collections import deque
from typing import NamedTuple

import numpy as np
import torch


class Cart:
    def __init__(self):
        self.time = 0
        self.seen = np.zeros(3, dtype=np.float32)

    def look(self):
        self.seen[0] = self.time  # warning: [IPL304]
        self.seen[1] = self.time * 2  # warning: [IPL304]
        return self.seen

    def step(self, force):
        self.time += 1
        return self.look(), force


def case_frames_are_one():
    cart, frames = Cart(), []
    seen = cart.look()
    for force in range(3):
        frames.append(seen)
        seen, reward = cart.step(force)
    return torch.as_tensor(np.stack(frames))


class CartWithCopies:
    def __init__(self):
        self.time = 0
        self.seen = np.zeros(3, dtype=np.float32)

    def look(self):
        self.seen[0] = self.time
        self.seen[1] = self.time * 2
        return self.seen.copy()

    def step(self, force):
        self.time += 1
        return self.look(), force


def case_frames_are_one_cured():
    cart, frames = CartWithCopies(), []
    seen = cart.look()
    for force in range(3):
        frames.append(seen)
        seen, reward = cart.step(force)
    return torch.as_tensor(np.stack(frames))


def case_rows_of_a_simulation():
    state, path = np.zeros(2), []
    for step in range(4):
        state += step  # warning: [IPL304]
        path.append(state)
    return torch.from_numpy(np.array(path)).mean(0)


def case_rows_of_a_simulation_cured():
    state, path = np.zeros(2), []
    for step in range(4):
        state += step
        path.append(state.copy())
    return torch.from_numpy(np.array(path)).mean(0)


def case_new_array_each_turn():
    path = []
    for step in range(4):
        state = np.zeros(2)
        path.append(state)
        state += step
    return torch.from_numpy(np.array(path)).mean(0)


def case_filled_after_it_was_listed():
    first, second = np.zeros(2), np.zeros(2)
    rows = [first, second]
    first[0] = 1
    second[:] = 2
    return np.stack(rows)


def case_stacked_each_turn():
    state, total = np.zeros(2), 0
    for step in range(3):
        state += step
        total = total + np.stack([state, state * 2]).sum()
    return total


def case_twice_the_same():
    state = np.zeros(2)
    rows = [state, state]
    state += 1
    return np.stack(rows)


class Pole:
    def __init__(self):
        self.seen = np.zeros(2, dtype=np.float32)

    def step(self, force):
        self.seen[:] = force  # warning: [IPL304]
        return self.seen, 1.0


def case_transitions_share_what_was_seen():
    pole, memory = Pole(), []
    state, _ = pole.step(0)
    for force in range(1, 4):
        following, reward = pole.step(force)
        memory.append((state, reward, following))
        state = following
    states, rewards, followings = zip(*memory)
    return torch.from_numpy(np.array(states))


class PoleWithCopies:
    def __init__(self):
        self.seen = np.zeros(2, dtype=np.float32)

    def step(self, force):
        self.seen[:] = force
        return self.seen.copy(), 1.0


def case_transitions_share_what_was_seen_cured():
    pole, memory = PoleWithCopies(), []
    state, _ = pole.step(0)
    for force in range(1, 4):
        following, reward = pole.step(force)
        memory.append((state, reward, following))
        state = following
    states, rewards, followings = zip(*memory)
    return torch.from_numpy(np.array(states))


class Stack:
    def __init__(self, cart):
        self.cart, self.frames = cart, deque(maxlen=3)

    def step(self, force):
        seen, _ = self.cart.step(force)
        self.frames.append(seen)
        return np.stack(self.frames)


def case_stack_of_the_last_frames():
    stack, batch = Stack(Cart()), []
    for force in range(4):
        batch.append(torch.as_tensor(stack.step(force)))
    return batch[-1]


def case_stack_of_the_last_frames_cured():
    stack, batch = Stack(CartWithCopies()), []
    for force in range(4):
        batch.append(torch.as_tensor(stack.step(force)))
    return batch[-1]


def completed(steps, count):
    scores, done = np.zeros(count), []
    for reward in steps:
        scores += reward
        for i in range(2):
            done.append(scores[i])
            scores[i] = 0
    return done


def case_numbers_of_an_array_are_copies():
    return completed([np.array([1.0, 2.0]), np.array([3.0, 4.0])], 2)


def taken_on(steps, scores=None):
    scores = np.zeros(2) if scores is None else scores
    done = []
    for reward in steps:
        scores += np.array(reward)
        for i in range(2):
            done.append(scores[i])
            scores[i] = 0
    return done


def case_numbers_of_an_array_that_is_given():
    return taken_on([[1.0, 2.0], [3.0, 4.0]], np.zeros(2))


def orderings(count, chosen=True):
    """It is called elsewhere."""
    rows, taken = [], []
    for i in range(2**count):
        rows.append(np.zeros(count))
    for i in range(2**count):
        for k, digit in enumerate(bin(i)[2:]):
            rows[i][k] = float(digit)
    if chosen:
        for i in range(2**count):
            taken.append(rows[i])
        rows = taken
    return [[value for value in row] for row in rows]


def case_rows_are_filled_and_then_chosen():
    rows, taken = [np.zeros(2), np.zeros(2)], []
    for i in range(2):
        rows[i][0] = i
    for i in range(2):
        taken.append(rows[i])
    return [[value for value in row] for row in taken]


def case_one_row_is_taken_again():
    row, rows = np.zeros(2), []
    for i in range(3):
        row[0] = i  # warning: [IPL304]
        rows.append(row)
    return torch.from_numpy(np.array(rows))


def case_one_row_is_taken_again_cured():
    row, rows = np.zeros(2), []
    for i in range(3):
        row[0] = i
        rows.append(row.copy())
    return torch.from_numpy(np.array(rows))


class Moment(NamedTuple):
    seen: np.ndarray
    time: int


class Recent:
    """Keeps moments in a ring, and draws some of them."""

    def __init__(self, most):
        self.most, self.moments, self.next = most, [], 0

    def push(self, *fields):
        moment = Moment(*fields)
        if len(self.moments) < self.most:
            self.moments.append(moment)
        else:
            self.moments[self.next] = moment
        self.next = (self.next + 1) % self.most

    def draw(self, places):
        rows = [self.moments[i] for i in places]
        return torch.from_numpy(np.stack([each.seen for each in rows]))


class StackedFrames:
    def __init__(self):
        self.frames = np.zeros((2, 3), dtype=np.float32)

    def step(self, frame):
        self.frames[0] = self.frames[1]  # warning: [IPL304]
        self.frames[1] = frame  # warning: [IPL304]
        return self.frames


def case_frames_in_a_ring():
    env, recent = StackedFrames(), Recent(4)
    seen = env.step(0)
    for time in range(1, 4):
        recent.push(seen, time)
        seen = env.step(time)
    return recent.draw(np.array([0, 2]))


class StackedCopies:
    def __init__(self):
        self.frames = np.zeros((2, 3), dtype=np.float32)

    def step(self, frame):
        self.frames[0] = self.frames[1]
        self.frames[1] = frame
        return self.frames.copy()


def case_frames_in_a_ring_cured():
    env, recent = StackedCopies(), Recent(4)
    seen = env.step(0)
    for time in range(1, 4):
        recent.push(seen, time)
        seen = env.step(time)
    return recent.draw(np.array([0, 2]))


def doubled_along(spacing: np.ndarray | list[float], size, least):
    current, sizes = copy.deepcopy(list(spacing)), copy.deepcopy(list(size))
    while True:
        valid = [i for i in range(len(spacing)) if sizes[i] >= least]
        if len(valid) < 1:
            break
        of_axes = [current[i] for i in valid]
        smallest = min(of_axes)
        valid = [i for i in valid if current[i] / smallest < 2]
        for v in valid:
            current[v] *= 2
            sizes[v] = np.ceil(sizes[v] / 2)
    return current


def doubled_twice(shape):
    spacing = 1 / np.array(shape)
    doubled_along(spacing, [4, 4], 2)
    return doubled_along(np.percentile(spacing, [40, 50], 0), [4, 4], 2)


def case_numbers_of_a_list():
    return torch.tensor(eval("doubled_twice")(np.ones(2)))
