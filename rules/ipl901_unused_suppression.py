"""A comment that suppresses nothing.

The finding that it suppressed is gone. Left in place, it would silently suppress the next one. Comments that are
mistyped, and never did anything, are found by IPL904.

This rule is off unless selected (`extend-select = ["IPL901"]`), as a file may need a comment because of
a caller in another file: select the rule where the whole project is checked. It ignores codes of other
tools, a bare `# noqa`, and codes of rules that are off.

To keep a comment that is unused for the time being, name this rule in it: `# noqa: IPL202, IPL901`.

## Bad

```python
x = torch.sigmoid(x)  # noqa: IPL202
y = torch.relu_(x)  # noqa: E501, IPL302
```

## Good

```python
x = torch.sigmoid(x)
y = torch.relu_(x)  # noqa: E501
```

## Fix

Safe: the fix removes the comment, or just the codes that suppress nothing. A reason that was given stays, as a
comment. No code changes.
"""

from __future__ import annotations

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL901",
    name="unused-suppression",
    summary="suppression comments that suppress nothing",
    default=False,
)
