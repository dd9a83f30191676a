"""`max_norm` of embeddings: rows of the weight are scaled first, and autograd does not record that."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch.ops import apply, operand_of
from inplace_lint.source import ir
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import RENORM
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import NO

LAYERS = ("torch.nn.Embedding", "torch.nn.EmbeddingBag")

_PLACES = {"weight": 1, "max_norm": 3}


def renormalize(run: Run, weight: object, max_norm: Value, node: ir.Node) -> None:
    """Scale rows of a weight, if there is a norm that they may not exceed."""
    if max_norm is None or isinstance(max_norm, Unknown) or not isinstance(weight, Operand):
        return
    with modes(run.torch, grad=False):
        run.torch.write(weight, RENORM, run.site(node), NO, True, "statement")


def functional(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`embedding` and `embedding_bag` (`_no_grad_embedding_renorm_` in torch/nn/functional.py)."""
    norm = resolve(arguments.get(_PLACES["max_norm"], "max_norm"))
    weight = arguments.keywords.get("weight") or next(iter(arguments.positional[_PLACES["weight"] :]), None)
    renormalize(run, operand_of(run, weight) if weight is not None else None, norm, node)
    return Ref(apply(run, name, _without_norm(arguments), node))


def _without_norm(arguments: Arguments) -> Arguments:
    """The same arguments, None for `max_norm`."""
    keywords = {key: passed for key, passed in arguments.keywords.items() if key != "max_norm"}
    positional = [
        passed if index != _PLACES["max_norm"] else replace(passed, ref=Ref(None))
        for index, passed in enumerate(arguments.positional)
    ]
    return Arguments(positional, keywords, arguments.open)
