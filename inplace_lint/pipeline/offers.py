"""Findings with the fixes that work, each tried on a draft of the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from inplace_lint.effort import Effort
from inplace_lint.findings.analysis import Analysis
from inplace_lint.findings.cure import Cure
from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.findings.registry import registry
from inplace_lint.pipeline.merge import diagnostics_of
from inplace_lint.project.config import Config, fixable, selection
from inplace_lint.project.reading import Load
from inplace_lint.source.place import Site


def with_fixes(
    kept: Sequence[Diagnostic], analysis: Analysis, text: str, path: str, config: Config, load: Load, effort: Effort
) -> list[Diagnostic]:
    """The findings with the fixes that work: with them, the text has these findings no more, and no other.

    What is left of the effort for the file is there to try them.
    """
    if not any(finding.cures for _, finding in analysis.findings) or effort.exhausted:
        return [*kept]
    from inplace_lint.fixes.offer import Proposal, offer
    from inplace_lint.pipeline.drafts import Draft, Original

    chosen = selection(config)
    rules = {code: entry.rule for code, entry in registry().items()}
    wanted = [rule for code, rule in rules.items() if code in chosen.enabled]
    others = [rule for code, rule in rules.items() if code not in chosen.enabled and rule.default]
    cures: dict[tuple[str, Site], dict[Cure, None]] = {}
    for rule, finding in analysis.findings:
        offered = finding.cures if rule.code in fixable(config) else ()
        cures.setdefault((rule.code, finding.site), {}).update(dict.fromkeys(offered))

    def found(analysis: Analysis) -> list[Diagnostic]:
        return [each for each in diagnostics_of(analysis) if each.severity != "info" or each.code in chosen.explicit]

    original = Original(text, path, analysis, wanted, others, load, found, effort)
    fixed: list[Diagnostic] = []
    for where in files_of(kept):
        known, own = (text, True) if where == path else (load(where) or "", False)
        # Who else calls a function of another file, is not known here.
        proposals = [
            Proposal(each, tuple(cure if own else cure.from_afar() for cure in cures[each.code, each.site]))
            for each in kept
            if each.site.path == where
        ]
        fixed += offer(known, proposals, analysis.shared, Draft(original, where, known))
    return fixed


def files_of(diagnostics: Iterable[Diagnostic]) -> Iterable[str]:
    """The files that findings lie in."""
    return dict.fromkeys(diagnostic.site.path for diagnostic in diagnostics)
