"""A crash of inplace-lint itself, kept inside the file that caused it.

The other files are checked as usual, and the exit status is 2. The file is *not* clean: nothing
is known about it.

What to do: report the file, or the smallest part of it that still crashes, together with the
lines under `help:`. Until then, leave it out with `--extend-exclude`.
"""

from __future__ import annotations

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL903",
    name="internal-error",
    summary="files on which inplace-lint itself failed",
)
