"""Habits about kept tensors that a call was given, and handed back among others: who writes them takes them for new."""

from __future__ import annotations

from inplace_lint.judgement.pair import Pair
from inplace_lint.judgement.reason import Reason, suspect
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.operands import Binding

HANDED_BACK = suspect(
    "handed-back",
    "captured",
    "a call put the kept tensor that it was given into a list with its results, and its caller changes it there",
    """
    import torch


    def pyramid(image):
        levels = [image]
        for _ in range(2):
            levels.append(levels[-1].mean(0, keepdim=True))
        return levels


    class Scene:
        def __init__(self):
            self.image = torch.rand(3)

        def without(self, level):
            levels = pyramid(self.image)
            levels[level].mul_(0.5)
            return sum(each.sum() for each in levels)


    scene = Scene()
    drops = [scene.without(level) for level in range(3)]
    """,
)


def judge_handed_back(pair: Pair, way: list[Binding]) -> Reason | None:
    """Whether an element that is written was put there by a call, whose argument it had been: last binding first."""
    depth = len(pair.write.stack)
    elements = [at for at, link in enumerate(way) if link.kind == "element" and link.depth > depth]
    if not HANDED_BACK.on or not elements or pair.read.overwrites:
        return None
    given = next((link for link in way[elements[0] :] if link.kind == "parameter" and link.depth > depth), None)
    return HANDED_BACK if given is not None and _gave_others(pair.write, given) else None


def _gave_others(write: Write, given: Binding) -> bool:
    """Whether the call that was given the tensor has handed back others as well: else it may only wrap it."""
    returned = write.results.returned
    calls = (call for call, memory in returned.items() if call <= given.bound_at and write.storage in memory)
    return len(returned.get(max(calls, default=0), ())) > 1
