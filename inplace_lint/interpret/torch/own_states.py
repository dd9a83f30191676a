"""A state that an object keeps of a model by reference, and loads into the model later, which changes nothing.

`self.best = model.state_dict()` in one method, `model.load_state_dict(self.best)` in another: a state consists of the
model's own memory (`Module._save_to_state_dict` in torch/nn/modules/module.py), which training goes on to change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inplace_lint.interpret.state.classes import methods_read
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Dict, Function, Passed, resolve
from inplace_lint.judgement.reason import suspect
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import ir_text, last_word
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.events import OwnState
from inplace_lint.torch_model.labels import is_own, last_name
from inplace_lint.torch_model.operands import Binding

KEPT_TO_RESTORE = suspect(
    "kept-to-restore",
    "captured",
    "a state that is kept as the best or the first one, and loaded into what has the same name, was to be a copy",
    """
    import torch


    class Stopper:
        def __init__(self):
            self.best_state = None

        def improved(self, model):
            self.best_state = model.state_dict()

        def restore(self, model):
            model.load_state_dict(self.best_state)
    """,
)

_SHALLOW = frozenset({"copy", "dict", "OrderedDict"})
# An optimizer, which trains a model, changes what is kept so; who gives it other memory, by `.data = ...`, does not.
_TO_RESTORE = re.compile("best|early|stop|improv|patience|epoch|valid|init|first|rewind|snapshot|checkpoint|ckpt")


def note_loaded_state(run: Run, state: Passed | None, unchanged: int, node: ir.Node) -> None:
    """A model loads a state, with so many entries that it has already."""
    source = resolve(state.ref.value) if state is not None else None
    if state is not None and isinstance(source, Dict) and 0 < unchanged == len(source.items):
        _note_loaded_again(run, state.ref.binding, node)
    elif unchanged == 0:
        _note_kept_by_method(run, state, node)


def _note_kept_by_method(run: Run, state: Passed | None, node: ir.Node) -> None:
    """What is loaded is perhaps the state of a model that a method of the object has kept."""
    loader, cls = run.frame.code, run.frame.self_class
    target = state.node if state is not None else None
    if loader is None or cls is None or not isinstance(target, ir.Attr) or not _is_own(target, loader):
        return
    if not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attr):
        return
    model = ir_text(node.func.value)
    assigned = [(method, given) for method in _methods(cls) for given in _given_to(method.code, target.name)]
    states = [(method, given) for method, given in assigned if _is_state(given.value, model)]
    others = [given for _, given in assigned if not _is_state(given.value, model) and not _is_nothing(given.value)]
    if others or any(map(_trains, _methods(cls))):  # where training is in view, what it overwrites is found
        return
    for method, given in states:
        if method.code is not loader and _is_to_restore(cls, (method.code.name, loader.name, target.name)):
            kept = Site(method.module.path, given.value.span)
            event = OwnState(run.torch.clock, kept, run.torch.stack, ir_text(target), run.site(node))
            run.torch.trace.events.append(event)


def _note_loaded_again(run: Run, kept: Binding | None, node: ir.Node) -> None:
    """A module loads its own memory, by the name under which its object has kept that since it was made up."""
    if kept is None or kept.kind != "attribute" or kept.site is None or not is_own(kept.label):
        return
    cls, loader = run.frame.self_class, run.frame.name
    if cls is None or not _is_to_restore(cls, (loader, last_name(kept.label))):
        return
    if run.was_preparing(kept.bound_at) and not run.oracle.preparing:
        event = OwnState(run.torch.clock, kept.site, run.torch.stack, kept.label, run.site(node))
        run.torch.trace.events.append(event)


def _is_to_restore(cls: Class, names: Iterable[str]) -> bool:
    return KEPT_TO_RESTORE.on and any(
        _TO_RESTORE.search(name.lower()) for name in (cls.code.name, *names) if not name.startswith("__")
    )


def _methods(cls: Class) -> Iterator[Function]:
    return (method for each in cls.lineage for method in methods_read(each) if method.code.params)


def _trains(method: Function) -> bool:
    calls = (node.func for node in nodes(method.code.body) if isinstance(node, ir.Call))
    return any(isinstance(func, ir.Attr) and func.name == "backward" for func in calls)


def _given_to(code: ir.Function, attribute: str) -> Iterator[ir.Assign]:
    """What a method assigns to an attribute of its object, or to entries of that."""
    for node in nodes(code.body):
        targets = node.targets if isinstance(node, ir.Assign) else ()
        whole = [each.value if isinstance(each, ir.Index) else each for each in targets]
        if any(isinstance(each, ir.Attr) and each.name == attribute and _is_own(each, code) for each in whole):
            assert isinstance(node, ir.Assign)
            yield node


def _is_own(node: ir.Attr, code: ir.Function) -> bool:
    return bool(code.params) and isinstance(node.value, ir.Name) and node.value.id == code.params[0].name


def _is_state(value: ir.Expr, model: str) -> bool:
    """Whether an expression is `model.state_dict()`, which copies nothing, or a shallow copy of that."""
    if not isinstance(value, ir.Call):
        return False
    if last_word(value.func) in _SHALLOW and len(value.args) == 1:
        return _is_state(value.args[0].value, model)
    called = value.func if isinstance(value.func, ir.Attr) and not value.args else None
    if called is not None and called.name == "copy":
        return _is_state(called.value, model)
    return called is not None and called.name == "state_dict" and ir_text(called.value) == model


def _is_nothing(value: ir.Expr) -> bool:
    return isinstance(value, ir.Const) and value.value is None
