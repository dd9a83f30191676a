"""Findings that stand in installed libraries: the user reads them where the program calls the library."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from inplace_lint.findings.diagnostic import Related
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.order import turn, within
from inplace_lint.findings.wording import called_from
from inplace_lint.judgement.broken_saves import Broken, broken
from inplace_lint.judgement.stale_reads import stale_reads
from inplace_lint.source.installed import module_at
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Read, Trace, Write

_HELP = "pass a copy (`.clone()`), or use a form of what is called that does not write in place"


def at_their_calls(findings: Iterable[Finding], trace: Trace, is_installed: Callable[[str], bool]) -> Iterator[Finding]:
    """The findings of a path, those in libraries at the innermost call of the program that led there.

    What goes wrong within one call, from beginning to end, is the library's own business, and is left out unless
    PyTorch raises; what a call changes for the next turn of a loop, in an argument of it, is the user's, and so is what
    one call needs for backward that the next call changes.

    Args:
        is_installed: whether a file belongs to a library.
    """
    calls: dict[Site, Site] | None = None
    apart: set[tuple[Site, Site]] = set()
    for found in findings:
        finding = _within_stub(found, trace.results.stubs)
        if not any(is_installed(site.path) for site in _sites(finding)):
            yield finding
            continue
        if calls is None:
            calls = _calls(trace, is_installed)
            apart = {*_in_turns(trace), *_needed_by_earlier_calls(trace, is_installed)}
        two_calls = any((finding.site, related.site) in apart for related in finding.related)
        if (moved := _moved(finding, calls, is_installed, two_calls)) is not None:
            yield moved


def _within_stub(finding: Finding, stubs: Mapping[Site, str]) -> Finding:
    """A finding; if the source does not show the write, since a library is called there, with that."""
    module = stubs.get(finding.site, "torch")
    if finding.role != "write" or module.partition(".")[0] == "torch":
        return finding
    return replace(finding, message=f"within `{module}`, {finding.message}")


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


def _needed_by_earlier_calls(trace: Trace, is_installed: Callable[[str], bool]) -> Iterator[tuple[Site, Site]]:
    """Where a call of a library writes unseen what backward needs, and where an earlier call saved that."""
    for found in broken(trace, hidden=True):
        depth = _depth_of_call(found.write.stack, is_installed)
        if depth is not None:
            began = found.write.calls[depth]
            yield from ((found.site, stale.save.site) for stale in found.saves if stale.save.time < began)


def _depth_of_call(stack: Sequence[Site], is_installed: Callable[[str], bool]) -> int | None:
    """The place in a stack of the innermost call of the program; None if there is none."""
    return next((at for at in reversed(range(len(stack))) if not is_installed(stack[at].path)), None)


def _sites(finding: Finding) -> Iterator[Site]:
    yield finding.site
    yield from (related.site for related in finding.related)


def _calls(trace: Trace, is_installed: Callable[[str], bool]) -> dict[Site, Site]:
    """For places in libraries, the innermost call of the program that led there: to what broke, before others."""
    calls: dict[Site, Site] = {}

    def note(call: Site | None, *sites: Site) -> None:
        if call is not None:
            calls.update((site, call) for site in sites if is_installed(site.path) and site not in calls)

    for found in (*broken(trace), *broken(trace, hidden=True)):
        save = found.saves[0].save
        note(_call_that_broke(found, is_installed), found.site, found.write.site, found.write.place)
        note(_innermost(save.stack, is_installed), save.site)
    for event in trace.events:
        note(_innermost(event.stack, is_installed), event.site, *((event.place,) if isinstance(event, Write) else ()))
    return calls


def _call_that_broke(found: Broken, is_installed: Callable[[str], bool]) -> Site | None:
    """The innermost call of the program that led to a write; that after the save, if the same call led to both."""
    write, save = found.write, found.saves[0].save
    call = _innermost(write.stack, is_installed)
    if call is not None and call == _innermost(save.stack, is_installed):
        after = (at for at, began in zip(write.stack, write.calls, strict=True) if began > save.time)
        call = next((at for at in after if not is_installed(at.path)), call)
    return call


def _innermost(stack: Sequence[Site], is_installed: Callable[[str], bool]) -> Site | None:
    depth = _depth_of_call(stack, is_installed)
    return stack[depth] if depth is not None else None


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
    finding: Finding, calls: dict[Site, Site], is_installed: Callable[[str], bool], two_calls: bool
) -> Finding | None:
    def outside(site: Site) -> Site | None:
        return _call_of(site, calls) if is_installed(site.path) else site

    call = outside(finding.site)
    if call is None:
        return None
    places = {outside(related.site) for related in finding.related if related.role != "backward"}
    if finding.severity != "error" and places <= {call, None} and not two_calls:
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
