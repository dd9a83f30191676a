"""Proxies for the tensors of a program that is traced."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from torch import Tensor, fx

_T = TypeVar("_T")
_INPLACE = "iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift".split()


class UntraceableError(Exception):
    """The program does something that no graph can hold; it says what."""


class Proxy(fx.Proxy):
    """Stands for a tensor of the program, and carries its value.

    Args:
        node: what makes it.
        tracer: records what is done with it: `record(kind, target, args, kwargs)`; while it is `busy`, nothing.
        value: the tensor.
    """

    tracer: Any
    value: Tensor

    def __init__(self, node: fx.Node, tracer: Any, value: Tensor) -> None:
        self.__dict__.update(node=node, tracer=tracer, value=value)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.value)

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self.value, name)
        if callable(attribute):
            return lambda *args, **kwargs: self.tracer.record("call_method", name, (self, *args), kwargs)
        if isinstance(attribute, Tensor):
            return self.tracer.record("call_function", getattr, (self, name), {})
        return attribute

    def __setattr__(self, name: str, value: Any) -> None:
        self.tracer.record("call_function", setattr, (self, name, value), {})

    def __setitem__(self, index: Any, value: Any) -> None:
        self.tracer.record("call_function", operator.setitem, (self, index, value), {})

    def __iter__(self) -> Iterator[Any]:
        return iter(self.unbind(0))

    def _plain(self, read: Callable[[Tensor], _T]) -> _T:
        """What Python reads from the value; the graph takes it as given."""
        before, self.tracer.busy = self.tracer.busy, True
        try:
            return read(self.value)
        finally:
            self.tracer.busy = before

    def __len__(self) -> int:
        return len(self.value)

    def __bool__(self) -> bool:
        return self._plain(bool)

    def __int__(self) -> int:
        return self._plain(int)

    def __float__(self) -> float:
        return self._plain(float)

    def __index__(self) -> int:
        return self._plain(operator.index)

    def __contains__(self, item: Any) -> bool:
        other = item.value if isinstance(item, Proxy) else item
        return self._plain(lambda value: other in value)

    def __format__(self, spec: str) -> str:
        return self._plain(lambda value: format(value, spec))

    def __hash__(self) -> int:
        return id(self)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise UntraceableError("it hands a tensor to NumPy")


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Proxy, *others: Any) -> Any:
        return self.tracer.record("call_function", function, (self, *others), {})

    return method


for _name in _INPLACE:
    setattr(Proxy, f"__{_name}__", _operator(getattr(operator, _name)))
