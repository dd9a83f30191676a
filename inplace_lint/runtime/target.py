"""What to run: a model, a function or a script of the user's, and its inputs.

This executes the user's code; linting never does.
"""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import os
import runpy
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import nn

from inplace_lint.runtime.errors import TargetError
from inplace_lint.runtime.released import model_of_timm, with_config
from inplace_lint.runtime.values import mapped
from inplace_lint.torch_model.messages import is_in_place

SEED = 0


@dataclass(frozen=True, slots=True)
class Call:
    """Something to run once: fresh memory, fresh state.

    `model` is the module that `function` is or belongs to; without one, `function` is a whole
    program that takes its gradients itself.
    """

    function: Callable[..., Any]
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    model: nn.Module | None = None

    @property
    def is_program(self) -> bool:
        """Whether it is a script or a function without inputs, which does everything itself."""
        return self.model is None


@dataclass(frozen=True, slots=True)
class Target:
    """A target that has been loaded; `fresh` gives it anew for each run, always the same."""

    name: str
    fresh: Callable[[], Call]


class _Step(nn.Module):
    """The step of a module that trains itself, as Lightning calls it, as a model."""

    def __init__(self, module: Any) -> None:
        super().__init__()
        self.module = module

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.module.training_step(*args, **kwargs)


class _FunctionModel(nn.Module):
    """A function of tensors, as a model without parameters."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


def load(
    spec: str,
    init: Mapping[str, Any] | None = None,
    inputs: tuple[tuple[Any, ...], Mapping[str, Any]] | None = None,
    script: str | None = None,
    evaluate: bool = False,
    device: str | None = None,
    config: str | None = None,
) -> Target:
    """Load `package.module:Name`, `file.py:name`, a model of timm (`timm:resnet18`), or a whole script `file.py`.

    Args:
        spec: the target. Name is a class of modules, a module, a function that makes one, a
            function of tensors, or a function without arguments that does everything itself.
        init: arguments of the class or the factory.
        inputs: positional and named inputs; if left out, what `example_inputs` beside the target
            returns (a tensor, a tuple or a dict).
        script: a script that calls the model, from which its first call is taken, with its arguments.
        evaluate: put the model in evaluation mode.
        device: move the model and its inputs there.
        config: what a class of transformers is made with (see `released.with_config`).

    Raises:
        TargetError: it cannot be loaded or built.
    """
    place, colon, name = spec.rpartition(":")
    if not colon or name.endswith(".py"):
        if not spec.endswith(".py"):
            raise TargetError(f"{spec}: a target is `package.module:Model`, `file.py:factory` or `script.py`")
        path = _existing(spec)
        return Target(spec, lambda: Call(lambda: _run_script(path)))
    with _blamed_on(spec, "cannot be loaded"):
        namespace = _module(place)
    entry = _entry(namespace, name, spec, config)
    if script is not None:
        return Target(spec, _copied(spec, _captured(entry, _command(script), spec), evaluate, device))
    if isinstance(entry, nn.Module):
        made: Any = entry
    else:
        if not callable(entry):
            raise TargetError(f"{spec}: is no module, class or function")
        missing = _missing(entry, init or {})
        if missing and (isinstance(entry, type) or (inputs is None and not hasattr(namespace, "example_inputs"))):
            listed = " ".join(f'--init "{each}=..."' for each in missing)
            other = ", or --hf-config" if missing == ["config"] else ""
            raise TargetError(f"{spec}: needs arguments: {listed}{other}")
        if missing:
            model = _FunctionModel(entry)
            return Target(spec, _copied(spec, (model, *_inputs(namespace, inputs, spec)), evaluate, device))
        made = _built(entry, init or {}, spec)
    if not isinstance(made, nn.Module):
        return Target(spec, lambda: Call(_program(place, name, init or {}, spec)))
    again = None if isinstance(entry, nn.Module) else lambda: _built(entry, init or {}, spec)
    return Target(spec, _copied(spec, (made, *_inputs(namespace, inputs, spec)), evaluate, device, again))


def _existing(path: str) -> str:
    if not os.path.isfile(path):
        raise TargetError(f"{path}: no such file")
    return path


@contextmanager
def _blamed_on(spec: str, what: str, cure: str = "") -> Iterator[None]:
    try:
        yield
    except TargetError:
        raise
    except SystemExit as error:
        raise TargetError(f"{spec}: {what}: it exits ({error.code})") from error
    except Exception as error:
        raise TargetError(f"{spec}: {what}: {told(error)}{cure}") from error


def told(error: BaseException) -> str:
    """An exception on one line."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0]}" if lines else type(error).__name__


