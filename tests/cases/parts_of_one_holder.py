"""A part of what a name stands for is written, and taken out by that name again: there is no second name."""

import torch


class Model:
    """Reads its batch under other names."""

    def feed(self, data):
        self.image = data["image"].to(torch.float64)

    def validate(self, loader):
        items = loader.items
        sums = []
        for index in range(len(items)):
            item = items[index]
            item["image"].unsqueeze_(0)
            self.feed(item)
            sums.append(self.image.sum())
        return torch.stack(sums)


class Loader:
    """Has the items."""

    def __init__(self):
        self.items = [{"image": torch.rand(2, 2)} for _ in range(2)]


def case_what_was_prepared_is_handed_on():
    return Model().validate(Loader())
