"""The imports of a text are those that Python's parser sees; prose and text that is not finished have none or some."""

import ast
from pathlib import Path

import pytest

import inplace_lint
from inplace_lint.source.imports_in_text import Imported, imports_in

PACKAGE = Path(inplace_lint.__file__).parent


def _parsed(text: str) -> list[Imported]:
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [Imported(each.name, 0, "", each.asname or "") for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            of = node.module or "", node.level
            found += [Imported(*of, each.name, each.asname or each.name) for each in node.names]
    return sorted(found)


@pytest.mark.parametrize(
    "text",
    [
        "import a, b.c as d  # as e\nfrom . import x\nfrom ..y.z import (\n    f as g,  # one\n    h,\n)\n",
        "def f():\n    from a import *\n    import \\\n        os.path\n    x = 1; y = 2\n",
    ],
)
def test_spellings(text):
    assert sorted(imports_in(text)) == _parsed(text)


def test_own_files():
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text("utf-8")
        assert set(imports_in(text)) >= set(_parsed(text)), path


def test_what_is_no_import():
    assert list(imports_in("import the model, then go on\nfrom here on import it all\nfrom x import (a, b")) == [
        Imported("x", 0, "a", "a"),
        Imported("x", 0, "b", "b"),
    ]
