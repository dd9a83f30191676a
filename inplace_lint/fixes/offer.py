"""Selects the fixes to offer: those that, applied to the text and checked again, remove their finding and add none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from inplace_lint.findings.cure import Cure, Kind
from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.fixes import copies, functions, grad_mode, out_of_place
from inplace_lint.fixes.choose import choose
from inplace_lint.fixes.excerpt import excerpt
from inplace_lint.fixes.rewrite import Rewrite, edits
from inplace_lint.fixes.tree import Tree
from inplace_lint.fixes.trial import Ground, Trials
from inplace_lint.judgement.sharing import Seen
from inplace_lint.source.place import Site

# Judging a text takes as long as checking the file did, so that a long one is judged less often.
_MOST_TRIALS, _FEWEST_TRIALS, _MOST_ROWS = 24, 4, 20_000
# Each fix is held against the others; who has more findings gets fixes for the rest when the first ones are applied.
_MOST_PROPOSALS = 250

_Change = Callable[[Tree, Cure], "list[Rewrite] | None"]
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


def offer(text: str, proposals: Sequence[Proposal], shared: Mapping[Site, Seen], ground: Ground) -> list[Diagnostic]:
    """The findings, with a fix where there is one that works.

    Args:
        text: the source, with `\n` for newlines.
        proposals: findings that lie in it.
        shared: places of writes that more than one name sees, perhaps or surely.
        ground: tells what would be found in a changed text: these findings, and those that are not wanted.
    """
    candidates = _all_candidates(text, proposals[:_MOST_PROPOSALS], shared, ground)
    keys = [(proposal.diagnostic.code, proposal.diagnostic.site) for proposal in proposals]
    most = max(_FEWEST_TRIALS, min(_MOST_TRIALS, _MOST_ROWS // (text.count("\n") + 1)))
    fixes = choose(candidates, keys, Trials(ground, most))
    return [replace(each.diagnostic, fix=fixes.get(number)) for number, each in enumerate(proposals)]


def _all_candidates(
    text: str, proposals: Sequence[Proposal], shared: Mapping[Site, Seen], ground: Ground
) -> list[list[Fix]]:
    none: list[list[Fix]] = [[] for _ in proposals]
    if not any(proposal.cures for proposal in proposals):
        return none
    try:
        read = excerpt(text, _rows(proposals))
        if not ground.may_read(read, sum(len(each.cures) for each in proposals)):
            return none
        tree = Tree(text, read)
    except (cst.ParserSyntaxError, ValueError, RecursionError, MemoryError):  # libcst cannot read it
        return none
    return [_candidates_or_none(tree, each, proposals, shared) for each in proposals]


def _rows(proposals: Iterable[Proposal]) -> set[int]:
    """Where the cures change the file that the findings are in."""
    return {
        row
        for each in proposals
        for cure in each.cures
        for site in cure.sites
        if site.path == each.diagnostic.site.path
        for row in (site.span.row, site.span.end_row)
    }


def _candidates_or_none(
    tree: Tree, proposal: Proposal, proposals: Sequence[Proposal], shared: Mapping[Site, Seen]
) -> list[Fix]:
    try:
        return _candidates(tree, proposal, proposals, shared)
    except Exception:  # a mistake of ours costs this fix, and not those of others
        return []


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
        changed = edits(tree, change(tree, cure) or ())
        if changed:
            safe = cure.safe and "perhaps" not in seen
            fixes.setdefault(changed, Fix("safe" if safe else "unsafe", message, changed))
    return sorted(fixes.values(), key=lambda fix: fix.applicability)


def _with_union(cures: Sequence[Cure]) -> list[Cure]:
    """Each cure once, and one for all places that some path would have cloned."""
    once = list(dict.fromkeys(cures))
    clones = [cure for cure in once if cure.kind == "clone"]
    sites = dict.fromkeys(site for cure in clones for site in cure.sites)
    return [*once, replace(clones[0], sites=tuple(sites))] if len(clones) > 1 else once
