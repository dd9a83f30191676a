"""Makes the model of a package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from inplace_lint.effort import OutOfEffort
from inplace_lint.interpret.state.program import Program
from inplace_lint.modelling.describe import rows_for
from inplace_lint.modelling.document import spelled
from inplace_lint.modelling.names import Named, public
from inplace_lint.modelling.package import Package
from inplace_lint.modelling.rows import Row, Unsayable
from inplace_lint.pipeline.stack import on_deep_stack
from inplace_lint.project.reading import load
from inplace_lint.source import installed, ir
from inplace_lint.source.lower import lower
from inplace_lint.version import __version__

INFERRED = "inferred"
CHECKED = "run on random tensors"


@dataclass(slots=True)
class Made:
    """The model of a package.

    Args:
        package: the package.
        ops: rows by the names of functions.
        modules: entries by the names of modules.
        left_out: why functions and modules have none, and how often.
        usual: how many do no more than is assumed of any function.
    """

    package: Package
    ops: dict[str, list[Row]] = field(default_factory=dict)
    modules: dict[str, Row] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    usual: int = 0

    def text(self) -> str:
        """The model file."""
        version = f" {self.package.version}" if self.package.version else ""
        header = [
            f"What {self.package.name}{version} does to tensors, as inplace-lint {__version__} reads its source.",
            "Made by `inplace-lint model`. What is not here writes nothing and returns new memory, or is not known.",
        ]
        return spelled(self.ops, self.modules, header)


def model_of(package: Package, within: Sequence[str] = (), watch: Callable[[int, int], None] | None = None) -> Made:
    """Read a package and describe what its public functions and modules do.

    Args:
        within: the modules to describe, with those below them; none for all.
        watch: is told how many are done, and of how many.
    """
    made = Made(package)
    with installed.using((package.folder,)):
        program = Program(load, lower)
        wanted = [named for named in public(package, program) if _is_wanted(named, within)]
        for index, named in enumerate(wanted):
            if watch is not None:
                watch(index, len(wanted))
            _describe(made, program, named)
    return made


def _is_wanted(named: Named, within: Sequence[str]) -> bool:
    return not within or any(f"{name}.".startswith(f"{module}.") for name in named.names for module in within)


def _describe(made: Made, program: Program, named: Named) -> None:
    program.add(named.module.path, load(named.module.path) or "")
    try:
        rows = on_deep_stack(lambda: rows_for(named))
    except Unsayable as error:
        made.left_out[str(error)] += 1
    except (OutOfEffort, RecursionError):
        made.left_out["too many paths"] += 1
    except Exception as error:  # one function that defeats the analysis is not worth all others
        made.left_out[f"{type(error).__name__} in the analysis"] += 1
    else:
        made.usual += not rows
        for name in named.names if rows else ():
            if isinstance(named.definition, ir.ClassDef):
                assert isinstance(rows, dict)
                made.modules[name] = {**rows, "reason": INFERRED}
            else:
                assert isinstance(rows, list)
                made.ops[name] = [{**row, "reason": INFERRED} for row in rows]
    finally:
        program.lasting.clear()
