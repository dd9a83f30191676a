"""Which fixes are offered: those that, applied to the text and judged anew, take their finding away and bring none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from inplace_lint.cure import Cure, Kind
from inplace_lint.diagnostic import Diagnostic, Edit, Fix, Site
from inplace_lint.edit import compatible
from inplace_lint.fixes import copies, functions, grad_mode, out_of_place
from inplace_lint.fixes.tree import Tree
from inplace_lint.torch_model.sharing import Seen

Judge = Callable[[Sequence[Edit]], "tuple[Counter[str], Counter[str]] | None"]
"""Counts the findings by code that some edits may change, without and with them; None if that is no Python."""

# Judging a text takes as long as checking the file did, so that a long one is judged less often.
_MOST_TRIALS, _FEWEST_TRIALS, _MOST_ROWS = 24, 4, 20_000

_Change = Callable[[Tree, Cure], "tuple[Edit, ...] | None"]
_CHANGES: Mapping[Kind, tuple[_Change, str]] = {
    "out-of-place": (out_of_place.use_twin, "Use the out-of-place form"),
    "module-out-of-place": (out_of_place.module_out_of_place, "Construct the module without `inplace=True`"),
    "copy-first": (copies.copy_first, "Write into a copy"),
    "clone": (copies.clone, "Use a copy (`.clone()`)"),
    "clone-source": (copies.clone_source, "Copy the source first (`.clone()`)"),
    "clone-saved-by-function": (copies.clone_for_backward, "Save a copy (`.clone()`)"),
    "clone-state": (copies.clone_state, "Keep copies of the state"),
    "element-each": (copies.element_each, "Make a tensor for each element"),
    "put-back": (copies.put_back, "Assign to the elements"),
    "no-grad": (grad_mode.under_no_grad, "Update under `torch.no_grad()`"),
    "no-grad-for-inference-mode": (grad_mode.not_inference, "Use `no_grad` in place of `inference_mode`"),
    "mark-dirty": (functions.mark_dirty, "Tell autograd of the write (`ctx.mark_dirty`)"),
    "take-result": (functions.take_result, "Take the result instead of `out=`"),
}


@dataclass(frozen=True, slots=True)
class Proposal:
    """A finding, and the cures that its rule knows, best first."""

    diagnostic: Diagnostic
    cures: tuple[Cure, ...]


def offer(text: str, proposals: Sequence[Proposal], shared: Mapping[Site, Seen], judge: Judge) -> list[Diagnostic]:
    """The findings, with a fix where there is one that works.

    Args:
        text: the source, with `\\n` for newlines.
        proposals: findings that lie in it.
        shared: places of writes that more than one name sees, perhaps or surely.
        judge: counts the findings, these and those that are not wanted, without and with a changed text.
    """
    fixes: dict[int, Fix] = {}
    candidates = _all_candidates(text, proposals, shared)
    if any(candidates):
        most = max(_FEWEST_TRIALS, min(_MOST_TRIALS, _MOST_ROWS // (text.count("\n") + 1)))
        trial = _Trial(text, [proposal.diagnostic.code for proposal in proposals], judge, most)
        trial.settle(candidates, [number for number, some in enumerate(candidates) if some], fixes)
    return [replace(each.diagnostic, fix=fixes.get(number)) for number, each in enumerate(proposals)]


def _all_candidates(text: str, proposals: Sequence[Proposal], shared: Mapping[Site, Seen]) -> list[list[Fix]]:
    if not any(proposal.cures for proposal in proposals):
        return []
    try:
        tree = Tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # written for another version of Python
        return []
    return [_candidates(tree, each, proposals, shared) for each in proposals]


def _candidates(
    tree: Tree, proposal: Proposal, proposals: Sequence[Proposal], shared: Mapping[Site, Seen]
) -> list[Fix]:
    """The changes that the text allows; safe ones first."""
    path = proposal.diagnostic.site.path
    fixes: dict[tuple[Edit, ...], Fix] = {}
    for cure in _with_union(proposal.cures):
        elsewhere = any(site.path != path for site in cure.sites)
        seen = {shared.get(site) for site in cure.sites} if cure.unshared else {None}
        if elsewhere or "surely" in seen:
            continue
        if cure.returned and not functions.gives_back(tree, cure):
            continue
        if cure.kind == "no-grad":
            alike = [other for each in proposals for other in each.cures if other.kind == "no-grad"]
            cure = grad_mode.together(tree, cure, alike)
        change, message = _CHANGES[cure.kind]
        edits = change(tree, cure)
        if edits:
            safe = cure.safe and "perhaps" not in seen
            fixes.setdefault(edits, Fix("safe" if safe else "unsafe", message, edits))
    return sorted(fixes.values(), key=lambda fix: fix.applicability)


def _with_union(cures: Sequence[Cure]) -> list[Cure]:
    """Each cure once, and one for all places that some path would have cloned."""
    once = list(dict.fromkeys(cures))
    clones = [cure for cure in once if cure.kind == "clone"]
    sites = dict.fromkeys(site for cure in clones for site in cure.sites)
    return [*once, replace(clones[0], sites=tuple(sites))] if len(clones) > 1 else once


@dataclass(slots=True)
class _Trial:
    """Tries fixes on a text. Only so many times, as each takes a while."""

    text: str
    codes: list[str]
    judge: Judge
    left: int

    def settle(self, candidates: Sequence[Sequence[Fix]], numbers: Sequence[int], chosen: dict[int, Fix]) -> None:
        """Choose a fix for each of the findings: the first ones together if they work, else half by half."""
        edits = self._together(candidates, numbers)
        if edits is not None and self._works(edits, [self.codes[number] for number in numbers]):
            chosen.update((number, candidates[number][0]) for number in numbers)
        elif len(numbers) > 1:
            middle = len(numbers) // 2
            self.settle(candidates, numbers[:middle], chosen)
            self.settle(candidates, numbers[middle:], chosen)
        else:
            self._choose(candidates, numbers[0], chosen)

    def _together(self, candidates: Sequence[Sequence[Fix]], numbers: Sequence[int]) -> list[Edit] | None:
        edits: list[Edit] = []
        for number in numbers:
            new = [edit for edit in candidates[number][0].edits if edit not in edits]
            if not compatible(new, edits):
                return None
            edits += new
        return edits

    def _choose(self, candidates: Sequence[Sequence[Fix]], number: int, chosen: dict[int, Fix]) -> None:
        """The first candidate that works for one finding, or for all that it is a candidate of."""
        for fix in candidates[number]:
            alike = [i for i, others in enumerate(candidates) if any(fix.edits == each.edits for each in others)]
            for group in [[number], alike] if len(alike) > 1 else [alike]:
                if self._works(fix.edits, [self.codes[i] for i in group]):
                    chosen[number] = fix
                    return

    def _works(self, edits: Sequence[Edit], codes: Sequence[str]) -> bool:
        """Whether the edits take findings of these codes away, and bring no other."""
        if self.left == 0:
            return False
        self.left -= 1
        judged = self.judge(edits)
        if judged is None:
            return False
        before, after = judged
        wanted = before - Counter(codes)
        return all(count <= wanted[code] for code, count in after.items())
