"""What a model file says of a library's functions is taken like a row of the op table."""

from __future__ import annotations

from pathlib import Path

import pytest

from inplace_lint import Config, lint_paths, lint_source
from inplace_lint.project.config import ConfigError, load
from inplace_lint.project.models import ModelError, read_model

MODEL = """
[ops."fastlib.add"]
params = ["x:tensor", "y:tensor", "*", "alpha:number="]
writes = ["x"]
returns = "alias x"

[ops."fastlib.gate"]
params = ["x:tensor"]
saves = [["x"], ["result"]]

[ops."fastlib.rows"]
params = ["x:tensor"]
returns = "view x"

[modules."fastlib.Act"]
init = [["inplace", false]]

[[modules."fastlib.Act".forward]]
params = ["input:tensor"]
given = { inplace = true }
writes = ["input"]
returns = "alias input"

[[modules."fastlib.Act".forward]]
params = ["input:tensor"]
"""


def program(*lines: str, head: str = "import fastlib") -> str:
    body = "".join(f"    {line}\n" for line in lines)
    return f"import torch\n{head}\n\ndef step(w, flag):\n    x = torch.randn(3, requires_grad=True)\n{body}"


WRITES = program("y = torch.sigmoid(x)", "fastlib.add(y, x)", "y.sum().backward()")
WRITES_IN_A_BRANCH = program("y = torch.sigmoid(x)", "if flag:", "    fastlib.add(y, x)", "y.sum().backward()")
SAVES = program("y = fastlib.gate(x * 2)", "y.add_(1)", "y.sum().backward()")
VIEWS = program("y = torch.sigmoid(x)", "fastlib.rows(y).add_(1)", "y.sum().backward()")
MODULE = program("y = torch.sigmoid(x)", "fastlib.Act(inplace=True)(y).sum().backward()")
ALIASED = program("y = torch.sigmoid(x)", "plus(y, x)", "y.sum().backward()", head="from fastlib import add as plus")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    (tmp_path / "fastlib.toml").write_text(MODEL)
    return Config(models=(read_model(str(tmp_path / "fastlib.toml")),))


@pytest.mark.parametrize("text", [WRITES, WRITES_IN_A_BRANCH, SAVES, VIEWS, MODULE, ALIASED])
def test_findings_depend_on_the_model(text: str, config: Config) -> None:
    assert lint_source(text) == []
    assert [found.code for found in lint_source(text, config=config)] == ["IPL202"]
    assert lint_source(text) == []


def test_an_out_of_place_module_is_no_finding(config: Config) -> None:
    assert lint_source(MODULE.replace("inplace=True", ""), config=config) == []


def _of_facts(row: str, text: str, folder: Path) -> list[str]:
    (folder / "model.toml").write_text(row)
    return [each.code for each in lint_source(text, config=Config(models=(read_model(str(folder / "model.toml")),)))]


FILLED = "import fastlib\n\ndef f(y):\n    z = fastlib.put_(y)\n    return z + y\n"
FILLED_ROW = "[ops.'fastlib.put_']\nparams = ['x:tensor']\nwrites = ['x']\nreturns = 'alias x'\n"
TURNED = """import torch, fastlib
w = torch.zeros(3, 3)
w += fastlib.turn(w)
"""
TURNED_ROW = "[ops.'fastlib.turn']\nparams = ['x:tensor']\nreturns = 'view x'\n"
EXPANDED = """import torch, fastlib
fastlib.put_(torch.zeros(3, 1).expand(3, 3))
"""


@pytest.mark.parametrize(
    ("text", "row", "more", "codes"),
    [
        (FILLED, FILLED_ROW, "purpose = 'fill'", (["IPL301"], [])),
        (FILLED, FILLED_ROW, "filling = 'given'", (["IPL301"], [])),
        (TURNED, TURNED_ROW, "part = 'turned'", ([], ["IPL104"])),
        (EXPANDED, FILLED_ROW, "unchecked = ['x']", (["IPL104"], ["IPL306"])),
    ],
)
def test_a_model_tells_traits(
    text: str, row: str, more: str, codes: tuple[list[str], list[str]], tmp_path: Path
) -> None:
    assert (_of_facts(row, text, tmp_path), _of_facts(row + more, text, tmp_path)) == codes


def test_further_facts_are_added_to_a_row(tmp_path: Path) -> None:
    also = "[[also]]\nops = ['fastlib.put_']\npurpose = 'fill'\n"
    assert _of_facts(FILLED_ROW + also, FILLED, tmp_path) == []


