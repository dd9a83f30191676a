"""How findings speak: names of ops and tensors, assumptions, the way to a write."""

from __future__ import annotations

from collections.abc import Iterable

from inplace_lint.diagnostic import Related, Site


def op_name(op: str) -> str:
    """An op as a user knows it: `sigmoid_`, `nn.ReLU`, `+=`, item assignment."""
    if op == "[]=":
        return "item assignment"
    if op.startswith(("torch.nn.functional.", "torch.nn.init.")):
        return f"`{op.rpartition('.')[2]}`"
    if op.startswith("torch.nn.") and " " not in op:
        return f"`{op.removeprefix('torch.')}`"
    if "." in op and " " in op:
        name, _, rest = op.partition(" ")
        return f"`{name.removeprefix('torch.')}` {rest}"
    return f"`{op.rpartition('.')[2].strip('_') if op.endswith('__') else op.rpartition('.')[2] or op}`"


def quoted(text: str, default: str = "a tensor") -> str:
    """A name in the source, or what stands for it."""
    return f"`{text}`" if text else default


def if_assumed(assumptions: Iterable[str]) -> str:
    """The clause that says what was assumed; empty if nothing was."""
    first = next(iter(assumptions), "")
    return f" if {first}" if first else ""


def called_from(stack: tuple[Site, ...]) -> tuple[Related, ...]:
    """The call that led to a place inside a callee."""
    return (Related("called from here", stack[-1]),) if stack else ()
