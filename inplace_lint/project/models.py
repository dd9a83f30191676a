"""Models: what the functions and modules of other libraries do to tensors, as the user describes it.

A model is a file of rows, or a folder of stubs (`stub_folder.py`). A model file is TOML, in the words of `Effects` and
in the format of the op table's own rows (`torch_model/op_table.py`), under the names by which programs import them::

    [ops."mylib.fused_add_"]
    params = ["x:tensor", "y:tensor"]
    writes = ["x"]
    returns = "alias x"

    [[also]]
    ops = ["mylib.fused_add_"]
    purpose = "fill"

    [modules."mylib.FusedReLU"]
    init = [["inplace", false]]
    [[modules."mylib.FusedReLU".forward]]
    params = ["input:tensor"]
    saves = [["result"]]
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn, get_args

from inplace_lint.findings.wording import did_you_mean
from inplace_lint.project.files import read_file
from inplace_lint.project.stub_folder import StubError, read_stubs
from inplace_lint.torch_model.effects import (
    KINDS,
    Again,
    Condition,
    Filling,
    Origin,
    ParamKind,
    Part,
    Purpose,
    Repeats,
    Whole,
)
from inplace_lint.torch_model.op_table import OpTable, shipped_for, using
from inplace_lint.torch_model.stubs import Stub, Stubs
from inplace_lint.torch_model.stubs import shipped as shipped_stubs
from inplace_lint.torch_model.stubs import using as using_stubs

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_SWITCHES = ("grad", "contiguous", "metadata", "dense", "compares", "moves", "levels")
_WORDS = {
    "whole": get_args(Whole),
    "part": get_args(Part),
    "filling": get_args(Filling),
    "repeats": get_args(Repeats),
    "purpose": get_args(Purpose),
    "again": get_args(Again),
}
_LISTS = ("params", "writes", "saves", "unchecked", "passes", "fields")
_ROW = (*_LISTS, "given", "returns", "dtype", "shape", "node", "reason", *_SWITCHES, *_WORDS)
_ALSO = ("ops", "reason", "compares", "dense", "dtype", "levels", "metadata", "moves", "saves", "shape", *_WORDS)
_SAVES = '`saves`: expected lists such as ["x"], ["result"] or ["x", ["y"]] (x, if y requires grad)'
_MODULE = ("init", "parameters", "buffers", "forward", "reason")


class ModelError(ValueError):
    """A mistake in a model file; the message names the file, the entry, the key and a cure."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model file, or a folder of stubs.

    Args:
        path: where it was read.
        text: the content of the file, known to be valid.
        stubs: those in the folder.
    """

    path: str
    text: str = ""
    stubs: tuple[Stub, ...] = ()


def read_model(path: str) -> Model:
    """Read and check a model file, or a folder of stubs.

    Raises:
        ModelError: it cannot be read, or says what makes no sense.
    """
    if os.path.isdir(path):
        try:
            return Model(path, stubs=read_stubs(path))
        except StubError as error:
            raise ModelError(str(error)) from error
    try:
        model = Model(path, read_file(path).decode("utf-8-sig").replace("\r\n", "\n"))
        document = tomllib.loads(model.text)
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    _Checker(path).document(document)
    return model


@cache
def table_with(models: tuple[Model, ...], torch_version: str) -> OpTable:
    """The op table for a version of PyTorch with the rows of model files, of which later ones win."""
    table = shipped_for(".".join(torch_version.split(".")[:2]))
    for model in models:
        table = table.extended(tomllib.loads(model.text))
    return table


@cache
def stubs_with(models: tuple[Model, ...]) -> Stubs:
    """The stubs with those of model folders, of which later ones win."""
    given = [stub for model in models for stub in model.stubs]
    return shipped_stubs().extended(given) if given else shipped_stubs()


@contextmanager
def known(models: tuple[Model, ...], torch_version: str) -> Iterator[None]:
    """Put what is known of a version of PyTorch and what models tell in force, in this thread."""
    with using(table_with(models, torch_version)), using_stubs(stubs_with(models)):
        yield


@dataclass(frozen=True, slots=True)
class _Checker:
    """Checks a part of a model file; `where` says which."""

    where: str

    def fail(self, message: str) -> NoReturn:
        raise ModelError(f"{self.where}: {message}")

    def document(self, document: Mapping[str, Any]) -> None:
        self.keys(document, ("ops", "modules", "also"))
        for entry in self.items(document, "also"):
            _Checker(f"{self.where}: [[also]]").also(entry)
        for kind, check in (("ops", _Checker.op), ("modules", _Checker.module)):
            entries = document.get(kind, {})
            if not isinstance(entries, dict):
                self.fail(f"`{kind}`: expected a table from names to rows")
            for name, entry in entries.items():
                inner = _Checker(f'{self.where}: [{kind}."{name}"]')
                if isinstance(entry, dict) and entry and all(isinstance(part, dict) for part in entry.values()):
                    inner.fail("a name with dots must be in quotation marks")
                check(inner, entry)

    def also(self, entry: object) -> None:
        told = self.keys(entry, _ALSO)
        if not self.texts(told, "ops"):
            self.fail("`ops`: expected a list of names")
        for save in self.items(told, "saves"):
            self.form_of_save(save)
        self.facts(told)
        self.types(told, None)

    def op(self, entry: object) -> None:
        for row in entry if isinstance(entry, list) else [entry]:
            self.row(row)

    def module(self, entry: object) -> None:
        table = self.keys(entry, _MODULE)
        for pair in self.items(table, "init"):
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
                self.fail('`init`: expected pairs of a name and a default, such as ["inplace", false]')
        own = [*self.texts(table, "parameters"), *self.texts(table, "buffers")]
        given = [pair[0] for pair in table.get("init", ())]
        for row in self.items(table, "forward"):
            self.row(row, own, given)

    def row(self, entry: object, own: Collection[str] = (), given: Collection[str] = ()) -> None:
        row = self.keys(entry, _ROW)
        if "params" not in row:
            self.fail('`params` is missing; give all parameters in order, such as ["x:tensor", "alpha:number="]')
        params = [self.param(text) for text in self.texts(row, "params") if text != "*"]
        known = [*params, *own]
        for name in self.texts(row, "writes"):
            self.word("writes", name, known)
        returns = row.get("returns", "fresh")
        outputs = self.texts(row, "returns") if isinstance(returns, list) else [returns]
        for text in outputs:
            self.output(text, params)
        results = ["result"] if isinstance(returns, str) else [f"result{i}" for i in range(len(outputs))]
        for save in self.items(row, "saves"):
            self.save(save, known, results)
        self.given(row, [*params, *given, "training"])
        for key in ("unchecked", "passes"):
            for name in self.texts(row, key):
                self.word(key, name, known)
        if len(self.texts(row, "fields")) not in (0, len(outputs)):
            self.fail("`fields`: expected one name for each result")
        self.facts(row)
        self.types(row, len(outputs) if isinstance(returns, list) else None)

    def facts(self, row: Mapping[str, Any]) -> None:
        for key in _SWITCHES:
            if not isinstance(row.get(key, True), bool):
                self.fail(f"`{key}`: expected true or false")
        for key, words in _WORDS.items():
            if key in row:
                self.word(key, row[key], words)
        if not isinstance(row.get("shape", 0), int) and row["shape"] not in ("broadcast", "total"):
            self.fail("`shape`: expected `broadcast`, `total`, or a number of dimensions")

    def types(self, row: Mapping[str, Any], outputs: int | None) -> None:
        told = self.texts(row, "dtype") if outputs is not None else [row[key] for key in ("dtype",) if key in row]
        if outputs is not None and told and len(told) != outputs:
            self.fail("`dtype`: expected one for each result")
        for dtype in told:
            self.word("dtype", dtype, ["", *KINDS] if outputs is not None else KINDS)

    def param(self, text: str) -> str:
        name, _, kind = text.rstrip("=").partition(":")
        if not name.isidentifier():
            self.fail(f"`params`: expected NAME:KIND, not `{text}`")
        if kind:
            self.word("params", kind, get_args(ParamKind))
        return name

    def output(self, text: object, params: Collection[str]) -> None:
        resolve, _, condition = text.partition(" if ") if isinstance(text, str) else ("", "", "")
        self.word("returns", condition, get_args(Condition))
        words = resolve.split()
        words = words[1:] if words[:1] == ["many"] else words
        if not words or len(words) > 2:
            self.fail("`returns`: expected an origin and, but for `fresh` and `value`, a parameter, such as `view x`")
        self.word("returns", words[0], get_args(Origin))
        if (words[0] in ("fresh", "parts", "value")) != (len(words) == 1):
            self.fail(f"`returns`: `{words[0]}` is {'of no parameter' if len(words) > 1 else 'of which parameter?'}")
        for name in words[1:]:
            self.word("returns", name, params)

    def save(self, save: object, known: Collection[str], results: Collection[str]) -> None:
        what, *when = self.form_of_save(save)
        self.word("saves", what, [*known, *results])
        for name in when:
            self.word("saves", name, [*known, "others"])

    def form_of_save(self, save: object) -> list[str]:
        """What is saved, and what must require grad for it."""
        if not isinstance(save, list) or not 1 <= len(save) <= 3 or not isinstance(save[0], str):
            self.fail(_SAVES)
        when = save[1] if len(save) > 1 else []
        if not isinstance(when, list):
            self.fail(_SAVES)
        if len(save) > 2:
            self.word("saves", save[2], ["clone", "view", "gpu"])
        return [save[0], *when]

    def given(self, row: Mapping[str, Any], known: Collection[str]) -> None:
        given = row.get("given", {})
        if not isinstance(given, dict):
            self.fail("`given`: expected a table of arguments and constants, such as { inplace = true }")
        for name in given:
            self.word("given", name, known)

    def keys(self, entry: object, allowed: Collection[str]) -> Mapping[str, Any]:
        if not isinstance(entry, dict):
            self.fail(f"expected a table with {', '.join(allowed)}")
        for key in entry:
            if key not in allowed:
                self.fail(f"unknown key `{key}`{did_you_mean(key, allowed)}")
        return entry

    def items(self, table: Mapping[str, Any], key: str) -> list[Any]:
        value = table.get(key, [])
        if not isinstance(value, list):
            self.fail(f"`{key}`: expected a list")
        return value

    def texts(self, table: Mapping[str, Any], key: str) -> list[str]:
        value = self.items(table, key)
        if not all(isinstance(item, str) for item in value):
            self.fail(f"`{key}`: expected a list of strings")
        return value

    def word(self, key: str, word: object, allowed: Collection[str]) -> None:
        if word not in allowed:
            near = did_you_mean(str(word), allowed) or f"; it may be {', '.join(allowed)}"
            self.fail(f"`{key}`: unknown word `{word}`{near}")
