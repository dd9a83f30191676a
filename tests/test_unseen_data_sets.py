"""An unseen data set makes its items when it is asked for them; one of the program keeps what it was given."""

import pytest
from linted import linted

UNSEEN = """
from torch.utils.data import DataLoader

from elsewhere import open_rows


class Rows(DataLoader):
    def __init__(self, file):
        self.rows = open_rows(file)
        super().__init__(self.rows, batch_size=None)


def first(batch):
    return batch["first"].squeeze_(0)


class Model:
    def __init__(self, file):
        self.loader = Rows(file)

    def embed(self, project):
        return [project(first(batch)) for batch in self.loader]
"""
OWN = """
import torch
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __getitem__(self, index):
        return {"first": self.rows[index]}


loader = DataLoader(Rows([torch.rand(3), torch.rand(3)]), batch_size=None)
for batch in loader:
    batch["first"].mul_(2)
"""


@pytest.mark.parametrize(("program", "codes"), [(UNSEEN, []), (OWN, ["IPL306"])], ids=["unseen", "own"])
def test_items_are_changed(program: str, codes: list[str]) -> None:
    found = linted(program.encode(), "program.py")
    assert [each.code for each in found if each.severity != "info"] == codes
