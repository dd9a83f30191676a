"""A comment that was meant to suppress a finding, and is mistyped.

It suppresses nothing, or, as `# noqa IPL202` without its colon, everything. Nothing tells, and the finding comes
back elsewhere, or never. What this rule knows of a comment:

- The word after `inplace-lint:` is `ignore`, `ignore-file` or `skip-file`.
- `ignore-file` is followed by rules in brackets.
- The words in brackets are codes of rules, parts of codes (`IPL2`), or names of rules (`same-expression`); in
  `# noqa`, so are those that begin with `IPL`. Other codes belong to other tools.
- `noqa` is followed by a colon if codes follow.

## Bad

```python
y = x * torch.sigmoid_(x)  # inplace-lint: ignroe[IPL302] the old value is not needed
y = x * torch.sigmoid_(x)  # inplace-lint: ignore[same-expresion] the old value is not needed
y = x * torch.sigmoid_(x)  # noqa IPL302
```

## Good

```python
y = x * torch.sigmoid_(x)  # inplace-lint: ignore[IPL302] the old value is not needed
y = x * torch.sigmoid_(x)  # inplace-lint: ignore[same-expression] the old value is not needed
y = x * torch.sigmoid_(x)  # noqa: IPL302
```

## Fix

Safe: the fix adds the colon, or spells `inplace-lint:` right. No code changes. Which rule or word was meant, the
message only suggests.
"""

from __future__ import annotations

from inplace_lint.rule import Rule

RULE = Rule(
    code="IPL904",
    name="malformed-suppression",
    summary="suppression comments that are mistyped",
)
