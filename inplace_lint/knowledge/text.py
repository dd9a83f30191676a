"""What is known of a tensor, in words: for a terminal, and as markdown for an editor."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping

from inplace_lint.findings.wording import if_assumed, op_name, quoted
from inplace_lint.knowledge.facts import Consequence, Known, Saved, State
from inplace_lint.why.facts import Place
from inplace_lint.why.text import REFUSED

Where = Callable[[Place], str]
"""How a place is called: `line 3`, or a link."""

_MOST_WAYS = 3
_MOST = 4


def lines(known: Known, where: Where) -> Iterator[str]:
    """A few lines about a tensor.

    Args:
        known: what is known of it.
        where: how a place is called, as in `at line 3`.
    """
    yield f"{quoted(known.text, 'this')}: {_on_paths(known, lambda state: _origin(state, where))}"
    yield from filter(None, (_requires_grad(known), _on_paths(known, lambda state: _memory(state, where))))
    yield from filter(None, [_on_paths(known, lambda state: _saved(state, where))])
    yield _on_paths(known, lambda state: _writing(state, where))
    yield from filter(None, [_on_paths(known, lambda state: _reads(state, where))])
    if not known.always:
        yield "on other paths it is no tensor, or nothing is known of it"


def markdown(known: Known, link: Callable[[Place], str]) -> str:
    """The same for the hover of an editor.

    Args:
        known: what is known.
        link: the address of a place.
    """

    def where(place: Place) -> str:
        name = f"line {place.span.row}"
        if place.path != known.place.path:
            name = f"{os.path.basename(place.path)}:{place.span.row}"
        elif place.cell != known.place.cell:
            name = f"cell {place.cell}, {name}"
        return f"[{name}]({link(place)})"

    first, *rest = lines(known, where)
    head, colon, tail = first.partition(": ")
    return "\n".join([f"**{head}**{colon}{tail}", "", *(f"- {line}" for line in rest)])


def _on_paths(known: Known, tell: Callable[[State], str]) -> str:
    """A sentence about each state: one if it is the same for all of them."""
    told = dict.fromkeys(map(tell, known.states))
    if len(told) == 1 and known.complete:
        return next(iter(told))
    ways = [each for each in told if each]
    more = "; …" if len(ways) > _MOST_WAYS or not known.complete else ""
    return f"on some paths {'; on others '.join(ways[:_MOST_WAYS])}{more}" if ways else ""


def _origin(state: State, where: Where) -> str:
    source = state.source
    made = (
        f"{quoted(source.text, 'an expression')} ({where(source.place)})" if source is not None else "code out of view"
    )
    shown = quoted(state.of, "memory that has no name here")
    if state.kind == "argument":
        return "an argument"
    if state.kind == "foreign":
        return f"what code out of view gave: {made}"
    if state.kind in ("view", "detached"):
        how = "a view of" if state.kind == "view" else "detached from"
        return f"{how} {shown}, by {made}"
    leaf = "a leaf, " if state.is_leaf and state.requires_grad != "no" else ""
    words = {"parameter": "a parameter", "result": "the result of", "made": "made by"}[state.kind]
    return f"{leaf}{words}{',' if state.kind == 'parameter' else ''} {made}"


def _requires_grad(known: Known) -> str:
    levels = {state.requires_grad for state in known.states}
    if levels == {"yes"}:
        return "requires grad"
    if levels == {"no"}:
        return "requires no grad"
    assumptions = dict.fromkeys(each for state in known.states for each in state.assumptions)
    condition = if_assumed(list(assumptions)[:1])
    if "yes" in levels:
        return "requires grad on some paths"
    return f"requires grad{condition}" if condition else "may require grad"


def _memory(state: State, where: Where) -> str:
    same = _listed((quoted(other.name) for other in state.others if other.relation == "same"), "the same tensor as ")
    base = _listed(quoted(other.name) for other in state.others if other.relation == "base" and other.name != state.of)
    views = _listed(quoted(other.name) for other in state.others if other.relation == "view")
    others = _listed(
        quoted(other.name) for other in state.others if other.relation == "memory" and other.name != state.of
    )
    perhaps = _listed(quoted(other.name) for other in state.others if other.relation == "perhaps")
    parts = [same, base and f"shares the memory of {base}", views and f"seen by the view {views}"]
    parts += [others and f"shares its memory with {others}", perhaps and f"perhaps shares the memory of {perhaps}"]
    parts += [_version(state, where)]
    return "; ".join(filter(None, parts))


def _listed(names: Iterable[str], before: str = "") -> str:
    found = list(names)
    more = [f"{len(found) - _MOST} more"] if len(found) > _MOST else []
    return before + ", ".join(found[:_MOST] + more) if found else ""


def _version(state: State, where: Where) -> str:
    if state.hidden:
        return "autograd does not see writes to it"
    if state.version == 0:
        return ""
    last = f", last by {op_name(state.written.op)} ({where(state.written.place)})" if state.written is not None else ""
    if state.counting == "relative":
        return f"written {state.version} time{'s' if state.version > 1 else ''} in this function{last}"
    return f"version {state.version}{' or later' if state.counting == 'least' else ''}{last}"


def _saved(state: State, where: Where) -> str:
    told = []
    for each in state.saved[:_MOST]:
        what = f"{op_name(each.op)} ({where(each.place)})"
        version = (
            f" at version {each.version}" if state.counting != "relative" and (each.version or each.overwritten) else ""
        )
        told.append(f"{what}{version}{', overwritten since' if each.overwritten else ''}")
    more = [f"{len(state.saved) - _MOST} more"] if len(state.saved) > _MOST else []
    return f"saved for backward by {', by '.join(told + more)}" if told else ""


def _writing(state: State, where: Where) -> str:
    writing = state.writing
    condition = if_assumed(writing.assumptions[:1])
    if writing.refused is not None:
        return f"to write it here raises{condition}: {REFUSED.get(writing.refused, writing.refused)}"
    if writing.saved is None:
        return _UNSAVED[writing.comes] if not state.external else _OUTSIDE
    saver = f"{op_name(writing.saved.op)} saved it ({where(writing.saved.place)})"
    if writing.comes == "breaks":
        return f"to write it here breaks {_pass(writing.saved, where)}{condition}: {saver}"
    if writing.comes == "unseen":
        return (
            f"to write it here gives {_pass(writing.saved, where)} wrong values{condition}, and nothing raises: {saver}"
        )
    safe = "safe" if writing.comes == "safe" else "not known to be safe"
    return f"to write it here is {safe}: {saver}, and no backward pass in view reads that"


_UNSAVED: Mapping[Consequence, str] = {
    "safe": "to write it here is safe: backward needs none of its values",
    "unknown": "whether it is safe to write it here is not known",
}
_OUTSIDE = "to write it here changes memory that comes from outside; whether that is safe, only its owner knows"


def _pass(saved: Saved, where: Where) -> str:
    if saved.backward is None:
        return "a backward pass through the result"
    return f"the backward pass ({where(saved.backward)})"


def _reads(state: State, where: Where) -> str:
    told = [f"{op_name(read.op)} ({where(read.place)})" for read in state.reads]
    told += [f"{_pass(each, where)}" for each in state.saved if each.read]
    return f"read later by {', '.join(dict.fromkeys(told))}" if told else ""
