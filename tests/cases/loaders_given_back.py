"""Loaders that a function makes and gives back: who gets them takes every item in each epoch."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class ToTensor:
    def __call__(self, image):
        return torch.from_numpy(image).permute(2, 0, 1)


class Normalize:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, tensor):
        tensor.sub_(self.mean)  # warning: [IPL304]
        return tensor


class Digits(Dataset):
    def __init__(self, images, transforms):
        self.images = (images.astype(np.float32) / 255.0)[..., None]
        self.transforms = transforms

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        for transform in self.transforms:
            image = transform(image)
        return image


def build_loader(images):
    return DataLoader(Digits(images, [ToTensor(), Normalize(0.5)]), batch_size=2)


def case_two_epochs():
    loader = build_loader(np.ones((4, 2, 2), np.uint8))
    return [loader.dataset[i].sum() for _ in range(2) for i in range(4)]


class NormalizeOfCopies:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, tensor):
        tensor = tensor.clone()
        tensor.sub_(self.mean)
        return tensor


def build_loader_of_copies(images):
    return DataLoader(Digits(images, [ToTensor(), NormalizeOfCopies(0.5)]), batch_size=2)


def case_two_epochs_cured():
    loader = build_loader_of_copies(np.ones((4, 2, 2), np.uint8))
    return [loader.dataset[i].sum() for _ in range(2) for i in range(4)]


class NormalizeImage:
    def __init__(self, mean):
        self.mean = mean

    def __call__(self, tensor):
        tensor.sub_(self.mean)
        return tensor


class Photos(Dataset):
    """An image is read anew whenever it is asked for."""

    def __init__(self, paths, transform):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        image = np.load(self.paths[index])
        return self.transform(torch.from_numpy(image))


class Files(Dataset):
    def __init__(self, paths, transform):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        return self.transform(torch.load(self.paths[index]))


class Bytes(Dataset):
    """To make floats of them copies them."""

    def __init__(self, images: np.ndarray, transform):
        self.images = images.astype(np.uint8)
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(torch.from_numpy(self.images[index]).float() / 255)


def build_photos(paths):
    return DataLoader(Photos(paths, NormalizeImage(0.5)), batch_size=2)


def build_files(paths):
    return DataLoader(Files(paths, NormalizeImage(0.5)), batch_size=2)


def build_bytes(images):
    return DataLoader(Bytes(images, NormalizeImage(0.5)), batch_size=2), None
