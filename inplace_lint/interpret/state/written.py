"""Libraries that are written as programs: files of `torch_model/programs`, read in place of what torch has there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[2] / "torch_model" / "programs"

# By module, its parts, which are in one file with it.
_PARTS = {
    "torch.distributions": "bernoulli beta categorical dirichlet distribution exponential gamma independent kl laplace "
    "log_normal multivariate_normal normal one_hot_categorical poisson transformed_distribution transforms uniform"
}

MODULES = frozenset(_PARTS)
_PATHS = {str(_FOLDER / f"{module.rpartition('.')[2]}.py"): module for module in _PARTS}


def place(parts: Sequence[str]) -> str | None:
    """Where a module of a library is written; None if it is not."""
    module = ".".join(parts[:2])
    if module not in _PARTS or (len(parts) > 2 and not is_part(module, ".".join(parts[2:]))):
        return None
    return next(path for path, each in _PATHS.items() if each == module)


def is_part(module: str, name: str) -> bool:
    """Whether `module.name` is a module that is written in one file with `module`."""
    return name in _PARTS[module].split()


def module_of(path: str) -> str:
    """The module that a file stands for; "" if it is a file of the user's."""
    return _PATHS.get(path, "")


def loading(load: Callable[[str], str | None]) -> Callable[[str], str | None]:
    """A way to get the text of files that knows these, too."""
    return lambda path: _text(path) if path in _PATHS else load(path)


@cache
def _text(path: str) -> str:
    return Path(path).read_text("utf-8")
