"""Judges fixes as they are applied, one by one and together: by the findings that stay, and by real PyTorch."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import torch
from linted import linted
from torch_oracle import differs, seed

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.fixes.edit import lines_of
from inplace_lint.notebook import is_notebook, program, sources
from inplace_lint.pipeline.apply_fixes import fixed, with_edits
from inplace_lint.project.config import Config

_WITHOUT_FIXES = Config(unfixable=("ALL",))

Place = tuple[str, int | None, int, int]
"""The code of a finding, its cell, and where it begins and ends, in characters of the text before the edits."""


@dataclass(slots=True)
class Report:
    """What came of judging fixes.

    Args:
        programs: how many programs had fixes, and how many of them PyTorch runs to the end.
        single: how many fixes were applied alone, by code and applicability.
        groups: how many groups of fixes were applied as `--fix` does.
        failures: what is wrong, with the program.
    """

    programs: Counter[str] = field(default_factory=Counter)
    single: Counter[tuple[str, str]] = field(default_factory=Counter)
    groups: Counter[str] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Run:
    """What a program leaves, or the error that it ends with."""

    values: dict[str, Any]
    error: str = ""


def judge_fixes(text: str, path: str, report: Report) -> None:
    """Apply every fix that is offered for a program, alone and together, and note what is wrong."""
    found = _lint(text, path)
    offered = [each for each in found if each.fix is not None]
    if not offered:
        return
    before, unbroken = _run(text, path, cloned=False), _run(text, path, cloned=True)
    report.programs["with fixes"] += 1
    report.programs["that run"] += not before.error
    for fix in dict.fromkeys(each.fix for each in offered if each.fix is not None):
        cured = [each for each in offered if each.fix == fix]
        report.single[cured[0].code, fix.applicability] += len(cured)
        new = with_edits(text.encode(), path, fix.edits).decode()
        label = f"{cured[0].code} {fix.applicability} ({fix.message})"
        for wrong in _wrong_findings(text, new, path, fix, found, cured):
            report.failures.append((f"{label}: {wrong}", f"{text}\n# ---- fixed\n{new}"))
        for wrong in _wrong_runs(new, path, before, unbroken, fix.applicability == "safe"):
            report.failures.append((f"{label}: {wrong}", f"{text}\n# ---- fixed\n{new}"))
    for unsafe in (False, True):
        _judge_group(text, path, unsafe, found, before, unbroken, report)


def _judge_group(
    text: str, path: str, unsafe: bool, found: Sequence[Diagnostic], before: _Run, unbroken: _Run, report: Report
) -> None:
    """What `--fix` makes of a program, and whether a second run leaves it alone."""
    if not any(each.fix is not None and (unsafe or each.fix.applicability == "safe") for each in found):
        return
    kind = "all" if unsafe else "safe"
    report.groups[kind] += 1
    new = _fixed(text, path, found, unsafe)
    left = _lint(new, path)
    wrong = list(_wrong_runs(new, path, before, unbroken, safe=not unsafe))
    if len(left) >= len(found):
        wrong.append(f"{len(found)} findings became {len(left)}")
    if new == text:
        wrong.append("nothing is fixed")
    if _fixed(new, path, left, unsafe) != new:
        wrong.append("a second run changes it again")
    report.failures += [(f"{kind} together: {each}", f"{text}\n# ---- fixed\n{new}") for each in wrong]


def _lint(text: str, path: str) -> list[Diagnostic]:
    return list(linted(text.encode(), path))


def _fixed(text: str, path: str, found: Sequence[Diagnostic], unsafe: bool) -> str:
    return fixed(text.encode(), path, found, lambda data: linted(data, path), unsafe).data.decode()


def _wrong_findings(
    old: str, new: str, path: str, fix: Fix, found: Sequence[Diagnostic], cured: Sequence[Diagnostic]
) -> Iterator[str]:
    """What a fix leaves of its findings, and what it adds."""
    before = Counter(_places(old, path, found, fix.edits))
    left = linted(new.encode(), path, _WITHOUT_FIXES)  # only where they are counts, and fixes are most of the work
    after = Counter(_places(new, path, left, fix.edits, old))
    gone = Counter(_places(old, path, cured, fix.edits))
    for place in after - before:
        yield f"adds {place[0]}"
    for place in gone:
        if after[place] > before[place] - gone[place]:
            yield f"leaves {place[0]}"


def _places(
    text: str, path: str, found: Sequence[Diagnostic], edits: Sequence[Edit], old: str | None = None
) -> Iterator[Place]:
    """The places of findings, as places in the text before the edits; what an edit touches is where that begins.

    Args:
        old: the text before the edits, if `text` is what they made of it.
    """
    texts, before = (
        {None: each} if not is_notebook(path) else dict[int | None, str](sources(each))
        for each in (text, old if old is not None else text)
    )
    for each in found:
        cell = each.cell
        stretches = list(_stretches(before[cell], [edit for edit in edits if edit.cell == cell]))
        span, starts = each.site.span, _starts(texts[cell])
        offsets = (starts[span.row - 1] + span.column - 1, starts[span.end_row - 1] + span.end_column - 1)
        first, last = (_moved_back(offset, stretches, old is not None) for offset in offsets)
        yield each.code, cell, first, last


def _stretches(text: str, edits: Sequence[Edit]) -> Iterator[tuple[int, int, int]]:
    """For each edit: where it begins and ends in the text, and how long its content is."""
    starts = _starts(text)
    for edit in sorted(edits, key=lambda edit: edit.span):
        span = edit.span
        yield starts[span.row - 1] + span.column - 1, starts[span.end_row - 1] + span.end_column - 1, len(edit.content)


def _starts(text: str) -> list[int]:
    return [0, *accumulate(map(len, lines_of(text)))]


def _moved_back(offset: int, stretches: Sequence[tuple[int, int, int]], changed: bool) -> int:
    shift = 0
    for start, end, length in stretches:
        here = start + shift
        if offset < here:
            break
        if offset <= here + (length if changed else end - start):
            return start
        shift += (length - (end - start)) if changed else 0
    return offset - shift


def _wrong_runs(new: str, path: str, before: _Run, unbroken: _Run, safe: bool) -> Iterator[str]:
    """What running a changed program shows, beside what running it before showed."""
    if not before.error and (error := _run(new, path, cloned=False).error):
        yield f"a program that ran raises {error}"
    if unbroken.error:
        return
    # With copies of all that is saved, no write can break a backward pass: only what is read is left to differ.
    after = _run(new, path, cloned=True)
    if after.error:
        yield f"a program that ran with saved copies raises {after.error}"
    elif safe:
        for name in sorted(unbroken.values.keys() & after.values.keys()):
            if differs(unbroken.values[name], after.values[name]):
                yield f"changes {name}"


def _run(text: str, path: str, cloned: bool) -> _Run:
    """The values that a program leaves in its variables.

    Args:
        cloned: whether autograd saves copies.
    """
    source = program(text, path) if is_notebook(path) else text
    space: dict[str, Any] = {"__name__": "program"}
    hooks = torch.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.detach().clone(), lambda tensor: tensor)
    seed()
    try:
        with warnings.catch_warnings(), hooks if cloned else nullcontext():
            warnings.simplefilter("ignore")
            exec(compile(source, "<program>", "exec", dont_inherit=True), space)
            torch.set_grad_enabled(True)
            return _Run({name: _values(value, 3) for name, value in space.items() if not name.startswith("_")})
    except Exception as error:
        return _Run({}, f"{type(error).__name__}: {error}".splitlines()[0])
    finally:
        torch.set_grad_enabled(True)


def _values(value: Any, depth: int) -> Any:
    """The tensors in a value, in nested lists; empty ones for anything else."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, torch.nn.Module):
        value = dict(value.state_dict())
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)) and depth:
        return [_values(item, depth - 1) for item in value]
    return []
