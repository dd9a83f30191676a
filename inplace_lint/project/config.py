"""The settings: a configuration file and command-line options, read into one frozen `Config`.

Keys are those of `[tool.inplace-lint]`, in kebab-case; the command line uses the same names.
`settings.py` finds the file that applies.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inplace_lint.findings.diagnostic import Severity
from inplace_lint.findings.registry import registry
from inplace_lint.findings.wording import did_you_mean
from inplace_lint.project.files import read_file
from inplace_lint.project.keys import (
    READERS,
    TORCH,
    Format,
    PerFileIgnores,
    codes_under,
    described,
    named,
    near,
)
from inplace_lint.project.patterns import Patterns

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from inplace_lint.project.models import Model

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
        extend_per_file_ignores: pairs on top of `per-file-ignores`.
        respect_gitignore: whether to leave out files that `.gitignore` names.
        ignore_noqa: whether to ignore comments that suppress findings.
        output_format: the format of the report; by default `full`, or `github` under GitHub Actions.
        fail_on: the lowest severity that makes the exit status 1.
        baseline: file of known findings, which are not reported.
        cache_dir: folder of the cache; by default `.inplace_lint_cache` beside the configuration file.
        python: the environment in which the project's libraries are installed, or its interpreter; `none` to follow
            no imports of libraries. If left out, it is sought.
        models: model files and folders of stubs that describe functions of other libraries.
        fixable: prefixes of the rules whose fixes are offered; a longer prefix beats a shorter one.
        unfixable: prefixes of the rules whose fixes are not.
        extend: a configuration file that this one is laid over.
        required_version: the versions of inplace-lint that may read this file, as in `>=0.1,<0.3`; any other refuses.
        docs_url: where the documentation of inplace-lint is published, for links to the rules.
        torch_version: the version of PyTorch that the project is for, from 2.1 to 2.13; any other is refused.
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
    fixable: tuple[str, ...] = ("ALL",)
    unfixable: tuple[str, ...] = ()
    extend: str | None = None
    required_version: str | None = None
    docs_url: str | None = None
    torch_version: str = TORCH
    root: str = "."
    beneath: Selection | None = None

    def __post_init__(self) -> None:
        """Raises ConfigError for a value that makes no sense: it would mean nothing, or something else."""
        for name, field in _CHECKED.items():
            value = getattr(self, name)
            if value != field:
                object.__setattr__(self, name, _required(name, value))


# The fields that mean the same in a file and in Python, with their defaults.
_CHECKED = {
    field.name: field.default
    for field in fields(Config)
    if field.name.replace("_", "-") in READERS.keys() - {"baseline", "cache-dir", "python", "models", "extend"}
}


@cache
def selection(config: Config) -> Selection:
    """The rules that a configuration switches on."""
    rules = registry()
    below = config.beneath or Selection(_ALWAYS | {code for code in rules if rules[code].rule.default})
    asked = (config.select or ()) + config.extend_select
    ignored = config.ignore + config.extend_ignore
    enabled = _with(below.enabled if config.select is None else _ALWAYS, asked, ignored)
    explicit = _with(below.explicit if config.select is None else frozenset(), asked, ignored)
    return Selection(enabled | {"IPL903"}, explicit)


@cache
def fixable(config: Config) -> frozenset[str]:
    """The rules whose fixes a configuration wants."""
    return _with(frozenset(), config.fixable, config.unfixable)


def _with(chosen: frozenset[str], on: tuple[str, ...], off: tuple[str, ...]) -> frozenset[str]:
    """Codes with some switched on and off; the longer prefix decides, and of equal ones that which switches off."""
    steps = [*((prefix, True) for prefix in on), *((prefix, False) for prefix in off)]
    for prefix, adds in sorted(steps, key=lambda step: (_length(step[0]), not step[1])):
        chosen = chosen.union(codes_under(prefix)) if adds else chosen.difference(codes_under(prefix))
    return chosen


def enabled_in(config: Config, path: str) -> frozenset[str]:
    """Codes of the rules that hold for one file."""
    ignored: set[str] = set()
    for pattern, prefixes in config.per_file_ignores + config.extend_per_file_ignores:
        if Patterns(config.root, (pattern,)).match(path):
            ignored.update(code for prefix in prefixes for code in codes_under(prefix))
    return selection(config).enabled - (ignored - {"IPL903"})


def code_of(word: str) -> str:
    """The code of the rule that a word names, by its code or its name.

    Raises:
        ConfigError: there is none; the message names the nearest.
    """
    code = named(word) or word.upper()
    if code in registry():
        return code
    family = ", ".join(codes_under(code)) if word else ""
    raise ConfigError(f"unknown rule code `{word}`{f'; there are {family}' if family else near(word)}")


def _required(name: str, value: object) -> object:
    """A value from Python, as a file could have it; pairs count as a table."""
    try:
        table = dict(value) if name.endswith("per_file_ignores") and isinstance(value, tuple) else value
        return READERS[name.replace("_", "-")](table, "")
    except (TypeError, ValueError) as error:
        raise ConfigError(f"`{name}`: {error}") from None


def _length(prefix: str) -> int:
    return 0 if prefix == "ALL" else len(prefix)


def meanings() -> dict[str, str]:
    """What each key of a configuration means."""
    said = re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)$", inspect.getdoc(Config) or "", re.M)
    told = {name.replace("_", "-"): " ".join(meaning.split()) for name, meaning in said}
    return {key: told[key] for key in told if key in READERS}


def load(path: Path) -> Config:
    """The configuration in a file; what it says of paths is relative to its folder.

    Raises:
        ConfigError: the file cannot be read, or says what makes no sense.
    """
    first, *others = layers(path)
    config = _read(Config(root=str(path.parent)), *first)
    for file, said in others:
        config = _added(config, _read(_beneath(config, said), file, said), said)
    return config


def _read(config: Config, file: Path, said: Mapping[str, object]) -> Config:
    """A configuration with what a file says laid over it."""
    folder = str(file.parent)
    return _moved_from(folder, _build(said, str(file), folder, config), said)


def _added(below: Config, config: Config, said: Mapping[str, object]) -> Config:
    """A configuration that has what a file adds to the one that it extends."""
    more: dict[str, Any] = {}
    if "extend-exclude" in said:
        more["extend_exclude"] = below.extend_exclude + config.extend_exclude
    if "extend-per-file-ignores" in said:
        more["extend_per_file_ignores"] = below.extend_per_file_ignores + config.extend_per_file_ignores
    return replace(config, **more)


def _beneath(config: Config, values: Mapping[str, object]) -> Config:
    """A configuration on top of which rules can be selected anew."""
    if not {"select", "extend-select", "ignore", "extend-ignore"} & values.keys():
        return config
    return replace(config, beneath=selection(config), select=None, extend_select=(), ignore=(), extend_ignore=())


def layers(path: Path) -> list[tuple[Path, Mapping[str, object]]]:
    """A configuration file and those that it extends, with what they say; each is laid over the one before.

    Raises:
        ConfigError: one of them cannot be read.
    """
    found: list[tuple[Path, Mapping[str, object]]] = []
    following: Path | None = path
    while following is not None:
        if any(following == file for file, _ in found):
            raise ConfigError(f"{path}: `extend`: {following} extends itself")
        file, said = following, table(following)
        if said is None and found:
            raise ConfigError(f"{found[-1][0]}: `extend`: {file} has no table `[tool.inplace-lint]`")
        found.append((file, said or {}))
        following = _extended(file, said or {})
    return found[::-1]


def _extended(file: Path, said: Mapping[str, object]) -> Path | None:
    given = {key: value for key, value in said.items() if key == "extend"}
    extended = _build(given, str(file), str(file.parent), Config()).extend
    return Path(extended) if extended is not None else None


def override(config: Config, options: Mapping[str, object]) -> Config:
    """A configuration with command-line options (keys as in the file) laid over it.

    Raises:
        ConfigError: an option says what makes no sense.
    """
    return _moved_from(os.getcwd(), _build(options, "command line", "", _beneath(config, options)), options)


def _moved_from(here: str, config: Config, values: Mapping[str, object]) -> Config:
    """A configuration whose patterns among some values, which are relative to `here`, are relative to its root."""
    if os.path.abspath(config.root) == os.path.abspath(here):
        return config
    given = {key.replace("-", "_") for key in values}
    return replace(config, **_moved_patterns(config, given, here, config.root))


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
    tools = document.get("tool")
    if path.name != "pyproject.toml":
        if isinstance(tools, dict) and "inplace-lint" in tools:
            raise ConfigError(f"{path}: keys stand here without `[tool.inplace-lint]`, which is for pyproject.toml")
        return document
    if isinstance(tools, dict) and "inplace_lint" in tools:
        raise ConfigError(f"{path}: `[tool.inplace_lint]` is not read; write `[tool.inplace-lint]`")
    own = tools.get("inplace-lint") if isinstance(tools, dict) else None
    if own is not None and not isinstance(own, dict):
        raise ConfigError(f"{path}: `tool.inplace-lint` must be a table, not {described(own)}")
    return own


def line_of_file(line: str) -> Mapping[str, object]:
    """What a line says that could stand in a configuration file.

    Raises:
        ConfigError: it could not.
    """
    try:
        said: dict[str, object] = tomllib.loads(line)
        return said
    except ValueError:
        key, _, value = (part.strip() for part in line.partition("="))
        hint = f"""a string needs quotes: {key} = "{value}\""""
        raise ConfigError(f"command line: `{line}` is no line of a configuration file; {hint}") from None


def _build(values: Mapping[str, object], place: str, folder: str, base: Config) -> Config:
    changes: dict[str, Any] = {}
    for key, value in values.items():
        reader = READERS.get(key)
        if reader is None:
            raise ConfigError(f"{place}: unknown key `{key}`{did_you_mean(key, READERS)}")
        try:
            changes[key.replace("-", "_")] = reader(value, folder)
        except ValueError as error:
            raise ConfigError(f"{place}: `{key}`: {error}") from None
    return replace(base, **changes)
