"""Traces a model under `torch.fx`, keeping what a plain symbolic trace loses.

The program runs once for real, on the given inputs, with proxies in place of its tensors. A proxy
carries the value that it stands for; so conditions, shapes and Python numbers are those of these
inputs, and in-place operators, item assignment, grad mode and source lines all go into the graph.
Each result is a proxy of its own, also that of an in-place op: the graph keeps Python's names apart
where the memory is one.
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
from inplace_lint.runtime.confirm.proxy import Proxy, UntraceableError
from inplace_lint.runtime.confirm.values import mapped, tensors_of
from inplace_lint.runtime.recorder import Place
from inplace_lint.runtime.recorder.frames import here
from inplace_lint.runtime.target import Call

# Results that need no node: they are part of what the trace is specialized to.
_PLAIN = (bool, int, float, complex, str, torch.Size, torch.dtype, torch.device, torch.layout, torch.memory_format)
_SHARED_WITH_NUMPY = ("numpy", "__array__", "__dlpack__")


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
        graph: its nodes, each with its `place` and `mode` in `meta`; the output are all tensors of
            the program's result.
        roots: which of them to differentiate, by number.
        constants: tensors that are neither inputs nor owned by the model, as they were before.
        error: what PyTorch raised at the last node, if it did.
    """

    graph: fx.Graph
    roots: tuple[int, ...]
    constants: dict[str, Tensor]
    error: RuntimeError | None = None


def trace(call: Call) -> Traced:
    """Run a model once and return its graph. The model and the inputs are used up.

    Raises:
        UntraceableError: no graph can hold what the program does, or proxies lead it astray.
    """
    assert call.model is not None
    return _Tracer(call.model).run(call)


