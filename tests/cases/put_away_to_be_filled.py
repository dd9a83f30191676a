"""Memory that is put into a list or object before anyone has read it, and filled then: it was put there for that."""

import torch


def case_parts_of_a_buffer():
    flat, parts, offset = torch.ones(5) * 2, [], 0
    for gradient in (torch.ones(2), torch.zeros(3)):
        part = flat.narrow(0, offset, gradient.numel())
        parts.append(part)
        part.copy_(gradient)
        offset += gradient.numel()
    return torch.cat(parts)


class Slots:
    def __init__(self, buffer):
        self.buffer, self.slots, self.offset = buffer, {}, 0

    def insert(self, name, values):
        slot = self._allocated(name, values.numel())
        slot.data.copy_(values)
        return slot

    def _allocated(self, name, count):
        slot = self.buffer.narrow(0, self.offset, count)
        self.slots[name] = slot
        self.offset += count
        return slot


def case_slots_that_a_method_gives():
    slots = Slots(torch.ones(5) * 2)
    slots.insert("first", torch.rand(2) * 0)
    slots.insert("second", torch.ones(3))
    return torch.cat(list(slots.slots.values()))


def case_one_frame_for_all():
    frame, frames = torch.ones(3) * 2, []
    for turn in range(3):
        frame.copy_(torch.full((3,), float(turn)))  # warning: [IPL304]
        frames.append(frame)
    return torch.stack(frames)


def case_one_frame_for_all_cured():
    frame, frames = torch.ones(3) * 2, []
    for turn in range(3):
        frame.copy_(torch.full((3,), float(turn)))
        frames.append(frame.clone())
    return torch.stack(frames)


class Recorder:
    def __init__(self):
        self.slot, self.items = torch.zeros(3), []

    def push(self, values):
        slot = self.slot
        self.items.append(slot)
        slot.copy_(values)  # warning: [IPL304]


def case_one_slot_for_all_calls():
    recorder = Recorder()
    for turn in range(3):
        recorder.push(torch.full((3,), float(turn)))
    return torch.stack(recorder.items)


class RecorderOfCopies:
    def __init__(self):
        self.slot, self.items = torch.zeros(3), []

    def push(self, values):
        slot = torch.empty_like(self.slot)
        self.items.append(slot)
        slot.copy_(values)


def case_one_slot_for_all_calls_cured():
    recorder = RecorderOfCopies()
    for turn in range(3):
        recorder.push(torch.full((3,), float(turn)))
    return torch.stack(recorder.items)
