"""Data sets that keep NumPy arrays, and pass them through functions that perhaps copy."""

import io

import numpy as np
import torch
from torch.utils.data import Dataset


def centred(volume):
    values = np.asarray(volume)
    values -= values.mean()  # warning: [IPL304]
    return values


class Volumes(Dataset):
    def __init__(self, blocks):
        self.blocks = blocks

    def __getitem__(self, i):
        return torch.from_numpy(centred(self.blocks[i][:3]))


def _blocks():
    return [np.random.RandomState(i).rand(4).astype(np.float32) for i in range(2)]


def case_centred_again():
    data = Volumes(_blocks())
    seen = [data[0].sum()]
    return torch.from_numpy(data.blocks[0]) + seen[0]


def centred_copy(volume):
    values = np.array(volume)
    values -= values.mean()
    return values


class CopiedVolumes(Dataset):
    def __init__(self, blocks):
        self.blocks = blocks

    def __getitem__(self, i):
        return torch.from_numpy(centred_copy(self.blocks[i][:3]))


def case_centred_again_cured():
    data = CopiedVolumes(_blocks())
    seen = [data[0].sum()]
    return torch.from_numpy(data.blocks[0]) + seen[0]


def halved(volume):
    values = np.asarray(volume).astype(np.float32, copy=False)
    values *= 0.5  # warning: [IPL304]
    return values


class Typed(Dataset):
    def __init__(self, blocks):
        self.blocks = [np.asarray(block, dtype=np.float32) for block in blocks]

    def __getitem__(self, i):
        return torch.from_numpy(halved(self.blocks[i]))


def case_type_that_it_has():
    data = Typed([[1.0, 2.0], [3.0, 4.0]])
    return data[0] * 1 - data[0]


def halved_copy(volume):
    return np.asarray(volume).astype(np.float32) * 0.5


class TypedCopies(Dataset):
    def __init__(self, blocks):
        self.blocks = [np.asarray(block, dtype=np.float32) for block in blocks]

    def __getitem__(self, i):
        return torch.from_numpy(halved_copy(self.blocks[i]))


def case_type_that_it_has_cured():
    data = TypedCopies([[1.0, 2.0], [3.0, 4.0]])
    return data[0] * 1 - data[0]


def quartered(volume):
    values = np.asarray(volume).astype(np.float64, copy=False)
    values *= 0.25
    return values


class TypedOtherwise(Dataset):
    def __init__(self, blocks):
        self.blocks = [np.asarray(block, dtype=np.float32) for block in blocks]

    def __getitem__(self, i):
        return torch.from_numpy(quartered(self.blocks[i]))


def case_another_type():
    data = TypedOtherwise([[1.0, 2.0], [3.0, 4.0]])
    return data[0] - data[0]


def case_array_of_a_list():
    rows = [[1.0, 2.0], [3.0, 4.0]]
    values = centred_list(rows)
    return torch.from_numpy(values) + torch.tensor(rows)


def centred_list(rows):
    values = np.asarray(rows)
    values -= values.mean()
    return values


class DecodedStore:
    def __init__(self, blobs):
        self.blobs = blobs
        self.decoded = {}

    def read(self, index):
        if index not in self.decoded:
            self.decoded[index] = np.load(io.BytesIO(self.blobs[index]))
        return self.decoded[index]

    def read_a_copy(self, index):
        return self.read(index).copy()


def _blob_of(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


class Lowered:
    def __call__(self, image):
        image = image[1:, 1:]
        image -= 0.5  # warning: [IPL304]
        return image


class DecodedSet:
    def __init__(self, blobs):
        self.store, self.steps = DecodedStore(blobs), [Lowered()]

    def __getitem__(self, index):
        image = self.store.read(index)
        for step in self.steps:
            image = step(image)
        return torch.from_numpy(image.copy())


def case_images_read_from_files():
    data = DecodedSet([_blob_of(np.ones((3, 3)))])
    first = data[0]
    return data[0] - first


class LoweredAside:
    def __call__(self, image):
        image = image[1:, 1:]
        image -= 0.5
        return image


class DecodedCopies:
    def __init__(self, blobs):
        self.store, self.steps = DecodedStore(blobs), [LoweredAside()]

    def __getitem__(self, index):
        image = self.store.read_a_copy(index)
        for step in self.steps:
            image = step(image)
        return torch.from_numpy(image.copy())


def case_images_read_from_files_cured():
    data = DecodedCopies([_blob_of(np.ones((3, 3)))])
    first = data[0]
    return data[0] - first


def shifted(window):
    window -= window.mean()  # warning: [IPL304]
    return window


class Windows(torch.utils.data.Dataset):
    def __init__(self, record):
        self.record = record

    def __len__(self):
        return 3

    def __getitem__(self, at):
        window = np.asarray(self.record[at : at + 2], dtype=np.float32)
        return torch.from_numpy(shifted(window))


def case_windows_of_the_dtype_that_is_asked_for():
    record = np.arange(4).astype(np.float32)
    data = Windows(record)
    return data[0] * 1 - data[1]


class WindowsCured(torch.utils.data.Dataset):
    def __init__(self, record):
        self.record = record

    def __len__(self):
        return 3

    def __getitem__(self, at):
        window = np.asarray(self.record[at : at + 2], dtype=np.float32)
        return torch.from_numpy(window - window.mean())


def case_windows_of_the_dtype_that_is_asked_for_cured():
    record = np.arange(4).astype(np.float32)
    data = WindowsCured(record)
    return data[0] * 1 - data[1]


def shifted_copy(window):
    window -= window.mean()
    return window


class WindowsOfAnotherType(torch.utils.data.Dataset):
    def __init__(self, record):
        self.record = record

    def __len__(self):
        return 3

    def __getitem__(self, at):
        window = np.asarray(self.record[at : at + 2], dtype=np.float64)
        return torch.from_numpy(shifted_copy(window))


def case_windows_of_another_dtype():
    record = np.arange(4).astype(np.float32)
    data = WindowsOfAnotherType(record)
    return data[0] * 1 - data[1]
