"""`inplace-lint rule CODE` and `inplace-lint rules`."""

from __future__ import annotations

import json
from typing import Any

import click

from inplace_lint.cli.options import codes
from inplace_lint.project import config as configuration

_as = click.option("--output-format", type=click.Choice(["full", "json"]), default="full", help="Output format.")


@click.command()
@click.argument("code", shell_complete=codes)
@_as
def rule(code: str, output_format: str) -> None:
    """Explain a rule: what it finds, why it matters, and the cure."""
    from inplace_lint.findings.registry import registry

    entry = registry()[configuration.code_of(code)]
    if output_format == "json":
        click.echo(json.dumps({**_row(entry.rule.code), "documentation": entry.documentation}, indent=2))
        return
    title = f"{entry.rule.code} {entry.rule.name}"
    click.echo(click.style(title, bold=True))
    click.echo(f"\n{entry.documentation}")


@click.command()
@_as
def rules(output_format: str) -> None:
    """List all rules."""
    from inplace_lint.findings.registry import registry

    rows = [_row(code) for code in registry()]
    if output_format == "json":
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        note = "" if row["default"] else " (off unless selected)"
        click.echo(f"{click.style(row['code'], bold=True)}  {row['name']:<{width}}  {row['summary']}{note}")


def _row(code: str) -> dict[str, Any]:
    from inplace_lint.findings.registry import registry

    found = registry()[code].rule
    return {"code": code, "name": found.name, "default": found.default, "summary": found.summary}
