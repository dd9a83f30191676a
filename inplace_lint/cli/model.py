"""`inplace-lint model`: describes what a library does to tensors, in a file of rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from inplace_lint.cli.options import GroupedCommand, fail, option
from inplace_lint.cli.printing import tell, write

if TYPE_CHECKING:
    from inplace_lint.modelling.make import Made
    from inplace_lint.modelling.package import Package


@click.command(cls=GroupedCommand)
@click.argument("package", metavar="PACKAGE")
@option("Input", "--python", type=click.Path(), metavar="PATH", help="Environment in which the package is installed.")
@option("Input", "--within", multiple=True, metavar="MODULE", help="Describe this module of it, and those below.")
@option(
    "Input",
    "--check",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Run the package on random tensors, and print the rows of FILE that hold.",
)
@option("Output", "-o", "--output", type=click.Path(dir_okay=False), metavar="FILE", help="Write to FILE.")
def model(package: str, python: str | None, within: tuple[str, ...], check: str | None, output: str | None) -> None:
    """Describe what a library does to tensors, for projects that are checked without it.

    PACKAGE is the name by which it is imported, or its folder. Its source is read, and not run. The
    output is a model file, for the key `models` of the configuration, to be read and corrected by hand.
    With --check, the package is imported and run, for which PyTorch must be installed beside inplace-lint.
    """
    found = _package(package, python)
    if check is not None:
        _check(found, check, output)
        return
    from inplace_lint.modelling.make import model_of

    made = model_of(found, within)
    write(made.text(), output)
    _tell(made)


def _check(package: Package, file: str, output: str | None) -> None:
    from inplace_lint.modelling.check import AGREES, NOT_RUN, NoCheckError, checked, verdicts_on
    from inplace_lint.project.models import ModelError, read_model

    try:
        model = read_model(file)
        verdicts = verdicts_on(model, [package.folder])
    except (ModelError, NoCheckError) as error:
        fail(str(error))
    write(checked(model, verdicts), output)
    counts = {verdict: list(verdicts.values()).count(verdict) for verdict in (AGREES, NOT_RUN)}
    wrong = {name: verdict for name, verdict in sorted(verdicts.items()) if verdict not in counts}
    for name, verdict in wrong.items():
        tell(f"dropped: {name}: {verdict}")
    tell(f"{package.name}: {counts[AGREES]} agree, {counts[NOT_RUN]} could not be run, {len(wrong)} dropped")


def _package(name: str, python: str | None) -> Package:
    from inplace_lint.modelling.package import NoPackageError, find
    from inplace_lint.project.environment import NoEnvironmentError, search_path

    try:
        folders: Sequence[str] = search_path(python, os.getcwd())
        return find(name, folders)
    except (NoPackageError, NoEnvironmentError) as error:
        fail(str(error))


def _tell(made: Made) -> None:
    described = len(made.ops) + len(made.modules)
    tell(f"{made.package.name}: {described} names described; {made.usual} write nothing and return new memory")
    for why, count in sorted(made.left_out.items(), key=lambda pair: (-pair[1], pair[0])):
        tell(f"{made.package.name}: {count} left out: {why}")
