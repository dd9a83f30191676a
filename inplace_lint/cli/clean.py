"""`inplace-lint clean`: deletes the cache."""

from __future__ import annotations

import os
from typing import Any

import click

from inplace_lint.cli.options import configuration_options, settings
from inplace_lint.report.escaping import escaped


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option(
    "--cache-dir",
    type=click.Path(file_okay=False),
    metavar="DIR",
    show_default=".inplace_lint_cache",
    help="Its folder.",
)
@configuration_options
def clean(paths: tuple[str, ...], **options: Any) -> None:
    """Delete the cache of these paths (default: `.`)."""
    from inplace_lint.project import cache_folder

    config = settings(options).common(paths or (".",))
    folder = cache_folder.folder_for(config)
    try:
        deleted = cache_folder.clean(folder, config.root)
    except OSError as error:
        raise click.UsageError(f"{folder}: cannot be deleted: {error.strerror}") from error
    rest = "; what else is there stays" if os.path.lexists(folder) else ""
    click.echo(escaped(f"deleted the cache in {folder}{rest}" if deleted else f"nothing to delete in {folder}"))
