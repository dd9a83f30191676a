"""Functions that give nothing back: called for what they do to their argument, or for what they keep elsewhere."""

import torch


class _Spread:
    def __init__(self):
        self.total = torch.zeros(())

    def update(self, values):
        values -= values.mean()  # warning: [IPL305]
        self.total += values.abs().max()


class _SpreadOfCopies:
    def __init__(self):
        self.total = torch.zeros(())

    def update(self, values):
        values = values - values.mean()
        self.total += values.abs().max()


def _after(spread):
    batch = torch.arange(4.0)
    spread.update(batch)
    return batch.sum() + spread.total


def case_a_metric_changes_its_argument():
    return _after(_Spread())


def case_a_metric_changes_its_argument_cured():
    return _after(_SpreadOfCopies())


def _note(history, image):
    image /= 255  # warning: [IPL305]
    history["mean"] = image.mean()


def _note_apart(history, image):
    image = image / 255
    history["mean"] = image.mean()


def case_an_entry_is_made_of_the_changed_argument():
    history, image = {}, torch.arange(4.0)
    _note(history, image)
    return image * 2


def case_an_entry_is_made_of_the_changed_argument_cured():
    history, image = {}, torch.arange(4.0)
    _note_apart(history, image)
    return image * 2


class _Pool:
    def __init__(self):
        self.members, self.norms, self.seen = [], [], 0

    def register(self, x):
        x.clamp_(0, 1)
        self.members.append(x)

    def normalise(self, x):
        norm = x.norm()
        self.norms.append(norm.item())
        x /= norm
        self.seen += x.shape[0]

    def add(self, total, x):
        total += x
        self.norms.append(total.norm().item())

    def average(self, mean, x):
        mean.mul_(0.9).add_(x, alpha=0.1)
        self.norms.append(mean.norm().item())


def case_methods_that_change_their_argument_and_keep_something():
    pool, x, total, mean = _Pool(), torch.arange(3.0), torch.ones(3), torch.ones(3)
    pool.normalise(x)
    pool.register(x)
    pool.add(total, x)
    pool.average(mean, x)
    return x.sum() + total.sum() + mean.sum()


class HitCounts:
    def __init__(self, size):
        self.size = size
        self.counts = torch.zeros(3, 2)

    def update(self, found, boxes):
        corners = boxes[:, 1:]
        corners *= self.size  # warning: [IPL305]
        for box in found:
            nearest = (corners - box).abs().sum(1).argmin()
            self.counts[nearest, 0] += 1


def drawn(canvas, boxes):
    for row in boxes:
        x, y = (row[1:3] * len(canvas)).int().tolist()
        canvas[y, x] = 1
    return canvas


def case_boxes_scaled_to_be_counted_and_drawn():
    boxes = torch.tensor([[0.0, 0.2, 0.3], [1.0, 0.1, 0.4]])
    counts = HitCounts(2)
    counts.update(torch.rand(2, 2), boxes)
    return drawn(torch.zeros(8, 8), boxes)


class HitCountsOfCopies:
    def __init__(self, size):
        self.size = size
        self.counts = torch.zeros(3, 2)

    def update(self, found, boxes):
        corners = boxes[:, 1:] * self.size
        for box in found:
            nearest = (corners - box).abs().sum(1).argmin()
            self.counts[nearest, 0] += 1


def case_boxes_scaled_to_be_counted_and_drawn_cured():
    boxes = torch.tensor([[0.0, 0.2, 0.3], [1.0, 0.1, 0.4]])
    counts = HitCountsOfCopies(2)
    counts.update(torch.rand(2, 2), boxes)
    return drawn(torch.zeros(8, 8), boxes)


class _Meter:
    def __init__(self):
        self.total = torch.zeros(())

    def _without_nan(self, values):
        values[values.isnan()] = 0.0  # warning: [IPL305]
        return values.double()

    def note(self, values):
        values = self._without_nan(values)
        self.total += values.sum()


class _Monitor:
    def __init__(self):
        self.meter = _Meter()

    def on_batch(self, values):
        self.meter.note(values)


def case_a_meter_fills_what_it_is_given_by_another_method():
    values, monitor = torch.tensor([1.0, float("nan")]), _Monitor()
    monitor.on_batch(values)
    return monitor.meter.total + values.isnan().sum()


class _MeterOfCopies:
    def __init__(self):
        self.total = torch.zeros(())

    def _filled(self, values):
        return values.nan_to_num().double()

    def note_copy(self, values):
        values = self._filled(values)
        self.total += values.sum()


def case_a_meter_fills_what_it_is_given_by_another_method_cured():
    values, meter = torch.tensor([1.0, float("nan")]), _MeterOfCopies()
    meter.note_copy(values)
    return meter.total + values.isnan().sum()


def advantages_of(steps, log_probs):
    to_go = steps["reward"]
    to_go.sub_(to_go.mean()).div_(to_go.std() + 1e-6)
    loss = -(log_probs * to_go).mean()
    loss.backward()
    return log_probs.grad


def case_an_entry_that_goes_by_a_name_for_data():
    log_probs = torch.ones(3, requires_grad=True)
    return eval("advantages_of")({"reward": torch.arange(3.0)}, log_probs)


def corrupted(tokens):
    labels = tokens.clone()
    tokens[tokens > 2] = 0  # warning: [IPL305]
    return tokens, labels


class _Pretrainer:
    def __init__(self, blocks):
        self.blocks = blocks
        self.total = torch.zeros(())

    def epoch_of_blocks(self):
        for start in range(0, 4, 2):
            inputs, labels = corrupted(self.blocks[start : start + 2])
            self.total += labels.sum() - inputs.sum()


def case_a_method_without_result_masks_what_its_object_keeps_for_the_next_time():
    pretrainer = _Pretrainer(torch.arange(4.0))
    pretrainer.epoch_of_blocks()
    pretrainer.epoch_of_blocks()
    return pretrainer.total


def corrupted_copy(tokens):
    inputs = tokens.clone()
    inputs[tokens > 2] = 0
    return inputs, tokens


class _PretrainerOfCopies:
    def __init__(self, blocks):
        self.blocks = blocks
        self.total = torch.zeros(())

    def epoch_of_copies(self):
        for start in range(0, 4, 2):
            inputs, labels = corrupted_copy(self.blocks[start : start + 2])
            self.total += labels.sum() - inputs.sum()


def case_a_method_without_result_masks_what_its_object_keeps_for_the_next_time_cured():
    pretrainer = _PretrainerOfCopies(torch.arange(4.0))
    pretrainer.epoch_of_copies()
    pretrainer.epoch_of_copies()
    return pretrainer.total
