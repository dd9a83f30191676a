"""Builds the rows of one callable: overloads, samples, switches, and the fit."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

import torch

from inplace_lint.runtime.op_table import derivatives
from inplace_lint.runtime.op_table.binding import bind
from inplace_lint.runtime.op_table.extra_samples import REPLACED, extra
from inplace_lint.runtime.op_table.fit import Fitted, fit
from inplace_lint.runtime.op_table.names import Function, base, test_names
from inplace_lint.runtime.op_table.observe import Call
from inplace_lint.runtime.op_table.probe import Probed, as_call, probe
from inplace_lint.runtime.op_table.samples import MAX_SAMPLES, Arguments, from_tests, made_up
from inplace_lint.runtime.op_table.schema import Overload, refined
from inplace_lint.runtime.op_table.signatures import CASTS, CONVERSIONS, overloads
from inplace_lint.runtime.op_table.traits import with_traits
from inplace_lint.torch_model.effects import Effects, Output

# stands for every value but the one that makes a difference
SOME = 0.5
_EXCEPTIONS = (("p", 0.0), ("max_norm", None))
# what a call does depends on these constants
SWITCHES: Mapping[str, tuple[object, ...]] = {
    "inplace": (False, True),
    "training": (False, True),
    "train": (False, True),
    "return_indices": (False, True),
    "copy": (False, True),
    "bidirectional": (False, True),
    "as_tuple": (False, True),
}
_DEFAULTS = dict.fromkeys(("inplace", "copy", "return_indices", "as_tuple", "training"), False)
_TRIES = 240
_GUESSES = 6
_METADATA = frozenset(
    """size dim ndimension numel nelement stride storage_offset is_contiguous element_size data_ptr get_device
    is_floating_point is_complex is_signed is_same_size is_conj is_neg is_inference is_pinned is_set_to is_tensor
    dim_order has_names result_type can_cast requires_grad_ retain_grad is_coalesced is_shared __len__
    storage untyped_storage __hash__""".split()
)

Given = tuple[tuple[str, object], ...]


@dataclass
class Built:
    """The rows of one name, and which of their saves were not always seen."""

    rows: list[Effects] = field(default_factory=list)
    loose: list[str] = field(default_factory=list)


def build(qualified: str, function: Function, run: bool = True) -> Built:
    """All rows of one callable; without `run` by schema alone."""
    built = Built()
    name = base(qualified)[1]
    tests = [
        a for test in test_names(qualified) for a in [*extra(test), *([] if test in REPLACED else from_tests(test))]
    ]
    for overload in overloads(qualified, function):
        overload = refined(overload, tests)
        for given, fitted in _rows(function, overload, tests if run else [], _TRIES if run else 0).items():
            row = replace(fitted.effects, given=given)
            if name in _METADATA:
                row = replace(row, metadata_only=True)
            if any(p.kind == "dtype" and not p.optional for p in overload.params):
                row = replace(row, dtypes=())
            if name in CONVERSIONS:
                row = _conversion(name, row)
            built.rows.append(row)
            built.loose += [claim for claim in fitted.loose if claim not in built.loose]
    built.rows = [row for i, row in enumerate(built.rows) if not _absorbed(row, built.rows[:i], built.rows[i + 1 :])]
    return built


def _conversion(name: str, row: Effects) -> Effects:
    """Samples have few dtypes: the result is the tensor itself unless a dtype or a copy is asked for."""
    if row.outputs[0].origin == "value" or ("copy", True) in row.given:
        return row
    dtype = str(getattr(torch.ones(()), name)().dtype).removeprefix("torch.") if name in CASTS else None
    return replace(row, outputs=(Output("maybe", row.params[0].name),), dtypes=(dtype,) if dtype else ())


def _absorbed(row: Effects, before: Sequence[Effects], after: Sequence[Effects]) -> bool:
    """Whether another row says the same of these arguments and of more."""
    for other in [*before, *after]:
        alike = replace(other, params=row.params, node=row.node) == row
        shared = tuple(p for p in other.params if p in row.params)
        more = [p for p in other.params if p not in row.params]
        if alike and shared == row.params and all(p.optional for p in more) and (more or other in before):
            return True
    return False


def _rows(function: Function, overload: Overload, tests: Sequence[Arguments], tries: int) -> dict[Given, Fitted]:
    switches = {p.name: SWITCHES[p.name] for p in overload.params if p.name in SWITCHES}
    switches |= p_switch([p.name for p in overload.params], switches)
    guesses = list(islice(made_up(overload.params), tries))
    found: dict[Given, Fitted] = {}
    for values in product(*switches.values()):
        given = dict(zip(switches, values, strict=True))
        probed = probe(_calls(function, overload, tests, given), MAX_SAMPLES)
        if not probed.calls:
            probed = probe(_calls(function, overload, guesses, given), _GUESSES)
        found[tuple(given.items())] = explained(overload, probed)
    return without_defaults(decisive(found), function)


def explained(overload: Overload, probed: Probed) -> Fitted:
    """The row that explains what was seen, by schema alone if nothing was."""
    if not probed.calls:
        return Fitted(by_schema(overload))
    fitted = fit(overload, probed.samples, probed.strided)
    return replace(fitted, effects=with_traits(probed.calls, fitted.effects))


def _calls(
    function: Function, overload: Overload, samples: Sequence[Arguments], given: Mapping[str, object]
) -> Iterator[Call]:
    for arguments in samples:
        call = as_call(function, overload.params, arguments)
        if call is None or _steered(overload, arguments):
            continue
        if given:
            call = _with(call, given)
        yield call


def _with(call: Call, given: Mapping[str, object]) -> Call:
    """The call with some arguments set, by position where they were."""
    args = tuple(given.get(name, value) for name, value in zip(call.names, call.args, strict=True))
    named = {**call.kwargs, **{name: value for name, value in given.items() if name not in call.names}}
    return replace(call, args=args, kwargs=named)


def _steered(overload: Overload, arguments: Arguments) -> bool:
    """Whether an option decides what the result is like, which the row is to say of the op itself."""
    bound = bind(overload.params, arguments.args, arguments.kwargs) or {}
    optional = [p for p in overload.params if p.optional]
    options = {p.name for p in optional if p.kind == "dtype" or p.name in ("memory_format", "max_norm")}
    return any(bound.get(name) is not None for name in options) or "out" in bound


def by_schema(overload: Overload) -> Effects:
    """The row of an op that could not be run."""
    return Effects(
        params=overload.params,
        writes=overload.writes,
        # a schema says "may be a view", and only running tells whether it always is
        outputs=tuple(Output("maybe", o.of, o.many) if o.origin == "view" else o for o in overload.outputs),
        tupled=overload.tupled,
        saves=derivatives.saves(overload),
        source="schema",
    )


def p_switch(names: Collection[str], switches: Collection[str]) -> dict[str, tuple[object, ...]]:
    """Dropouts do nothing where `p` is 0."""
    return {"p": (0.0, SOME)} if "p" in names and {"training", "train"} & set(switches) else {}


def decisive(found: dict[Given, Fitted]) -> dict[Given, Fitted]:
    """Drops the constants that make no difference. A `p` that is not 0 is the rule, 0 the exception before it."""
    fewer: dict[Given, Fitted] = {}
    for given, fitted in found.items():
        for name in [name for name, _ in given]:
            rest = tuple(pair for pair in given if pair[0] != name)
            others = [f.effects for g, f in found.items() if set(rest) <= set(g)]
            if all(effects == fitted.effects for effects in others):
                given = rest
        fewer.setdefault(given, fitted)
    ruled = {tuple(pair for pair in given if pair[1] != SOME): fitted for given, fitted in fewer.items()}
    return dict(sorted(ruled.items(), key=lambda item: not set(item[0]) & set(_EXCEPTIONS)))


def without_defaults(rows: Mapping[Given, Fitted], function: Function) -> dict[Given, Fitted]:
    """Drops what a call that leaves the parameter out would have anyway, and puts these rows last."""
    try:
        defaults = {name: p.default for name, p in inspect.signature(function).parameters.items()}
    except ValueError:
        defaults = {}
    defaults = {**_DEFAULTS, **defaults}

    def spoken(given: Given) -> Given:
        return tuple(pair for pair in given if pair in _EXCEPTIONS or pair[1] != defaults.get(pair[0], pair))

    def rank(given: Given) -> tuple[bool, int, int]:
        return not set(given) & set(_EXCEPTIONS), len(given) - len(spoken(given)), -len(spoken(given))

    order = sorted(rows, key=rank)
    return {spoken(given): rows[given] for given in order}
