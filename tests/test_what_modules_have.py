"""What every module has is what the installed PyTorch gives it."""

import warnings

from torch import nn

from inplace_lint.interpret.torch.module_tree import ATTRIBUTES


def test_attributes_of_every_module() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert {name for name in dir(nn.Module()) if not name.startswith("_")} == ATTRIBUTES
