"""Traces a model under `torch.fx`, keeping what a plain symbolic trace loses.

The program runs once for real, on the given inputs, but holds a stand-in for each of its tensors.
So conditions, shapes and Python numbers are those of these inputs, and in-place operators, item
assignment, grad mode and source lines all go into the graph. Each result has a stand-in of its own,
also that of an in-place op: the graph keeps Python's names apart where the memory is one.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, fx, nn
from torch.overrides import TorchFunctionMode

from inplace_lint.runtime.confirm.outcome import roots_of
from inplace_lint.runtime.recorder import Place
from inplace_lint.runtime.recorder.frames import here
from inplace_lint.runtime.target import Call
from inplace_lint.runtime.values import mapped, tensors_of

_SHARES_MEMORY_UNSEEN = ("numpy", "__array__", "__dlpack__", "data_ptr")
_MODES = ("_set_grad_enabled",)


class UntraceableError(Exception):
    """The program does something that no graph can hold; it says what."""


@dataclass(frozen=True, slots=True)
class Mode:
    """The modes that are on while an op runs."""

    grad: bool
    inference: bool
    autocast: torch.dtype | None

    @classmethod
    def now(cls) -> Mode:
        """The modes that are on now."""
        autocast = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None
        return cls(torch.is_grad_enabled(), torch.is_inference_mode_enabled(), autocast)


@dataclass(frozen=True, slots=True)
class Traced:
    """A traced program.

    Args:
        graph: its nodes, each with its `place`, `mode` and `result` (type and shape) in `meta`; the
            output are all tensors of the program's result.
        roots: which of them to differentiate, by number.
        constants: tensors that are neither inputs nor owned by the model, as they were before.
    """

    graph: fx.Graph
    roots: tuple[int, ...]
    constants: dict[str, Tensor]


def trace(call: Call, place: Callable[[], Place] = here) -> Traced:
    """Run a model once and return its graph. The model and the inputs are used up.

    Args:
        call: the model and its inputs.
        place: where the program is.

    Raises:
        UntraceableError: no graph can hold what the program does.
        Exception: what the program raises, perhaps because stand-ins lead it astray.
    """
    assert call.model is not None
    return _Tracer(call.model, place).run(call)


@dataclass(frozen=True, slots=True)
class _Known:
    """A tensor that the program holds, or holds a stand-in for, and the node that makes it."""

    held: Tensor
    value: Tensor
    node: fx.Node


class _Tracer:
    def __init__(self, root: nn.Module, place: Callable[[], Place]) -> None:
        self.busy = False
        self._root = root
        self._place = place
        self._graph = fx.Graph()
        self._constants: dict[str, Tensor] = {}
        self._paths = {id(module): path for path, module in root.named_modules()}
        named = [*root.named_parameters(remove_duplicate=False), *root.named_buffers(remove_duplicate=False)]
        self._owned = {id(tensor): name for name, tensor in named}
        # By the identity of what the program holds, which this keeps alive.
        self._known: dict[int, _Known] = {}

    def run(self, call: Call) -> Traced:
        args, kwargs = self._with_placeholders((call.args, dict(call.kwargs)))
        with self._patched(), _TraceMode(self):
            result = call.function(*args, **kwargs)
            results = tensors_of(result)
            wanted = {id(root) for root in roots_of(result, results)}
        self._graph.output(tuple(self._known_as(leaf).node for leaf in results))
        roots = tuple(i for i, leaf in enumerate(results) if id(leaf) in wanted)
        return Traced(self._graph, roots, self._constants)

    def _with_placeholders(self, inputs: Any) -> Any:
        made: dict[int, Tensor] = {}

        def stand_in(leaf: Any) -> Any:
            if not isinstance(leaf, Tensor):
                return leaf
            if id(leaf) not in made:
                node = self._graph.placeholder(f"input_{len(made)}")
                made[id(leaf)] = self._stand_in(leaf, self._placed(node, leaf))
            return made[id(leaf)]

        return mapped(inputs, stand_in)

    @contextmanager
    def _patched(self) -> Iterator[None]:
        run_module, apply = nn.Module.__call__, torch.autograd.Function.__dict__["apply"].__func__

        def module(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if self.busy or id(module) not in self._paths or not _is_leaf(module):
                return run_module(module, *args, **kwargs)
            return self.record("call_module", self._paths[id(module)], args, kwargs)

        def function(cls: type, *args: Any, **kwargs: Any) -> Any:
            if self.busy:
                return apply(cls, *args, **kwargs)
            return self.record("call_function", _applied(cls), args, kwargs)

        def hooks(*_: Any) -> None:
            raise UntraceableError("it changes how tensors are saved (checkpointing, or hooks on saved tensors)")

        with (
            patch.object(nn.Module, "__call__", module),
            patch.object(torch.autograd.Function, "apply", classmethod(function)),
            patch.object(torch.autograd.graph.saved_tensors_hooks, "__enter__", hooks),
        ):
            yield

    def record(self, kind: str, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run an op on the values behind stand-ins; add a node for it, and return stand-ins for its tensors."""
        if getattr(target, "__name__", "") in _SHARES_MEMORY_UNSEEN:
            raise UntraceableError(f"it calls `{target.__name__}`, whose result shares memory unseen")
        held = (tuple(args), kwargs)
        nodes = mapped(held, lambda leaf: self._known_as(leaf).node if isinstance(leaf, Tensor) else leaf)
        values = mapped(held, lambda leaf: self._known_as(leaf).value if isinstance(leaf, Tensor) else leaf)
        node = self._placed(self._graph.create_node(kind, target, *nodes))
        self.busy = True
        try:
            run = self._root.get_submodule(target) if kind == "call_module" else target
            result = run(*values[0], **values[1])
            if not tensors_of(result) and (result is not None or not tensors_of(held)):
                self._graph.erase_node(node)
                return result
            return self._returned(result, node, {id(value) for value in tensors_of(values)})
        finally:
            self.busy = False

    def _returned(self, result: Any, node: fx.Node, given: set[int]) -> Any:
        """What the program gets for a result."""
        if isinstance(result, Tensor):
            node.meta["result"] = described(result)
            if id(result) in given and id(result) in self._known:
                # The program holds the tensor itself (a buffer): what it reads from now on is this result.
                self._known[id(result)] = _Known(result, result, node)
                return result
            return self._stand_in(result, node)
        if not isinstance(result, (tuple, list)):
            return result
        parts = [
            self._returned(part, self._part(node, i), given) if isinstance(part, (Tensor, tuple, list)) else part
            for i, part in enumerate(result)
        ]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)

    def _part(self, node: fx.Node, index: int) -> fx.Node:
        part = self._graph.call_function(operator.getitem, (node, index))
        part.meta.update(node.meta, part=True)
        return part

    def _stand_in(self, value: Tensor, node: fx.Node) -> Tensor:
        """Another object on the same memory. Whatever Python asks it goes through the tracer."""
        stand_in = value.detach()
        self._known[id(stand_in)] = _Known(stand_in, value, node)
        return stand_in

    def _known_as(self, held: Tensor) -> _Known:
        if id(held) not in self._known:
            name = self._owned.get(id(held))
            if name is None:
                name = f"constant_{len(self._constants)}"
                self._constants[name] = held.detach().clone().requires_grad_(held.requires_grad)
            node = self._placed(self._graph.create_node("get_attr", name), held)
            self._known[id(held)] = _Known(held, held, node)
        return self._known[id(held)]

    def _placed(self, node: fx.Node, value: Tensor | None = None) -> fx.Node:
        node.meta.update(place=self._place(), mode=Mode.now(), result="" if value is None else described(value))
        return node


def described(tensor: Tensor) -> str:
    """Type and shape, as in `float32[2, 3]`."""
    return f"{str(tensor.dtype).removeprefix('torch.')}{list(tensor.shape)}"


class _TraceMode(TorchFunctionMode):
    """Hands every call of PyTorch to the tracer, also those that make tensors."""

    def __init__(self, tracer: _Tracer) -> None:
        super().__init__()
        self._tracer = tracer

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._tracer.busy or getattr(func, "__name__", "") in _MODES:
            return func(*args, **(kwargs or {}))
        return self._tracer.record("call_function", func, args, kwargs or {})


def _applied(cls: type[Any]) -> Callable[..., Any]:
    def apply(*args: Any, **kwargs: Any) -> Any:
        return cls.apply(*args, **kwargs)

    apply.__name__ = apply.__qualname__ = cls.__name__
    return apply


def _is_leaf(module: nn.Module) -> bool:
    containers = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
    return type(module).__module__.startswith("torch.nn.") and not isinstance(module, containers)
