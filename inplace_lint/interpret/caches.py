"""Dictionaries by keys that are not known, or by sizes, types and devices: what one call has put there, another finds."""

from __future__ import annotations

from collections.abc import Hashable

from inplace_lint.interpret.run import Run, entry_key, identity
from inplace_lint.interpret.values import Cell, Dict, Key, Value


def likely(run: Run, table: Dict, key: Value) -> Cell | None:
    """The entry that is likely meant: batch after batch, and layer after layer, most tensors are alike.

    On another path it is not there.
    """
    cell = _alike(table, entry_key(key))
    return cell if cell is not None and run.oracle.truth(("in", identity(key), id(table))) else None


def _alike(table: Dict, key: Hashable) -> Cell | None:
    wanted = _asked(key)
    if isinstance(key, Key) and wanted == key:
        return None
    if wanted == key:  # What was put under a key that nobody knows may be what is asked for.
        return next((cell for other, cell in table.items.items() if isinstance(other, Key)), None)
    return next((cell for other, cell in table.items.items() if _asked(other) == wanted), None)


def _asked(key: Hashable) -> Hashable:
    """What a key asks of tensors, whichever these are; any other key is left as it is."""
    if isinstance(key, tuple) and key[:1] == ("tuple",):
        return tuple(map(_asked, key))
    if not isinstance(key, Key) or len(key.parts) < 2:
        return key
    kind, *rest = key.parts
    if kind in ("dtype", "device"):
        return (kind,)
    if kind == "shape":
        return (kind, rest[0], rest[-1] if len(rest) == 4 else ()) if isinstance(rest[0], str) else (kind,)
    if kind == "item" and isinstance(rest[0], Key) and _asked(rest[0]) != rest[0]:
        return (kind, _asked(rest[0]), *rest[1:])
    return key
