"""Classes that a framework drives: a stub of their base says what is called, and in which order.

Nobody needs a stub for data sets: loaders ask them for items.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from inplace_lint.findings.diagnostic import Related
from inplace_lint.findings.finding import Finding
from inplace_lint.interpret.analysis.called_by_bases import templates
from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function
from inplace_lint.interpret.torch.loading import is_data_set
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.stubs import DRIVER

_HERE = Span(1, 1, 1, 1)
# Stands in an entry point for what drives the class, which its stub defines.
DRIVEN = ir.Function(_HERE, DRIVER, (ir.Param(_HERE, "self", "positional"),), tuple)


def driver_of(run: Run, cls: Class) -> Function | None:
    """What drives the objects of a class: a stub of one of its bases says it, loaders ask for items, or a base does."""
    found = class_member(run, cls, DRIVER)
    driver = found.value if found is not None else None
    if isinstance(driver, Function) and driver.module.library:
        return driver
    items = _inherited_items(run, cls)
    above = templates(run, cls) if items is None else []
    return above[run.oracle.choose(len(above))] if above else items


def _inherited_items(run: Run, cls: Class) -> Function | None:
    """What gives the items of a data set, if a class inherits it and makes its objects otherwise."""
    if "__init__" not in cls.frame.variables or "__getitem__" in cls.frame.variables or not is_data_set(cls):
        return None
    found = class_member(run, cls, "__getitem__")
    items = found.value if found is not None else None
    return items if isinstance(items, Function) and not items.module.library else None


def runs_without_gradients(run: Run, function: Function) -> bool:
    """Whether a framework calls a method without gradients: so its stub declares the one that this overrides."""
    for base in function.owner.lineage if function.owner is not None else ():
        member = base.frame.variables.get(function.code.name) if base.module.library else None
        if member is not None and isinstance(member.value, Function):
            return member.value.mode.grad is False
    return False


def where_kept(findings: Iterable[Finding], cls: ir.ClassDef, path: str) -> Iterator[Finding]:
    """The findings in what drives a class, those on writes of the framework itself where the class keeps or reads.

    A framework's write stands nowhere in the program but for the class as a whole, which says nothing.
    """
    whole = Site(path, cls.span)
    for finding in findings:
        told = {each.role: each for each in reversed(finding.related) if each.site != whole}
        place = told.get("bind") or told.get("read")
        if finding.site != whole or place is None:
            yield finding
            continue
        others = (each for each in finding.related if each is not place)
        related = (Related("what drives this class writes it", whole, "write"), *others)
        yield replace(finding, site=place.site, related=related, role=place.role)
