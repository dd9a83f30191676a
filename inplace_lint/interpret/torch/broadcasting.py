"""`meshgrid` and `broadcast_tensors`: each result is one of the arguments, as large as all of them ask for."""

from __future__ import annotations

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, List, Ref, Unknown, resolve
from inplace_lint.interpret.torch.ops import apply
from inplace_lint.source import ir
from inplace_lint.torch_model import sizes
from inplace_lint.torch_model.tensor import Tensor


def meshgrid(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Every result but a single one is expanded by the sizes of the others."""
    given = _given(run, arguments, node)
    if given is None:
        return Ref(apply(run, name, arguments, node))
    more, site = len(given) > 1, run.site(node)
    # No `made_site`: a fix cannot copy the whole tuple there.
    views = [run.torch.view(tensor, site, expanded=more, contiguous=not more and tensor.contiguous, made_site=None)
             for _, tensor in given]  # fmt: skip
    return _results(given, views)


def broadcast_tensors(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """An argument of the common shape is given back as it is (`expand_outplace` in ATen/ExpandUtils.h)."""
    given = _given(run, arguments, node)
    if given is None:
        return Ref(apply(run, name, arguments, node))
    tensors = [tensor for _, tensor in given]
    whole = sizes.broadcast(tensor.sizes for tensor in tensors)
    return _results(
        given, tensors if len(tensors) == 1 else [_broadcast(run, tensor, whole, node) for tensor in tensors]
    )


def _broadcast(run: Run, tensor: Tensor, whole: sizes.Sizes | None, node: ir.Node) -> Tensor:
    """A tensor, or a view of it with the sizes `whole`."""
    known = whole is not None and None not in whole
    if known and tensor.sizes == whole:
        return tensor
    broadcast_dims = sizes.expand(tensor.sizes, whole) if known and whole is not None else None
    view = run.torch.view(tensor, run.site(node), sizes=whole, made_site=None)
    if broadcast_dims and any(broadcast_dims):
        view.expanded, view.broadcast_dims, view.contiguous = True, broadcast_dims, False
    return view


def _given(run: Run, arguments: Arguments, node: ir.Node) -> list[tuple[Ref, Tensor]] | None:
    """The tensors that are passed one by one, or in one list; None if they cannot be told."""
    first = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    refs = first.items if isinstance(first, List) else [passed.ref for passed in arguments.positional]
    if arguments.open or (isinstance(first, List) and first.open):
        return None
    found = []
    for ref in refs:
        value = resolve(ref.value)
        tensor = run.promote(value, run.site(node)) if isinstance(value, Unknown) else value
        if not isinstance(tensor, Tensor):
            return None
        found.append((ref, tensor))
    return found or None


def _results(given: list[tuple[Ref, Tensor]], views: list[Tensor]) -> Ref:
    """Each in the place of the argument that it shows."""
    return Ref(List("tuple", [Ref(view, ref.binding) for (ref, _), view in zip(given, views, strict=True)]))
