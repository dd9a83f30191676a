from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path

import pytest
from observed import EVERYTHING, observed

from inplace_lint import Diagnostic, lint_source
from inplace_lint.effort import unlimited
from inplace_lint.findings.registry import registry
from inplace_lint.interpret.analysis import analyze, following
from inplace_lint.interpret.analysis.analyze import FAR, NEAR
from inplace_lint.interpret.analysis.collected import Collected
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.state.facts import may_write
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.run import Run
from inplace_lint.pipeline.lint_file import lint_bytes
from inplace_lint.screen.reach import Distance
from inplace_lint.screen.relevance import Screen
from inplace_lint.source.ir import FunctionDef
from inplace_lint.source.lower import lower
from inplace_lint.torch_model.effects import Effects, ModuleSpec
from inplace_lint.torch_model.op_table import table
from inplace_lint.torch_model.spellings import FLAGS, STATISTICS, is_writer

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*(ROOT / "tests" / "cases").glob("*.py"), *(ROOT / "examples").glob("*.py")])

HAZARD = "import torch\nx = torch.ones(1, requires_grad=True)\nx.add_(1)\n"


def unreadable(text: str) -> Diagnostic:
    (found,) = lint_source(text)
    assert found.code == "IPL902"
    return found


@pytest.mark.parametrize(
    "text",
    [
        "x = " + " + ".join(["x"] * 5000),
        "x = torch" + ".relu()" * 3000,
        "x = " + "[" * 5000 + "]" * 5000,
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 3000,
    ],
    ids=["operators", "calls", "brackets", "branches"],
)
def test_nested_too_deeply(text: str) -> None:
    assert unreadable(HAZARD + text).message.startswith("is nested too deeply")


@pytest.mark.parametrize(
    "text",
    [
        "y = " + " + ".join(["x"] * 500),
        "y = x" + ".relu()" * 300,
        "y = " + "[" * 60 + "]" * 60,
        "if x:\n    pass\n" + "elif x:\n    pass\n" * 500,
    ],
    ids=["operators", "calls", "brackets", "branches"],
)
def test_nested_as_people_do(text: str) -> None:
    assert [found.code for found in lint_source(HAZARD + text)] == ["IPL101"]


@pytest.mark.parametrize("text", ["print 'hello'", "for i in x\n    pass", "def f(:\n    pass", "%matplotlib inline"])
def test_a_syntax_error_is_where_python_says(text: str) -> None:
    found = unreadable(HAZARD + text)
    assert found.message.startswith("syntax error: ")
    assert found.site.span.row == 4


def test_python_2_is_told_apart() -> None:
    assert "Missing parentheses" in unreadable("print 'hello'").message


def test_no_warning_escapes(recwarn: pytest.WarningsRecorder) -> None:
    assert lint_source("x = '\\d'\nassert (x, 1)\n") == []
    assert not recwarn.list


