"""A crash of inplace-lint itself, or of a rule, confined to the function that caused it.

Everything else is checked as usual, and the exit status is 2. The message says where findings may be missing: in a
function, for a rule of another package, or in a whole file.

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
