"""Which calls of a run a finding is about."""

from __future__ import annotations

import os
from collections.abc import Sequence

from inplace_lint.runtime.confirm.calls import Called
from inplace_lint.runtime.confirm.fork import covers, is_about, same_file
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.source.place import Site


def files_of(log: Sequence[Called]) -> list[str]:
    """The files that the calls went through."""
    found = dict.fromkeys(site.path for called in log for site in called.key.sites)
    return [path for path in found if os.path.isfile(path)]


def writes_at(site: Site, log: Sequence[Called]) -> dict[Key, frozenset[int]]:
    """The calls at a place that wrote something, or were refused, and which operands."""
    found: dict[Key, frozenset[int]] = {}
    for called in calls_at(site, [called for called in log if called.written]):
        found[called.key] = found.get(called.key, frozenset()) | called.written
    return found


def calls_at(site: Site, log: Sequence[Called]) -> list[Called]:
    """The calls at a place: the very call; one that begins there; or those that it led to, or holds."""
    for fits in (_is_at, _begins_at, _leads_from, _is_in):
        found = [called for called in log if fits(called.key, site)]
        if found:
            return found
    return []


def _is_at(key: Key, site: Site) -> bool:
    return key.site is not None and key.site.span == site.span and same_file(key.site.path, site.path)


def _begins_at(key: Key, site: Site) -> bool:
    return key.site is not None and is_about(key.site, site)


def _leads_from(key: Key, site: Site) -> bool:
    return any(is_about(each, site) for each in key.stack)


def _is_in(key: Key, site: Site) -> bool:
    return any(covers(site, each) for each in key.sites)
