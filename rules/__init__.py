"""The rules: one module each, discovered by `inplace_lint.rule.registry`."""
