"""An object that returns its one buffer from each call: what earlier calls returned changes with the next."""

from collections import deque

import torch


class StagedPart:
    def __init__(self):
        self.rows = torch.zeros(4, 2)

    def __call__(self, samples):
        for i, sample in enumerate(samples):
            self.rows[i] = sample  # warning: [IPL303]
        return self.rows[: len(samples)]


class FreshPart:
    def __init__(self):
        self.width = 2

    def __call__(self, samples):
        rows = torch.zeros(4, self.width)
        for i, sample in enumerate(samples):
            rows[i] = sample
        return rows[: len(samples)]


def two_parts(staging):
    first = staging([torch.ones(2), torch.zeros(2)])
    second = staging([torch.zeros(2), torch.ones(2)])
    return first - second


def case_part_returned_twice():
    return two_parts(StagedPart())


def case_part_returned_twice_cured():
    return two_parts(FreshPart())


class AppendedRows:
    """Each call writes a row of its own, and returns the rows so far."""

    def __init__(self):
        self.rows = torch.zeros(4, 2)
        self.count = 0

    def append(self, row):
        self.rows[self.count] = row
        self.count += 1
        return self.rows[: self.count]


def case_rows_of_their_own():
    rows = AppendedRows()
    first = rows.append(torch.ones(2))
    second = rows.append(torch.full((2,), 3.0))
    return first.sum() - second.sum()


class StagedBatch:
    def __init__(self):
        self.images = torch.empty(2, 3)

    def __call__(self, samples):
        for i, image in enumerate(samples):
            self.images[i].copy_(image)  # warning: [IPL304]
        return {"image": self.images[: len(samples)]}


class CopiedBatch:
    def __init__(self):
        self.staging = torch.empty(2, 3)

    def __call__(self, samples):
        for i, image in enumerate(samples):
            self.staging[i].copy_(image)
        return {"image": self.staging[: len(samples)].clone()}


class AheadOfUse:
    """Collates batches before they are used."""

    def __init__(self, samples, collate, depth=1):
        self.samples, self.collate, self.depth = samples, collate, depth

    def _batches(self):
        for start in range(0, len(self.samples), 2):
            yield self.collate(self.samples[start : start + 2])

    def __iter__(self):
        queue = deque()
        for batch in self._batches():
            queue.append(batch)
            if len(queue) > self.depth:
                yield queue.popleft()
        while queue:
            yield queue.popleft()


def sums_ahead(collate):
    samples = [torch.full((3,), float(i)) for i in range(6)]
    return [batch["image"].sum() for batch in AheadOfUse(samples, collate)]


def case_batches_in_a_queue():
    return sums_ahead(StagedBatch())


def case_batches_in_a_queue_cured():
    return sums_ahead(CopiedBatch())


class StagedForOne:
    def __init__(self):
        self.images = torch.empty(2, 3)

    def __call__(self, samples):
        for i, image in enumerate(samples):
            self.images[i].copy_(image)
        return {"image": self.images[: len(samples)]}


class AsNeeded:
    """Collates each batch when it is asked for."""

    def __init__(self, samples, collate):
        self.samples, self.collate = samples, collate

    def _batches(self):
        for start in range(0, len(self.samples), 2):
            yield self.collate(self.samples[start : start + 2])

    def __iter__(self):
        yield from self._batches()


def case_batches_as_needed():
    samples = [torch.full((3,), float(i)) for i in range(6)]
    return [batch["image"].sum() for batch in AsNeeded(samples, StagedForOne())]
