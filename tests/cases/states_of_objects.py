"""States of objects that are no modules: who loads one by reference shares it with the object that it is of."""

import torch


class Normalizer:
    def __init__(self, size):
        self.mean = torch.zeros(size)
        self.count = 0
        self.frozen = False

    def freeze(self):
        self.frozen = True
        return self

    def update(self, batch: torch.Tensor):
        if self.frozen:
            return
        self.count += 1
        self.mean.add_((batch.mean(0) - self.mean) / self.count)  # warning: [IPL304]

    def __call__(self, x):
        return x - self.mean

    def state_dict(self):
        return {"mean": self.mean, "count": self.count}

    def load_state_dict(self, state):
        self.mean = state["mean"]
        self.count = state["count"]


class Worker:
    def __init__(self, policy, size):
        self.policy = policy
        self.normalizer = Normalizer(size).freeze()

    def sync(self, normalizer: Normalizer):
        self.normalizer.load_state_dict(normalizer.state_dict())


def synchronized(source: Normalizer, target: Normalizer):
    target.load_state_dict(source.state_dict())


def case_two_normalizers():
    ours, theirs = Normalizer(2), Normalizer(2)
    ours.update(torch.ones(3, 2))
    theirs.load_state_dict(ours.state_dict())
    ours.update(torch.zeros(3, 2))
    return theirs(torch.ones(2))


class CopyingNormalizer:
    """Its state is a copy."""

    def __init__(self, size):
        self.mean = torch.zeros(size)
        self.count = 0

    def update(self, batch: torch.Tensor):
        self.count += 1
        self.mean.add_((batch.mean(0) - self.mean) / self.count)

    def __call__(self, x):
        return x - self.mean

    def state_dict(self):
        return {"mean": self.mean.clone(), "count": self.count}

    def load_state_dict(self, state):
        self.mean = state["mean"]
        self.count = state["count"]


def synchronized_copies(source: CopyingNormalizer, target: CopyingNormalizer):
    target.load_state_dict(source.state_dict())


def case_two_normalizers_cured():
    ours, theirs = CopyingNormalizer(2), CopyingNormalizer(2)
    ours.update(torch.ones(3, 2))
    theirs.load_state_dict(ours.state_dict())
    ours.update(torch.zeros(3, 2))
    return theirs(torch.ones(2))


class LoadingNormalizer:
    """What is loaded is copied to where it is."""

    def __init__(self, size):
        self.mean = torch.zeros(size)

    def update(self, batch: torch.Tensor):
        self.mean.lerp_(batch.mean(0), 0.1)

    def state_dict(self):
        return {"mean": self.mean}

    def load_state_dict(self, state):
        self.mean.copy_(state["mean"])


def synchronized_by_copying(source: LoadingNormalizer, target: LoadingNormalizer):
    target.load_state_dict(source.state_dict())


class RenewingNormalizer:
    """What it has is replaced, and never written."""

    def __init__(self, size):
        self.mean = torch.zeros(size)

    def update(self, batch: torch.Tensor):
        self.mean = self.mean.lerp(batch.mean(0), 0.1)

    def state_dict(self):
        return {"mean": self.mean}

    def load_state_dict(self, state):
        self.mean = state["mean"]


def synchronized_by_renewal(source: RenewingNormalizer, target: RenewingNormalizer):
    target.load_state_dict(source.state_dict())


class Pool:
    """Its users share its table, and see what is put there."""

    def __init__(self, size):
        self.table = torch.zeros(size, 2)

    def put(self, index, row):
        self.table[index] = row

    def add(self, rows):
        self.table += rows


class User:
    def __init__(self):
        self.table = None

    def attach(self, pool: Pool):
        self.table = pool.table

    def total(self):
        return self.table.sum()


class Checkpointed:
    """A state that is saved and loaded from a file is its own."""

    def __init__(self, size):
        self.average = torch.zeros(size)

    def update(self, values: torch.Tensor):
        self.average.mul_(0.9).add_(values)

    def state_dict(self):
        return {"average": self.average}

    def load_state_dict(self, state):
        self.average = state["average"]