def test_a_model_is_told_more_than_the_source_in_view(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("fastlib.py").write_text("from _compiled import kernel\n\ndef add(x, y):\n    return kernel(x, y)\n")
    Path("use.py").write_text(ALIASED)
    assert not lint_paths(["use.py"]).diagnostics
    Path("model.toml").write_text(MODEL)
    Path("inplace-lint.toml").write_text("models = ['model.toml']")
    assert [found.code for found in lint_paths(["use.py"]).diagnostics] == ["IPL202"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[op.'a.b']\n", "unknown key `op`; did you mean `ops`?"),
        ("ops = 3\n", "`ops`: expected a table from names to rows"),
        ("[ops.'a.b']\n", '[ops."a.b"]: `params` is missing'),
        ("[ops.a.b]\nparams = []\n", '[ops."a"]: a name with dots must be in quotation marks'),
        ("[ops.'a.b']\nparams = 'x'\n", "`params`: expected a list"),
        ("[ops.'a.b']\nparams = ['x:tensr']\n", "`params`: unknown word `tensr`; did you mean `tensor`?"),
        ("[ops.'a.b']\nparams = ['x']\nwrite = ['x']\n", "unknown key `write`; did you mean `writes`?"),
        ("[ops.'a.b']\nparams = ['self']\nwrites = ['slf']\n", "`writes`: unknown word `slf`; did you mean `self`?"),
        ("[ops.'a.b']\nparams = ['x']\nreturns = 'viev x'\n", "unknown word `viev`; did you mean `view`?"),
        ("[ops.'a.b']\nparams = ['x']\nreturns = 'view'\n", "`view` is of which parameter?"),
        ("[ops.'a.b']\nparams = ['x']\nreturns = 'fresh x'\n", "`fresh` is of no parameter"),
        ("[ops.'a.b']\nparams = ['x']\nsaves = ['x']\n", "`saves`: expected lists such as"),
        ("[ops.'a.b']\nparams = ['x']\nsaves = [['results']]\n", "did you mean `result`?"),
        ("[ops.'a.b']\nparams = ['x']\ngrad = 'no'\n", "`grad`: expected true or false"),
        ("[ops.'a.b']\nparams = ['x']\nreturns = 'view x if small'\n", "unknown word `small`"),
        ("[ops.'a.b']\nparams = ['x']\nfilling = 'zero'\n", "`filling`: unknown word `zero`; did you mean `zeros`?"),
        ("[ops.'a.b']\nparams = ['x']\ndtype = 'int46'\n", "`dtype`: unknown word `int46`; did you mean `int64`?"),
        ("[ops.'a.b']\nparams = ['x']\nreturns = ['fresh']\ndtype = ['', '']\n", "`dtype`: expected one for each"),
        ("[ops.'a.b']\nparams = ['x']\nunchecked = ['y']\n", "`unchecked`: unknown word `y`"),
        ("[ops.'a.b']\nparams = ['x']\nshape = 'same'\n", "`shape`: expected `broadcast`"),
        ("[ops.'a.b']\nparams = ['x']\nfields = ['u', 'v']\n", "`fields`: expected one name for each result"),
        ("[[also]]\npurpose = 'fill'\n", "[[also]]: `ops`: expected a list of names"),
        ("[[also]]\nops = ['a.b']\nwrites = ['x']\n", "[[also]]: unknown key `writes`"),
        ("[modules.'a.B']\ninit = ['inplace']\n", '[modules."a.B"]: `init`: expected pairs'),
        ("[[modules.'a.B'.forward]]\nwrites = ['x']\n", '[modules."a.B"]: `params` is missing'),
        ("[ops\n", "cannot be read: "),
    ],
)
def test_mistakes_are_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "model.toml"
    file.write_text(text)
    with pytest.raises(ModelError) as caught:
        read_model(str(file))
    assert str(caught.value).startswith(f"{file}: ")
    assert message in str(caught.value)


def test_mistakes_name_the_configuration_too(tmp_path: Path) -> None:
    (tmp_path / "inplace-lint.toml").write_text("models = ['none.toml']")
    with pytest.raises(ConfigError, match=r"inplace-lint.toml: `models`: .*none.toml: cannot be read: No such file"):
        load(tmp_path / "inplace-lint.toml")


def test_the_shipped_rows_are_valid_models() -> None:
    import inplace_lint.torch_model

    read_model(str(Path(inplace_lint.torch_model.__file__).with_name("manual.toml")))


def test_models_take_no_paths_away(config: Config) -> None:
    text = (
        "import torch\ndef f(x: torch.Tensor, places: torch.Tensor | None = None):\n    y = torch.sigmoid(x)\n"
        "    if places is not None:\n        y = y.gather(0, places)\n    else:\n        y.mul_(2)\n    return y\n"
    )
    assert [(each.code, each.site.span.row) for each in lint_source(text, config=config)] == [("IPL202", 7)]
