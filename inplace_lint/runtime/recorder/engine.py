"""Code that a `TorchFunctionMode` does not see: backward passes, custom functions, checkpoints, compiled code."""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, wraps
from types import ModuleType
from typing import Any, Protocol

import torch
import torch.utils.checkpoint

from inplace_lint.runtime.recorder.frames import OURS, here

Call = Callable[[], Any]


class Watcher(Protocol):
    """Runs the calls that are led through it."""

    def backward(self, call: Call, outputs: Sequence[Any], inputs: Sequence[Any]) -> Any:
        """Run a backward pass.

        Args:
            call: the call into the engine.
            outputs: what is differentiated, tensors or graph edges.
            inputs: with respect to what; nothing stands for all leaves.
        """

    def apply(self, call: Call, name: str, arguments: Sequence[Any]) -> Any:
        """Run `Function.apply` of the custom function `name`."""

    def checkpointed(self, owner: object, saved: Sequence[Any]) -> None:
        """Take note of the arguments that a checkpoint has saved; `owner` lives as long as they do."""


def replace(stack: ExitStack, owner: Any, name: str, value: Any) -> None:
    """Set an attribute that the owner itself has, until the stack is closed; `unittest.mock` takes long for that.

    What others put in its place meanwhile stays, as `torch._dynamo` does with methods of optimizers when imported.
    """
    before = vars(owner)[name]

    def restore() -> None:
        if vars(owner).get(name) is value:
            setattr(owner, name, before)

    setattr(owner, name, value)
    stack.callback(restore)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Lead these calls through `watcher`, and run compiled code eagerly."""
    with ExitStack() as stack:
        _watch_backward(watcher, stack)
        _watch_functions(watcher, stack)
        _watch_checkpoints(watcher, stack)
        _run_eagerly(stack)
        _warn_of_users_lines(stack)
        yield


@contextmanager
def watched_threads(run: Callable[[Call], Any]) -> Iterator[None]:
    """Lead what threads have to do that are started meanwhile through `run`: modes belong to a thread."""
    start = threading.Thread.start

    @wraps(start)
    def start_watched(self: threading.Thread) -> None:
        work = self.run
        self.run = lambda: run(work)  # type: ignore[method-assign]
        start(self)

    with ExitStack() as stack:
        replace(stack, threading.Thread, "start", start_watched)
        yield


Update = Callable[[str, Any, Sequence[Any], Mapping[str, Any]], Any]
"""Runs the function of this name, with these arguments."""


@contextmanager
def watched_optimizers(run: Update, passed_by: Callable[[Call], Any]) -> Iterator[None]:
    """Lead through `run` what PyTorch's optimizers do to parameters, gradients and their own state.

    `Adam.step` calls `torch.optim.adam.adam` for that, and the other optimizers are built alike. What they only look up
    is led through `passed_by`: they ask for attributes often, and each that a mode sees takes long.
    """
    clear = torch.optim.Optimizer.zero_grad

    @wraps(clear)
    def zero_grad(self: Any, set_to_none: bool = True) -> None:
        if set_to_none:
            passed_by(lambda: clear(self, set_to_none))
        else:
            clear(self, set_to_none)

    with ExitStack() as stack:
        for module, last in _optimizer_functions():
            replace(stack, module, last, _updating(module.__name__, getattr(module, last), run))
        for kind in _optimizers():
            replace(stack, kind, "_init_group", _passing_by(vars(kind)["_init_group"], passed_by))
        replace(stack, torch.optim.Optimizer, "zero_grad", zero_grad)
        yield


@cache
def _optimizer_functions() -> list[tuple[ModuleType, str]]:
    """The modules of PyTorch's optimizers, each with the name of its function; to look for them takes long."""
    found = []
    for name, module in list(sys.modules.items()):
        owner, _, last = name.rpartition(".")
        if owner == "torch.optim" and callable(getattr(module, last.lstrip("_"), None)):
            found.append((module, last.lstrip("_")))
    return found


def _optimizers() -> list[type]:
    """PyTorch's optimizers that gather their parameters, gradients and state in a method, which writes none of them."""
    return [each for each in vars(torch.optim).values() if isinstance(each, type) and "_init_group" in vars(each)]


def _updating(name: str, function: Any, run: Update) -> Any:
    @wraps(function)
    def update(*args: Any, **kwargs: Any) -> Any:
        return run(name, function, args, kwargs)

    return update


def _passing_by(method: Any, passed_by: Callable[[Call], Any]) -> Any:
    @wraps(method)
    def gather(*args: Any, **kwargs: Any) -> Any:
        return passed_by(lambda: method(*args, **kwargs))

    return gather


def _watch_backward(watcher: Watcher, stack: ExitStack) -> None:
    run = torch.autograd.graph._engine_run_backward

    @wraps(run)
    def run_backward(outputs: Sequence[Any], *args: Any, **kwargs: Any) -> Any:
        # Their order: gradients, retain_graph, create_graph, inputs.
        return watcher.backward(lambda: run(outputs, *args, **kwargs), outputs, args[3] if len(args) > 3 else ())

    replace(stack, torch.autograd.graph, "_engine_run_backward", run_backward)
    replace(stack, torch.autograd, "_engine_run_backward", run_backward)


def _watch_functions(watcher: Watcher, stack: ExitStack) -> None:
    # A class method, written in Python or (in newer versions of PyTorch) in C.
    apply = torch.autograd.Function.__dict__["apply"]

    def apply_function(cls: type, *args: Any, **kwargs: Any) -> Any:
        return watcher.apply(lambda: apply.__get__(None, cls)(*args, **kwargs), f"{cls.__name__}.apply", (args, kwargs))

    replace(stack, torch.autograd.Function, "apply", classmethod(apply_function))


def _watch_checkpoints(watcher: Watcher, stack: ExitStack) -> None:
    """Since PyTorch 2.13 a checkpoint keeps its arguments outside the graph; before, in a custom function."""
    frame = getattr(torch.utils.checkpoint, "_CheckpointFrame", None)
    save = getattr(frame, "save_inputs", None)
    if save is None:
        return

    def save_inputs(self: Any, *args: Any) -> None:
        save(self, *args)
        watcher.checkpointed(self, getattr(self, "saved_args", ()))

    replace(stack, frame, "save_inputs", save_inputs)


def _run_eagerly(stack: ExitStack) -> None:
    """Compiled code would be traced together with the recorder; what it saves has no lines anyway."""

    def stay_eager() -> None:
        stack.enter_context(torch.compiler.set_stance("force_eager"))

    if "torch._dynamo" in sys.modules:
        stay_eager()
        return
    compile = torch.compile

    @wraps(compile)
    def compile_eagerly(*args: Any, **kwargs: Any) -> Any:
        if torch.compile is compile_eagerly:
            torch.compile = compile
            stay_eager()
        return compile(*args, **kwargs)

    torch.compile = compile_eagerly
    stack.callback(setattr, torch, "compile", compile)


def _warn_of_users_lines(stack: ExitStack) -> None:
    """PyTorch warns of the innermost Python frame, which would be the recorder's."""
    show = warnings.showwarning

    @wraps(show)
    def show_users_line(
        message: Any, category: type[Warning], filename: str, lineno: int, *rest: Any, **named: Any
    ) -> None:
        site = here().site if filename.startswith(OURS) else None
        if site is not None:
            filename, lineno = site.path, site.span.row
        show(message, category, filename, lineno, *rest, **named)

    replace(stack, warnings, "showwarning", show_users_line)
