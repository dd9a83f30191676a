"""`inplace-lint config`: prints the settings in force and the source of each, or explains a key."""

from __future__ import annotations

import json
import os
from typing import Any

import click

from inplace_lint.cli.options import GroupedCommand, configuration_options, fail, selection_options, settings, words
from inplace_lint.cli.printing import for_reading
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.project.config import Config, enabled_in, meanings, selection
from inplace_lint.report.escaping import visible


@click.command(cls=GroupedCommand)
@click.argument("path", default=".", metavar="[PATH|KEY]", shell_complete=words(list(meanings())))
@selection_options
@configuration_options
def config(path: str, **options: Any) -> None:
    """Print the configuration in force for a file or folder (default: `.`).

    The output is an equivalent `inplace-lint.toml`. The name of a key explains the key, if no file or folder has it.
    """
    if path in meanings() and not os.path.lexists(path):
        _explain(path)
        return
    if not os.path.lexists(path):
        fail(f"no such file, folder or key: {path}{did_you_mean(path, meanings())}")
    chosen = settings(options)
    folder = path if os.path.isdir(path) else os.path.dirname(path)
    source = chosen.source(folder)
    click.echo(visible(f"# {path}: {f'configured by {_near(str(source))}' if source else 'no configuration file'}"))
    tables = []
    for key, value, place in chosen.values(folder):
        origin = visible(_near(place) if os.path.isabs(place) else place)
        if value is None:
            click.echo(f"# {key}: {_UNSET[key]}  # {origin}")
        elif key in _TABLES and value:
            rows = [f"{_literal(pattern)} = {_literal(codes)}" for pattern, codes in value]
            tables.append("\n".join([f"[{key}]  # {origin}", *rows]))
        else:
            click.echo(f"{key} = {_toml(key, value)}  # {origin}")
    click.echo("\n".join(["", *_rules(chosen.at(folder), path), *("\n" + table for table in tables)]))


def _explain(key: str) -> None:
    value, meaning = getattr(Config(), key.replace("-", "_")), meanings()[key]
    default = _UNSET[key] if value is None else _toml(key, value)
    told = for_reading(f"{meaning[0].upper()}{meaning[1:]}\n\nDefault: {default}")
    click.echo(f"{click.style(key, bold=True)}\n\n{told}")


def _near(path: str) -> str:
    """The shorter of a path's two spellings."""
    return min(path, os.path.relpath(path), key=len)


_UNSET = {
    "select": "the rules that are on by default",
    "output-format": "github under GitHub Actions, else full",
    "baseline": "none",
    "python": "the active environment, else .venv of the project, else that of inplace-lint",
    "extend": "none",
    "docs-url": "none",
    "required-version": "any",
    "cache-dir": ".inplace_lint_cache beside the configuration file",
}

_TABLES = ("per-file-ignores", "extend-per-file-ignores")


def _toml(key: str, value: object) -> str:
    if key == "models" and isinstance(value, tuple):
        value = [model.path for model in value]
    return "{}" if value == () and key in _TABLES else _literal(value)


def _literal(value: object) -> str:
    """As JSON and TOML both write it."""
    return visible(json.dumps(value, ensure_ascii=False))


def _rules(config: Config, path: str) -> list[str]:
    from inplace_lint.findings.registry import registry

    on = enabled_in(config, path)
    off = registry().keys() - on
    lines = [f"# Rules on: {' '.join(sorted(on))}"]
    if off:
        lines.append(f"# Rules off: {' '.join(sorted(off))}")
    if explicit := sorted(selection(config).explicit & on):
        lines.append(f"# Selected, so that their advice is shown, too: {' '.join(explicit)}")
    return lines
