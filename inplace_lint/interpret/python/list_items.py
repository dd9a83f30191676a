"""The items of lists and tuples, also at positions that nobody knows."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from inplace_lint.interpret.python.indices import Part
from inplace_lint.interpret.state.keys import Binary, Item, Key
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import List, Ref, identity, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.subscript import Full, Position, Range, Unsure
from inplace_lint.torch_model.tensor import Tensor

# How many items a list is made to have by slices of unknown extent.
_MOST_ITEMS = 16


def get(run: Run, value: List, index: tuple[Part, ...], node: ir.Node) -> Ref:
    """`value[index]`."""
    part = index[0] if len(index) == 1 else None
    if part is not None and isinstance(part.cut, Position) and part.ref is not None:
        position = resolve(part.ref.value)
        if isinstance(position, int):
            return _at(run, value, position)
    if part is not None and isinstance(part.cut, (Full, Range)):
        return Ref(_sliced(value, part.cut))
    if value.items:
        return value.items[-1] if part is not None and part.cut == Position(Constant(-1)) else _any(run, value, part)
    return Ref(run.unknown(run.key(node)))


def _at(run: Run, value: List, position: int) -> Ref:
    """The item at a position; what was last put into an open list counts as its end."""
    if -len(value.items) <= position < len(value.items):
        return value.items[position]
    first = resolve(value.items[0].value) if value.items else None
    goes_on = value.open and 0 <= position < 64
    if goes_on and isinstance(first, Tensor) and (first.view != "base" or first.inference):
        # One of several views, of which only the first few were written out.
        binding = value.items[0].binding
        for at in range(len(value.items), position + 1):
            own = binding if binding is not None and binding.kind == "element" else None
            own = replace(own, place=(own.owner, at)) if own is not None else None
            value.items.append(Ref(replace(first), own))
        return value.items[position]
    return Ref(run.unknown(Item(run.known(value), position)))


def _sliced(value: List, taken: Full | Range) -> List:
    known = _slice(taken)
    if value.open and known == slice(None, None, -1):
        return List(value.kind, value.items[::-1], True)  # The known ones come last now.
    if known is None or value.open:
        return List(value.kind, list(value.items), True)
    return List(value.kind, value.items[known])


def _slice(taken: Full | Range) -> slice | None:
    """The range of a part, if its bounds are known."""
    if isinstance(taken, Full):
        return slice(None)
    bounds = [bound.value if isinstance(bound, Constant) else "?" for bound in (taken.lower, taken.upper, taken.step)]
    numbers = [bound for bound in bounds if bound is None or isinstance(bound, int)]
    return slice(*numbers) if len(numbers) == 3 and numbers[2] != 0 else None


def set_slice(run: Run, value: List, taken: Full | Range, new: List, node: ir.Index) -> None:
    """`value[a:b] = new`; where nobody knows what goes, the list has the old and the new items."""
    site = run.site(node)
    made = [run.store(run.place(value, run.known(ref)), "", "element", ref.value, site, ref) for ref in new.items]
    known = _slice(taken)
    if known is None or known.step is not None or value.open:
        value.items.extend(made[: max(0, _MOST_ITEMS - len(value.items))])
        value.open = True
    else:
        value.items[known] = made
    value.open |= new.open


def _any(run: Run, value: List, part: Part | None) -> Ref:
    """An element at an unknown position: one path for each of the first few."""
    if part is not None and _is_last(value, part):
        return max(value.items, key=_put_at)
    count = min(len(value.items), 3)
    if count == 1:
        return value.items[0]
    around = _around(value, part)
    if around is not None:
        return value.items[_turned(run, value, *around)]
    return value.items[_chosen(run, value, _position(part) if part is not None else None, count)]


def _chosen(run: Run, value: List, key: Hashable, count: int) -> int:
    """Where a position is that nobody knows: the same one is at the same place again, another one at the next."""
    known = value.chosen.get(key, count)
    if known < count:
        return known
    position = (len(value.chosen) + run.oracle.choose(count)) % count
    value.chosen[key if isinstance(key, Key) else object()] = position
    return position


def _around(value: List, part: Part | None) -> tuple[Hashable, int] | None:
    """Of a position in a ring, as `(n + 1) % 2`, what is counted, and how much is added to it; None if it is none."""
    made = _made(part) if part is not None else None
    size = len(value.items)
    if value.open or not isinstance(made, Binary) or made.op != "%" or made.right != Constant(size):
        return None
    inner = made.left.made if isinstance(made.left, Key) else None
    if isinstance(inner, Binary) and inner.op in ("+", "-") and isinstance(inner.right, Constant):
        step = inner.right.value
        if isinstance(step, int):
            return inner.left, step if inner.op == "+" else -step
    return made.left, 0


def _turned(run: Run, value: List, counted: Hashable, step: int) -> int:
    """The position in a ring: two that are counted from one number are as far from each other as it says."""
    if counted not in value.chosen:
        value.chosen[counted] = run.oracle.choose(len(value.items)) - step
    return (value.chosen[counted] + step) % len(value.items)


def _is_last(value: List, part: Part) -> bool:
    """Whether a position is the last one of a list that was made with so many items: `[n - 1]` of `[None] * n`."""
    made = _made(part)
    last = isinstance(made, Binary) and made.op == "-" and made.right == Constant(1)
    return value.count is not None and last and isinstance(made, Binary) and made.left == value.count


def _made(part: Part) -> Hashable:
    """What an unknown position was made of."""
    at = _position(part)
    return at.made if isinstance(at, Key) else None


def _position(part: Part) -> Hashable:
    return part.cut.at if isinstance(part.cut, (Position, Unsure)) else None


def _put_at(ref: Ref) -> int:
    """When an item was put into its list: loops go through that from the front to the end."""
    return ref.binding.bound_at if ref.binding is not None else 0


def set_item(run: Run, value: List, key_ref: Ref | None, ref: Ref, node: ir.Index) -> None:
    """`value[position] = ...`; at a position that nobody knows, one path for each of the first two."""
    position = resolve(key_ref.value) if key_ref is not None else None
    made = run.store(run.place(value, position), "", "element", ref.value, run.site(node), ref)
    if isinstance(position, int) and -len(value.items) <= position < len(value.items):
        value.items[position] = made
    elif value.items:
        value.items[_chosen(run, value, identity(position), min(len(value.items), 2))] = made
