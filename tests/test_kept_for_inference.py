"""Tensors that an object keeps for inference: who calls its methods decides whether they may be written."""

import pytest
import torch
from linted import linted

GENERATOR = """
import torch


class Generator:
    def __init__(self, model):
        self.model = model

    SETUP
    def setup(self, size):
        self.ids = torch.zeros(size, dtype=torch.int)

    def first(self):
        self.ids[0] = self.model(self.ids)
        return self.ids[0]

    def collected(self, token):
        ids = self.ids.cpu()
        del self.ids
        return ids, token

    GENERATE
    def generate(self, size):
        self.setup(size)
        return self.collected(self.first())

    def warm(self):
        self.generate(2)
        return self
"""


@pytest.mark.parametrize("decorated", ["GENERATE", "SETUP"])
def test_what_is_called_under_inference_only_may_write(decorated: str) -> None:
    program = GENERATOR.replace(decorated, "@torch.inference_mode()").replace("GENERATE", "").replace("SETUP", "")
    codes = [found.code for found in linted(program.encode(), "program.py")]
    names: dict[str, type] = {}
    exec(program, names)
    generator = names["Generator"](torch.sum)
    if decorated == "GENERATE":
        assert generator.warm() is generator
        assert codes == []
    else:
        with pytest.raises(RuntimeError, match="inference"):
            generator.warm()
        assert codes == ["IPL106"]
