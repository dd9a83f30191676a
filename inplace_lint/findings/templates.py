"""Findings that several rules report: a write that PyTorch refuses, a backward pass that raises."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from inplace_lint.findings.cure import (
    Cure,
    clones_of_saved,
    out_of_place,
)
from inplace_lint.findings.diagnostic import Related, Severity
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.wording import called_from, led_to, op_name, quoted
from inplace_lint.judgement.broken_saves import Broken
from inplace_lint.torch_model.events import (
    Refusal,
    RefusedUse,
    Trace,
    Write,
)
from inplace_lint.torch_model.tensor import Save, parameters_in


def _no_cures(_: Write) -> tuple[Cure, ...]:
    return ()


def refused(
    trace: Trace,
    reasons: Mapping[str, str],
    help: str,
    origin: str = "",
    assumed: Severity = "warning",
    cures: Callable[[Write], tuple[Cure, ...]] = _no_cures,
) -> Iterator[Finding]:
    """The writes that PyTorch refuses at once.

    Args:
        trace: what happened.
        reasons: kinds of refusal, and how each completes "`add_` modifies `x`, ...".
        help: the cure.
        origin: what the tensor owes to the place where it became what it is ("viewed here").
        assumed: how severe it is where nobody knows that a tensor requires grad.
        cures: what helps against a write.
    """
    for write in trace.events:
        if not isinstance(write, Write) or write.refusal is None or write.refusal.kind not in reasons:
            continue
        refusal = write.refusal
        what = f"{quoted(write.operand.text)}, {reasons[refusal.kind]}"
        made = (Related(origin, refusal.origin, "bind"),) if origin and refusal.origin else ()
        yield Finding(
            write.place,
            f"{op_name(write.op)} modifies {what}",
            "error" if refusal.certainty == "certain" else assumed,
            made + led_to(write),
            help,
            assumed=refusal.certainty == "assumed",
            assumes=refusal.assumptions[:1],
            parameters=parameters_in(refusal.assumptions),
            cures=cures(write),
        )


def stuck(
    trace: Trace,
    reasons: Mapping[str, str],
    help: str,
    cures: Callable[[Refusal], tuple[Cure, ...]] = lambda _: (),
) -> Iterator[Finding]:
    """Places where PyTorch raises although nothing is written; `reasons` are whole messages."""
    for event in trace.events:
        if isinstance(event, RefusedUse) and event.refusal.kind in reasons:
            refusal = event.refusal
            yield Finding(
                event.site,
                reasons[refusal.kind],
                "error" if refusal.certainty == "certain" else "warning",
                ((Related("made here", refusal.origin, "bind"),) if refusal.origin else ()) + called_from(event.stack),
                help,
                assumed=refusal.certainty == "assumed",
                assumes=refusal.assumptions[:1],
                parameters=parameters_in(refusal.assumptions),
                cures=cures(refusal),
                role="read",
            )


def raises_in_backward(found: Broken, what: str, help: str) -> Finding:
    """A write that backward refuses; `what` completes "`add_` modifies ..."."""
    write, assumed = found.write, found.certainty == "assumed"
    backward = Related("this backward reads it", found.backward.site, "backward")
    read = (backward,) if found.backward.via != "return" else ()
    return Finding(
        found.site,
        f"{op_name(write.op)} modifies {what}",
        "warning" if assumed else "error",
        (*saved_and_led_to(found, _saved), *read),
        help,
        assumed=assumed,
        assumes=found.assumptions[:1] if assumed else (),
        parameters=parameters_in(found.assumptions) if assumed else frozenset(),
        cures=(*out_of_place(write, safe=True, unshared=True), *clones_of_saved(found)),
    )


def saved_and_led_to(found: Broken, told: Callable[[Save], Related]) -> tuple[Related, ...]:
    """The saves that a write breaks and the call that led to it, as executed: a save may be inside the call."""
    stack, saves = found.write.stack, [stale.save for stale in found.saves]
    inside = [bool(stack) and save.stack[: len(stack)] == stack for save in saves]
    return (
        *(told(save) for save, late in zip(saves, inside, strict=True) if not late),
        *led_to(found.write),
        *(told(save) for save, late in zip(saves, inside, strict=True) if late),
    )


def _saved(save: Save) -> Related:
    op = op_name(save.op)
    return Related(f"saved for backward here by {op}", save.site, "save", op=op)
