"""A file that cannot be read as Python.

A syntax error, an encoding that does not fit, a NUL byte, a folder that may not be entered, a pipe or
a device; or what nobody has written by hand: more than 10 MB of Python, or 600,000 words and signs,
or a notebook of more than 20 MB. Nothing can be said about such a file, so this is said, and the
other files are checked.

What to do: mend the file, name its encoding in the first two lines (`# -*- coding: latin-1 -*-`),
or leave it out with `--extend-exclude`. Python 2 sources and templates with placeholders are the
usual cause. Of a file that is a link, the damaged line is not shown: it may be no source at all.

A `# noqa` does not silence this finding, but `# inplace-lint: skip-file` above the damage does.
"""

from __future__ import annotations

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL902",
    name="unreadable-file",
    summary="files that cannot be read as Python",
)