class _Tracer(fx.Tracer):
    def __init__(self, root: nn.Module) -> None:
        super().__init__()
        self.root = root
        self.graph = fx.Graph(tracer_cls=type(self))
        self.constants: dict[str, Tensor] = {}
        self.busy = False
        self.failed: RuntimeError | None = None
        self._paths = {id(module): path for path, module in root.named_modules()}
        named = [*root.named_parameters(remove_duplicate=False), *root.named_buffers(remove_duplicate=False)]
        self._owned = {id(tensor): name for name, tensor in named}
        # Real tensors that the program works with, by identity; kept alive, so that identities last.
        self._known: dict[int, tuple[Tensor, fx.Node]] = {}

    def run(self, call: Call) -> Traced:
        args, kwargs = self._inputs((call.args, dict(call.kwargs)))
        try:
            with self._patched(), _TraceMode(self):
                result = call.function(*args, **kwargs)
        except UntraceableError:
            raise
        except RuntimeError as error:
            if error is not self.failed:
                raise UntraceableError(f"{type(error).__name__}: {error}") from error
            self.graph.output(())
            return Traced(self.graph, (), self.constants, error)
        except Exception as error:
            raise UntraceableError(f"{type(error).__name__}: {error}") from error
        results = tensors_of(result)
        self.graph.output(tuple(self._node_of(leaf) for leaf in results))
        wanted = {id(root) for root in roots_of(result, results)}
        return Traced(self.graph, tuple(i for i, leaf in enumerate(results) if id(leaf) in wanted), self.constants)

    def _inputs(self, value: Any) -> Any:
        """The inputs, with a proxy for each tensor; the same one for the same tensor."""

        def proxy(leaf: Any) -> Any:
            if not isinstance(leaf, Tensor):
                return leaf
            if id(leaf) not in self._known:
                node = self.graph.placeholder(f"input_{len(self._known)}")
                node.meta.update(place=Place(()), mode=Mode.now())
                self._known[id(leaf)] = (leaf, node)
            return Proxy(self._known[id(leaf)][1], self, leaf)

        return mapped(value, proxy)

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

    def create_proxy(self, kind: str, target: Any, args: Any, kwargs: Any, *_: Any, **__: Any) -> Any:
        """Called by the operators of `fx.Proxy`."""
        return self.record(kind, target, args, kwargs)

    def record(self, kind: str, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Add a node, run it, and return its result with proxies for tensors."""
        if kind == "call_method" and target in _SHARED_WITH_NUMPY:
            raise UntraceableError(f"it calls `{target}()`, and what shares memory with an array cannot be traced")
        if getattr(target, "__name__", "") in _SHARED_WITH_NUMPY:
            raise UntraceableError("it hands a tensor to NumPy")
        values = mapped((tuple(args), kwargs), lambda leaf: leaf.value if isinstance(leaf, Proxy) else leaf)
        node = self.graph.create_node(
            kind, target, self._argument(tuple(args)), {key: self._argument(value) for key, value in kwargs.items()}
        )
        node.meta.update(place=here(), mode=Mode.now(), modules=None)
        before = self.busy
        self.busy = True
        try:
            result = self._execute(kind, target, *values)
        except RuntimeError as error:
            self.failed = error
            raise
        finally:
            self.busy = before
        if _is_plain(result) or (result is None and not tensors_of(values)):
            self.graph.erase_node(node)
            return result
        return self._wrapped(result, node, values)

    def _execute(self, kind: str, target: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        if kind == "call_module":
            return self.root.get_submodule(target)(*args, **kwargs)
        if kind == "call_method":
            return getattr(args[0], target)(*args[1:], **kwargs)
        return target(*args, **kwargs)

    def _wrapped(self, result: Any, node: fx.Node, values: Any) -> Any:
        if isinstance(result, Tensor):
            node.meta["value"] = result
            if id(result) in self._known and any(result is leaf for leaf in tensors_of(values)):
                # The program holds the real tensor (a buffer): what it reads from now on is this result.
                self._known[id(result)] = (result, node)
                if id(result) in self._owned or node.name in self.constants:
                    return result
            return Proxy(node, self, result)
        if isinstance(result, (tuple, list)):
            parts = [
                self._wrapped(part, self._part(node, i), values) if tensors_of(part) else part
                for i, part in enumerate(result)
            ]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        return result

    def _part(self, node: fx.Node, index: int) -> fx.Node:
        part = self.graph.call_function(operator.getitem, (node, index))
        part.meta.update(node.meta, part=True)
        return part

    def _argument(self, value: Any) -> Any:
        return mapped(value, lambda leaf: self._node_of(leaf) if isinstance(leaf, (Proxy, Tensor)) else leaf)

    def _node_of(self, leaf: Any) -> fx.Node:
        if isinstance(leaf, Proxy):
            return leaf.node
        if id(leaf) not in self._known:
            name = self._owned.get(id(leaf))
            if name is None:
                name = f"constant_{len(self.constants)}"
                self.constants[name] = leaf.detach().clone().requires_grad_(leaf.requires_grad)
            node = self.graph.create_node("get_attr", name)
            node.meta.update(place=here(), mode=Mode.now(), value=leaf)
            self._known[id(leaf)] = (leaf, node)
        return self._known[id(leaf)][1]


class _TraceMode(TorchFunctionMode):
    """Hands every call of PyTorch to the tracer, also those that make tensors."""

    def __init__(self, tracer: _Tracer) -> None:
        super().__init__()
        self._tracer = tracer

    def __torch_function__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._tracer.busy or getattr(func, "__name__", "") in ("_set_grad_enabled", "__get__"):
            return func(*args, **(kwargs or {}))
        return self._tracer.record("call_function", func, args, kwargs or {})


def _applied(cls: type) -> Callable[..., Any]:
    def apply(*args: Any, **kwargs: Any) -> Any:
        return cls.apply(*args, **kwargs)  # type: ignore[attr-defined]

    apply.__name__ = apply.__qualname__ = cls.__name__
    return apply


def _is_leaf(module: nn.Module) -> bool:
    containers = (nn.Sequential, nn.ModuleList, nn.ModuleDict)
    return type(module).__module__.startswith("torch.nn.") and not isinstance(module, containers)


def _is_plain(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
