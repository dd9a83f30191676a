"""What can go wrong with the user's own code."""

from __future__ import annotations


class TargetError(Exception):
    """A target that cannot be loaded, built or run; the message is for the user, with the way out."""
