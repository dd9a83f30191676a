"""`inplace-lint confirm`: real PyTorch judges what the linter finds."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import (
    FORMATS,
    GroupedCommand,
    configuration_options,
    option,
    selection_options,
    settings,
)
from inplace_lint.cli.printing import rendered, tell, write, write_page
from inplace_lint.cli.target import loaded, shown, target_options, users_code
from inplace_lint.report.summary import counted

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic
    from inplace_lint.runtime.confirm.judge import Judged


# In formats for programs, all findings stand with their verdicts.
_FOR_PEOPLE = ("full", "concise", "grouped", "html", "markdown")


@click.command(cls=GroupedCommand, epilog=f"Formats: {', '.join(FORMATS)}.")
@click.argument("target")
@click.argument("paths", nargs=-1, metavar="[PATHS]...")
@target_options
@selection_options
@option("Output", "--output-format", metavar="FORMAT", show_default="full", help="Report format.")
@option("Output", "-o", "--output-file", metavar="FILE", type=click.Path(dir_okay=False), help="Write to FILE.")
@option("Output", "--report", metavar="FILE", type=click.Path(dir_okay=False), help="Write a page to look at (HTML).")
@option("Output", "--graph", metavar="FILE", type=click.Path(dir_okay=False), help="Draw the traced graph (SVG).")
@option(
    "Output", "--color", type=click.Choice(["auto", "always", "never"]), default="auto", help="When to use colours."
)
@option("Output", "--not-reached", is_flag=True, help="Show findings in lines that these inputs do not reach, too.")
@option("Output", "-q", "--quiet", is_flag=True, help="Print findings and nothing else.")
@configuration_options
def confirm(target: str, paths: tuple[str, ...], **options: Any) -> None:
    """Run TARGET, and let PyTorch confirm or refute the findings in PATHS (default: the files that it runs).

    TARGET is `package.module:Model`, `file.py:factory`, `timm:resnet18` or `script.py`; inputs come from
    --input, or from a function `example_inputs` beside it. Exit status 1: a finding is confirmed.
    """
    chosen = settings(options)
    config = chosen.common(paths or (".",))

    def lint(files: Sequence[str]) -> Sequence[Diagnostic]:
        from inplace_lint.pipeline.lint_paths import lint_paths

        return lint_paths(paths or tuple(map(shown, files)), chosen, 1).diagnostics

    with users_code():
        from inplace_lint.runtime.confirm.judge import judge

        judged = judge(loaded(target, options), lint)
        if options["graph"]:
            _draw(judged, target, options["graph"])
    format = config.output_format or ("github" if os.environ.get("GITHUB_ACTIONS") == "true" else "full")
    diagnostics = [_shown(diagnostic) for diagnostic in judged.diagnostics]
    elsewhere = [each for each in diagnostics if each.verdict == "not reached"]
    if format in _FOR_PEOPLE and not options["not_reached"]:
        diagnostics = [each for each in diagnostics if each.verdict != "not reached"]
    write(rendered(diagnostics, format, options), options["output_file"])
    how = "traced with torch.fx" if judged.graph else f"run as it is, not traced: {judged.reason}"
    notes = (f"{target}: {how}", *judged.notes)
    if len(diagnostics) < len(judged.diagnostics):
        count = counted(len(elsewhere), "finding")
        notes += (f"{count} in lines that these inputs do not reach; --not-reached shows them",)
    if options["report"]:
        write_page(options["report"], diagnostics, f"confirm {target}", notes)
    for note in () if options["quiet"] else notes:
        tell(f"note: {note}")
    sys.exit(int(judged.confirmed))


def _draw(judged: Judged, target: str, file: str) -> None:
    from inplace_lint.runtime.confirm.draw import draw

    if judged.graph is None:
        tell(f"warning: --graph: nothing to draw, as {target} cannot be traced")
    else:
        write(draw(judged.graph, judged.diagnostics, target), file)


def _shown(diagnostic: Diagnostic) -> Diagnostic:
    """With paths as the user would write them."""
    site = replace(diagnostic.site, path=shown(diagnostic.site.path))
    related = tuple(replace(each, site=replace(each.site, path=shown(each.site.path))) for each in diagnostic.related)
    return replace(diagnostic, site=site, related=related)
