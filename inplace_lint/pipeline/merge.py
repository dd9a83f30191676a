"""Merges the results of several files: one finding seen from two files, and assumptions that another file settles."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from inplace_lint.findings.analysis import Analysis, Doubt, Place
from inplace_lint.findings.diagnostic import RANK, Diagnostic
from inplace_lint.findings.order import diagnostic_of, with_places
from inplace_lint.source.place import Site


def merge(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """In printing order, one for each code and place: the severest, with the stories of all. Crashes stay apart.

    A write that raises is not also reported for what it silently does, seen from another file.
    """
    alike: dict[tuple[str, Site, str], list[Diagnostic]] = {}
    for each in diagnostics:
        alike.setdefault((each.code, each.site, each.message if each.code == "IPL903" else ""), []).append(each)
    merged = {key: _one_of(some) for key, some in alike.items()}
    raising = {site for (code, site, _), each in merged.items() if each.severity == "error" and code[3:4] in ("1", "2")}
    kept = (each for (code, site, _), each in merged.items() if code[3:4] not in ("3", "4") or site not in raising)
    return sorted(kept, key=lambda diagnostic: diagnostic.sort_key)


def _one_of(alike: Sequence[Diagnostic]) -> Diagnostic:
    """What is told of one place: the severest, with what the others have to say behind its own."""
    ranked = sorted(alike, key=lambda each: -RANK[each.severity])
    help = next((each.help for each in ranked if each.help), None)
    fix = next((each.fix for each in ranked if each.fix), None)
    return replace(with_places(ranked[0], ranked[1:]), help=help, fix=fix)


def settled(
    found: Mapping[str, Iterable[Diagnostic]],
    doubts: Mapping[str, Iterable[Doubt]],
    run: Iterable[Place],
    refuted: Callable[[Collection[Doubt], Collection[Place]], Collection[Doubt]],
) -> set[tuple[str, Site]]:
    """The findings that do not hold: others ran all the functions that they assume something about, or call them so.

    Who shows the finding itself reports it, too: a program without a doubt, anyone else with one of its own.

    Args:
        found: the findings of each file.
        doubts: which of them are doubtful there.
        run: the functions that others have run, programs or who records no gradients.
        refuted: which of the doubtful ones calls in the program refute, besides those of functions that were run.
    """
    ran = frozenset(run)
    doubtful = {path: some for path, each in doubts.items() if (some := _still_found(each, found[path]))}
    calls_refute = refuted([doubt for some in doubtful.values() for doubt in some], ran) if doubtful else ()
    groundless = {
        (path, doubt.code, doubt.site)
        for path, some in doubtful.items()
        for doubt in some
        if (doubt.functions and doubt.functions <= ran) or doubt in calls_refute
    }
    keys = {(code, site) for _, code, site in groundless}
    held = {
        (each.code, each.site)
        for path, some in found.items()
        for each in some
        if (each.code, each.site) in keys and (path, each.code, each.site) not in groundless
    }
    return keys - held


def _still_found(doubts: Iterable[Doubt], found: Iterable[Diagnostic]) -> list[Doubt]:
    """The doubts about findings that no comment or setting suppresses."""
    each = list(doubts)
    keys = {(found.code, found.site) for found in found} if each else set()
    return [doubt for doubt in each if (doubt.code, doubt.site) in keys]


def diagnostics_of(analysis: Analysis) -> list[Diagnostic]:
    """What rules found in one file, each place once."""
    return merge(diagnostic_of(rule, finding) for rule, finding in analysis.findings)
