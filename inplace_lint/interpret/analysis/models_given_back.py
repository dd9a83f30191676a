"""Layers in a row that an entry point makes and gives back, or is the constructor of: whoever gets them calls them.

Classes with a `forward` of their own need no such call: that is an entry point.
"""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.interpret.analysis.returning import differentiate
from inplace_lint.interpret.state.classes import class_member
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import Arguments, Class, Frame, Instance, List, Passed, Ref, resolve
from inplace_lint.interpret.torch import modules
from inplace_lint.interpret.torch.module_tree import bases_of
from inplace_lint.torch_model.tensor import assumed

# So many of those that are given back in a list or tuple are called.
_MOST_MODELS = 4


def call_models(run: Run, outer: Frame, receiver: Ref | None) -> None:
    """Call what an entry point has made with a tensor that some other op has computed, and differentiate the result."""
    if outer.code is None or not (models := list(_made(run, outer, receiver))):
        return
    run.stack.append(outer)
    try:
        for ref, model in models:
            site = run.site(outer.code)
            given = run.torch.unknown(site, assumed("the input"), label="input")
            arguments = Arguments([Passed(Ref(given), outer.code, "", run.torch.clock)])
            differentiate(run, modules.call_instance(run, ref, model, arguments, outer.code), site)
    except Raised:
        pass
    finally:
        run.stack.pop()


def _made(run: Run, outer: Frame, receiver: Ref | None) -> Iterator[tuple[Ref, Instance]]:
    """The layers in a row that were given back, alone or in a list, or constructed."""
    returned = resolve(run.returned.value) if run.returned is not None else None
    given = returned.items[:_MOST_MODELS] if isinstance(returned, List) else [run.returned]
    for ref in [receiver] if outer.name == "__init__" else given:
        value = resolve(ref.value) if ref is not None else None
        if ref is not None and isinstance(value, Instance) and _are_in_a_row(run, value):
            yield ref, value


def _are_in_a_row(run: Run, model: Instance) -> bool:
    own = isinstance(model.cls, Class) and class_member(run, model.cls, "forward") is not None
    return "torch.nn.Sequential" in bases_of(model) and model.children is not None and not own
