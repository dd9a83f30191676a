"""The keys of a configuration: how the value of each is read. A value that makes no sense is a ValueError."""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args

from inplace_lint.findings.diagnostic import Severity
from inplace_lint.findings.registry import registry
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.project import environment
from inplace_lint.project.patterns import is_pattern
from inplace_lint.version import __version__

if TYPE_CHECKING:
    from inplace_lint.project.models import Model

Format = Literal[
    "full",
    "concise",
    "grouped",
    "pylint",
    "json",
    "json-lines",
    "rdjson",
    "github",
    "gitlab",
    "azure",
    "sarif",
    "junit",
    "markdown",
    "html",
]
# Whose ops the analysis knows: the newest, and how the older ones differ from it.
TORCH = "2.13"
OLDEST_TORCH = "2.1"

PerFileIgnores = tuple[tuple[str, tuple[str, ...]], ...]


def codes_under(prefix: str) -> tuple[str, ...]:
    """Codes that a prefix (`IPL2`, `ALL`) stands for."""
    return tuple(code for code in registry() if prefix == "ALL" or code.startswith(prefix))


def _texts(value: object, _: str = "") -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"expected a list of strings, not {described(value)}")
    if strange := [item for item in value if not isinstance(item, str)]:
        raise ValueError(f"expected a list of strings, not one with {described(strange[0])}")
    return tuple(value)


def _patterns(value: object, _: str = "") -> tuple[str, ...]:
    patterns = _texts(value)
    for pattern in patterns:
        if not is_pattern(pattern):
            raise ValueError(f"`{pattern}` is no valid pattern")
    return patterns


def _path(value: object, folder: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected a path, not {described(value)}")
    return os.path.normpath(os.path.join(folder, os.path.expanduser(value)))


def _models(value: object, folder: str) -> tuple[Model, ...]:
    from inplace_lint.project.models import read_model

    return tuple(read_model(_path(each, folder)) for each in _texts(value))


def _python(value: object, folder: str) -> str:
    if value == environment.NONE:
        return environment.NONE
    path = _path(value, folder)
    environment.search_path(path, folder)
    return path


def codes(value: object, _: str = "") -> tuple[str, ...]:
    """The codes, or the beginnings of some, that a list of words stands for."""
    return tuple(_code(word.strip()) for word in _texts(value))


def _code(word: str) -> str:
    """The code, or the beginning of some, that a word stands for."""
    code = named(word)
    if code is None and (not word or not codes_under(word.upper())):
        raise ValueError(f"unknown rule code `{word}`{near(word)}")
    return code or word.upper()


def named(word: str) -> str | None:
    """The code of the rule with a name."""
    return next((code for code, entry in registry().items() if entry.rule.name == word.lower()), None)


def near(word: str) -> str:
    """The hint at the code or the name that was meant."""
    names = [entry.rule.name for entry in registry().values()]
    return did_you_mean(word.lower(), names) if "-" in word else did_you_mean(word.upper(), ["ALL", *registry()])


def _per_file(value: object, _: str) -> PerFileIgnores:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table from patterns to lists of rule codes, not {described(value)}")
    return tuple(zip(_patterns(list(value)), map(codes, value.values()), strict=True))


def _flag(value: object, _: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {described(value)}")
    return value


def _word(words: tuple[str, ...]) -> Callable[[object, str], str]:
    def read(value: object, _: str) -> str:
        if isinstance(value, str) and value in words:
            return value
        near = did_you_mean(value, words) if isinstance(value, str) else ""
        raise ValueError(f"expected one of {', '.join(words)}, not {described(value)}{near}")

    return read


def _url(value: object, _: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"(https?|file)://[!-~]+", value):
        raise ValueError(f"expected an address such as 'https://example.org/inplace-lint', not {described(value)}")
    return value.rstrip("/")


def _torch(value: object, _: str) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"\d+\.\d+(\.\d+)?", value):
        raise ValueError(f"expected a version of PyTorch such as '{TORCH}', not {described(value)}")
    if not _minor(OLDEST_TORCH) <= _minor(value) <= _minor(TORCH):
        without = f"without this key, files are checked as for {TORCH}"
        raise ValueError(f"PyTorch is known from {OLDEST_TORCH} to {TORCH}, not {described(value)}; {without}")
    return value


def _minor(version: str) -> list[int]:
    return [int(number) for number in version.split(".")[:2]]


def _version(value: object, _: str) -> str:
    """What a program may require of this one: a version, or `>=` and the like with one, several behind commas."""
    if not isinstance(value, str):
        raise ValueError(f"expected a string such as '>=0.2', not {described(value)}")
    for part in value.split(","):
        found = _REQUIREMENT.fullmatch(part.strip())
        if found is None:
            raise ValueError(f"expected a version such as '>=0.2', not {described(value)}")
        own, asked = _numbers(__version__), _numbers(found["version"])
        if not _COMPARED[found["sign"] or "=="](own, asked):
            raise ValueError(f"this is inplace-lint {__version__}, and {value} is required")
    return value


def _numbers(version: str) -> tuple[int, ...]:
    """A version without what does not count: `0.1` is `0.1.0`."""
    numbers = [int(each) for each in re.findall(r"\d+", version)[:3]]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


_REQUIREMENT = re.compile(r"(?P<sign>==|!=|>=|<=|>|<)?\s*(?P<version>\d+(\.\d+)*)")
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
}

READERS: dict[str, Callable[[object, str], object]] = {
    "select": codes,
    "extend-select": codes,
    "ignore": codes,
    "extend-ignore": codes,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "force-exclude": _flag,
    "per-file-ignores": _per_file,
    "extend-per-file-ignores": _per_file,
    "respect-gitignore": _flag,
    "ignore-noqa": _flag,
    "output-format": _word(get_args(Format)),
    "fail-on": _word(get_args(Severity)),
    "baseline": _path,
    "cache-dir": _path,
    "python": _python,
    "models": _models,
    "fixable": codes,
    "unfixable": codes,
    "extend": _path,
    "required-version": _version,
    "docs-url": _url,
    "torch-version": _torch,
}


def described(value: object) -> str:
    """What a value is, in an error."""
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "the string", list: "a list", dict: "a table"}
    kind = kinds.get(type(value), type(value).__name__)
    return f"{kind} {value!r}" if isinstance(value, str) else kind
