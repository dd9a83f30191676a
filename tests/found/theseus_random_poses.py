"""`SE2.rand` and `SE2.randn` raise with `requires_grad=True`

Both functions make a random tensor with the `requires_grad` that was asked for, and then scale its last column in
place. PyTorch refuses writes to a view of a leaf that requires grad, so the documented argument cannot be used.
"""

import ast
from importlib.util import find_spec
from math import pi
from pathlib import Path
from types import SimpleNamespace

import torch

RELEASE = "theseus-ai==0.1.0"
NEEDS = []
FINDINGS = [
    "theseus/geometry/se2.py:59:9: warning[IPL102] item assignment modifies `x_y_theta`, a view of a leaf that requires grad if `requires_grad` is true",
    "theseus/geometry/se2.py:81:9: warning[IPL102] `*=` modifies `x_y_theta[...]`, a view of a leaf that requires grad if `requires_grad` is true",
]
EFFECT = "raises at the write, always with `requires_grad=True`"
CURE = [
    ("requires_grad=requires_grad)", ")"),
    ("return SE2(x_y_theta=x_y_theta)", "return SE2(x_y_theta=x_y_theta.requires_grad_(requires_grad))"),
]
PRINTS = """
SE2.rand, released: RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.
SE2.rand, cured:    2 poses that require grad: True
SE2.randn, released: RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.
SE2.randn, cured:    2 poses that require grad: True
"""

# The package needs sparse solvers to be imported; the two functions do not.
PLACE = Path(find_spec("theseus").submodule_search_locations[0], "geometry", "se2.py")
FUNCTIONS = [
    node for node in ast.walk(ast.parse(PLACE.read_text("utf-8"))) if getattr(node, "name", "") in ("rand", "randn")
]
for function in FUNCTIONS:
    function.decorator_list = []


def poses(function: ast.stmt, changes: list[tuple[str, str]]) -> str:
    code = "from __future__ import annotations\n" + ast.unparse(function)
    for old, new in changes:
        code = code.replace(old, new)
    namespace = {
        "torch": torch,
        "theseus": SimpleNamespace(constants=SimpleNamespace(PI=pi)),
        "SE2": lambda x_y_theta: x_y_theta,
    }
    exec(code, namespace)
    try:
        made = namespace[function.name](2, requires_grad=True)
    except RuntimeError as error:
        return f"RuntimeError: {error}"
    return f"{made.shape[0]} poses that require grad: {made.requires_grad}"


for function in FUNCTIONS:
    released, cured = poses(function, []), poses(function, CURE)
    print(f"SE2.{function.name}, released: {released}")
    print(f"SE2.{function.name}, cured:    {cured}")
    assert released.startswith("RuntimeError")
    assert cured == "2 poses that require grad: True"
