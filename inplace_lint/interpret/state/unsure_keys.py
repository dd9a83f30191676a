"""Heuristic lookup in dictionaries by symbolic keys, sizes, types and devices; a miss forks the path."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise

from inplace_lint.interpret.state.classes import has_writes
from inplace_lint.interpret.state.keys import (
    Answer,
    Binary,
    Equal,
    Item,
    Joined,
    Key,
    Memory,
    Metadata,
    Shape,
    Tuple,
    key_of,
)
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Instance, List, Ref, Unknown, Value, identity, resolve
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.tensor import Tensor

# So many entries of a table are tried, one path each.
_MOST_ENTRIES = 4


def entry_key(value: Value) -> Hashable:
    """What a dictionary knows a key by: a tensor is itself, whatever is written to it; a tuple of one, that one."""
    value = resolve(value)
    if isinstance(value, List) and value.kind == "tuple" and len(value.items) == 1:
        value = resolve(value.items[0].value)
    return Memory(value.storage.key, value.region) if isinstance(value, Tensor) else identity(value)


def likely(run: Run, table: Dict, key: Value) -> Ref | None:
    """The entry that is likely meant: batch after batch, and layer after layer, most tensors are alike; and what
    was put under a key that nobody knows, somebody asks for.

    On another path it is not there; an entry whose key the path has found to be the same is there.
    """
    if isinstance(key, Unknown) and (same := _same(run, table, key) or _layer(table)) is not None:
        return same
    asked = entry_key(key)
    found = _alike(run, table, asked)
    if found is None or not run.oracle.truth(Answer("in", (identity(key), run.known(table)))):
        return None
    if isinstance(found, Key) and not isinstance(asked, Key):
        table.taken_for[found] = asked
        run.taken_for.setdefault(found, asked)  # A copy of the dictionary has it under the same key.
    return table.items[found]


def _layer(table: Dict) -> Ref | None:
    """Of a table of layers by their names, the one that a name from out of view may mean."""
    layers = list(table.items.values())
    return layer_to_ask(layers) if all(isinstance(resolve(ref.value), Instance) for ref in layers) else None


def layer_to_ask(layers: Sequence[Ref]) -> Ref | None:
    """Of the layers of a model, in order, one whose output the next overwrites, or that keeps its output for backward.

    A name from out of view may be that of any; there it makes a difference.
    """
    for ref, after in pairwise(layers):
        following = resolve(after.value)
        flag = following.attribute("inplace") if isinstance(following, Instance) else None
        if flag is not None and resolve(flag.value) is True:
            return ref
    return next((ref for ref in layers if _keeps_output(resolve(ref.value))), None)


def _keeps_output(layer: Value) -> bool:
    """Whether a layer of PyTorch keeps what it gives for backward, as `nn.Tanh` does."""
    made = table().module(layer.cls) if isinstance(layer, Instance) and isinstance(layer.cls, str) else None
    return made is not None and any(save.what.startswith("result") for each in made.forward for save in each.saves)


def choose(run: Run, table: Dict, key: Unknown) -> Ref:
    """One of the entries that may be meant: on each path another one, and the same in each table that has it."""
    left = [pair for pair in table.items.items() if _found_equal(run, key, pair[0]) is None]
    # Those that write tell most.
    most = sorted(left or table.items.items(), key=lambda pair: not has_writes(resolve(pair[1].value)))[:_MOST_ENTRIES]
    index = len(run.oracle.taken)
    entry, ref = most[run.oracle.choose(len(most))]
    run.oracle.note_setting(key_of(Equal(frozenset((key.key, entry)))), index)
    return ref


def _same(run: Run, table: Dict, key: Unknown) -> Ref | None:
    return next((ref for entry, ref in table.items.items() if _found_equal(run, key, entry)), None)


def _found_equal(run: Run, key: Unknown, entry: Hashable) -> bool | None:
    """Whether a path has found that a key is that of an entry; None if it has not asked."""
    found = run.oracle.remembered.get(key_of(Equal(frozenset((key.key, entry)))))
    return found[0] if found is not None else None


def let_go(table: Dict, asked: Hashable) -> None:
    """A key is given a value: what was taken for its entry is no more."""
    for other, taken in list(table.taken_for.items()):
        if taken == asked:
            del table.taken_for[other]
            table.items.pop(other, None)


def _alike(run: Run, table: Dict, asked: Hashable) -> Hashable:
    """The key of an entry that may be meant, too; None if there is none."""
    wanted = _asked(asked)
    if wanted != asked:
        return next((other for other in table.items if _asked(other) == wanted), None)
    if isinstance(asked, Key):
        return None
    # What was put under a key that nobody knows may be what is asked for, but for one key only.
    keys = (other for other in table.items if isinstance(other, Key))
    taken = {**run.taken_for, **table.taken_for}
    return next((other for other in keys if taken.get(other, asked) == asked), None)


# So many keys within one another are looked into: a program may double one over and over.
_DEEPEST = 3


def _asked(key: Hashable, depth: int = 0) -> Hashable:
    """What a key asks of tensors, whichever these are; any other key is left as it is."""
    if depth > _DEEPEST:
        return key
    if isinstance(key, Tuple):
        return Tuple(tuple([_asked(item, depth + 1) for item in key.items]))
    made = key.made if isinstance(key, Key) else None
    if isinstance(made, Metadata) and made.name in ("dtype", "device"):
        return Metadata(made.name, None)
    if isinstance(made, Shape):
        return Shape(made.query, None, None, made.arguments)
    if isinstance(made, Joined):
        return Joined(tuple([_asked(part, depth + 1) for part in made.parts]))
    if isinstance(made, Binary):
        return Binary(made.op, _asked(made.left, depth + 1), _asked(made.right, depth + 1))
    if isinstance(made, Item) and isinstance(made.of, Key):
        of = _asked(made.of, depth + 1)
        return key if of == made.of else Item(of, made.places)
    return key
