"""Outlines that earlier runs have kept: an installed library is parsed once, and not by every run and process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol

from inplace_lint.screen.outline import Outline
from inplace_lint.screen.packed import packed, unpacked
from inplace_lint.screen.parts import Parts
from inplace_lint.source.installed import folder_of


class Keeper(Protocol):
    """Keeps bytes from run to run; a key tells all that they depend on."""

    def get(self, key: str) -> bytes | None:
        """What was kept; None if nothing is there."""

    def put(self, key: str, data: bytes) -> None:
        """Keep this."""


_in_force: ContextVar[Keeper | None] = ContextVar("outlines", default=None)


@contextmanager
def using(keeper: Keeper | None) -> Iterator[None]:
    """Within `with using(keeper):`, outlines come from there, and are put there."""
    token = _in_force.set(keeper)
    try:
        yield
    finally:
        _in_force.reset(token)


def kept(text: str, path: str) -> tuple[Outline, Parts] | None:
    """The outline and the parts of a file, if they have been kept."""
    keeper = _in_force.get()
    data = keeper.get(_key(text, path)) if keeper is not None else None
    if data is None:
        return None
    try:
        return unpacked(data, path)
    except (ValueError, EOFError, TypeError):  # of another version of Python's `marshal`
        return None


def keep(text: str, outline: Outline, parts: Parts) -> None:
    """Keep the outline and the parts of a file."""
    if (keeper := _in_force.get()) is not None:
        keeper.put(_key(text, outline.path), packed(outline, parts))


def _key(text: str, path: str) -> str:
    """What an outline is made of: of a package's own file, one that is installed says more (see `outline`)."""
    lazily = path.endswith("__init__.py") and bool(folder_of(path))
    return f"{lazily}\0{text}"
