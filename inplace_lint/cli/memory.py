"""`inplace-lint memory`: the memory that in-place operations really save."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from inplace_lint.cli.options import GroupedCommand, fail, option
from inplace_lint.cli.printing import aligned, write
from inplace_lint.cli.target import loaded, target_options, users_code
from inplace_lint.report.escaping import escaped
from inplace_lint.report.places import brief

if TYPE_CHECKING:
    from inplace_lint.runtime.memory.weigh import Run, Saving, Weighed

_HEADINGS = ("in-place op", "writes", "saves at the peak", "saves after forward")


@click.command(cls=GroupedCommand)
@click.argument("target")
@target_options
@option("Target", "--no-grad", is_flag=True, help="Run without gradients and backward.")
@option("Target", "--device", metavar="DEVICE", help="Device to run on (`cuda`); by default that of the model.")
@option("Target", "--advise", is_flag=True, help="Tell what would lower the peak; nothing is traced.")
@option("Output", "--diff", is_flag=True, help="Only show the edits that --advise proposes.")
@option("Output", "--output-format", type=click.Choice(["table", "json"]), default="table", help="Output format.")
@option("Output", "-o", "--output-file", metavar="FILE", type=click.Path(dir_okay=False), help="Write to FILE.")
@option("Output", "--plot", metavar="FILE", type=click.Path(dir_okay=False), help="Draw memory over time (SVG).")
@option("Output", "--report", metavar="FILE", type=click.Path(dir_okay=False), help="Write a page to look at (HTML).")
def memory(target: str, **options: Any) -> None:
    """Measure the in-place operations of TARGET: peak memory with each of them in place, and out of place.

    TARGET is `package.module:Model` or `file.py:factory`; inputs come from --input, or from a
    function `example_inputs` beside it. Live storages count: parameters, inputs, results, gradients
    and saved tensors; a result lives until its last use. With --advise, TARGET is run as it is, with all that is
    advised, and each advice comes with the peak that was measured.
    """
    if options["diff"] and not options["advise"]:
        fail("--diff needs --advise")
    if options["advise"]:
        _advise(target, options)
        return
    with users_code():
        from inplace_lint.runtime.memory.page import memory_page
        from inplace_lint.runtime.memory.plot import plot
        from inplace_lint.runtime.memory.weigh import weigh

        weighed = weigh(loaded(target, options), not options["no_grad"])
        shows = memory_page(weighed, target) if options["report"] else None
        drawn = plot(weighed, f"live memory of {target}") if options["plot"] else None
    as_text = _json if options["output_format"] == "json" else _table
    write(as_text(target, weighed), options["output_file"])
    if drawn is not None:
        write(drawn, options["plot"])
    if shows is not None:
        write(shows, options["report"])


def _advise(target: str, options: dict[str, Any]) -> None:
    if options["plot"] or options["report"]:
        fail("--plot and --report are not for --advise")
    with users_code():
        from inplace_lint.cli.advice import as_diff, as_json, as_text
        from inplace_lint.runtime.memory.advise.advise import advise

        advice = advise(loaded(target, options), not options["no_grad"])
    as_asked = as_json if options["output_format"] == "json" else as_text
    write((as_diff if options["diff"] else as_asked)(target, advice), options["output_file"])


def _table(target: str, weighed: Weighed) -> str:
    from inplace_lint.runtime.memory.units import spelled

    runs = {"in place": weighed.original, "out of place": weighed.out_of_place}
    out = [f"{escaped(target)}:"]
    for name, run in runs.items():
        gpu = f", allocated on the GPU {spelled(run.allocated)}" if run.allocated is not None else ""
        out.append(f"  {name:<12}  peak {spelled(run.peak):>10}, after forward {spelled(run.kept):>10}{gpu}")
    if not weighed.savings:
        return "\n".join([*out, "No in-place operations."])
    return "\n".join([*out, "", *aligned([_HEADINGS, *(_row(saving) for saving in weighed.savings)])])


def _row(saving: Saving) -> tuple[str, ...]:
    from inplace_lint.runtime.memory.units import spelled

    where = escaped(f"{brief(saving.site.path)}:{saving.site.span.row}") if saving.site else "?"
    times = f" ({saving.times} times)" if saving.times > 1 else ""
    return (
        f"{where} {saving.op}{times}",
        spelled(saving.size),
        spelled(saving.at_peak) if saving.at_peak else "nothing",
        spelled(saving.after_forward) if saving.after_forward else "nothing",
    )


def _json(target: str, weighed: Weighed) -> str:
    made = {"in_place": _run(weighed.original), "out_of_place": _run(weighed.out_of_place)}
    return json.dumps({"target": target, **made, "ops": [_saving(saving) for saving in weighed.savings]}, indent=2)


def _run(run: Run) -> dict[str, Any]:
    gpu = {"allocated_peak": run.allocated} if run.allocated is not None else {}
    return {"peak": run.peak, "after_forward": run.kept, **gpu, "timeline": list(run.timeline)}


def _saving(saving: Saving) -> dict[str, Any]:
    site = saving.site
    return {
        "filename": site.path if site else None,
        "row": site.span.row if site else None,
        "op": saving.op,
        "times": saving.times,
        "size": saving.size,
        "saved_at_peak": saving.at_peak,
        "saved_after_forward": saving.after_forward,
    }
