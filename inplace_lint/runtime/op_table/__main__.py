"""`python -m inplace_lint.runtime.op_table [--check]`."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path

import inplace_lint.torch_model
from inplace_lint.runtime.op_table.table import generate

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TARGET = Path(inplace_lint.torch_model.__file__).parent / "ops.json"
MANUAL = TARGET.with_name("manual.toml")


def main() -> int:
    """Writes the table, or with `--check` compares it to the file that is there."""
    parser = argparse.ArgumentParser(prog="python -m inplace_lint.runtime.op_table", description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if ops.json is not what would be written")
    parser.add_argument("--loose", action="store_true", help="list saves that were not seen in every run")
    options = parser.parse_args()
    table = generate()
    print(table.coverage())
    print(f"{len(manual_rows())} ops by hand")
    if options.loose:
        print("\n".join(f"{name}: {', '.join(claims)}" for name, claims in sorted(table.loose.items())))
    if not options.check:
        TARGET.write_text(table.text(), "utf-8")
        return 0
    difference = compare(TARGET.read_text("utf-8"), table.text())
    print("\n".join(difference))
    return 1 if difference else 0


def manual_rows() -> list[str]:
    """Names whose rows are written by hand."""
    return sorted(tomllib.loads(MANUAL.read_text("utf-8"))["ops"])


def compare(old: str, new: str) -> list[str]:
    """The lines that differ, each cut to a readable length."""
    lines = difflib.unified_diff(old.splitlines(), new.splitlines(), "ops.json", "installed torch", lineterm="", n=0)
    return [line if len(line) < 400 else line[:400] + "..." for line in lines]


if __name__ == "__main__":
    sys.exit(main())
