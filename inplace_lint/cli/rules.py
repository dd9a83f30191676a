"""`inplace-lint rule CODE` and `inplace-lint rules`."""

from __future__ import annotations

import json
from typing import Any

import click

from inplace_lint.cli.options import codes
from inplace_lint.cli.printing import fitted, for_reading
from inplace_lint.project import config as configuration

_as = click.option("--output-format", type=click.Choice(["full", "json"]), default="full", help="Output format.")


@click.command()
@click.argument("code", required=False, shell_complete=codes)
@click.option("--all", "every", is_flag=True, help="Explain all rules.")
@_as
def rule(code: str | None, every: bool, output_format: str) -> None:
    """Explain a rule: what it finds, why it matters, and the cure."""
    from inplace_lint.findings.registry import registry

    if (code is None) != every:
        raise click.UsageError("name a rule, or give --all")
    chosen = [*registry()] if code is None else [configuration.code_of(code)]
    if output_format == "json":
        rows = [{**_row(each), "documentation": registry()[each].documentation} for each in chosen]
        click.echo(json.dumps(rows if every else rows[0], indent=2))
        return
    click.echo("\n\n".join(map(_explained, chosen)))


def _explained(code: str) -> str:
    from inplace_lint.findings.registry import registry

    entry = registry()[code]
    title = click.style(f"{entry.rule.code} {entry.rule.name}", bold=True)
    return f"{title}\n\n{for_reading(entry.documentation)}"


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
        row_of_table = f"{row['code']}  {row['name']:<{width}}  {row['summary']}{note}"
        first, *rest = fitted(row_of_table, hanging=len(row["code"]) + width + 4)
        code = click.style(row["code"], bold=True)
        click.echo("\n".join([code + first.removeprefix(row["code"]), *rest]))


def _row(code: str) -> dict[str, Any]:
    from inplace_lint.findings.registry import registry

    found = registry()[code].rule
    return {"code": code, "name": found.name, "default": found.default, "summary": found.summary}
