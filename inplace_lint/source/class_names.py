"""Whether variables are named for classes, or for models; and who looks at the parts of a model."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]*|[a-z]+")


OWN_NAMES = frozenset({"__class__", "__name__"})
"""The attributes by which a method that is not implemented tells whose it is."""


@lru_cache(10_000)
def is_named_for(name: str, cls: str) -> bool:
    """Whether a variable is named for a class: `disc` for `Discriminator`, `loss_fn` for `MaskedCrossEntropy`."""
    words = [word.lower() for word in _WORD.findall(cls)]
    own = [part for part in re.split(r"[_\d]+", name.rpartition(".")[2].lower()) if part]
    if own[1:] and own[-1] in _FUNCTIONS:
        own.pop()
    if not own or not words:
        return False
    if own[-1] in _LOSSES and words[-1] in _LOSSES:
        return True
    last = own[-1].removesuffix("e") if len(own[-1]) > _LONG else own[-1]  # `collate` is a `Collator`
    return "".join(own) == "".join(words) or (len(last) > 2 and words[-1].startswith(last))


_LONG = 5
_FUNCTIONS = frozenset({"fn", "func", "function"})
_LOSSES = frozenset({"loss", "criterion", "objective", "entropy"})


def names_model(label: str) -> bool:
    """Whether a variable or attribute goes by a name that ends as those of models do."""
    return label.lower().endswith(("model", "module", "net", "network", "backbone"))


def names_environment(label: str) -> bool:
    """Whether a variable or attribute goes by the name of what agents act in."""
    return label.lower().rpartition(".")[2].rpartition("_")[2] in ("env", "envs", "environment", "environments")


WALKS = frozenset({"named_modules", "modules", "children", "named_children", "get_submodule"})
"""The methods that give the parts of a model: who asks for these sees what it is made of."""
