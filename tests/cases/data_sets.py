"""What a data set gives is its own: the next who asks for the item gets what was written to it."""

import copy

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Boxes(Dataset):
    def __init__(self):
        self.images = torch.ones(4, 3)
        self.targets = []
        for i in range(4):
            self.targets.append({"boxes": torch.tensor([[1.0, 1.0, 3.0, 4.0]]) + i})

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, index):
        return self.images[index], self.targets[index]

    def shift(self):
        for target in self.targets:
            target["boxes"].add_(1)


def _as_sizes(data):
    found = []
    for i in range(len(data)):
        _, target = data[i]
        boxes = target["boxes"]
        boxes[:, 2:] -= boxes[:, :2]  # warning: [IPL306]
        found.append(boxes.tolist())
    return found


def _as_sizes_of_copies(data):
    found = []
    for i in range(len(data)):
        _, target = data[i]
        boxes = target["boxes"].clone()
        boxes[:, 2:] -= boxes[:, :2]
        found.append(boxes.tolist())
    return found


def case_boxes_converted_in_each_epoch():
    loader = DataLoader(Boxes(), batch_size=2)
    seen = []
    for _ in range(2):
        seen.append(torch.cat([loader.dataset[i][1]["boxes"] for i in range(4)]))
        _as_sizes(loader.dataset)
    return torch.stack([boxes.sum() for boxes in seen])


def case_boxes_converted_in_each_epoch_cured():
    loader = DataLoader(Boxes(), batch_size=2)
    seen = []
    for _ in range(2):
        seen.append(torch.cat([loader.dataset[i][1]["boxes"] for i in range(4)]))
        _as_sizes_of_copies(loader.dataset)
    return torch.stack([boxes.sum() for boxes in seen])


def case_the_data_set_changes_itself():
    data = Boxes()
    first = data[0][1]["boxes"].sum()
    data.shift()
    return first, data[0][1]["boxes"].sum()


def case_another_item_is_written():
    data = Boxes()
    image, _ = data[0]
    image.mul_(2)
    other, _ = data[1]
    return other * 1


def case_shallow_copy_as_backup():
    mean = torch.zeros(3)
    backup = copy.copy(mean)
    mean.mul_(0.9).add_(1.0)  # warning: [IPL303]
    return backup * 2


def case_shallow_copy_as_backup_cured():
    mean = torch.zeros(3)
    backup = copy.deepcopy(mean)
    mean.mul_(0.9).add_(1.0)
    return backup * 2


def case_padding_that_repeats_the_edge_saves():
    x = torch.ones(1, 2, 4, 4, requires_grad=True)
    image = x * 1
    padded = F.pad(image, (1, 1, 1, 1), mode="replicate")
    image[:, :, 0] = 0  # error: [IPL201]
    padded.sum().backward()
    return x.grad


def case_padding_with_zeros_does_not():
    x = torch.ones(1, 2, 4, 4, requires_grad=True)
    image = x * 1
    padded = F.pad(image, (1, 1, 1, 1))
    image[:, :, 0] = 0
    padded.sum().backward()
    return x.grad


def case_shrinking_by_area_saves():
    x = torch.ones(1, 2, 4, 4, requires_grad=True)
    image = x * 1
    small = F.interpolate(image, size=(2, 2), mode="area")
    image *= 2  # error: [IPL201]
    small.sum().backward()
    return x.grad


def case_embedding_scales_its_weight():
    weight = nn.Parameter(torch.full((4, 3), 2.0))
    rows = F.embedding(torch.tensor([0, 1]), weight, None, 1.0)
    rows.sum().backward()
    return weight.grad


def case_embedding_scales_what_was_saved():
    weight = nn.Parameter(torch.full((4, 3), 2.0))
    penalty = (weight * weight).sum()
    rows = F.embedding(torch.tensor([0, 1]), weight, max_norm=1.0)  # error: [IPL203]
    (rows.sum() + penalty).backward()
    return weight.grad


class Crops(Dataset):
    def __init__(self, image):
        self.image = image[:3, :3]
        self.noise = np.random.default_rng(0)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self._crop(index, noisy=False), self._crop(index, noisy=True)

    def _crop(self, index, noisy):
        crop = self.image[index : index + 2, :]
        if noisy:
            crop += self.noise.normal(0.0, 1.0, crop.shape)  # warning: [IPL304]
        return torch.tensor(crop)


class CopiedCrops(Dataset):
    def __init__(self, image):
        self.image = image[:3, :3]
        self.noise = np.random.default_rng(0)

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return self._crop(index, noisy=False), self._crop(index, noisy=True)

    def _crop(self, index, noisy):
        crop = self.image[index : index + 2, :].copy()
        if noisy:
            crop = crop + self.noise.normal(0.0, 1.0, crop.shape)
        return torch.tensor(crop)


def case_noise_added_to_a_window_on_an_array():
    data = Crops(np.random.RandomState(1).rand(4, 4))
    return torch.stack([data[0][0], data[0][0]])


def case_noise_added_to_a_window_on_an_array_cured():
    data = CopiedCrops(np.random.RandomState(1).rand(4, 4))
    return torch.stack([data[0][0], data[0][0]])


class Pairs(Dataset):
    """Items of which one is kept, and one is made when somebody asks for it."""

    def __init__(self):
        self.kept = torch.ones(4, 3)

    def __len__(self):
        return 4

    def __getitem__(self, index):
        if index > 3:
            raise IndexError
        return {"kept": self.kept[index], "made": self.kept[index] * 1}


