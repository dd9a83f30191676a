"""Where an entry point has written, and where it had read that memory before: an op saves what it reads."""

from __future__ import annotations

from collections import defaultdict

from inplace_lint.findings.analysis import Place
from inplace_lint.judgement.sharing import places
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.tensor import Storage


def note_reads_before(trace: Trace, known: dict[Site, set[Place]]) -> None:
    """Add what a path shows to what others have shown.

    Args:
        known: by the place of a write, the rows where what it wrote was read before.
    """
    read: defaultdict[Storage, set[Place]] = defaultdict(set)
    for event in trace.events:
        if isinstance(event, Read):
            read[event.operand.tensor.storage].add((event.site.path, event.site.span.row))
        elif isinstance(event, Write):
            for place in places(event):
                known.setdefault(place, set()).update(read[event.storage])
