"""What autograd knows of a tensor at a place of a program. All of it can be compared, hashed and pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inplace_lint.source.place import Span
from inplace_lint.torch_model.events import Refused
from inplace_lint.torch_model.tensor import Assumption
from inplace_lint.why.facts import Place

Kind = Literal["parameter", "argument", "foreign", "made", "result", "view", "detached"]
Answer = Literal["no", "maybe", "yes"]
Counting = Literal["exact", "least", "relative"]
Relation = Literal["same", "base", "view", "memory", "perhaps"]
Consequence = Literal["raises", "breaks", "unseen", "safe", "unknown"]


@dataclass(frozen=True, slots=True)
class Source:
    """What made a tensor: how the program spells that, and where it stands."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Deed:
    """An op that was applied to a tensor, and where."""

    op: str
    place: Place


@dataclass(frozen=True, slots=True)
class Other:
    """Another name for the memory of a tensor.

    Args:
        name: as the program spells it.
        relation: what it holds: the same tensor, its base, a view of it, or something else on that memory; or perhaps
            that: an op copies only where it must.
        bound: where it got that.
    """

    name: str
    relation: Relation
    bound: Place | None = None


@dataclass(frozen=True, slots=True)
class Saved:
    """What an op saved of the memory for its backward.

    Args:
        op: what saved it.
        place: where.
        version: the version of the memory then.
        is_result: the op saved its own result.
        overwritten: the memory has another version by now.
        read: whether a backward pass reads it later.
        backward: where; None if whoever gets the result runs it.
        assumptions: what must hold for the save to be made; nothing, if it surely is.
    """

    op: str
    place: Place
    version: int
    is_result: bool = False
    overwritten: bool = False
    read: bool = False
    backward: Place | None = None
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class Writing:
    """What comes of a write in place, were there one now.

    Args:
        comes: PyTorch raises at once; a backward pass raises (`breaks`); a backward pass gives wrong gradients and does
            not notice (`unseen`); nothing of that; or this is not known.
        refused: why PyTorch raises at once.
        saved: what a backward pass reads that the write would change.
        assumptions: what must hold for that; nothing, if it is certain.
    """

    comes: Consequence
    refused: Refused | None = None
    saved: Saved | None = None
    assumptions: tuple[Assumption, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """What is known of a tensor when an expression gives it, on one path.

    Args:
        kind: how it came to be.
        source: what made it, or the view.
        of: of a view, the name of what it shows.
        is_leaf: as `is_leaf` has it; None if that is not known.
        requires_grad: as `requires_grad` has it.
        assumptions: what must hold for it to require grad.
        version: its version, counted from when it was made: what an op makes in several steps has a higher one.
        counting: that is the version; or the least that it has, after a loop; or only how often it was seen written:
            the memory is external, or of a parameter or gradient, which libraries write.
        external: the memory comes from an argument of the function, or from code out of view.
        hidden: autograd does not see writes to it (`.data`, NumPy).
        written: the last write to its memory.
        others: other names for its memory.
        saved: what was saved of its memory so far.
        writing: what comes of a write.
        reads: who reads the memory next.
    """

    kind: Kind
    source: Source | None
    of: str
    is_leaf: bool | None
    requires_grad: Answer
    assumptions: tuple[Assumption, ...]
    version: int
    counting: Counting = "exact"
    external: bool = False
    hidden: bool = False
    written: Deed | None = None
    others: tuple[Other, ...] = ()
    saved: tuple[Saved, ...] = ()
    writing: Writing = Writing("unknown")
    reads: tuple[Deed, ...] = ()


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an expression: the states that its tensor was seen in, each different from the others.

    Args:
        text: how the program spells it; "" if that is too long.
        place: where it stands.
        states: on all paths that came there.
        always: whether it was a tensor on each of them.
        complete: whether all states are listed.
    """

    text: str
    place: Place
    states: tuple[State, ...]
    always: bool = True
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Hint:
    """A few words to show in the source, behind the character before that column."""

    place: Place
    label: str


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known in one file.

    Args:
        known: by its span in the text (of a notebook, in its program), what is known of an expression.
        others: the expressions that are no tensors.
        marks: by the row of the text, hints.
    """

    known: dict[Span, Known]
    rows: dict[int, tuple[Span, ...]]
    marks: dict[int, tuple[Hint, ...]]
