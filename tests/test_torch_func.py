"""Functions that `torch.func` differentiates: what they write is judged as in a backward pass of their own.

PyTorch allows no hooks for saved tensors there, so these are no cases.
"""

from __future__ import annotations

import textwrap

import pytest

from inplace_lint import lint_source

torch = pytest.importorskip("torch")

# The body of a function of two tensors, how it is differentiated, and what is told of.
FUNCTIONS: dict[str, tuple[str, str, list[str]]] = {
    "saved": ("y = torch.exp(x)\ny.mul_(2)\nreturn y.sum()", "grad(f)(x, w)", ["IPL202"]),
    "computed anew": ("y = torch.exp(x)\ny = y.mul(2)\nreturn y.sum()", "grad(f)(x, w)", []),
    "saved for a jacobian": ("y = torch.sigmoid(x)\ny -= 1\nreturn y", "jacrev(f)(x, w)", ["IPL202"]),
    "saved for a hessian": ("y = x.exp()\ny += 1\nreturn y.sum()", "hessian(f)(x, w)", ["IPL202"]),
    "not saved": ("y = x * 2\ny += 1\nreturn y.pow(2).sum()", "hessian(f)(x, w)", []),
    "the argument": ("return x.mul_(2).sum()", "grad(f)(x, w)", ["IPL101"]),
    "a part of the argument": ("x[0] = 1\nreturn x.sum()", "grad(f)(x, w)", ["IPL102"]),
    "the other argument": ("x.mul_(2)\nreturn (x * w).tanh().sum()", "grad(f, argnums=1)(x, w)", []),
    "saved, by the other": ("y = (x * w).tanh()\ny += 1\nreturn y.sum()", "grad(f, argnums=1)(x, w)", ["IPL202"]),
    "saved, by both": ("y = (x * w).tanh()\ny += 1\nreturn y.sum()", "grad(f, argnums=(0, 1))(x, w)", ["IPL202"]),
    "saved, with more": (
        "y = (x * w).tanh()\na = y.sum()\ny.sub_(1)\nreturn a, y",
        "grad_and_value(f, has_aux=True)(x, w)",
        ["IPL202"],
    ),
    "more is a copy": (
        "y = (x * w).tanh()\na = y.sum()\nk = y.detach().clone()\nk.sub_(1)\nreturn a, k",
        "grad(f, has_aux=True)(x, w)",
        [],
    ),
    "of each sample": ("y = (x * w).tanh()\ny += 1\nreturn y.sum()", "vmap(grad(f))(x, w)", ["IPL202"]),
    "of parameters": (
        "y = functional_call(net, x, (w,)).tanh()\ny += 1\nreturn y.sum()",
        "grad(f)(dict(net.named_parameters()), w)",
        ["IPL202"],
    ),
    "of parameters, right": (
        "y = functional_call(net, x, (w,)).relu_()\nreturn y.sum()",
        "grad(f)(dict(net.named_parameters()), w)",
        [],
    ),
}
TEXT = """import torch
from torch import nn
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev, vmap

net = nn.Linear(3, 3)
x, w = torch.rand(3), torch.rand(3)

def f(x, w):
{body}

{call}
"""


def _text(name: str) -> str:
    body, call, _ = FUNCTIONS[name]
    if call.startswith("vmap"):
        call = call.replace("(x, w)", "(torch.rand(2, 3), torch.rand(2, 3))")
    return TEXT.format(body=textwrap.indent(body, "    "), call=call)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_a_differentiated_function_writes_is_told_of(name: str) -> None:
    told = [each.code for each in lint_source(_text(name), "f.py") if each.severity != "info"]
    assert told == FUNCTIONS[name][2]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_torch_raises_where_a_differentiated_function_is_told_of(name: str) -> None:
    try:
        exec(compile(_text(name), "f.py", "exec"), {})
        raised = False
    except RuntimeError as error:
        raised = "in-place" in str(error) or "inplace" in str(error)
    assert raised == bool(FUNCTIONS[name][2])
