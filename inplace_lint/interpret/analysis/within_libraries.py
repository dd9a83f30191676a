"""Findings that stand in installed libraries: the user reads them where the program calls the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from inplace_lint.findings.diagnostic import Related
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.order import turn, within
from inplace_lint.findings.wording import called_from
from inplace_lint.judgement.stale_reads import stale_reads
from inplace_lint.source.installed import module_at
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Read, Trace, Write

_HELP = "pass a copy (`.clone()`), or use a form of what is called that does not write in place"


def at_their_calls(findings: Iterable[Finding], trace: Trace, is_installed: Callable[[str], bool]) -> Iterator[Finding]:
    """The findings of a path, those in libraries at the innermost call of the program that led there.

    What goes wrong within one call, from beginning to end, is the library's own business, and is left out unless
    PyTorch raises; what a call changes for the next turn of a loop, in an argument of it, is the user's.

    Args:
        is_installed: whether a file belongs to a library.
    """
    calls: dict[Site, Site] | None = None
    turns: set[tuple[Site, Site]] = set()
    for finding in findings:
        if not any(is_installed(site.path) for site in _sites(finding)):
            yield finding
            continue
        if calls is None:
            calls, turns = _calls(trace, is_installed), _in_turns(trace)
        read_again = any((finding.site, related.site) in turns for related in finding.related)
        if (moved := _moved(finding, calls, is_installed, read_again)) is not None:
            yield moved


def _in_turns(trace: Trace) -> set[tuple[Site, Site]]:
    """Where arguments are written, and read in a later turn of the loop that calls what has written them."""
    return {
        (found.write.place, found.read.site)
        for found in stale_reads(trace)
        if found.how == "argument" and _is_in_another_turn(found.write, found.read)
    }


def _is_in_another_turn(write: Write, read: Read) -> bool:
    """Whether the way to a read leaves that to a write at one and the same place, where they are two calls."""
    ways = zip(write.stack, write.calls, read.stack, read.calls, strict=False)
    return next((ours == theirs for ours, mine, theirs, other in ways if mine != other), False)


def _sites(finding: Finding) -> Iterator[Site]:
    yield finding.site
    yield from (related.site for related in finding.related)


def _calls(trace: Trace, is_installed: Callable[[str], bool]) -> dict[Site, Site]:
    """For places in libraries, the innermost call of the program that led there."""
    calls: dict[Site, Site] = {}
    for event in trace.events:
        if is_installed(event.site.path):
            call = next((site for site in reversed(event.stack) if not is_installed(site.path)), None)
            if call is not None:
                calls.setdefault(event.site, call)
                if isinstance(event, Write):
                    calls.setdefault(event.place, call)
    return calls


def _call_of(site: Site, calls: dict[Site, Site]) -> Site | None:
    """The call that led to a place, or to a part of it: an op stands around its operands."""
    if site not in calls:
        first, last = (site.span.row, site.span.column), (site.span.end_row, site.span.end_column)
        for inner, call in calls.items():
            span = inner.span
            if inner.path == site.path and first <= (span.row, span.column) and (span.end_row, span.end_column) <= last:
                calls[site] = call
                return call
    return calls.get(site)


def _moved(
    finding: Finding, calls: dict[Site, Site], is_installed: Callable[[str], bool], read_again: bool
) -> Finding | None:
    def outside(site: Site) -> Site | None:
        return _call_of(site, calls) if is_installed(site.path) else site

    call = outside(finding.site)
    if call is None:
        return None
    places = {outside(related.site) for related in finding.related if related.role != "backward"}
    if finding.severity != "error" and places <= {call, None} and not read_again:
        return None
    related = tuple(each for about in finding.related for each in _with_call(about, calls, call))
    if finding.site == call:
        return replace(finding, related=related)
    write = within(Related("writes here", finding.site, "write"))
    message = f"within `{module_at(finding.site.path)}`, {finding.message}"
    return replace(finding, site=call, message=message, related=(write, *related), help=_HELP, cures=(), role="call")


def _with_call(related: Related, calls: dict[Site, Site], call: Site) -> Iterator[Related]:
    """A place of the story; if it is in a library, with the call that led there, unless the finding stands there."""
    led = _call_of(related.site, calls)
    if related.site != call:
        yield within(related) if led == call else related
    if led is not None and led != call:
        yield from (replace(each, order=turn(related) - 1) for each in called_from((led,)))
