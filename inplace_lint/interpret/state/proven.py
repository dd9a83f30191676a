"""What the runs of one entry point prove of its unknowns: which are tensors, data or models, and which are not.

A proof may come late: `x` was read as if it were nothing in particular, and then `x.add_(1)` shows a tensor. The entry
point is run again, then, and knows it from the start.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from inplace_lint.interpret.state.keys import Attribute, Binary, Converted, Derived, IsData, Item, Key, NoTensor
from inplace_lint.interpret.state.made_of import beside_number, stands_for_several
from inplace_lint.torch_model.tensor import Tensor


@dataclass(slots=True, eq=False)
class Proven:
    """The proofs of this run and of those before it.

    Args:
        facts: keys of tensors, and `NoTensor`, `IsData`, `IsModel` and `HasBuffers`; all runs share them.
        guessed: by tensor that was inferred from the name of a method only, the unknown; it may be withdrawn.
        reads: how often this run has read an unknown.
        needs_rerun: an unknown turned out to be a tensor after it had been used otherwise.
        withdrawn: what had been taken for a tensor turned out to be none.
    """

    facts: set[Hashable]
    guessed: dict[Tensor, Key] = field(default_factory=dict)
    reads: dict[Key, int] = field(default_factory=dict)
    needs_rerun: bool = False
    withdrawn: bool = False

    @property
    def is_late(self) -> bool:
        """Whether the run should have known from the start what it has proved."""
        return self.needs_rerun or self.withdrawn

    def note_read(self, key: Key) -> None:
        """An unknown is read."""
        self.reads[key] = self.reads.get(key, 0) + 1

    def tensor(self, key: Key) -> None:
        """An unknown that was promoted is a tensor; those who have read it before did not know."""
        if key not in self.facts:
            self.facts.add(key)
            self.needs_rerun |= self.reads.get(key, 0) > 1
            self._whole(key)

    def data(self, key: Key) -> None:
        """An unknown requires no grad; those who have read it before did not know."""
        if IsData(key) not in self.facts:
            self.facts.add(IsData(key))
            self.needs_rerun |= self.reads.get(key, 0) > 1 or key in self.facts

    def rule_out(self, key: Key) -> None:
        """An attribute is read that no tensor has."""
        if NoTensor(key) not in self.facts:
            self.facts.add(NoTensor(key))
            self.withdrawn |= key in self.facts
            self.facts.discard(key)

    def withdraw(self, tensor: Tensor) -> None:
        """What has been taken for a tensor, or for a part of one, is none, if that was only a guess."""
        for other, key in self.guessed.items():
            if other is tensor or other.storage is tensor.storage:
                self.rule_out(key)
                return

    def _whole(self, item: Key) -> None:
        """What a tensor was found in, at a range, a mask or a list of positions, is one; so is what it was made of."""
        made = item.made
        whole = made.of if isinstance(made, (Converted, Derived, Attribute, Item)) else beside_number(made)
        its_own = isinstance(made, (Converted, Derived, Binary)) or (
            isinstance(made, Attribute) and made.name in ("data", "grad")
        )
        if isinstance(whole, Key) and (its_own or stands_for_several(item)):
            self._late(whole)

    def _late(self, key: Key) -> None:
        """What has been used as if it were nothing in particular turns out to be a tensor."""
        if key not in self.facts and NoTensor(key) not in self.facts:
            self.facts.add(key)
            self.needs_rerun = True
            self._whole(key)
