"""Text that is long in the wrong place takes no longer than other text of its length."""

from __future__ import annotations

import ast
import multiprocessing
from collections.abc import Callable

import pytest

from inplace_lint import lint_source
from inplace_lint.findings.diagnostic import Edit
from inplace_lint.findings.suppress import suppressions
from inplace_lint.findings.unused import Judged, unused
from inplace_lint.fixes.edit import edited
from inplace_lint.fixes.tree import Tree
from inplace_lint.notebook import Layout
from inplace_lint.notebook.magics import without_magics
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.postmortem.error_report import read_report
from inplace_lint.project.config import Config
from inplace_lint.source.columns import Columns
from inplace_lint.source.documentation import _says
from inplace_lint.source.place import Span
from inplace_lint.source.positions import Positions
from inplace_lint.torch_model.messages import node_name, refusal, stale

MANY = 100_000
STALE = "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "


def _unused(text: str) -> object:
    return list(unused("a.py", text, (), Judged({}, (), ())))


CASES: dict[str, Callable[[], object]] = {
    "magic: backslashes in a string": lambda: without_magics("x = '''\n" + "\\" * MANY + "\n'''"),
    "magic: quotes": lambda: without_magics("x = '''\n" + "''\\" * MANY + "\n"),
    "magic: white space": lambda: without_magics(" " * MANY + "x"),
    "magic: white space before a mark": lambda: without_magics("x" + " " * MANY + "= !"),
    "magic: question marks": lambda: without_magics("? " * MANY + "x"),
    "magic: timed": lambda: without_magics("%time" + " " * MANY + "-"),
    "magic: words": lambda: without_magics("x " * MANY + "; y"),
    "magic: brackets": lambda: without_magics("([{" * MANY),
    "magic: apostrophes": lambda: without_magics("'" * MANY + "\\" * MANY + '"' * MANY),
    "cells": lambda: Layout.of("".join(f"#\f cell {n}\n{'x' * 30}\n" for n in range(MANY // 5))),
    "documentation: words": lambda: _says("modifies the " * MANY, ("x",)),
    "documentation: objects": lambda: _says("not modifies input. " * MANY, ("x",)),
    "documentation: one verb": lambda: _says("modifies " + "the " * MANY, ("x",)),
    "documentation: empty lines": lambda: _says("\n" * MANY + "workspace", ("x",)),
    "documentation: parameters": lambda: _says(
        "param += " + "word " * MANY, tuple(f"name{n}" for n in range(MANY // 10))
    ),
    "documentation: a word": lambda: _says("workspace " + "w" * MANY, ("x",)),
    "comment: spaces in brackets": lambda: suppressions("# inplace-lint: ignore[" + " " * MANY + "x"),
    "comment: spaces without": lambda: suppressions("# inplace-lint: ignore" + " " * MANY + "x"),
    "comment: letters": lambda: suppressions("# inplace-lint: ignore[" + "a" * MANY + "]"),
    "comment: codes": lambda: suppressions("# noqa: " + "IPL1 " * MANY + "-"),
    "comment: many lines": lambda: lint_source(
        "import torch\n" + "x = 1  # noqa: IPL302\n" * (MANY // 5), "a.py", Config(extend_select=("IPL901",))
    ),
    "comment: hashes": lambda: suppressions("# noqa" * MANY),
    "unused: letters": lambda: _unused("# inplace-lint: ignore[IPL1, " + "a" * MANY + "]\n"),
    "indentation": lambda: Tree("", "x = '''\n" + ":#" * (MANY // 3) + "\n'''\n").module.default_indent,
    "einops": lambda: lint_source(
        f"from einops import rearrange\ndef f(x):\n    y = rearrange(x, 'a->{'(' * MANY}')\n    y.add_(1)\n", "a.py"
    ),
    "error: files": lambda: read_report("x\n" + 'File "' * MANY + "\n" + STALE),
    "error: a long name": lambda: read_report("a" * MANY + ".py:" + "1" * MANY + "\n" + STALE),
    "error: cells": lambda: read_report("Cell In[" + "1" * MANY + "], line 1\n" + STALE),
    "error: detected": lambda: read_report("Error detected in " * MANY + "\n" + STALE),
    "error: digits": lambda: node_name("1" * MANY + "x"),
    "error: brackets": lambda: stale("[a " * MANY + "[[1," + " " * MANY),
    "error: sizes": lambda: stale(f"[T [{'1' * MANY}]] is at version {'1' * MANY}; expected version 1"),
    "error: refusal": lambda: refusal("Output " + "1" * MANY + " of BackwardHookFunction" + "w" * MANY),
    "error: empty lines": lambda: read_report("\n" * MANY + "one of the variables\n" * MANY),
    "wide characters": lambda: Positions("é = 1; " * (MANY // 2)).span(ast.parse("é = 1; " * (MANY // 2)).body[-1]),
    "edits": lambda: edited("x\n" * (MANY // 10) + "y", [Edit(Span(n, 1, n, 2), "z") for n in range(1, MANY // 10)]),
}


def _run(case: str) -> None:
    CASES[case]()


@pytest.mark.parametrize("case", CASES)
def test_time_grows_with_length(case: str) -> None:
    process = multiprocessing.Process(target=_run, args=(case,))  # nothing but a signal stops a regular expression
    process.start()
    process.join(60)
    process.kill()
    process.join()
    assert process.exitcode == 0


def test_columns() -> None:
    line = "a = 'é' + '変数' + \"😀\" + x"
    columns = Columns(["", line])
    for place in range(len(line) + 1):
        assert columns.at(2, len(line[:place].encode())) == place + 1


LONE = {
    "a literal": ("a.py", b"# coding: utf-7\ns = '+2AA-'\n", (2, 6)),
    "an escape of the encoding": ("a.py", b"# coding: raw_unicode_escape\ns = '\\ud800'\n", (2, 6)),
    "a comment": ("a.py", b"# coding: unicode_escape\n# \\udfff\n", (2, 3)),
    "a cell": ("a.ipynb", b'{"cells": [{"cell_type": "code", "source": "x\\ns=\'\\ud800\'"}]}', (2, 4)),
}


@pytest.mark.parametrize("case", LONE)
def test_lone_surrogates(case: str) -> None:
    path, data, place = LONE[case]
    (found,) = lint_bytes(data, path, Config())
    assert (found.code, found.site.span.row, found.site.span.column) == ("IPL902", *place)
    assert "lone surrogate, U+D" in found.message


def test_texts_that_are_none() -> None:
    for text in ("s = '\ud800'", "\ud800 = 1", "type X = '\ud800'"):
        assert [each.code for each in lint_source(text)] == ["IPL902"], text
    assert not lint_source("s = '\\ud800'\nx = {s: s + s}[s]\n")
    (found,) = lint_bytes(b'{"cells": [], "x": ' + b"9" * 6000 + b"}", "a.ipynb", Config())
    assert (found.code, found.message[:16]) == ("IPL902", "is no notebook: ")
