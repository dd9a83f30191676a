"""Functions that `torch.func` differentiates: what they write is judged as in a backward pass of their own.

PyTorch allows no hooks for saved tensors there, so these are no cases.
"""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from inplace_lint import lint_source
from tests.running_stubs import ours

torch = pytest.importorskip("torch")

# The body of a function of two tensors, how it is differentiated, and what is told of.
FUNCTIONS: dict[str, tuple[str, str, list[str]]] = {
    "saved": ("y = torch.exp(x)\ny.mul_(2)\nreturn y.sum()", "grad(f)(x, w)", ["IPL202"]),
    "computed anew": ("y = torch.exp(x)\ny = y.mul(2)\nreturn y.sum()", "grad(f)(x, w)", []),
    "saved for a jacobian": ("y = torch.sigmoid(x)\ny -= 1\nreturn y", "jacrev(f)(x, w)", ["IPL202"]),
    "saved for a hessian": ("y = x.exp()\ny += 1\nreturn y.sum()", "hessian(f)(x, w)", ["IPL202"]),
    "saved, by a method": ("y = x.exp()\ny.add_(1)\nreturn y.sum()", "grad(f)(x, w)", ["IPL202"]),
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
from torch.func import functional_call, grad, grad_and_value, hessian, jacrev{more}

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
    more = ", vmap" if "vmap" in call else ""
    return TEXT.format(body=textwrap.indent(body, "    "), call=call, more=more)


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


# What is differentiated, what happens before its gradient is asked for, and what is told of: PyTorch does not raise.
PULLED: dict[str, tuple[str, str, list[str]]] = {
    "a saved argument": ("vjp(lambda x: x**2, x)", "x.mul_(3)", ["IPL401"]),
    "an argument that nothing saved": ("vjp(lambda x: x * 2, x)", "x.mul_(3)", []),
    "an argument, out of place": ("vjp(lambda x: x**2, x)", "x = x.mul(3)", []),
    "an argument, afterwards": ("vjp(lambda x: x**2, x)", "gradient = pull(one); x.mul_(3)", []),
    "a saved result": ("vjp(torch.exp, x)", "y.mul_(3)", ["IPL401"]),
    "a copy of a saved result": ("vjp(torch.exp, x)", "y = y.clone(); y.mul_(3)", []),
    "a result that nothing saved": ("vjp(lambda x: x * 2, x)", "y.mul_(3)", []),
    "a saved tensor that was not given": ("vjp(lambda x: x * w, x)", "w.mul_(3)", ["IPL401"]),
    "a tensor added that was not given": ("vjp(lambda x: x + w, x)", "w.mul_(3)", []),
    "parameters in a dictionary": ("vjp(lambda p: p['a'] ** 2, {'a': x})", "x.sub_(3)", ["IPL401"]),
    "parameters of a module": (
        "vjp(lambda p: functional_call(net, p, (w,)).tanh(), params)",
        "params['weight'].sub_(1)",
        [],
    ),
    "parameters of a deep module": (
        "vjp(lambda p: functional_call(deep, p, (w,)), many)",
        "many['1.weight'].sub_(1)",
        ["IPL401"],
    ),
    "an argument, linearized": ("linearize(torch.sin, x)", "x.mul_(3)", ["IPL401"]),
    "an argument, linearized, afterwards": ("linearize(torch.sin, x)", "gradient = pull(one); x.mul_(3)", []),
    "a tensor that was not given, linearized": ("linearize(lambda x: x * w, x)", "w.mul_(3)", ["IPL401"]),
    "a tensor added, linearized": ("linearize(lambda x: x + w, x)", "w.mul_(3)", []),
    "the result, linearized": ("linearize(torch.exp, x)", "y.mul_(3)", []),
    "another part of the result": ("vjp(pair, x, has_aux=True)", "more[0].mul_(3)", ["IPL401"]),
}
PULLING = """import torch
from torch import nn
from torch.func import functional_call, linearize, vjp

torch.manual_seed(0)
net, deep = nn.Linear(3, 3), nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
params = {{k: v.detach().clone() for k, v in net.named_parameters()}}
many = {{k: v.detach().clone() for k, v in deep.named_parameters()}}
x, w, one, gradient = torch.rand(3), torch.rand(3), torch.ones(3), None

def pair(x):
    y = x.exp()
    return y * 1, y

y, pull, *more = {call}
{between}
if gradient is None:
    gradient = pull(one)
"""


@pytest.mark.parametrize("name", PULLED)
def test_writes_before_a_gradient_is_pulled_back_are_told_of(name: str) -> None:
    call, between, codes = PULLED[name]
    text = PULLING.format(call=call, between=between)
    assert [each.code for each in lint_source(text, "f.py")] == codes


def _gradients(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    inner = value.values() if isinstance(value, dict) else value
    return [tensor for each in inner for tensor in _gradients(each)]


@pytest.mark.parametrize("name", PULLED)
def test_writes_before_a_gradient_is_pulled_back_change_it_where_they_are_told_of(name: str) -> None:
    call, between, codes = PULLED[name]
    found = []
    for line in (between, "pass"):
        names: dict[str, Any] = {}
        exec(compile(PULLING.format(call=call, between=line), "f.py", "exec"), names)
        found.append(_gradients(names["gradient"]))
    same = all(torch.equal(*pair) for pair in zip(*found, strict=True))
    assert same == (not codes)


FUNCTIONS_OF_VJP: dict[str, tuple[str, list[str]]] = {
    "vjp of a saved result": ("y = x.exp(); y.add_(1); return y", ["IPL202"]),
    "vjp of an argument": ("return x.mul_(2)", ["IPL101"]),
    "vjp of what is not given": ("w.add_(1); return x * w", ["IPL501"]),
    "vjp of what nothing saves": ("y = x * 2; y.add_(1); return y", []),
    "jvp of a saved result": ("y = x.exp(); y.add_(1); return y", []),
    "jvp of an argument": ("return x.mul_(2)", []),
    "jvp of what is not given": ("w.add_(1); return x * w", ["IPL501"]),
}


@pytest.mark.parametrize("name", FUNCTIONS_OF_VJP)
def test_what_a_function_writes_is_refused_in_vjp_and_jvp_where_it_is_told_of(name: str) -> None:
    body, codes = FUNCTIONS_OF_VJP[name]
    call = "vjp(f, x)[1](w)" if name.startswith("vjp") else "jvp(f, (x,), (w,))"
    made = "x, w = torch.rand(3), torch.rand(3)"
    text = f"import torch\nfrom torch.func import jvp, vjp\n{made}\ndef f(x):\n    {body}\nresult = {call}\n"
    assert [each.code for each in lint_source(text, "f.py") if each.severity != "info"] == codes
    if codes:
        with pytest.raises(RuntimeError, match=r"in-?place"):
            exec(compile(text, "f.py", "exec"), {})
    else:
        exec(compile(text, "f.py", "exec"), {})


# The body of a function, how it is differentiated, and what is told of; PyTorch raises there.
BY_AUTOGRAD: dict[str, tuple[str, str, list[str]]] = {
    **{
        f"{call}, {kind}": (body, call, codes)
        for call in ("vjp(f, x, one)", "jvp(f, x, one)", "jacobian(f, x)")
        for kind, body, codes in (
            ("saved", "y = x.exp()\ny.add_(1)\nreturn y", ["IPL202"]),
            ("not saved", "y = x * 2\ny.add_(1)\nreturn y", []),
            ("the argument", "return x.mul_(2)", ["IPL101"]),
            ("what is not given", "w.add_(x.detach())\nreturn x * 2", []),
        )
    },
    **{
        f"{call}, {kind}": (body, call, codes)
        for call in ("hessian(f, x)", "vhp(f, x, one)", "hvp(f, x, one)")
        for kind, body, codes in (
            ("saved", "y = x.exp()\ny.add_(1)\nreturn y.sum()", ["IPL202"]),
            ("computed anew", "y = x.exp()\ny = y + 1\nreturn y.sum()", []),
        )
    },
    "forward": (
        "y = x.exp()\ny.add_(1)\nreturn y",
        "jacobian(f, x, strategy='forward-mode', vectorize=True)",
        [],
    ),
}
BY_AUTOGRAD_TEXT = """import torch
from torch.autograd.functional import hessian, hvp, jacobian, jvp, vhp, vjp

x, w, one = torch.rand(3), torch.rand(3), torch.ones(3)

def f(x):
{body}

result = {call}
"""


@pytest.mark.parametrize("name", BY_AUTOGRAD)
def test_what_a_function_of_autograd_functional_writes_is_told_of_where_it_raises(name: str) -> None:
    body, call, codes = BY_AUTOGRAD[name]
    text = BY_AUTOGRAD_TEXT.format(body=textwrap.indent(body, "    "), call=call)
    assert [each.code for each in lint_source(text, "f.py") if each.severity != "info"] == codes
    if codes:
        with pytest.raises(RuntimeError, match=r"in-?place"):
            exec(compile(text, "f.py", "exec"), {})
    else:
        exec(compile(text, "f.py", "exec"), {})


@pytest.mark.parametrize("function", [torch.exp, lambda x: x.view(3), lambda x: x * 2])
def test_vjp_of_autograd_functional_gives_the_same_as_the_program_in_its_place(function: Any) -> None:
    found = []
    for module in (torch.autograd.functional, ours("torch.autograd.functional")):
        x, v = torch.arange(3.0), torch.ones(3)
        out, gradient = module.vjp(function, x, v)
        shared = out.data_ptr() == x.data_ptr(), gradient.data_ptr() == v.data_ptr()
        found.append(([out.tolist(), gradient.tolist()], out.requires_grad, gradient.requires_grad, shared))
    assert found[0] == found[1]
