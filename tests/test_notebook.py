"""Notebooks: linted as they would run, found fault with cell by cell, and fixed without touching anything else."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.notebook import Layout, lines_of_cell, program
from inplace_lint.notebook.cells import cells_of, with_sources
from inplace_lint.notebook.magics import without_magics
from inplace_lint.pipeline.apply_fixes import fixed
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.pipeline.lint_paths import lint_paths
from inplace_lint.project.config import Config

SETUP = "%matplotlib inline\nimport torch\n\nx = torch.ones(2, requires_grad=True)"
SAVED = "%%time\ny = x.exp()\ny?"
WRITTEN = "y *= 2  # caf\u00e9\n%time z = y.sum()\nz.backward()"


def notebook(*sources: str | list[str], **metadata: Any) -> dict[str, Any]:
    """A notebook of a note and code cells; a source is text, or a list of lines."""
    code = {"cell_type": "code", "execution_count": 3, "metadata": {}, "outputs": [{"output_type": "stream"}]}
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "# y *= 2"}]
    cells += [{**code, "source": source} for source in sources]
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def found(data: bytes) -> list[Diagnostic]:
    return lint_bytes(data, "a.ipynb", Config(extend_select=("IPL901",)))


def brief(data: bytes) -> list[tuple[str, int | None, int]]:
    return [(each.code, each.cell, each.site.span.row) for each in found(data)]


@pytest.mark.parametrize("style", [{"indent": 1}, {"indent": 4, "ensure_ascii": False}, {}, {"separators": (",", ":")}])
@pytest.mark.parametrize("split", [lines, str], ids=["list", "text"])
@pytest.mark.parametrize("ending", ["\n", "", "\r\n"])
def test_findings_and_fixes_by_cell(style: dict[str, Any], split: Any, ending: str) -> None:
    text = json.dumps(notebook(split(SETUP), split(SAVED), split(WRITTEN)), **style) + "\n"
    data = text.replace("\n", ending or "\n").encode()
    (hazard,) = found(data)
    assert (hazard.code, hazard.cell, hazard.site.span.row) == ("IPL202", 4, 1)
    assert [(each.cell, each.site.span.row) for each in hazard.related] == [(3, 2), (4, 3)]
    done = fixed(data, "a.ipynb", [hazard], found)
    assert not found(done.data)
    # No byte changes but the operator.
    assert done.data == data.replace(b"y *= 2", b"y = y * 2").replace(b"# y = y * 2", b"# y *= 2")


def test_lines_that_are_added_stand_like_their_neighbours() -> None:
    setup = "import torch\nx = torch.ones(2, requires_grad=True)"
    text = json.dumps(notebook(lines(setup), ["x.zero_()"], lines("# go\nx.zero_()\n")), indent=2)
    done = fixed(text.encode(), "a.ipynb", found(text.encode()), found).data.decode()
    block = ["with torch.no_grad():\n", "    x.zero_()"]
    assert done == json.dumps(notebook(lines(setup), block, ["# go\n", *block[:1], block[1] + "\n"]), indent=2)


CELLS = st.lists(
    st.text(st.sampled_from('ab\n"\\\r\u6f22\u2028'), max_size=12).map(lines) | st.text("ab\n", max_size=5)
)


@given(CELLS, st.data(), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_new_sources_change_nothing_else(cells: list[Any], data: st.DataObject, indent: Any, ascii_only: bool) -> None:
    old = json.dumps(notebook(*cells, title="t\u00eftle"), indent=indent, ensure_ascii=ascii_only)
    known = cells_of(old)
    new = {cell.number: data.draw(st.just(cell.source) | st.text("ab\n\u6f22")) for cell in known if cell.parts}
    text = with_sources(old, new, known)
    assert {cell.number: cell.source for cell in cells_of(text)} == {cell.number: cell.source for cell in known} | new
    others = [json.loads(each) for each in (old, text)]
    for each in others:
        for cell in each["cells"]:
            cell["source"] = ""
    assert others[0] == others[1]
    if all(new[cell.number] == cell.source for cell in known if cell.parts):
        assert text == old


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("%load_ext a\nx = 1", "pass\nx = 1"),
        ("if x:\n    !ls -l $x\n", "if x:\n    pass\n"),
        ("!pip install \\\n  torch\nx = 1", "pass\n\nx = 1"),
        ("files = !ls", "files = None"),
        ("a, b = %magic c", "a, b = None"),
        ("torch.relu?", "pass"),
        ("?torch.relu", "pass"),
        ("%time y = f(x)", "pass; y = f(x)"),
        ("%timeit f(x)", "pass;   f(x)"),
        ("%timeit -n 10 f(x)", "pass"),
        ("%%bash\nls\nx = (", "\n\n"),
        ("\n%%capture out\nx = 1", "\n\nx = 1"),
        ("x = (1\n% 2)", "x = (1\n% 2)"),
        ("s = '''\n%not magic\n'''\n%magic", "s = '''\n%not magic\n'''\npass"),
        ('s = "# %" \\\n  % 3', 's = "# %" \\\n  % 3'),
        ("x = 'what?'", "x = 'what?'"),
        ("x = 1  # what?", "x = 1  # what?"),
        ("x = y if z != 3 else 4", "x = y if z != 3 else 4"),
        ("print('a', '''b''')\n%magic", "print('a', '''b''')\npass"),
    ],
)
def test_magics_are_set_aside(source: str, wanted: str) -> None:
    assert without_magics(source) == wanted
    ast.parse(wanted)


def test_rows_and_columns_of_the_program_are_those_of_the_cells() -> None:
    text = program(json.dumps(notebook("a\nb", "c\n", "", "d")), "a.ipynb")
    assert [list(lines_of_cell(text, number)) for number in (1, 2, 3, 4, 5)] == [[], ["a", "b"], ["c", ""], [""], ["d"]]
    assert Layout.of("x = 1\n") == Layout((), ())


def test_state_goes_from_cell_to_cell_and_comments_count() -> None:
    hazard = ["y = x.exp()", "y += 1", "y.sum().backward()"]
    setup = "import torch\nx = torch.ones(2, requires_grad=True)"
    assert brief(json.dumps(notebook(setup, *hazard)).encode()) == [("IPL202", 4, 1)]
    hazard[1] += "  # noqa: IPL202"
    assert brief(json.dumps(notebook(setup, *hazard)).encode()) == []
    hazard[2] += "  # noqa: IPL101"
    assert brief(json.dumps(notebook(setup, *hazard)).encode()) == [("IPL901", 5, 1)]


def test_other_languages_are_left_alone() -> None:
    for metadata in ({"kernelspec": {"language": "R"}}, {"language_info": {"name": "julia"}}):
        assert brief(json.dumps(notebook("x = (", **metadata)).encode()) == []


@pytest.mark.parametrize(
    ("data", "place", "message"),
    [
        (b"", (None, 1), "is no notebook: not JSON (Expecting value)"),
        (b'{"cells":\n oops}', (None, 2), "is no notebook: not JSON (Expecting value)"),
        (b"[]", (None, 1), "is no notebook: a JSON object is expected"),
        (b"{}", (None, 1), "is no notebook: it has no list of `cells`"),
        (b'{"cells": {}}', (None, 1), "is no notebook: it has no list of `cells`"),
        (b'{"cells": [1]}', (None, 1), "is a broken notebook: cell 1 has no `cell_type`"),
        (b'{"cells": [{"cell_type": "code"}]}', (None, 1), "is a broken notebook: the `source` of cell 1 is neither"),
        (b'{"cells": [{"cell_type": "code", "source": [1]}]}', (None, 1), "is a broken notebook: the `source`"),
        (b'{"worksheets": [], "nbformat": 3}', (None, 1), "is a notebook of format 3"),
        (b"[" * 100_000, (None, 1), "is no notebook: JSON that is nested too deeply"),
        (json.dumps(notebook("x = 1", "x = (")).encode(), (3, 1), "syntax error"),
        (b"\xff", (None, 1), "is not valid utf-8"),
    ],
)
def test_broken_notebooks(data: bytes, place: tuple[int | None, int], message: str) -> None:
    (broken,) = found(data)
    assert broken.code == "IPL902"
    assert (broken.cell, broken.site.span.row) == place
    assert message in broken.message


def test_files_and_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "a.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(notebook(SETUP, SAVED, WRITTEN), indent=1).encode())
    (tmp_path / ".ipynb_checkpoints").mkdir()
    (tmp_path / ".ipynb_checkpoints" / "a.ipynb").write_bytes(path.read_bytes())
    (tmp_path / "script.py").write_text("# %%\nimport torch\n# %% [markdown]\n# a note\n# %%\nx = torch.relu_\n")
    (hazard,) = lint_paths([str(tmp_path)], Config()).diagnostics
    assert (hazard.code, hazard.cell) == ("IPL202", 4)

    def cli(*args: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "inplace_lint", *args]
        return subprocess.run(command, cwd=tmp_path, input=path.read_text("utf-8-sig"), capture_output=True, text=True)

    assert cli(".", "--output-format", "concise").stdout.startswith("a.ipynb:cell 4:1:1: error[IPL202] [*] ")
    frame = cli("-", "--stdin-filename", "b.ipynb").stdout
    assert "--> b.ipynb:cell 4:1:1\n" in frame
    assert "2 | %time z = y.sum()\n" in frame
    assert "--- a.ipynb:cell 4\n+++ a.ipynb:cell 4\n" in cli("--diff").stdout
    (edit,) = json.loads(cli("--output-format", "json").stdout)[0]["fix"]["edits"]
    assert (edit["cell"], edit["location"], edit["content"]) == (4, {"row": 1, "column": 3}, "= y *")
    assert cli("--fix").returncode == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")


def test_a_comment_that_looks_like_our_mark() -> None:
    text = "#\f cell 7\nimport torch\ndef f(x):\n    return x * torch.sigmoid_(x)\n"
    assert brief(json.dumps(notebook(text)).encode()) == [("IPL302", 2, 4)]
