"""The least that a linter must do with all files under a folder: read them, or parse them.

    python benchmarks/floors.py read|parse|parse-all FOLDER

`parse-all` parses on as many processes as there are processors.
"""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path


def read(file: Path) -> None:
    """Read a file."""
    file.read_bytes()


def parse(file: Path) -> None:
    """Read and parse a file, and forget what came out."""
    ast.parse(file.read_bytes())


def main() -> None:
    """Do as the command line says."""
    what, folder = sys.argv[1:]
    files = list(Path(folder).rglob("*.py"))
    if what != "parse-all":
        for file in files:
            (parse if what == "parse" else read)(file)
        return
    from concurrent.futures import ProcessPoolExecutor  # takes time that the others need not

    files.sort(key=lambda file: -file.stat().st_size)  # so that no process begins a large one at the end
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(parse, files, chunksize=4))


if __name__ == "__main__":
    main()
