"""A tensor that an object keeps, and what an in-place op made of it, too: `self.var = self.scale.pow_(2)`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from inplace_lint.interpret.state.classes import methods_read
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Function
from inplace_lint.source.place import Site
from inplace_lint.torch_model.events import Bind, Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import LATER_USE
from inplace_lint.torch_model.operands import Operand


def read_kept_twice(run: Run, function: Function, writes: Iterable[Write], site: Site) -> None:
    """Read what was kept before a write whose result was kept, too, if another method of the class uses it."""
    owner = function.owner
    kept = [each for each in run.torch.trace.events if isinstance(each, Bind) and each.binding.kind == "attribute"]
    if owner is None or len(kept) < 2:
        return
    run.torch.statement = run.torch.tick()
    for write in writes:
        if write.use == "bound" and write.refusal is None:
            for bind in _before(write, kept):
                name = last_name(bind.binding.label)
                others = (each for each in methods_read(owner) if each.code is not function.code)
                if any(_uses(each, name) for each in others):
                    read = Operand(bind.tensor, site, bind.binding, run.torch.clock, bind.binding.label)
                    run.torch.read(read, LATER_USE)


def _before(write: Write, kept: list[Bind]) -> Iterator[Bind]:
    """What places of an object were given of the memory before it was written, if another place was given it then."""
    same = [bind for bind in kept if bind.tensor.storage is write.storage]
    after = [bind.binding for bind in same if bind.time > write.time]
    places, owners = {each.place for each in after}, {each.owner for each in after}
    for bind in same:
        if bind.time < write.time and bind.binding.place not in places and bind.binding.owner in owners:
            yield bind


def _uses(method: Function, name: str) -> bool:
    """Whether a method uses an attribute of its object."""
    params = method.code.params
    return bool(params) and name in facts(method.code).used.get(params[0].name, ())
