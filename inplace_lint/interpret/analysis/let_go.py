"""The objects that a run has made, and that nobody has any more at its end: what they keep is never read again."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Dict,
    Frame,
    Function,
    Instance,
    List,
    Method,
    Partial,
    Unknown,
    Value,
    resolve,
)

# So many values are looked through; where there are more, no object is let go.
_MOST_VALUES = 20_000


def objects_let_go(run: Run) -> set[int]:
    """The identities of the objects that nobody reaches any more.

    No argument of the entry point leads to them, nor its result, nor a variable of a file.
    """
    made = {id(each) for frame in run.past if (each := _constructed(frame)) is not None}
    params = run.frame.code.params if run.frame.code is not None else ()
    given = [ref for param in params if (ref := run.frame.variables.get(param.name)) is not None]
    own = given if run.frame.code is not None else run.frame.variables.values()
    lasting = [ref for frame in run.frames.values() for ref in frame.variables.values()]
    todo: list[Value] = [ref.value for ref in (*own, *lasting)]
    if run.returned is not None:
        todo.append(run.returned.value)
    met: set[int] = set()
    while todo and made:
        value = resolve(todo.pop())
        if id(value) in met:
            continue
        met.add(id(value))
        run.torch.trace.effort.spend(STEP)
        if len(met) > _MOST_VALUES:
            return set()
        made.discard(id(value))
        todo += _within(value)
    return made


def _constructed(frame: Frame) -> Instance | None:
    """The object that a call of a constructor has made ready."""
    if frame.code is None or frame.code.name != "__init__" or not frame.code.params:
        return None
    ref = frame.variables.get(frame.code.params[0].name)
    value = resolve(ref.value) if ref is not None else None
    return value if isinstance(value, Instance) else None


def _within(value: Value) -> Iterator[Value]:
    if isinstance(value, Instance):
        refs = [*value.held.values(), *value.computed.values(), *value.by_unknown_name.values()]
        yield from (ref.value for ref in refs)
        yield value.children
    elif isinstance(value, Unknown):
        yield from (ref.value for ref in value.parts.values())
    elif isinstance(value, List):
        yield from (ref.value for ref in value.items)
    elif isinstance(value, Dict):
        yield from (ref.value for ref in value.items.values())
    elif isinstance(value, Method):
        yield from (value.receiver.value, value.function)
    elif isinstance(value, Partial):
        yield value.function
        yield from (ref.value for ref in (*value.args, *value.keywords.values()))
    elif isinstance(value, Function) and value.closure is not None:
        yield from (ref.value for ref in value.closure.variables.values())
