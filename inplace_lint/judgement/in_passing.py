"""Habits about objects that are made in passing, without a name, and change what they are made of."""

from __future__ import annotations

from inplace_lint.judgement.pair import Pair, links_of
from inplace_lint.judgement.reason import Reason, silent, suspect

NAMELESS_OBJECT = suspect(
    "nameless-object",
    "argument",
    "an object that is made in passing changes what it was made of, and what its method gives is taken for the result",
    """
    import torch


    class Points:
        def __init__(self, values):
            self.values = values

        def shifted(self, offset):
            self.values[..., 0] += offset
            return self


    points = torch.rand(8, 2)
    for part in points.split(4):
        result = Points(part).shifted(1).values.mean()
    print(points)
    """,
)
NAMELESS_CHANGES = silent(
    "nameless-changes",
    "an object is made in passing only to have a method change what it is made of",
    """
    import torch


    class Painter:
        def __init__(self, canvas):
            self.canvas = canvas

        def line(self, row):
            self.canvas[row] = 1


    canvas = torch.rand(8, 8)
    Painter(canvas).line(3)
    result = canvas * 2
    """,
)


def judge_in_passing(pair: Pair) -> Reason | None:
    """Whether a method of an object without a name changed what that keeps, and whether its caller takes a result."""
    write, began = pair.write, pair.callee()
    way = write.operand.way
    if way is None or began is None or pair.written.kind != "attribute":
        return None
    at = write.calls.index(began)
    if not all(link.kind == "parameter" and link.depth > at for link in links_of(way.binding)):
        return None
    if write.results.is_for_argument(write.stack[at]) or write.gave(at) in ("number", "measure"):
        return NAMELESS_CHANGES if NAMELESS_CHANGES.on else None
    return NAMELESS_OBJECT if NAMELESS_OBJECT.on and pair.covered() else None
