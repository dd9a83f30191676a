"""A random program while it grows, line by line on live tensors.

So shapes and dtypes need no model of their own: a line that PyTorch rejects for a reason that the
abstract PyTorch does not know (a shape, a missing derivative) is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random
from typing import Any

import torch
from torch_oracle import KINDS, STALE

HEADER = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
NUMBERS = ("2", "0.5", "1.0", "3")
VIEWS = (
    "[0]|[1:]|[:-1]|[:, 0]|[:, 1:]|[...]|[:]|[None]|[::2]|.t()|.transpose(0, 1)|.view(-1)|.view(2, -1)|.reshape(-1)|"
    ".reshape(2, -1)|.flatten()|.unsqueeze(0)|.squeeze()|.narrow(0, 0, 2)|.select(0, 1)|.diagonal()|.detach()|.data|"
    ".contiguous()|.T|.permute(1, 0)|.expand(4, 4, 4)|.expand(4, 4)|.expand(-1, -1)|.view_as({other})|.float()|"
    ".to(torch.float32)|.unfold(0, 2, 1)|.movedim(0, 1)|.swapaxes(0, 1)|.expand_as({other})|"
    ".reshape_as({other})|.ravel()|.unflatten(0, (2, -1))|.real|.mT|.double()|.broadcast_to(4, 4, 4)"
).split("|")
COPIES = (".reshape", ".flatten", ".contiguous", ".ravel", ".unflatten")
TARGETS = "[0]|[1:]|[:-1]|[:, 0]|[:, 1:]|[...]|[:]|[{mask}]|[{index}]|[[0, 1]]|[0, 1]|[None]".split("|")


def foreseen(error: Exception) -> bool:
    """Whether an error is one that the abstract PyTorch knows."""
    # Whether two views overlap depends on their shapes, which the abstract PyTorch hardly knows.
    known = [pattern for kind, pattern in KINDS.items() if kind != "overlap"]
    return any(re.match(pattern, str(error)) for pattern in [*known, STALE])


def overlaps(tensor: torch.Tensor) -> bool:
    """Whether elements surely share memory, as after `expand`."""
    return any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.shape, strict=True))


class Growth:
    """A program while it grows, with the tensors that it has made so far."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lines: list[tuple[str, str]] = []
        self.namespace: dict[str, Any] = {}
        self.made = 0
        self.refused = False
        exec(HEADER, self.namespace)

    def text(self) -> str:
        """The program; neighbours under the same `with` share a block."""
        parts, above = [HEADER], ""
        for mode, line in self.lines:
            if mode and mode != above:
                parts.append(f"with {mode}:\n")
            parts.append(f"    {line}\n" if mode else f"{line}\n")
            above = mode
        return "".join(parts)

    def add(self, line: str, mode: str = "") -> bool:
        """Append a line, unless PyTorch cannot run it."""
        code = f"with {mode}:\n    {line}" if mode else line
        try:
            exec(code, self.namespace)
        except Exception as error:
            if not foreseen(error) or self.random.random() < 0.6:
                return False
            self.refused = True
        self.lines.append((mode, line))
        return True

    def pick(self, choices: Any) -> Any:
        """One of several."""
        return self.random.choice(choices)

    def fresh(self) -> str:
        """A new name."""
        self.made += 1
        return f"v{self.made}"

    def tensors(self, wanted: Callable[[torch.Tensor], bool] = torch.is_floating_point) -> list[str]:
        """Expressions for the tensors at hand, the newest first."""
        found = []
        for name, value in self.namespace.items():
            if not name.startswith("v"):
                continue
            if isinstance(value, torch.Tensor) and wanted(value):
                found.append(name)
            elif isinstance(value, tuple):
                parts = [(f"{name}[{i}]", item) for i, item in enumerate(value) if isinstance(item, torch.Tensor)]
                found += [part for part, item in parts if wanted(item)]
        return found[::-1]

    def tensor(self, wanted: Callable[[torch.Tensor], bool] = torch.is_floating_point) -> str:
        """A tensor at hand, rather a new one."""
        found = self.tensors(wanted)
        return found[min(int(self.random.random() ** 2 * len(found)), len(found) - 1)] if found else "v1"

    def operand(self) -> str:
        """A tensor, a view of one, or a number."""
        kind = self.random.random()
        if kind < 0.15:
            return str(self.pick(NUMBERS))
        return self.viewed() if kind < 0.3 else self.tensor()

    def viewed(self) -> str:
        """A view of a tensor, as an expression."""
        tensor, view = self.tensor(), str(self.pick(VIEWS)).format(other=self.tensor())
        try:
            with torch.no_grad():
                if not eval(tensor + view, self.namespace).numel():
                    return tensor  # Ops on nothing do nothing.
        except Exception:
            return tensor
        value = eval(tensor, self.namespace)
        if view.startswith(COPIES) and not value.is_contiguous() and view not in (".reshape(-1)", ".contiguous()"):
            return tensor
        if view.startswith(COPIES) and value.numel() * value.itemsize < value.untyped_storage().nbytes():
            return tensor  # Whether it copies depends on sizes.
        if view.startswith((".expand", ".broadcast")) and value.dim() > 2:
            return tensor
        if overlaps(value) and view not in ("[0]", "[...]", "[:]", ".unsqueeze(0)"):
            return tensor  # Which parts of an expanded tensor overlap depends on sizes.
        if value.dim() < 2 and view in (".t()", ".T", ".mT", ".flatten()", ".ravel()"):
            return tensor  # These do nothing.
        if view.startswith((".expand", ".broadcast")) and not re.match(r"\.expand\((4, 4, 4|-1, -1)\)", view):
            return f"{tensor}.expand(4, 4, 4)"  # Whether the others really expand depends on sizes.
        return tensor + view

    def fits(self, expression: str, target: str) -> bool:
        """Whether a result has the shape of a tensor at hand: other targets are resized, which is deprecated."""
        try:
            with torch.no_grad():
                return bool(eval(expression, self.namespace).shape == eval(target, self.namespace).shape)
        except Exception:
            return True  # PyTorch refuses this for another reason.

    def target(self) -> str:
        """What is written: a variable, or a view made on the spot."""
        return self.viewed() if self.random.random() < 0.2 else self.tensor()

    def place(self) -> str:
        """A subscript of a tensor."""
        mask = self.tensor(lambda t: t.dtype == torch.bool and t.dim() > 0)
        index = self.tensor(lambda t: t.dtype == torch.int64 and t.dim() > 0)
        tensor = self.tensor(lambda t: t.is_floating_point() and not overlaps(t))
        return tensor + str(self.pick(TARGETS)).format(mask=mask, index=index)
