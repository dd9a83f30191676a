"""`inplace-lint clean`: away with what is kept between runs."""

from __future__ import annotations

from typing import Any

import click

from inplace_lint.cli.options import configuration_options, settings


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@click.option("--cache-dir", type=click.Path(file_okay=False), metavar="DIR", help="The folder, if it was given.")
@configuration_options
def clean(paths: tuple[str, ...], **options: Any) -> None:
    """Delete the cache that checking these paths (default: `.`) has made."""
    from inplace_lint import cache

    folder = cache.folder_for(settings(options).common(paths or (".",)))
    try:
        deleted = cache.clean(folder)
    except OSError as error:
        raise click.UsageError(f"{folder}: cannot be deleted: {error.strerror}") from error
    click.echo(f"deleted {folder}" if deleted else f"nothing to delete in {folder}")
