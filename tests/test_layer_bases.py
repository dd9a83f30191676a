"""The classes that layers derive from are those of the installed PyTorch, and their arguments, too."""

import inspect

import pytest
import torch
from torch import nn

from inplace_lint.torch_model.layer_bases import LAYER_BASES, derives
from inplace_lint.torch_model.op_table import table

PUBLIC = {
    name: cls
    for name, cls in vars(nn).items()
    if inspect.isclass(cls) and issubclass(cls, nn.Module) and table().module(f"torch.nn.{name}") is not None
}


def _class(name: str) -> type:
    found: object = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    assert isinstance(found, type)
    return found


@pytest.mark.parametrize("name", LAYER_BASES)
def test_arguments(name):
    parameters = inspect.signature(_class(name)).parameters.values()
    given = [each for each in parameters if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    wanted = [(each.name, "<required>" if each.default is each.empty else each.default) for each in given]
    assert list(LAYER_BASES[name].init.items()) == wanted


@pytest.mark.parametrize("name", LAYER_BASES)
def test_parameters(name):
    like = LAYER_BASES[name].like
    owned = table().module(name).parameters
    derived = [each for each in LAYER_BASES[name].derived & PUBLIC.keys() if not each.startswith("Lazy")]
    of_derived = [table().module(f"torch.nn.{each}").parameters for each in derived]
    assert all(set(owned) >= set(each) for each in of_derived) if like else not owned


def test_what_derives():
    classes = {f"torch.nn.{name}": cls for name, cls in PUBLIC.items()} | {name: _class(name) for name in LAYER_BASES}
    for base, wanted in classes.items():
        for name, cls in classes.items():
            if cls is not wanted:
                assert derives(name, base) == issubclass(cls, wanted), (name, base)


def test_every_hidden_class_is_known():
    hidden = {
        f"{base.__module__}.{base.__name__}"
        for cls in PUBLIC.values()
        for base in cls.__mro__[1:]
        if issubclass(base, nn.Module) and base is not nn.Module and base not in vars(nn).values()
    }
    assert hidden - set(LAYER_BASES) == {"torch.nn.modules.batchnorm._LazyNormBase"}