def case_items_as_the_data_set_keeps_them():
    data = Pairs()
    for item in DataLoader(data, batch_size=None):
        item["kept"].mul_(2)  # warning: [IPL306]
    return data.kept


def case_items_as_the_data_set_keeps_them_cured():
    data = Pairs()
    for item in DataLoader(data, batch_size=None):
        item["kept"] = item["kept"] * 2
    return data.kept


def case_items_that_are_made_are_nobodys():
    data = Pairs()
    for item in DataLoader(data, batch_size=None):
        item["made"].mul_(2)
    return data.kept


def case_rows_of_a_tensor_as_items():
    data = torch.ones(4, 3)
    for row in DataLoader(data, batch_size=None):
        row.mul_(2)  # warning: [IPL306]
    return data


def case_rows_of_a_tensor_as_items_cured():
    data = torch.ones(4, 3)
    for row in DataLoader(data, batch_size=None):
        row = row * 2
    return data


def _written(items):
    for item in items:
        item["made"].mul_(2)
    return torch.stack([item["made"] for item in items])


def _first_of(items):
    return {"kept": items[0]["kept"], "made": torch.stack([item["made"] for item in items])}


def case_a_collate_function_writes_what_was_made():
    return list(DataLoader(Pairs(), batch_size=2, collate_fn=_written))


def case_a_collate_function_hands_out_an_item():
    data = Pairs()
    for batch in DataLoader(data, batch_size=2, collate_fn=_first_of):
        batch["made"].mul_(2)
        batch["kept"].mul_(2)  # warning: [IPL306]
    return data.kept


def case_a_collate_function_hands_out_an_item_cured():
    data = Pairs()
    for batch in DataLoader(data, batch_size=2, collate_fn=_first_of):
        batch["made"].mul_(2)
        batch["kept"] = batch["kept"] * 2
    return data.kept


class Singles(DataLoader):
    """A loader that was derived."""

    def __init__(self, data):
        super().__init__(data, batch_size=None)


def case_a_derived_loader():
    data = Pairs()
    for item in Singles(data):
        item["kept"].mul_(2)  # warning: [IPL306]
    return data.kept


def case_a_derived_loader_cured():
    data = Pairs()
    for item in Singles(data):
        item["kept"] = item["kept"] * 2
    return data.kept


def case_batches_are_new():
    data = Pairs()
    for batch in DataLoader(data, batch_size=2):
        batch["kept"].mul_(2)
    return data.kept


class _NormalizedByMethod(Dataset):
    def __init__(self, images):
        self.images = images

    def _normalize(self, image):
        image.sub_(0.5)  # warning: [IPL304]
        return image

    def __getitem__(self, index):
        image = self.images[index]
        return self._normalize(image)


class _NormalizedCopies(Dataset):
    def __init__(self, images):
        self.images = images

    def _normalize(self, image):
        image.sub_(0.5)
        return image

    def __getitem__(self, index):
        image = self.images[index].clone()
        return self._normalize(image)


def case_items_that_a_method_changes():
    data = _NormalizedByMethod(torch.ones(2, 3))
    return [data[0].clone(), data[0].clone()]


def case_items_that_a_method_changes_cured():
    data = _NormalizedCopies(torch.ones(2, 3))
    return [data[0].clone(), data[0].clone()]


class _RelativeBoxes:
    def __call__(self, image, target):
        height, width = image.shape[-2:]
        target["boxes"][:, [0, 2]] /= width  # warning: [IPL304]
        return image, target


class _FlippedBoxes:
    def __call__(self, image, target):
        boxes = target["boxes"]
        return image.flip(-1), {**target, "boxes": torch.stack([1 - boxes[:, 2], boxes[:, 0]], dim=1)}


class _Transformed(Dataset):
    def __init__(self, pages, first=None, second=None):
        self.pages = pages
        self.first, self.second = first, second

    def __getitem__(self, index):
        image, target = self.pages[index]
        if self.first is not None:
            image, target = self.first(image, target)
        return self.second(image, target) if self.second is not None else (image, target)


class _Receipts(_Transformed):
    def __init__(self, pages):
        super().__init__(pages, first=_RelativeBoxes(), second=_FlippedBoxes())


class _RelativeCopies:
    def __call__(self, image, target):
        height, width = image.shape[-2:]
        target = copy.deepcopy(target)
        target["boxes"][:, [0, 2]] /= width
        return image, target


class _CopiedReceipts(_Transformed):
    def __init__(self, pages):
        super().__init__(pages, first=_RelativeCopies(), second=_FlippedBoxes())


def _pages():
    return [(torch.ones(3, 2, 4), {"boxes": torch.tensor([[1.0, 1.0, 3.0, 2.0]])})]


def case_transforms_that_a_derived_data_set_brings():
    data = _Receipts(_pages())
    return [data[0][1]["boxes"], data[0][1]["boxes"]]


def case_transforms_that_a_derived_data_set_brings_cured():
    data = _CopiedReceipts(_pages())
    return [data[0][1]["boxes"], data[0][1]["boxes"]]


class Resampled(Dataset):
    """Whatever is computed of data by what is out of view is data, too."""

    def __init__(self, clips):
        self.clips, self.resample = clips, eval("torch.nn.Identity()")

    def __getitem__(self, i):
        wave = self.resample(self.clips[i]).clone()
        wave -= wave.mean()
        wave /= wave.std()
        return wave

    def __len__(self):
        return len(self.clips)


def case_clips_that_a_layer_out_of_view_resamples():
    return Resampled(torch.eye(3))[1]
