"""Runs a traced graph with some of its in-place ops out of place."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, fx, nn
from torch.overrides import resolve_name

from inplace_lint.runtime.confirm.extent import dense, extent, view_of
from inplace_lint.runtime.confirm.replay import Replay, modes
from inplace_lint.runtime.confirm.statements import is_statement
from inplace_lint.runtime.confirm.trace import Traced
from inplace_lint.runtime.recorder.saves import address, version
from inplace_lint.runtime.target import Call


@dataclass(frozen=True, slots=True)
class Written:
    """What an in-place node is called, and the size in bytes of the tensor that it writes."""

    op: str
    size: int


class Variant(Replay):
    """A run in which these nodes are out of place. A tensor lives until its last use in the graph.

    Attributes:
        written: by node, what it wrote.

    Args:
        traced: the graph.
        call: a fresh model and fresh inputs.
        apart: the nodes to put out of place.
    """

    def __init__(self, traced: Traced, call: Call, apart: Collection[fx.Node] = ()) -> None:
        super().__init__(traced, call)
        assert call.model is not None
        self.written: dict[fx.Node, Written] = {}
        self._apart = frozenset(apart)
        # What is written here outlives the run: that it is in place is its purpose.
        self._lasting = {address(tensor) for tensor in [*call.model.parameters(), *call.model.buffers()]}

    def run_node(self, node: fx.Node) -> Any:
        """Run one node, out of place if so chosen."""
        if node.op not in ("call_function", "call_module"):
            return super().run_node(node)
        self.place = node.meta["place"]
        args, kwargs = self.fetch_args_kwargs_from_env(node)
        with modes(node.meta["mode"]):
            if node in self._apart:
                return self._run_apart(node, args, kwargs)
            before = [(tensor, version(tensor)) for tensor in _tensors(args, kwargs)]
            result = self._function(node)(*args, **kwargs)
        changed = [tensor for tensor, old in before if version(tensor) != old and address(tensor) not in self._lasting]
        if changed:
            self.written[node] = Written(self._name(node), changed[0].nbytes)
        return result

    def _function(self, node: fx.Node) -> Callable[..., Any]:
        target: Any = node.target
        function: Callable[..., Any] = self.submodules[target] if node.op == "call_module" else target
        return function

    def _name(self, node: fx.Node) -> str:
        function = self._function(node)
        if isinstance(function, nn.Module):
            return f"nn.{type(function).__name__}"
        name = resolve_name(function) or getattr(function, "__name__", "")
        return str(node.meta["place"].op(name)).rpartition(".")[2]

    def _run_apart(self, node: fx.Node, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        function = self._function(node)
        target = kwargs["out"] if isinstance(kwargs.get("out"), Tensor) else _tensors(args, kwargs)[0]
        base = target if target._base is None else target._base
        twin = out_of_place(function, kwargs)
        if twin is not None and base is target:
            result = memory = part = twin[0](*args, **twin[1])
        else:
            # A part of a tensor, or an op without a twin: a copy of the whole, and the op on that.
            base = base if dense(base) else target
            memory = base.clone()
            part = memory if base is target else view_of(memory, target, base)
            swap = {id(target): part}
            args, kwargs = fx.node.map_aggregate((args, kwargs), lambda leaf: swap.get(id(leaf), leaf))
            result = function(*args, **kwargs)
            result = part if result is target else result
        self._rebind(node, target, part, lambda value: view_of(memory, value, base))
        return result

    def _rebind(self, node: fx.Node, target: Tensor, part: Tensor, view: Callable[[Tensor], Tensor]) -> None:
        """Give later readers what they mean: after a statement, the new memory; else whoever had another part."""
        site = node.meta["place"].site
        meant = site is not None and is_statement(site)
        for other, value in self.env.items():
            if not isinstance(value, Tensor) or address(value) != address(target):
                continue
            if value is target and meant:
                self.env[other] = part
            elif meant or extent(value) != extent(target):
                self.env[other] = view(value)


def _tensors(args: Any, kwargs: Any) -> list[Tensor]:
    found: list[Tensor] = []
    fx.node.map_aggregate((args, kwargs), lambda leaf: found.append(leaf) if isinstance(leaf, Tensor) else None)
    return found


def out_of_place(
    function: Callable[..., Any], kwargs: Mapping[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]] | None:
    """The op that gives the same result in new memory, and its named arguments; None if there is none."""
    if isinstance(function, nn.Module):
        if not getattr(function, "inplace", False):
            return None
        module: Any = copy.copy(function)
        module.inplace = False
        return module, dict(kwargs)
    if kwargs.get("inplace"):
        return function, {**kwargs, "inplace": False}
    name = getattr(function, "__name__", "")
    if not name.endswith("_") or name.startswith("__"):
        return None
    for owner in (torch.Tensor, torch, nn.functional):
        if getattr(owner, name, None) is function and hasattr(owner, name[:-1]):
            return getattr(owner, name[:-1]), dict(kwargs)
    return None
