"""The names that rules import, whichever package defines them.

A rule is one module of `inplace_lint.rules` (or of a package that registers the entry-point group
`inplace_lint.rules`). Its docstring is its documentation; its `RULE` ties a code to a check, a
function from the trace of one path to findings.
"""

from __future__ import annotations

from inplace_lint.findings.analysis import Analysis, Failure
from inplace_lint.findings.cure import (
    Cure,
    clone_of_kept,
    counted_memory,
    marked_dirty,
    of_kept,
    out_of_place,
    own_memory,
    put_back,
    result_taken,
    separate_memory,
    under_no_grad,
)
from inplace_lint.findings.diagnostic import Related, Severity
from inplace_lint.findings.finding import Finding
from inplace_lint.findings.registry import missing_rules, registry, rules_from_elsewhere
from inplace_lint.findings.rule import RegisteredRule, Rule
from inplace_lint.findings.templates import raises_in_backward, refused, saved_and_led_to, stuck
from inplace_lint.findings.wording import called_from, led_to, op_name, quoted
from inplace_lint.judgement.broken_saves import Broken, broken
from inplace_lint.judgement.cut_off import cut_off
from inplace_lint.judgement.hidden import computed_parameters, hidden_changes
from inplace_lint.judgement.intent import (
    LIBRARY_WRITES,
    argument_of,
    in_shallow_copy,
    is_for_result,
    second_name_of,
)
from inplace_lint.judgement.scaled_gradients import scaled_again
from inplace_lint.judgement.second_names import shared_networks
from inplace_lint.judgement.shared import lost_writes, refetched, repeated_additions, shared_writes, untrainable
from inplace_lint.judgement.spent import spent_parameters
from inplace_lint.judgement.stale_reads import StaleRead, stale_reads
from inplace_lint.judgement.tables import settles
from inplace_lint.judgement.taken_again import taken_again
from inplace_lint.source.place import Site
from inplace_lint.torch_model.bindings import held_since, passed_from
from inplace_lint.torch_model.events import (
    Backward,
    Bind,
    DiscardedResult,
    Escape,
    OwnState,
    Read,
    Refusal,
    StaleSave,
    Trace,
    Untrainable,
    Write,
)
from inplace_lint.torch_model.labels import last_name

__all__ = [
    "LIBRARY_WRITES",
    "Analysis",
    "Backward",
    "Bind",
    "Broken",
    "Cure",
    "DiscardedResult",
    "Escape",
    "Failure",
    "Finding",
    "OwnState",
    "Read",
    "Refusal",
    "RegisteredRule",
    "Related",
    "Rule",
    "Severity",
    "Site",
    "StaleRead",
    "StaleSave",
    "Trace",
    "Untrainable",
    "Write",
    "argument_of",
    "broken",
    "called_from",
    "clone_of_kept",
    "computed_parameters",
    "counted_memory",
    "cut_off",
    "held_since",
    "hidden_changes",
    "in_shallow_copy",
    "is_for_result",
    "last_name",
    "led_to",
    "lost_writes",
    "marked_dirty",
    "missing_rules",
    "of_kept",
    "op_name",
    "out_of_place",
    "own_memory",
    "passed_from",
    "put_back",
    "quoted",
    "raises_in_backward",
    "refetched",
    "refused",
    "registry",
    "repeated_additions",
    "result_taken",
    "rules_from_elsewhere",
    "saved_and_led_to",
    "scaled_again",
    "second_name_of",
    "separate_memory",
    "settles",
    "shared_networks",
    "shared_writes",
    "spent_parameters",
    "stale_reads",
    "stuck",
    "taken_again",
    "under_no_grad",
    "untrainable",
]
