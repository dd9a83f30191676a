"""The settings: a configuration file and command-line options, read into one frozen `Config`.

Keys are those of `[tool.inplace-lint]`, in kebab-case; the command line uses the same names.
`settings.py` finds the file that applies.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from inplace_lint.findings.diagnostic import Severity
from inplace_lint.findings.registry import registry
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.project import environment
from inplace_lint.project.files import read_file
from inplace_lint.project.patterns import Patterns, is_pattern

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from inplace_lint.project.models import Model

Format = Literal["full", "concise", "grouped", "json", "json-lines", "github", "gitlab", "sarif", "junit", "html"]
PerFileIgnores = tuple[tuple[str, tuple[str, ...]], ...]

DEFAULT_EXCLUDE = ("__pycache__", "__pypackages__", "_build", "build", "dist", "node_modules", "site-packages", "venv")

# Findings about the tool itself are on unless switched off by name; a crash cannot be hidden at all.
_ALWAYS = frozenset({"IPL902", "IPL903"})


class ConfigError(Exception):
    """A mistake in the configuration; the message names the place, the key and a cure."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Codes of rules: those that are on, and those among them that are selected by name."""

    enabled: frozenset[str]
    explicit: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Config:
    """All settings.

    Args:
        select: prefixes of rule codes, or `ALL`; by default, all rules but those that are off unless selected.
        extend_select: prefixes on top of `select`.
        ignore: prefixes to leave out. A longer prefix beats a shorter one, as in ruff.
        extend_ignore: the same as `ignore`.
        exclude: patterns, as in `.gitignore`, of files and folders to leave out.
        extend_exclude: patterns on top of `exclude`.
        force_exclude: whether patterns also apply to files that are named on the command line.
        per_file_ignores: pairs of a pattern and the prefixes to leave out in files it matches.
        extend_per_file_ignores: pairs on top of `per_file_ignores`.
        respect_gitignore: whether to leave out files that `.gitignore` names.
        ignore_noqa: whether to ignore comments that suppress findings.
        output_format: the format of the report; by default `full`, or `github` under GitHub Actions.
        fail_on: the lowest severity that makes the exit status 1.
        baseline: file of known findings, which are not reported.
        cache_dir: folder of the cache; by default `.inplace_lint_cache` beside the configuration file.
        python: the environment in which the project's libraries are installed, or its interpreter; `none` to follow
            no imports of libraries; None to find it.
        models: model files and folders of stubs that describe functions of other libraries.
        root: folder to which patterns are relative.
        beneath: the selection of the configuration that this one was laid over.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    extend_exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    per_file_ignores: PerFileIgnores = ()
    extend_per_file_ignores: PerFileIgnores = ()
    respect_gitignore: bool = True
    ignore_noqa: bool = False
    output_format: Format | None = None
    fail_on: Severity = "info"
    baseline: str | None = None
    cache_dir: str | None = None
    python: str | None = None
    models: tuple[Model, ...] = ()
    root: str = "."
    beneath: Selection | None = None

    def __post_init__(self) -> None:
        """Raises ConfigError if a rule is named that does not exist: it would select, or ignore, nothing."""
        for name in ("select", "extend_select", "ignore", "extend_ignore"):
            if words := getattr(self, name):
                object.__setattr__(self, name, _required(name, words))
        for name in ("per_file_ignores", "extend_per_file_ignores"):
            if pairs := getattr(self, name):
                object.__setattr__(self, name, tuple((pattern, _required(name, words)) for pattern, words in pairs))


@cache
def selection(config: Config) -> Selection:
    """The rules that a configuration switches on."""
    rules = registry()
    below = config.beneath or Selection(_ALWAYS | {code for code in rules if rules[code].rule.default})
    asked = (config.select or ()) + config.extend_select
    enabled = set(below.enabled if config.select is None else _ALWAYS)
    explicit = set(below.explicit if config.select is None else ())
    steps = [(prefix, True) for prefix in asked]
    steps += [(prefix, False) for prefix in config.ignore + config.extend_ignore]
    for prefix, on in sorted(steps, key=lambda step: (_length(step[0]), not step[1])):
        codes = codes_under(prefix)
        for chosen in (enabled, explicit):
            if on:
                chosen.update(codes)
            else:
                chosen.difference_update(codes)
    return Selection(frozenset(enabled | {"IPL903"}), frozenset(explicit))


def enabled_in(config: Config, path: str) -> frozenset[str]:
    """Codes of the rules that hold for one file."""
    ignored: set[str] = set()
    for pattern, prefixes in config.per_file_ignores + config.extend_per_file_ignores:
        if Patterns(config.root, (pattern,)).match(path):
            ignored.update(code for prefix in prefixes for code in codes_under(prefix))
    return selection(config).enabled - (ignored - {"IPL903"})


def codes_under(prefix: str) -> tuple[str, ...]:
    """Codes that a prefix (`IPL2`, `ALL`) stands for."""
    return tuple(code for code in registry() if prefix == "ALL" or code.startswith(prefix))


def code_of(word: str) -> str:
    """The code of the rule that a word names, by its code or its name.

    Raises:
        ConfigError: there is none; the message names the nearest.
    """
    code = _named(word) or word.upper()
    if code in registry():
        return code
    family = ", ".join(codes_under(code)) if word else ""
    raise ConfigError(f"unknown rule code `{word}`{f'; there are {family}' if family else _near(word)}")


def _required(name: str, words: object) -> tuple[str, ...]:
    try:
        return _codes(words)
    except ValueError as error:
        raise ConfigError(f"`{name}`: {error}") from None


def _length(prefix: str) -> int:
    return 0 if prefix == "ALL" else len(prefix)


def load(path: Path) -> Config:
    """The configuration in a file; what it says of paths is relative to its folder.

    Raises:
        ConfigError: the file cannot be read, or says what makes no sense.
    """
    folder = str(path.parent)
    return _build(table(path) or {}, str(path), folder, Config(root=folder))


def override(config: Config, options: Mapping[str, object]) -> Config:
    """A configuration with command-line options (keys as in the file) laid over it.

    Raises:
        ConfigError: an option says what makes no sense.
    """
    choice = {"select", "extend-select", "ignore", "extend-ignore"}
    if choice & options.keys():
        config = replace(config, beneath=selection(config), select=None, extend_select=(), ignore=(), extend_ignore=())
    changed = _build(options, "command line", "", config)
    here = os.getcwd()
    if os.path.abspath(config.root) == here:
        return changed
    given = {key.replace("-", "_") for key in options}
    return replace(changed, **_moved_patterns(changed, given, here, config.root))


def _moved_patterns(changed: Config, given: set[str], here: str, root: str) -> dict[str, Any]:
    """The patterns among some options, made relative to `root`."""
    patterns: dict[str, Any] = {
        name: tuple(pattern for each in getattr(changed, name) for pattern in _moved(each, here, root))
        for name in given & {"exclude", "extend_exclude"}
    }
    for name in given & {"per_file_ignores", "extend_per_file_ignores"}:
        pairs: PerFileIgnores = getattr(changed, name)
        patterns[name] = tuple((p, codes) for each, codes in pairs for p in _moved(each, here, root))
    return patterns


def _moved(pattern: str, here: str, root: str) -> tuple[str, ...]:
    """A pattern relative to `here`, made relative to `root`; none if it matches nothing there."""
    sign, body = ("!", pattern[1:]) if pattern.startswith("!") else ("", pattern)
    parts = body.lstrip("/").split("/")
    if body.startswith("**/") or ("/" not in body.rstrip("/")):
        return (pattern,)  # it holds in every folder
    way = Path(os.path.relpath(root, here)).parts
    while way and parts and way[0] != "..":
        if parts[0] == "**":
            break
        if not Patterns("", (f"/{parts[0]}",)).match(way[0], folder=True):
            return ()
        way, parts = way[1:], parts[1:] if len(parts) > 1 else ["*"]
    back = Path(os.path.relpath(here, root)).parts if way and way[0] == ".." else ()
    return (f"{sign}/{'/'.join([*back, *parts])}",)


def table(path: Path) -> Mapping[str, object] | None:
    """What a configuration file says to this tool; None if it is a `pyproject.toml` that says nothing.

    Raises:
        ConfigError: the file cannot be read.
    """
    try:
        document: dict[str, Any] = tomllib.loads(read_file(str(path)).decode("utf-8-sig").replace("\r\n", "\n"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if path.name != "pyproject.toml":
        return document
    tools = document.get("tool")
    if isinstance(tools, dict) and "inplace_lint" in tools:
        raise ConfigError(f"{path}: `[tool.inplace_lint]` is not read; write `[tool.inplace-lint]`")
    own = tools.get("inplace-lint") if isinstance(tools, dict) else None
    if own is not None and not isinstance(own, dict):
        raise ConfigError(f"{path}: `tool.inplace-lint` must be a table, not {_described(own)}")
    return own


def _build(values: Mapping[str, object], place: str, folder: str, base: Config) -> Config:
    changes: dict[str, Any] = {}
    for key, value in values.items():
        reader = _READERS.get(key)
        if reader is None:
            raise ConfigError(f"{place}: unknown key `{key}`{did_you_mean(key, _READERS)}")
        try:
            changes[key.replace("-", "_")] = reader(value, folder)
        except ValueError as error:
            raise ConfigError(f"{place}: `{key}`: {error}") from None
    return replace(base, **changes)


def _texts(value: object, _: str = "") -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError(f"expected a list of strings, not {_described(value)}")
    if strange := [item for item in value if not isinstance(item, str)]:
        raise ValueError(f"expected a list of strings, not one with {_described(strange[0])}")
    return tuple(value)


def _patterns(value: object, _: str = "") -> tuple[str, ...]:
    patterns = _texts(value)
    for pattern in patterns:
        if not is_pattern(pattern):
            raise ValueError(f"`{pattern}` is no valid pattern")
    return patterns


def _path(value: object, folder: str) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"expected a path, not {_described(value)}")
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


def _codes(value: object, _: str = "") -> tuple[str, ...]:
    return tuple(_code(word.strip()) for word in _texts(value))


def _code(word: str) -> str:
    """The code, or the beginning of some, that a word stands for."""
    named = _named(word)
    if named is None and (not word or not codes_under(word.upper())):
        raise ValueError(f"unknown rule code `{word}`{_near(word)}")
    return named or word.upper()


def _named(word: str) -> str | None:
    """The code of the rule with a name."""
    return next((code for code, entry in registry().items() if entry.rule.name == word.lower()), None)


def _near(word: str) -> str:
    """The hint at the code or the name that was meant."""
    names = [entry.rule.name for entry in registry().values()]
    return did_you_mean(word.lower(), names) if "-" in word else did_you_mean(word.upper(), ["ALL", *registry()])


def _per_file(value: object, _: str) -> PerFileIgnores:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table from patterns to lists of rule codes, not {_described(value)}")
    return tuple(zip(_patterns(list(value)), map(_codes, value.values()), strict=True))


def _flag(value: object, _: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, not {_described(value)}")
    return value


def _word(words: tuple[str, ...]) -> Callable[[object, str], str]:
    def read(value: object, _: str) -> str:
        if isinstance(value, str) and value in words:
            return value
        near = did_you_mean(value, words) if isinstance(value, str) else ""
        raise ValueError(f"expected one of {', '.join(words)}, not {_described(value)}{near}")

    return read


_READERS: dict[str, Callable[[object, str], object]] = {
    "select": _codes,
    "extend-select": _codes,
    "ignore": _codes,
    "extend-ignore": _codes,
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
}


def _described(value: object) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "the string", list: "a list", dict: "a table"}
    kind = kinds.get(type(value), type(value).__name__)
    return f"{kind} {value!r}" if isinstance(value, str) else kind
