"""Errors in a source file."""

from __future__ import annotations

from inplace_lint.source.place import Site


class SourceError(Exception):
    """A file that cannot be read as Python.

    Args:
        message: what is wrong, for the user.
        site: where.
    """

    def __init__(self, message: str, site: Site) -> None:
        super().__init__(message)
        self.message = message
        self.site = site


class TooLarge(SourceError):
    """A file that holds more than is read.

    Args:
        is_data: it imports nothing, and so computes nothing.
    """

    def __init__(self, message: str, site: Site, is_data: bool = False) -> None:
        super().__init__(message, site)
        self.is_data = is_data
