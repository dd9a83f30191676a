"""Applies the fixes of random programs, one by one and together, and lets real PyTorch judge what comes of it.

    python benchmarks/fix_safety.py --seed 1000000 --fixes 2000

Programs are made and judged by `tests/`; the exit status is 1 if a fix fails. `--show 3` prints the programs of the
first three failures.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from fix_oracle import Report, judge_fixes
from fixable_programs import fixable_notebook, fixable_program
from programs import program
from structured_programs import structured_program

# Mostly programs made for this; of each of the others, one in so many.
_OTHERS = ((program, "program.py", 7), (structured_program, "program.py", 5), (fixable_notebook, "notebook.ipynb", 11))


def judged(seed: int, fixes: int) -> Report:
    """Judge programs with seeds from one on, until so many fixes were applied alone."""
    report = Report()
    while report.single.total() < fixes:
        make, path = next(
            ((make, path) for make, path, every in _OTHERS if seed % every == 0), (fixable_program, "program.py")
        )
        failures = len(report.failures)
        judge_fixes(make(Random(seed)), path, report)
        report.failures[failures:] = [(f"seed {seed}: {what}", text) for what, text in report.failures[failures:]]
        seed += 1
    return report


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fixes", type=int, default=2000)
    parser.add_argument("--show", type=int, default=0)
    options = parser.parse_args()
    began = time.perf_counter()
    report = judged(options.seed, options.fixes)
    print(f"programs: {dict(report.programs)}; groups: {dict(report.groups)}; {time.perf_counter() - began:.0f} s")
    for applicability in ("safe", "unsafe"):
        counts = {code: n for (code, kind), n in sorted(report.single.items()) if kind == applicability}
        print(f"{applicability}, applied alone: {sum(counts.values())}: {counts}")
    print(f"failures: {len(report.failures)}")
    for number, (what, text) in enumerate(report.failures):
        print(f"- {what}", *([text] if number < options.show else []), sep="\n")
    sys.exit(bool(report.failures))


if __name__ == "__main__":
    main()
