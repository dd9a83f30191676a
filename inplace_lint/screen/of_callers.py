"""What runs when objects are called that callers bring: the class is one of the file, by a name or by what is asked."""

from __future__ import annotations

from inplace_lint.screen.outline import Definition
from inplace_lint.source.class_names import WALKS, is_named_for, names_model

CALLED = ("forward", "__call__")
"""The methods that run when an object is called."""


def called_of_callers(definition: Definition) -> list[Definition]:
    """The methods that a definition may run by calling objects that callers bring, or by passing them on.

    If it walks over a model, so are the functions that make such models.
    """
    outline = definition.outline
    called = [name for name in definition.calls if name not in outline.globals and name not in outline.imports]
    # `self.denoiser(x)`, `odeint(self.field, x)`
    called += [name for name in definition.attributes if name not in outline.methods]
    walks = _walks(definition)
    if not called and not walks:
        return []
    known = [each for bound in outline.globals.values() for each in bound]
    classes = [each for each in known if each.members]
    makers = [each for each in known if each.makes and not each.members] if walks else []
    meant = classes if walks else _named_for(called, classes)
    return [*makers, *(member for cls in meant for name in CALLED for member in cls.members.get(name, ()))]


def _named_for(called: list[str], classes: list[Definition]) -> list[Definition]:
    return [each for each in classes if any(is_named_for(name, each.name) for name in called)]


def _walks(definition: Definition) -> bool:
    """Whether it calls a model, for whose parts it asks, or another method of its object does."""
    if not any(map(names_model, (*definition.calls, *definition.called))):
        return False
    owner = definition.owner
    family = [each for members in owner.members.values() for each in members] if owner is not None else [definition]
    return not all(WALKS.isdisjoint(each.attributes) for each in family)