def _module(place: str) -> ModuleType:
    if not place.endswith(".py"):
        _on_path(os.getcwd())
        return importlib.import_module(place)
    path = Path(_existing(place)).resolve()
    names = [path.stem] if path.stem != "__init__" else []
    folder = path.parent
    while (folder / "__init__.py").exists():
        names.insert(0, folder.name)
        folder = folder.parent
    _on_path(str(folder))
    if len(names) > 1:
        return importlib.import_module(".".join(names))
    return _executed(path)


def _executed(path: Path) -> ModuleType:
    """A file as a module of its own name, executed anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def _on_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def _entry(namespace: ModuleType, name: str, spec: str, config: str | None) -> Any:
    """What a name stands for; with a configuration, what makes a model of it."""
    known = model_of_timm(namespace, name) if namespace.__name__ == "timm" else None
    entry = known or _attribute(namespace, name, spec)
    return entry if config is None else with_config(entry, config)


def _attribute(namespace: ModuleType, name: str, spec: str) -> Any:
    found: Any = namespace
    for part in name.split("."):
        if not hasattr(found, part):
            public = ", ".join(key for key, value in vars(namespace).items() if _is_candidate(value, namespace))
            raise TargetError(f"{spec}: has no `{name}`" + (f"; it has {public}" if public else ""))
        found = getattr(found, part)
    return found


def _is_candidate(value: object, namespace: ModuleType) -> bool:
    return callable(value) and getattr(value, "__module__", None) == namespace.__name__


def _missing(entry: Callable[..., Any], given: Mapping[str, Any]) -> list[str]:
    """Parameters that must be given and are not."""
    try:
        parameters = inspect.signature(entry).parameters.values()
    except (TypeError, ValueError):
        return []
    empty = inspect.Parameter.empty
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [
        each.name
        for each in parameters
        if each.default is empty and each.kind not in variable and each.name not in given
    ]


def _built(entry: Callable[..., Any], init: Mapping[str, Any], spec: str) -> Any:
    """What the class or function makes; None if PyTorch refuses an in-place change, as programs may have it."""
    torch.manual_seed(SEED)
    cure = '; give arguments with --init "NAME=VALUE"' if not init else ""
    with _blamed_on(spec, "cannot be built", cure):
        try:
            return entry(**init)
        except RuntimeError as error:
            if not is_in_place(str(error)) or isinstance(entry, type):
                raise
            return None


def _program(place: str, name: str, init: Mapping[str, Any], spec: str) -> Callable[[], Any]:
    """A function without inputs. Its file is executed anew, so that nothing is left of the run before."""

    def program() -> Any:
        namespace = _executed(Path(place).resolve()) if _is_plain(place) else _module(place)
        return _attribute(namespace, name, spec)(**init)

    return program


def _is_plain(place: str) -> bool:
    return place.endswith(".py") and not (Path(place).resolve().parent / "__init__.py").exists()


def _run_script(path: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """Run a script; its result are the tensors and modules that it leaves in its variables."""
    before = list(sys.argv), list(sys.path)
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    try:
        namespace = runpy.run_path(path, run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            raise TargetError(f"{path}: exits with status {error.code}") from error
        namespace = {}
    finally:
        sys.argv, sys.path[:] = before
    return {
        name: value for name, value in namespace.items() if isinstance(value, (torch.Tensor, nn.Module, list, tuple))
    }


def _inputs(
    namespace: ModuleType, given: tuple[tuple[Any, ...], Mapping[str, Any]] | None, spec: str
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    if given is not None:
        return given
    example = getattr(namespace, "example_inputs", None)
    if example is None:
        return (), {}
    torch.manual_seed(SEED)
    with _blamed_on(spec, "`example_inputs` fails"):
        made = example()
    if isinstance(made, Mapping):
        return (), made
    return (tuple(made), {}) if isinstance(made, (tuple, list)) else ((made,), {})


_Made = tuple[nn.Module, tuple[Any, ...], Mapping[str, Any]]


def _copied(
    spec: str,
    made: _Made,
    evaluate: bool = False,
    device: str | None = None,
    again: Callable[[], nn.Module] | None = None,
) -> Callable[[], Call]:
    """Each run gets a copy, or, of what cannot be copied, another one made in the same way."""

    def fresh() -> Call:
        try:
            model, args, kwargs = copy.deepcopy(made)
        except Exception as error:
            if again is None:
                raise TargetError(f"{spec}: cannot be copied for a second run: {told(error)}") from error
            model, (args, kwargs) = again(), copy.deepcopy(made[1:])
        if device is not None:
            with _blamed_on(spec, f"cannot be moved to {device}"):
                args, kwargs = mapped((args, kwargs), lambda leaf: _moved(leaf, device))
                model = model.to(device)
        return Call(model, args, kwargs, model.eval() if evaluate else model)

    return fresh


def _leaf(value: Any) -> Any:
    """A tensor without its history, as an input is."""
    if isinstance(value, torch.Tensor):
        return value.detach().clone().requires_grad_(value.requires_grad)
    return copy.deepcopy(value)


def _moved(leaf: Any, device: str) -> Any:
    if not isinstance(leaf, torch.Tensor):
        return leaf
    return leaf.detach().to(device).requires_grad_(leaf.requires_grad)


class _Captured(BaseException):
    """Carries the first call of the model out of the script."""


def _command(script: str) -> Sequence[str]:
    """The file of a script and its arguments."""
    words = [script] if os.path.isfile(script) else shlex.split(script) or [script]
    return _existing(words[0]), *words[1:]


def _captured(entry: Any, command: Sequence[str], spec: str) -> _Made:
    """The model and the inputs of the first call, or training step, that a script makes."""
    script, *arguments = command
    found: list[_Made] = []

    def note(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], step: bool = False) -> None:
        if type(module).__qualname__ == wanted:
            # What trains a module holds loaders and more, which cannot be copied.
            trainer = getattr(module, "_trainer", None)
            model = copy.deepcopy(module, {id(trainer): None})
            found.append((_Step(model) if step else model, *mapped((args, kwargs), _leaf)))
            raise _Captured

    if not isinstance(entry, type):
        raise TargetError(f"{spec}: with --script, the target is the class of the model")
    wanted = entry.__qualname__
    before = nn.Module.__call__

    def call(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
        note(module, args, kwargs)
        return before(module, *args, **kwargs)

    def named(module: nn.Module, name: str) -> Any:
        """An attribute that is no parameter, buffer or layer: `training_step`, where it is asked for."""
        value = object.__getattribute__(module, name)
        if name != "training_step" or type(module).__qualname__ != wanted:
            return value

        @wraps(value)
        def step(*args: Any, **kwargs: Any) -> None:
            note(module, args, kwargs, step=True)

        return step

    nn.Module.__call__ = call  # type: ignore[method-assign]
    nn.Module.__getattribute__ = named  # type: ignore[assignment, method-assign]
    try:
        with _blamed_on(script, "fails before it calls the model"):
            _run_script(script, arguments)
    except _Captured:
        return found[0]
    finally:
        nn.Module.__call__ = before  # type: ignore[method-assign]
        del nn.Module.__getattribute__
    raise TargetError(f"{script}: never calls a `{wanted}`")
