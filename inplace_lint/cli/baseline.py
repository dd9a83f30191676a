"""`inplace-lint baseline`: records the present findings, so that later runs show only new ones."""

from __future__ import annotations

import os
from typing import Any

import click

from inplace_lint.cli.options import GroupedCommand, configuration_options, option, selection_options, settings
from inplace_lint.cli.printing import tell
from inplace_lint.report.escaping import escaped


@click.command(cls=GroupedCommand)
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@selection_options
@option(
    "Baseline",
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(dir_okay=False),
    show_default="inplace-lint-baseline.json",
    help="The file.",
)
@option("Baseline", "--update", is_flag=True, help="Only remove findings that are gone.")
@configuration_options
def baseline(paths: tuple[str, ...], **options: Any) -> None:
    """Write the present findings (default: in `.`) to a baseline file.

    Later runs with `--baseline FILE`, or with `baseline = "FILE"` in the configuration, show only
    new findings. Entries of files outside of PATHS stay.
    """
    from inplace_lint.pipeline.baseline import (
        DEFAULT_NAME,
        Baseline,
        baseline_of,
        beside,
        read_baseline,
        renewed,
        write_baseline,
    )
    from inplace_lint.pipeline.lint_paths import find_all, source_of

    paths = paths or (".",)
    chosen = settings(options)
    config = chosen.common(paths)
    configured = config.baseline
    file = options["output"] or configured or DEFAULT_NAME
    before = read_baseline(file) if options["update"] or os.path.lexists(file) else Baseline({})
    found = find_all(paths, chosen)
    today = baseline_of(found.diagnostics, source_of)
    if options["update"]:
        today = beside(before, found.diagnostics, found.files, source_of, chosen).known
    else:
        today = renewed(before, today, found.files)
    write_baseline(today, file, config.root)
    findings = f"{len(today)} known {'finding' if len(today) == 1 else 'findings'}"
    files = f"{len(today.files)} {'file' if len(today.files) == 1 else 'files'}"
    click.echo(f"{escaped(os.path.relpath(file))}: {findings} in {files} ({len(before)} before)")
    if failed := sorted({each.site.path for each in found.diagnostics if each.code == "IPL903"}):
        tell(f"error: inplace-lint failed on {', '.join(failed)}; findings may be missing")
        raise SystemExit(2)
    if configured is None and not options["output"]:
        click.echo(f'Add `baseline = "{DEFAULT_NAME}"` to the configuration, or run with `--baseline {DEFAULT_NAME}`.')