def save(checkpointed: Checkpointed, path):
    torch.save(checkpointed.state_dict(), path)


def resume(checkpointed: Checkpointed, path):
    checkpointed.load_state_dict(torch.load(path))


class Environment:
    def __init__(self, size):
        self.seen = torch.zeros(size)

    def step(self, action: torch.Tensor):
        self.seen.add_(action)
        return self.seen, self.seen.sum()


class Collector:
    """What a step gives back is what the environment has now: that is no state which was saved."""

    def __init__(self, environment: Environment):
        self.environment = environment
        self.seen = environment.seen

    def collect(self, actions):
        total = 0.0
        for action in actions:
            total = total + self.seen.mean()
            self.seen, reward = self.environment.step(action)
        return total + reward


class _Recall:
    def __init__(self):
        self.hits, self.missed = torch.zeros(3), torch.zeros(3)

    def update(self, hits, missed):
        self.hits += hits
        self.missed += missed

    def compute(self):
        numerator, denominator = self.hits, self.hits + self.missed
        numerator[denominator == 0] = float("nan")  # warning: [IPL304]
        return numerator / denominator


class _RecallCopied:
    def __init__(self):
        self.hits, self.missed = torch.zeros(3), torch.zeros(3)

    def update(self, hits, missed):
        self.hits += hits
        self.missed += missed

    def compute(self):
        numerator, denominator = self.hits.clone(), self.hits + self.missed
        numerator[denominator == 0] = float("nan")
        return numerator / denominator


class _Load:
    def __init__(self):
        self.seconds = torch.zeros(4)

    def add(self, seconds):
        self.seconds += seconds

    def shares(self):
        part = self.seconds
        part.clamp_(min=1e-6)  # warning: [IPL304]
        return part / part.sum()

    def add_all(self, many):
        total = self.seconds
        for seconds in many:
            total += seconds
        return total.sum()

    def put(self, i, seconds):
        held = self.seconds
        held[i] = seconds
        return held.sum()

    def drain(self):
        spent = self.seconds.clone()
        self.seconds.zero_()
        return spent


class _Propagation:
    def __init__(self):
        self.cache = None

    def weights(self, index):
        if self.cache is not None:
            return self.cache
        made = index, torch.rand(len(index))
        self.cache = made
        return made

    def forward(self, x, index):
        index, weight = self.weights(index)
        dropped = torch.nn.functional.dropout(weight, 0.5, inplace=True)  # warning: [IPL304]
        return x[index] * dropped


class _Attention:
    def __init__(self):
        self.scale = None

    def scales(self, count):
        if self.scale is not None:
            return self.scale
        scale = torch.rand(count)
        self.scale = scale
        return scale

    def forward(self, x):
        scale = self.scales(x.shape[0])
        scale = torch.nn.functional.relu(scale, inplace=True)  # warning: [IPL304]
        return x * scale

    def forward_copied(self, x):
        scale = torch.nn.functional.dropout(self.scales(x.shape[0]), 0.5)
        return x * scale


class _Moments:
    def __init__(self):
        self.moments, self.steps = {}, None

    def moments_of(self, name, gradient):
        if name not in self.moments:
            self.moments[name] = (torch.zeros_like(gradient), torch.zeros_like(gradient))
        return self.moments[name]

    def steps_of(self, count):
        if self.steps is not None:
            return self.steps
        steps = torch.zeros(count)
        self.steps = steps
        return steps

    def step(self, name, p, gradient):
        mean, square = self.moments_of(name, gradient)
        mean.mul_(0.9).add_(gradient)
        square = square.mul_(0.99).addcmul_(gradient, gradient)
        p.data.addcdiv_(mean, square.sqrt().add_(1e-8))

    def count(self, done):
        steps = self.steps_of(done.shape[0])
        steps = steps.add_(done)
        return steps.sum()


def case_counted_twice():
    moments = _Moments()
    first = moments.count(torch.ones(2))
    return first, moments.count(torch.ones(2))
