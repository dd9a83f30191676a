"""Where Python looks for modules: not in the tree that is checked, which may hold modules of any name.

`python -m` and `PYTHONPATH=.` put the working folder before everything else. Code that runs before `close` imports
only modules that Python itself has imported already; so there is no `from __future__` here, which is an
import, too.
"""

import os
import sys


def close() -> None:
    """Take the checked tree out of the search path, for good, and out of that of worker processes."""
    sys.path[:] = outside(sys.path, sys.argv[1:])
    os.environ["PYTHONSAFEPATH"] = "1"


class Closed:
    """Within `with Closed():`, the checked tree is out of the search path."""

    def __enter__(self) -> None:
        self._before = sys.path[:]
        sys.path[:] = outside(sys.path, sys.argv[1:])

    def __exit__(self, *_: object) -> None:
        sys.path[:] = self._before


def outside(path: list[str], words: list[str]) -> list[str]:
    """A search path without what lies in the checked tree, unless that was installed.

    Installed is what comes after the standard library, and the folder that this package is in; what comes before is
    of `python -m` or `PYTHONPATH`.

    Args:
        path: as in `sys.path`.
        words: of the command line. Those that are files or folders are checked, as is the working folder.
    """
    library = os.path.dirname(_real(os.__file__))
    # Each place is there once, so `PYTHONPATH` may have the first of these before the tree, but hardly all.
    archive = f"python{sys.version_info[0]}{sys.version_info[1]}.zip"
    standard = {library, os.path.join(library, "lib-dynload"), os.path.join(os.path.dirname(library), archive)}
    first = max((index for index, place in enumerate(path) if _real(place) in standard), default=1)
    home = os.path.dirname(os.path.dirname(_real(__file__)))
    # Both lie in the checked tree if that is a home with pyenv in it, or everything.
    own = {home, *standard}
    given = [each if os.path.isdir(each) else os.path.dirname(each) or "." for each in words if os.path.exists(each)]
    tree = [os.path.join(real, "") for each in (".", *given) if (real := _real(each))]

    def is_strange(place: str) -> bool:
        real = _real(place)
        return real not in own and any(os.path.join(real, "").startswith(each) for each in tree)

    return [place for index, place in enumerate(path) if index >= first or not is_strange(place)]


def _real(place: str) -> str:
    """Where a path leads; empty if the working folder, to which it is relative, was deleted."""
    try:
        return os.path.realpath(place)
    except OSError:
        return ""
