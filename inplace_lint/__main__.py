"""`python -m inplace_lint` is `inplace-lint`."""

# No `from __future__` here, nor anything else that might be imported from the tree that is checked.
import sys

from inplace_lint import search_path

# These run the user's program, in which modules are found as always.
_RUNNING = ("run", "confirm", "memory")


def main() -> None:
    """Run the command line and exit."""
    if not any(word in _RUNNING for word in sys.argv[1:2]):
        search_path.close()
    from inplace_lint.cli import main

    main()


if __name__ == "__main__":
    main()
