"""What PyTorch refuses in a run, and how to put it out of place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.confirm.calls import Called
from inplace_lint.runtime.confirm.experiment import Watched, Writes, watched
from inplace_lint.runtime.confirm.fork import Apart, covers
from inplace_lint.runtime.confirm.key import Key
from inplace_lint.runtime.confirm.matching import writes_at
from inplace_lint.runtime.confirm.statements import is_statement
from inplace_lint.runtime.target import Target

# What is repaired one after the other, until nothing raises.
_MOST_REPAIRS = 20


@dataclass(frozen=True, slots=True)
class Raises:
    """Something that PyTorch refuses.

    Args:
        finding: how the recorder explains it.
        calls: the calls to blame.
        message: PyTorch's.
        alone: the message is about nothing else.
    """

    finding: Diagnostic
    calls: frozenset[Key]
    message: str
    alone: bool


def refused(target: Target) -> tuple[list[Raises], dict[Key, Apart], Watched]:
    """Run, put out of place what PyTorch refuses, and run again, until nothing is refused."""
    raising: list[Raises] = []
    repairs: dict[Key, Apart] = {}
    run = watched(target, repairs)
    for _ in range(_MOST_REPAIRS):
        new: dict[Key, Apart] = {}
        for message, findings in run.errors:
            for finding in findings:
                calls = writes_of(finding, run.log)
                raising.append(Raises(finding, frozenset(calls), message, len(findings) == 1))
                new.update(out_of_place(calls, finding))
        if not new.keys() - repairs.keys():
            break
        try:
            repaired = watched(target, {**repairs, **new})
        except Exception:  # what comes later in the program could not do with a repair
            break
        repairs.update(new)
        run = repaired
    return [each if each.alone else _told_alone(target, each, repairs) for each in raising], repairs, run


def _told_alone(target: Target, raises: Raises, repairs: Writes) -> Raises:
    """With what PyTorch says if all else is repaired."""
    others = {key: apart for key, apart in repairs.items() if key not in raises.calls}
    try:
        errors = watched(target, others).errors
    except Exception:
        return raises
    return replace(raises, message=errors[0][0]) if errors else raises


def out_of_place(calls: dict[Key, frozenset[int]], finding: Diagnostic, other: bool = False) -> dict[Key, Apart]:
    """How to put the writes of a finding out of place, by what its rule holds against them.

    Some rules hold either of two things against a write; `other` asks for the second. Where that is
    what autograd saved, all that the program itself reads stays as it is.
    """
    code = finding.code
    if other and code.startswith("IPL2"):
        return {key: Apart(written, meant=True) for key, written in calls.items()}
    stale = frozenset(related.site for related in finding.later)
    return {
        key: Apart(
            written,
            # What is hidden from autograd changes its gradients; that later readers see it is meant.
            meant=code == "IPL401" or (key.site is not None and is_statement(key.site)),
            stale=frozenset() if code == "IPL401" else stale,
            by_caller=code == "IPL305" or (code == "IPL304" and not stale),
            alone=other and code == "IPL306",
            visible=other and code in ("IPL401", "IPL403"),
            by_backward=code == "IPL401",
            once=code == "IPL405",
            inside=code == "IPL403",
            # A parameter shall stay one, or the next write to it would be judged as another tensor's.
            unrecorded=code in ("IPL101", "IPL102"),
        )
        for key, written in calls.items()
    }


def for_what_is_saved(calls: dict[Key, frozenset[int]]) -> dict[Key, Apart]:
    """How to put writes of a custom function out of place, so that it saves the old values for its backward.

    Not those that stand for themselves: what is saved after them is meant to be new.
    """
    return {key: Apart(written) for key, written in calls.items() if key.site is None or not is_statement(key.site)}


def is_blamed(raises: Raises, finding: Diagnostic) -> bool:
    """Whether a finding is about what PyTorch refuses."""
    blamed = raises.finding.write_sites
    if any(covers(ours, theirs) or covers(theirs, ours) for ours in finding.write_sites for theirs in blamed):
        return True
    called = [site for key in raises.calls for site in key.sites]
    return any(covers(site, ours) and covers(ours, site) for ours in finding.write_sites for site in called)


def writes_of(finding: Diagnostic, log: Sequence[Called]) -> dict[Key, frozenset[int]]:
    """The calls of a finding that wrote something, or were refused, and which operands."""
    found: dict[Key, frozenset[int]] = {}
    for site in finding.write_sites:
        for key, operands in writes_at(site, log).items():
            found[key] = found.get(key, frozenset()) | operands
    return found
