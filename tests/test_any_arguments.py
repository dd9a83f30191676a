"""What is modelled by name is called with any arguments: too few, too many, by keyword, of any kind."""

from __future__ import annotations

import pytest

from inplace_lint import lint_source
from inplace_lint.interpret.library import functions
from inplace_lint.interpret.python import builtins, containers
from inplace_lint.interpret.torch import tensor_methods

ARGUMENTS = (
    "", "x", "x, x", "x, 1, 2, 3", "input=x", "tensor=x, dim=1", "*args", "**keywords", "'text'", "[x], {}",
    "lambda: x, x", "net, 'weight'", "None, other=x",
)  # fmt: skip

NAMES = {
    "library": sorted(functions._HANDLERS),
    "builtins": sorted(builtins._BUILTINS),
    "list": [f"items.{name}" for name in sorted(containers.LIST_METHODS)],
    "dict": [f"mapping.{name}" for name in sorted(containers.DICT_METHODS)],
    "tensor": [f"x.{name}" for name in sorted(tensor_methods._HANDLERS)],
    "module": [f"net.{name}" for name in ("forward", "apply", "to", "register_buffer", "register_forward_hook")],
}

FUNCTION = """
def call_{number}(x, args, keywords):
    items, mapping, net = [x, 1], {{"a": x}}, torch.nn.Linear(3, 3)
    result = {call}
    result.mul_(2)
    return result
"""


@pytest.mark.parametrize("kind", NAMES)
def test_no_call_fails(kind: str) -> None:
    imports = sorted({f"import {name.rpartition('.')[0]}\n" for name in NAMES["library"]})
    for name in NAMES[kind]:
        calls = [f"{name}({arguments})" for arguments in ARGUMENTS]
        functions = (FUNCTION.format(number=number, call=call) for number, call in enumerate(calls))
        found = lint_source("".join([*imports, *functions]))
        assert [each.message for each in found if each.code == "IPL903"] == [], name


def test_an_argument_by_keyword_is_the_one_by_position() -> None:
    program = """
import torch, einops
from torch.utils.checkpoint import checkpoint

def broadcast(x):
    y = torch.sigmoid(x)
    torch.broadcast_to(input=y, size=(3, 4)).detach().mul_(2)
    return y * x

def rearranged(x):
    y = torch.sigmoid(x)
    einops.rearrange(tensor=y, pattern="a b -> b a").mul_(2)
    return y

def computed_again(x):
    y = torch.sigmoid(x)
    z = checkpoint(use_reentrant=False, function=torch.exp, input=y)
    y.mul_(2)
    return z
"""
    by_position = (
        program.replace("input=y, size=", "y, ").replace("tensor=y, pattern=", "y, ")
        .replace("use_reentrant=False, function=torch.exp, input=y", "torch.exp, y, use_reentrant=False")
    )  # fmt: skip
    found, wanted = ([(each.code, each.site.span.row) for each in lint_source(text)] for text in (program, by_position))
    assert found == wanted
    assert len(wanted) >= 3
