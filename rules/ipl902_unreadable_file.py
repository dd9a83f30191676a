"""A file that cannot be read as Python.

The cause is a syntax error, a wrong encoding, a NUL byte, a folder without permission, a pipe or
a device; or a size that no hand-written file has: more than 10 MB of Python, or 600,000 tokens,
or a notebook of more than 20 MB. The other files are checked.

What to do: correct the file, name its encoding in the first two lines (`# -*- coding: latin-1 -*-`),
or leave it out with `--extend-exclude`. Python 2 sources and templates with placeholders are the
usual cause. If the file is a link, the damaged line is not shown: it may be no source at all.

A `# noqa` does not suppress this finding, but `# inplace-lint: skip-file` above the damage does.
"""

from __future__ import annotations

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL902",
    name="unreadable-file",
    summary="files that cannot be read as Python",
)
