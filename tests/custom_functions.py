"""Random classes of `torch.autograd.Function`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from structured_programs import Structured


def indented(lines: list[str]) -> list[str]:
    """The lines of a block."""
    return [f"    {line}" for line in lines]


def custom_function(g: Structured) -> None:
    """A class of `torch.autograd.Function`."""
    number = g.number()
    kind = g.pick(("input", "result", "both", "dirty", "attribute", "nothing", "two", "pair", "dirty-saved",
                   "same", "view", "undeclared"))  # fmt: skip
    forward, backward = {
        "input": (["ctx.save_for_backward(x)", "return x.clamp(min=0)"], ["x, = ctx.saved_tensors", "return grad * x"]),
        "result": (["z = x.exp()", "ctx.save_for_backward(z)", "return z"],
                   ["z, = ctx.saved_tensors", "return grad * z"]),
        "both": (["z = x * 2", "ctx.save_for_backward(x, z)", "return z"],
                 ["x, z = ctx.saved_tensors", "return grad * x * z"]),
        "dirty": (["x.mul_(2)", "ctx.mark_dirty(x)", "return x"], ["return grad * 2"]),
        "dirty-saved": (["ctx.mark_dirty(x)", "x.exp_()", "ctx.save_for_backward(x)", "return x"],
                        ["x, = ctx.saved_tensors", "return grad * x"]),
        "attribute": (["ctx.x = x", "return x + 1"], ["return grad * ctx.x"]),
        "nothing": (["return x.abs()"], ["return grad"]),
        "same": (["return x"], ["return grad * 2"]),
        "view": (["return x[:]"], ["return grad * 2"]),
        "undeclared": (["x.mul_(2)", "return x"], ["return grad * 2"]),
        "two": (["ctx.save_for_backward(x, y)", "return x * y"],
                ["x, y = ctx.saved_tensors", "return grad * y, grad * x"]),
        "pair": (["a, b = x * 2, x.sigmoid()", "ctx.save_for_backward(b)", "return a, b"],
                 ["b, = ctx.saved_tensors", "return grad + b * grads"]),
    }[kind]  # fmt: skip
    lines = [f"class C{number}(torch.autograd.Function):", "    @staticmethod"]
    lines += [f"    def forward(ctx, x{', y' if kind == 'two' else ''}):", *indented(indented(forward))]
    lines += ["    @staticmethod", f"    def backward(ctx, grad{', grads' if kind == 'pair' else ''}):"]
    call = f"C{number}.apply({'{x}, {y}' if kind == 'two' else '{x}'})"
    lines += indented(indented(backward))
    g.define(lines, *[f"{call}[{g.pick((0, 1))}]" if kind == "pair" else call] * 3)
