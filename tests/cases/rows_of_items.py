"""Transforms that walk over what they are given: its rows are parts of what a data set keeps."""

import torch
from torch.utils.data import Dataset


class Normalize:
    def __init__(self, means, scales):
        self.means, self.scales = means, scales

    def __call__(self, image):
        for channel, mean, scale in zip(image, self.means, self.scales, strict=True):
            channel.sub_(mean).div_(scale)  # warning: [IPL304], [IPL304]
        return image


class NormalizeCopies:
    def __init__(self, means, scales):
        self.means, self.scales = means, scales

    def __call__(self, image):
        for channel, mean, scale in zip(image, self.means, self.scales, strict=True):
            channel.sub_(mean).div_(scale)
        return image


class Images(Dataset):
    def __init__(self, images, transform=None):
        self.images = images
        self.transform = transform

    def __getitem__(self, index):
        image = self.images[index]
        return image if self.transform is None else self.transform(image)


class Copies(Dataset):
    def __init__(self, images, transform=None):
        self.images = images
        self.transform = transform

    def __getitem__(self, index):
        image = self.images[index].clone()
        return image if self.transform is None else self.transform(image)


def normalized(images):
    return Images(images, Normalize((0.5, 0.5), (2.0, 2.0)))


def normalized_copies(images):
    return Copies(images, NormalizeCopies((0.5, 0.5), (2.0, 2.0)))


def case_rows_of_what_is_kept():
    data = normalized(torch.ones(3, 2, 4))
    return [data[0].clone(), data[0].clone()]


def case_rows_of_what_is_kept_cured():
    data = normalized_copies(torch.ones(3, 2, 4))
    return [data[0].clone(), data[0].clone()]


class Scaled:
    """What a source gives anew each time may be changed."""

    def __init__(self, source):
        self.source = source

    def __iter__(self):
        for image in self.source:
            image.div_(255)
            yield image


def case_what_a_source_makes():
    return [image.sum() for image in Scaled(torch.full((2,), 255.0) for _ in range(2))]
