"""`python -m inplace_lint` is `inplace-lint`."""

from __future__ import annotations

from inplace_lint.cli import main

if __name__ == "__main__":
    main()
