"""A comment that suppresses nothing.

It may once have silenced a finding that is gone. Left in place, it would silence the next one,
too, unseen. A code that no rule has is found as well: such a comment never did anything.

This rule is off unless selected (`extend-select = ["IPL901"]`), as a file that is checked alone may
need a comment that only a caller in another file makes necessary: switch it on where the whole
project is checked. Only what is surely ours is reported: codes of other tools and a bare `# noqa`
are left alone, and so is the code of a rule that is not switched on.

To keep a comment that is unused for the time being, name this rule in it: `# noqa: IPL202, IPL901`.

## Bad

```python
x = torch.sigmoid(x)  # noqa: IPL202
y = torch.relu_(x)  # noqa: E501, IPL2O2
```

## Good

```python
x = torch.sigmoid(x)
y = torch.relu_(x)  # noqa: E501
```

## Fix

Safe: the comment goes, or just the codes that suppress nothing. No code is changed.
"""

from __future__ import annotations

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL901",
    name="unused-suppression",
    summary="suppression comments that suppress nothing",
    default=False,
)
