"""The parts of labels, which spell a place as the source does (`x`, `self.buf`, `feats[0]`). Habits use them."""

from __future__ import annotations


def is_own(label: str) -> bool:
    """Whether a place belongs to the object whose method runs."""
    return label.startswith("self.")


def without_keys(label: str) -> str:
    """The variable or attribute that an element is in, however deep: `self.state`, of `self.state[p]["step"]`."""
    return label.partition("[")[0]


def last_name(label: str) -> str:
    """The name at the end of a chain of attributes."""
    return label.rpartition(".")[2]


def has_computed_key(label: str) -> bool:
    """Whether an element is spelled with a key that says nothing of its meaning: `kept[name]`."""
    return label.endswith("]") and not label.endswith(("']", '"]'))


def has_computed_position(label: str) -> bool:
    """Whether an element is spelled with a position that is no plain number: `kept[i]`."""
    position = label.rpartition("[")[2]
    return position.endswith("]") and not position[:-1].isdigit()
