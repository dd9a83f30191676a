"""What it costs to check a package again after the body of one function of a file changed, for functions at random.

    python benchmarks/bodies.py PACKAGE FILE [--functions N] [--seed N] [--command PATH]

The package is copied and checked once without a cache. Then each of N functions of FILE (a path in PACKAGE) gets one
more statement, `_changed = 0`, and the package is checked again with the cache of that first run. Prints for each its
CPU seconds as a share of those of the first run, and the median.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import statistics
import tempfile
from pathlib import Path

from measure import machine, measure

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def functions(text: str) -> list[tuple[str, Definition]]:
    """The functions and methods of a file, with their names, without those inside of functions."""
    found: list[tuple[str, Definition]] = []
    for statement in ast.parse(text).body:
        if isinstance(statement, Definition):
            found.append((statement.name, statement))
        elif isinstance(statement, ast.ClassDef):
            methods = (each for each in statement.body if isinstance(each, Definition))
            found += [(f"{statement.name}.{each.name}", each) for each in methods]
    return [(name, each) for name, each in found if each.body[0].lineno > each.lineno]  # not on one line


def with_statement(text: str, function: Definition) -> str:
    """A text with one more statement at the end of the first ones of a function: after its docstring, if it has one."""
    lines = text.split("\n")
    place = function.body[1 if ast.get_docstring(function) is not None and len(function.body) > 1 else 0]
    lines.insert(place.lineno - 1, f"{' ' * place.col_offset}_changed = 0")
    return "\n".join(lines)


def main() -> None:
    """Draw the functions, change them one by one, and print what each change costs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("package", type=Path)
    parser.add_argument("file")
    parser.add_argument("--functions", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--command", default="inplace-lint")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        package, first, cache = (Path(temporary, name) for name in ("package", "first", "cache"))
        shutil.copytree(args.package, package)
        command = [args.command, "check", str(package), "--isolated", "--python", "none", "--exit-zero"]
        print(machine())
        cold = measure([*command, "--cache-dir", str(first)]).cpu
        print(f"cold: {cold:.1f} CPU s", flush=True)
        changed = package / args.file
        text = changed.read_text(encoding="utf-8")
        drawn = random.Random(args.seed).sample(all_of := functions(text), min(args.functions, len(all_of)))
        shares = []
        for name, function in drawn:
            shutil.copytree(first, cache)
            changed.write_text(with_statement(text, function), encoding="utf-8")
            taken = measure([*command, "--cache-dir", str(cache)]).cpu
            changed.write_text(text, encoding="utf-8")
            shutil.rmtree(cache)
            shares.append(taken / cold)
            print(f"{name}: {taken:.1f} CPU s, {shares[-1]:.1%}", flush=True)
        small = sum(share <= 0.1 for share in shares)
        print(f"median {statistics.median(shares):.1%}; a tenth or less: {small} of {len(shares)} (of {len(all_of)})")


if __name__ == "__main__":
    main()
