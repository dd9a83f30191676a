"""Where an entry point writes, and where it read or made that memory before: ops save what they read or give."""

from __future__ import annotations

from collections import defaultdict

from inplace_lint.findings.analysis import Place
from inplace_lint.judgement.sharing import places
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Read, Write
from inplace_lint.torch_model.graph import written_after
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.tensor import Storage


def note_reads_before(torch: Machine, known: dict[Site, set[Place]]) -> None:
    """Add what a path shows to what others have shown.

    Args:
        known: by the place of a write, the rows where what it wrote was made, and read before.
    """
    read: defaultdict[Storage, set[Place]] = defaultdict(set)
    for event in torch.trace.events:
        if isinstance(event, Read):
            read[event.operand.tensor.storage].add((event.site.path, event.site.span.row))
        elif isinstance(event, Write):
            made = event.storage.site
            rows = read[event.storage] | ({(made.path, made.span.row)} if made is not None else set())
            for place in places(event):
                known.setdefault(place, set()).update(rows)


def note_stale_saves(torch: Machine, known: dict[Site, set[Place]]) -> None:
    """Add where a path has made saves stale, and then handed an object, or a function, to code that is not in view.

    Args:
        known: by the place of a write, the rows where what it wrote was saved before.
    """
    for save in torch.saved:
        refuted = not save.need.certain and torch.refuted.issuperset(save.need.assumptions)
        write = written_after(save) if save.need and not refuted else None
        for place in places(write) if write is not None and write.time < torch.handed_at else ():
            rows = range(save.site.span.row, save.site.span.end_row + 1)
            known.setdefault(place, set()).update((save.site.path, row) for row in rows)
