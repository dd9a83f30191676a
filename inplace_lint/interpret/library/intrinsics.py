"""The functions that only stubs call, as `inplace_lint.intrinsics` documents them."""

from __future__ import annotations

from collections.abc import Callable

from inplace_lint.interpret.state.result_binding import result_binding
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Arguments, Instance, Ref, Unknown, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.tensor import Tensor


def _perhaps(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(run.oracle.choose(2) == 0)


def _unknown(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(run.unknown(run.key(node), is_data=resolve(arguments.get(0, "is_data")) is True))


def _is_constant(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(isinstance(resolve(arguments.get(0, "value")), (bool, int, float, str, type(None))))


def _is_unseen(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(isinstance(resolve(arguments.get(0, "value")), Unknown))


def _surely(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    return Ref(resolve(arguments.get(0, "condition")) is True)


def _as_tensor(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    given = arguments.positional[0].ref if arguments.positional else Ref(None)
    if isinstance(value := resolve(given.value), Unknown):
        run.promote(value, run.site(node))
    return given


def _view_of(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    given = arguments.positional[0].ref if arguments.positional else Ref(None)
    tensor = resolve(given.value)
    if not isinstance(tensor, Tensor):
        return given
    whole = resolve(arguments.get(2, "whole")) is True
    view = run.torch.view(tensor, run.site(node), part="turned" if whole else "view", contiguous=False)
    view.expanded = view.expanded or resolve(arguments.get(1, "expanded")) is True
    return Ref(view, result_binding(run, view, given))


def _computed(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    owner, attribute = resolve(arguments.get(0, "owner")), resolve(arguments.get(1, "name"))
    if isinstance(owner, Instance) and isinstance(attribute, str):
        owner.take(attribute)
        owner.computed[attribute] = Ref(arguments.get(2, "function"))
    return Ref(None)


def _kept(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    given = arguments.positional[0].ref if arguments.positional else Ref(None)
    for ref, _ in tensors_of(given.value):
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor) and tensor.storage.made_at < (run.torch.fetching or 0):
            tensor.storage.share("fetched", run.torch.tick())
    return given


def _put_together(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    if len(arguments.positional) < 2:
        return Ref(run.unknown(run.key(node)))
    function, given = (passed.ref for passed in arguments.positional[:2])
    tensors = (resolve(ref.value) for ref, _ in tensors_of(given.value))
    fetched = {tensor.storage for tensor in tensors if isinstance(tensor, Tensor)}
    began, run.torch.fetching = run.torch.fetching, None

    def complete(write: Write) -> None:
        if write.fetching is None and write.storage in fetched:
            write.fetching = began

    try:
        with emitting(run.torch, complete):
            return run.call(function, run.passing(node, given), node)
    finally:
        run.torch.fetching = began


HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Ref]] = {
    f"inplace_lint.intrinsics.{name}": handler
    for name, handler in {
        "perhaps": _perhaps,
        "unknown": _unknown,
        "is_constant": _is_constant,
        "is_unseen": _is_unseen,
        "surely": _surely,
        "as_tensor": _as_tensor,
        "view_of": _view_of,
        "computed": _computed,
        "kept": _kept,
        "put_together": _put_together,
    }.items()
}