def _without_advice(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    return [each for each in found if each.severity != "info"]


@pytest.mark.parametrize("file", SOURCES, ids=lambda file: file.stem)
def test_what_is_not_run_would_not_have_been_found(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = file.read_bytes()
    # More is run without a screen.
    usual = _without_advice(observed(file).diagnostics)  # before the linter is changed: others take it from there
    monkeypatch.setattr("inplace_lint.pipeline.lint_file.allowance", lambda _: unlimited())
    with monkeypatch.context() as patch:
        patch.setattr(Screen, "of", lambda *_: None)
        found = _without_advice(lint_bytes(data, str(file), EVERYTHING))
    # Few files come to an end of their allowance, so that without one they are told something else.
    assert found == usual or found == _without_advice(lint_bytes(data, str(file), EVERYTHING))


CLEARED = """
import torch
def count(xs, key, **kwargs):
    n, text, table = 0, "", {}
    for i, x in enumerate(xs):
        n += 1
        text += f"{x}"
        table[x] = i
        kwargs[key] = n
    return n, text, table
class Registry:
    names = {}
    def add(self, x, parts, named=False):
        self.names[x] = x
        states, line = (x, parts) if named else (), parts[0]
        states += parts[1:]
        states += (x,) if named else ()
        line += " " + parts[1]
        return states, line
"""

WRITES = [
    "x += y", "x[0] = y", "x[0], z = y", "x.add_(y)", "torch.relu_(x)", "getattr(x, 'add_')(y)", "torch.exp(x, out=y)",
    "F.relu(x, inplace=True)", "F.relu(x, True)", "nn.ReLU(True)(x)", "F.dropout(x, 0.5, y, z)", "optimizer.step()",
    "y.backward()", "for x[0] in y: pass", "net.load_state_dict(y)", "nn.Embedding(3, 4, None, 1.0)(x)",
    "x = [y]; x = torch.cat(x); x[0] = z", "x = (y,) if z else y; x += z",
    "with y as x[0]: pass", "init.normal(x)", "F.batch_norm(x, y, z)", "x.data = y", "layer.inplace = True",
]  # fmt: skip


def kept(text: str) -> bool:
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    return screened is not None and screened.keeps_any()


def test_plain_data_is_cleared() -> None:
    assert not kept(CLEARED)


@pytest.mark.parametrize("write", WRITES)
def test_writes_are_kept(write: str) -> None:
    text = f"{CLEARED}def f(x, y, z):\n    {write}\n"
    assert kept(text)
    function = lower(text, "file.py", True).body[-1]
    assert isinstance(function, FunctionDef)
    assert may_write(function.function)


def test_an_attribute_that_a_class_leaves_empty_is_filled_by_others() -> None:
    assert kept("import torch\nclass C:\n    state = None\n    def put(self, x): self.state[x] = 1\n")
    assert not kept("import torch\nclass C:\n    state = {}\n    def put(self, x): self.state[x] = 1\n")


def test_entry_points_are_kept_that_reach_a_write() -> None:
    text = "def a(x): b(x)\ndef b(x): x.add_(1)\ndef c(x): return x\nclass C:\n    def forward(self, x): return c(x)\n"
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    assert screened is not None
    assert [screened.keeps(name) for name in "abc"] == [True, True, False]
    assert not screened.keeps("forward", "C")


HARMLESS = [
    "z = torch.zeros(3)\n    z[0] = y\n    return z * x",
    "z = x @ y\n    z += 1\n    return z.exp()",
    "z = torch.empty(3)\n    for i in range(3):\n        z[i] = x[i]\n    return z",
    "z = x.clone()\n    z.masked_fill_(z == 0, 1)\n    return z",
    "z = x @ y\n    z /= z.sum() + 1e-6\n    return z",
    "z = x @ y\n    z += torch.cat([y, z.mean()])\n    w = z.view(3)\n    return w",
    "with torch.no_grad():\n        y = y.argmax()\n    z = torch.zeros(3)\n    z.index_add_(0, y, x)\n    return z",
]

# Each has something that makes a write to new memory matter.
HARMFUL = [
    "z = x.exp()\n    z += 1\n    return z",
    "z = x + y\n    w = z * x\n    z += 1\n    return w",
    "z = torch.empty(3)\n    for i in range(1, 3):\n        z[i] = x * z[i - 1]\n    return z",
    "z = torch.zeros(3)\n    z.requires_grad_()\n    z += 1\n    return z",
    "z = torch.zeros(3, requires_grad=True)\n    z += 1\n    return z",
    "z = w = torch.zeros(3)\n    z += 1\n    return w",
    "z = +x\n    z += 1\n    return x",
    "z = x.view(3)\n    z += 1\n    return x",
    "z = torch.zeros(1, 3).expand(2, 3)\n    z += 1\n    return z",
    "z = torch.empty(3)\n    torch.exp(x, out=z)\n    return z",
    "z = x @ y\n    with torch.no_grad():\n        z += 1\n    return z",
    "with torch.no_grad():\n        z = torch.zeros(3)[:2]\n    z[0] = x\n    return z",
    "z = x @ y\n    torch.set_grad_enabled(False)\n    z += 1\n    return z",
    "z = x @ y\n    w = z / z.norm()\n    z += w\n    return z",
    "z = x @ y\n    w = z.view(3)\n    z += w.exp()\n    return z",
    "z = [torch.zeros(2)] * 3\n    z[0] += 1\n    return z",
    "z = torch.zeros(3)\n    yield z\n    z += 1",
]


@pytest.mark.parametrize("body", HARMLESS)
def test_filling_new_memory_is_cleared(body: str) -> None:
    assert not kept(f"import torch\ndef f(x, y):\n    {body}\n")


@pytest.mark.parametrize("body", HARMFUL)
def test_new_memory_that_matters_is_kept(body: str) -> None:
    assert kept(f"import torch\ndef f(x, y):\n    {body}\n")


CALLED = [
    ("x[0] = 1", "f(x)", True),
    ("x = x.clone()\n    x[0] = 1\n    return x.exp()", "f(x)", False),
    ("z = torch.zeros(3)\n    x.append(z)\n    z.exp().sum()\n    z[0] = 1", "f(x)", True),
    ("x += 1", "g = f", False),
    ("x += 1", "map(f, x)", True),
    ("n = len(x)\n    n += 1\n    return n", "f(x)", False),
]


@pytest.mark.parametrize(("body", "call", "wanted"), CALLED)
def test_callers_are_kept_for_what_they_can_see(body: str, call: str, wanted: bool) -> None:
    text = f"import torch\ndef f(x):\n    {body}\ndef caller(x):\n    {call}\n"
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    assert screened is not None
    assert screened.keeps("caller") is wanted


def test_what_is_made_matters_where_objects_are_called() -> None:
    text = (
        "from torch import nn\nclass Net(nn.Module):\n"
        "    def __init__(self):\n        self.act = nn.ReLU(inplace=True)\n"
        "    def forward(self, x):\n        return self.act(x)\n    def size(self):\n        return 3\n"
        "def build():\n    return Net()\ndef run(x):\n    net = build()\n    return net(x)\n"
    )
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    assert screened is not None
    assert [screened.keeps(name) for name in ("build", "run")] == [False, True]
    assert [screened.keeps(name, "Net") for name in ("forward", "size")] == [True, False]


def test_a_file_that_does_not_speak_of_tensors_is_left_alone() -> None:
    text = "def f(x, key):\n    x[key] = 1\n    return x\n"
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    assert screened is not None
    assert not screened.keeps_any()


def test_writes_in_other_files_are_found_three_steps_deep() -> None:
    files = {
        "a.py": "from b import b\ndef a(x):\n    b(x)\n",
        "b.py": "from c import c\ndef b(x):\n    c(x)\n",
        "c.py": "from d import d\ndef c(x):\n    d(x)\n",
        "d.py": "import torch\ndef d(x):\n    x.add_(1)\n",
    }
    screen = Screen(files.get, lambda module, *_: f"{module}.py")
    kept_there = {}
    for path, text in files.items():
        screened = screen.of("import torch\n" + text, path)
        assert screened is not None
        kept_there[path] = screened.keeps(path[0])
    assert kept_there == {"a.py": True, "b.py": True, "c.py": True, "d.py": True}


def test_objects_that_another_file_hands_out_are_known_there() -> None:
    rig = (
        "import torch\n"
        "class Camera:\n    def __init__(self, center): self.center = center\n"
        "    def translate(self, shift): self.center += shift\n"
        "class Rig:\n    def __getitem__(self, index): return Camera(self.centers[index])\n"
        "def camera(): return Camera(torch.zeros(3))\n"
    )
    for made in ("Rig()[0]", "camera()"):
        text = f"import torch\nfrom rig import Rig, camera\ndef f():\n    {made}.translate(1)\n"
        screened = Screen({"rig.py": rig}.get, lambda *_: "rig.py").of(text, "main.py")
        assert screened is not None
        assert screened.keeps("f")


def spelled(name: str, row: Effects) -> Iterator[str]:
    """How code spells a call that writes as a row says."""
    last = name.rpartition(".")[2]
    owner = "x" if name.startswith("torch.Tensor.") else name.rpartition(".")[0]
    if "out" in row.writes:
        yield f"{owner}.{last}(y, out=x)"
    if set(row.writes) <= {"out"}:
        return
    asked = [param.name for param in row.params if param.name in ("inplace", "max_norm")]
    if asked:
        before = [param.name for param in row.params].index(asked[0])
        yield f"{owner}.{last}(x, {asked[0]}=1)"
        yield f"{owner}.{last}({'x, ' * before}1)"
        return
    yield f"{owner}.{last}(x)"
    if last.endswith("_") and name.startswith("torch.Tensor."):
        yield f"getattr(x, {last!r})(y)"


def built(name: str, spec: ModuleSpec) -> Iterator[str]:
    """How code spells a layer that may write its input, or its weight."""
    if any(set(row.writes) & {"input", "weight"} for row in spec.forward):
        words = [word for word, _ in spec.init]
        asked = "max_norm" if "max_norm" in words else "inplace"
        yield f"{name}({asked}=True)(x)"
        yield f"{name}({'3, ' * words.index(asked)}True)(x)"


ALL_THAT_WRITES = sorted(
    {call for name in table().names() for row in table().overloads(name) for call in spelled(name, row)}
    | {call for name in table().module_names() if (spec := table().module(name)) for call in built(name, spec)}
)


def test_the_screen_and_the_choice_of_paths_know_all_that_writes() -> None:
    text = "import torch\n" + "".join(f"def f{i}(x, y):\n    {call}\n" for i, call in enumerate(ALL_THAT_WRITES))
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    assert screened is not None
    functions = [node.function for node in lower(text, "file.py", True).body if isinstance(node, FunctionDef)]
    for index, (call, function) in enumerate(zip(ALL_THAT_WRITES, functions, strict=True)):
        assert screened.keeps(f"f{index}"), call
        assert may_write(function), call


def test_the_screen_knows_the_layers_that_write_their_statistics() -> None:
    for name in table().module_names():
        spec = table().module(name)
        assert spec is not None
        if any(row.writes and not set(row.writes) & {"input", "weight"} for row in spec.forward):
            assert any(word in name for word in STATISTICS), name


def test_flags_end_as_ops_in_place_do_and_write_nothing() -> None:
    for flag in FLAGS:
        assert not any(row.writes for row in table().overloads(f"torch.Tensor.{flag}"))
        assert not is_writer(flag)


CALLEES = [
    ("h = helper(x)\n    h += 1\n    return h", False),  # `helper` makes new memory
    ("h = given(x)\n    h += 1\n    return h", True),
    ("x[0] = 1\n    return x", True),
    ("if x.sum() > 1:\n        x = helper(x)\n    x += 1\n    return x", True),
    ("h = helper(x)\n    CACHE.append(h)\n    h += 1\n    return h", True),
    ("h = helper(x)\n    h += 1\n    for v in y:\n        v[0] = 1\n    return h", True),
    ("table = made()\n    table[y] = x\n    return table", False),  # a dict
    ("n = made(1)\n    n += x.dim()\n    return n", False),  # a number
    ("table = given()\n    table[y] = x\n    return table", True),
    ("x = made(1) if y else x\n    x += 1\n    return x", True),
]


def entries_run(text: str, others: Mapping[str, str], monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The entry points of a text that are run, beside other files."""
    run: set[str] = set()
    run_once = following.run_once

    def noting(entry: Entry, oracle: Oracle, tensors: set[Hashable], collected: Collected) -> Run:
        run.add(entry.name)
        return run_once(entry, oracle, tensors, collected)

    monkeypatch.setattr(following, "run_once", noting)
    analyze.analyze(text, "file.py", [each.rule for each in registry().values()], others.get)
    return run


@pytest.mark.parametrize(("body", "wanted"), CALLEES)
def test_callers_are_run_for_writes_that_runs_show_to_be_seen(
    body: str, wanted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "import torch\nfrom elsewhere import given\nCACHE = []\ndef helper(x):\n    return torch.mul(x, 2)\n"
        "def made(n=None):\n    return {} if n is None else n\n"
        f"def f(x, y):\n    {body}\ndef caller(x):\n    return f(x, x)\n"
    )
    run = entries_run(text, {}, monkeypatch)
    assert "f" in run
    assert ("caller" in run) is wanted


@pytest.mark.parametrize("conditions", [0, 6])
def test_a_caller_that_may_refute_is_followed_on(conditions: int) -> None:
    names = ", ".join(f"a{i}" for i in range(conditions))
    early = "".join(f"    if a{i}:\n        return\n" for i in range(conditions))
    callee = "import torch\ndef scale(x):\n    y = x.to(copy=True)\n    y.div_(y.norm())\n    return y\n"
    caller = (
        f"@torch.no_grad()\ndef step(params, {names}):\n{early}    for p in params:\n        p.add_(scale(p.grad))\n"
    )
    assert [found.code for found in lint_source(callee)] == ["IPL201"]
    assert not lint_source(callee + caller)


def test_an_attribute_that_is_no_tensor_at_first_may_be_one_later() -> None:
    text = (
        "import torch\nclass Bank:\n    def __init__(self):\n        self.feats = None\n"
        "    @torch.inference_mode()\n    def build(self, x):\n        self.feats = torch.exp(x)\n"
        "    def centre(self):\n        self.feats -= 1\n        return self.feats\n"
        "def run():\n    bank = Bank()\n    bank.build(torch.ones(3))\n    return bank.centre()\n"
    )
    assert [(found.code, found.site.span.row) for found in lint_source(text)] == [("IPL106", 9)]


def test_what_other_files_write_matters_where_data_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    helper = "import torch\ndef scale(x):\n    x.mul_(2)\n"
    text = (
        "import torch\nfrom helper import scale\ndef own(x):\n    x.mul_(2)\n"
        "class SmallImageProcessor:\n"
        "    def far(self, image):\n        scale(image)\n        return image\n"
        "    def near(self, image):\n        own(image)\n        return image\n"
        "class Model:\n    def forward(self, x):\n        scale(x)\n        return x\n"
    )
    run = entries_run(text, {"helper.py": helper}, monkeypatch)
    assert run == {"own", "SmallImageProcessor.far", "SmallImageProcessor.near", "Model.forward"}


HELPERS = """
import torch
def fill(x):
    x.uniform_()
def trunc_normal_(x):
    fill(x)
def scale(x):
    x.mul_(2)
def load_weights(x):
    x.mul_(2)
"""


def test_what_prepares_objects_in_other_files_is_far_away() -> None:
    text = (
        "import torch\nfrom helpers import load_weights, scale, trunc_normal_\n"
        "def near(x):\n    scale(x)\ndef far(x):\n    load_weights(x)\n"
        "class A:\n    def _init_weights(self, m):\n        trunc_normal_(m.weight)\n"
        "    def forward(self, m):\n        trunc_normal_(m.weight)\n"
    )
    screened = Screen({"helpers.py": HELPERS}.get, lambda module, *_: f"{module}.py").of(text, "file.py")
    assert screened is not None
    assert Distance(True, NEAR) >= screened.distance("near") > Distance(True, 0)
    assert screened.distance("far") > Distance(True, FAR)
    assert screened.keeps("forward", "A")
    assert not screened.keeps("_init_weights", "A")


def test_a_long_chain_of_calls_does_not_lead_into_another_file() -> None:
    text = "import torch\ndef f0(x):\n    x.add_(1)\n" + "".join(
        f"def f{n}(x):\n    f{n - 1}(x)\n" for n in range(1, 1200)
    )
    screened = Screen(lambda _: None, lambda *_: None).of(text, "file.py")
    assert screened is not None
    assert screened.distance("f1100") == Distance(False, 1100)


@pytest.mark.parametrize("layout", ["{0}, {1} = {1}, {0}", "{0}, {1} = (\n        {1}, {0})"], ids=["one", "two"])
def test_parts_that_change_places_are_read_by_their_own_statement(layout: str) -> None:
    swap = layout.format("out[0, 1::2]", "out[1, 1::2]")
    text = f"def swapped(frames):\n    out = frames.clone()\n    {swap}\n    return out\n"
    assert [found.code for found in lint_source(f"import torch\n{text}")] == ["IPL304"]


@pytest.mark.parametrize("kept", ["scaled", "Scaled"])
def test_what_a_constructor_keeps_to_be_called_is_run(kept: str) -> None:
    text = f"""
from torch import nn
def scaled(x):
    return x.mul_(2)
class Scaled:
    def __init__(self, x):
        x.mul_(2)
        self.x = x
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.made = {kept}
    def forward(self, x):
        return self.made(x.exp())
"""
    assert [found.code for found in lint_source(text)] == ["IPL202"]
