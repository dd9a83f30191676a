"""Named tuples of a loop's rounds: their fields are one tensor, however they are read."""

from collections import namedtuple
from typing import NamedTuple

import torch


class _Step(NamedTuple):
    seen: torch.Tensor
    hidden: torch.Tensor


_Transition = namedtuple("_Transition", ["seen", "hidden"])


def case_read_by_the_names_of_a_class():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Step(x, hidden))
        hidden += x  # warning: [IPL304]
    return [torch.stack([getattr(step, name) for step in steps]) for name in _Step._fields]


def case_read_by_the_names_of_a_class_cured():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Step(x, hidden))
        hidden = hidden + x
    return [torch.stack([getattr(step, name) for step in steps]) for name in _Step._fields]


def case_taken_apart_by_zip():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Transition(x, hidden=hidden))
        hidden += x  # warning: [IPL304]
    batch = _Transition(*zip(*steps))
    return torch.stack(batch.hidden)


def case_taken_apart_by_zip_cured():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Transition(x, hidden=hidden.clone()))
        hidden += x
    batch = _Transition(*zip(*steps))
    return torch.stack(batch.hidden)


def case_read_by_the_names_of_a_function():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Transition(x, hidden))
        hidden += x  # warning: [IPL304]
    return [torch.stack([getattr(step, name) for step in steps]) for name in _Transition._fields]


def case_read_by_the_names_of_a_function_cured():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Transition(x, hidden))
        hidden = hidden + x
    return [torch.stack([getattr(step, name) for step in steps]) for name in _Transition._fields]


def case_as_a_dictionary():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Step(x, hidden)._asdict())
        hidden += x  # warning: [IPL304]
    return torch.stack([step["hidden"] for step in steps])


def case_as_a_dictionary_cured():
    hidden, steps = torch.zeros(2), []
    for x in torch.ones(3, 2):
        steps.append(_Step(x, hidden)._asdict())
        hidden = hidden + x
    return torch.stack([step["hidden"] for step in steps])


class _Beam(NamedTuple):
    tokens: torch.Tensor
    length: int

    def extend(self, token):
        tokens = self.tokens
        tokens[self.length] = token  # warning: [IPL304]
        return self._replace(tokens=tokens, length=self.length + 1)


class _BeamOfItsOwn(NamedTuple):
    tokens: torch.Tensor
    length: int

    def extend(self, token):
        tokens = self.tokens.clone()
        tokens[self.length] = token
        return self._replace(tokens=tokens, length=self.length + 1)


def case_replaced_twice():
    root = _Beam(torch.zeros(4), 1)
    first = root.extend(3.0)
    second = root.extend(4.0)
    return first.tokens - second.tokens


def case_replaced_twice_cured():
    root = _BeamOfItsOwn(torch.zeros(4), 1)
    first = root.extend(3.0)
    second = root.extend(4.0)
    return first.tokens - second.tokens


def _children(root, count, grown):
    for k in range(count):
        yield grown(root, float(k + 3))


class _Rows(NamedTuple):
    rows: torch.Tensor
    length: int


def _grown(root, value):
    rows = root.rows
    rows[root.length] = value  # warning: [IPL304]
    return root._replace(rows=rows, length=root.length + 1)


def _grown_apart(root, value):
    rows = root.rows.clone()
    rows[root.length] = value
    return root._replace(rows=rows, length=root.length + 1)


def case_yielded_with_one_tensor():
    pool = [each for each in _children(_Rows(torch.zeros(4), 1), 2, _grown) if each.length > 1]
    return torch.stack([each.rows for each in pool])


def case_yielded_with_one_tensor_cured():
    pool = [each for each in _children(_Rows(torch.zeros(4), 1), 2, _grown_apart) if each.length > 1]
    return torch.stack([each.rows for each in pool])


class Kept(NamedTuple):
    rows: torch.Tensor
    count: int


class RollingRows:
    def __init__(self):
        self.rows = torch.zeros(3)

    def mark(self):
        return Kept(self.rows.detach(), 3)

    def put(self, row):
        self.rows.copy_(row)  # warning: [IPL304]

    def rewind(self, kept):
        self.rows.copy_(kept.rows)
        return self.rows.clone()


def case_bound_beside_another():
    rows = RollingRows()
    kept, count = rows.mark(), 2
    rows.put(torch.ones(3))
    return rows.rewind(kept) * count


class RollingCopies:
    def __init__(self):
        self.rows = torch.zeros(3)

    def mark(self):
        return Kept(self.rows.detach().clone(), 3)

    def put_anew(self, row):
        self.rows.copy_(row)

    def rewind(self, kept):
        self.rows.copy_(kept.rows)
        return self.rows.clone()


def case_bound_beside_another_cured():
    rows = RollingCopies()
    kept, count = rows.mark(), 2
    rows.put_anew(torch.ones(3))
    return rows.rewind(kept) * count
