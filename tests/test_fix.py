"""Fixes: what is offered, what it makes of a program, and that real PyTorch then runs it right."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linted import DEFAULT, linted
from test_cases import CASES, FILES, OPEN, Case, _used
from test_rule_examples import BAD, Example, _cure
from torch_oracle import Finished, called_with, differs, finished, load, observe, run

from inplace_lint.findings.diagnostic import Diagnostic, Edit
from inplace_lint.fixes import offer
from inplace_lint.fixes.edit import edited, lines_of
from inplace_lint.fixes.excerpt import excerpt
from inplace_lint.pipeline import drafts
from inplace_lint.pipeline.apply_fixes import NotFixedError, fixed, with_edits
from inplace_lint.pipeline.lint_file import lint_bytes, lint_source
from inplace_lint.project.config import Config
from inplace_lint.source.enclosing import enclosing_functions
from inplace_lint.source.place import Span

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))

# There is no fix where only the author knows what is meant.
NEVER = {
    f"{name}.py"
    for name in "ipl203-bad-0 ipl204-bad-0 ipl304-bad-3 ipl306-bad-1 ipl307-bad-2 ipl308-bad-0 ipl308-bad-1 "
    "ipl309-bad-0 ipl309-bad-1 ipl401-bad-0 ipl401-bad-1 ipl401-bad-2 ipl401-bad-3 ipl405-bad-0 ipl406-bad-0 "
    "ipl501-bad-1".split()
}


def fix(text: str, path: str = "a.py", unsafe: bool = True, config: Config = DEFAULT) -> str:
    """The text with all its fixes."""

    def found(data: bytes) -> tuple[Diagnostic, ...]:
        return linted(data, path, config)

    return fixed(text.encode(), path, found(text.encode()), found, unsafe).data.decode()


def program(body: str) -> str:
    """A program of which `x` is a leaf, `h` made from it, and `w` plain data."""
    lines = ["import torch", "import torch.nn.functional as F", "from torch import nn", ""]
    lines += ["x = torch.randn(2, 4, requires_grad=True)", "h = x * 2", "w = torch.rand(2, 4)", body, ""]
    return "\n".join(lines)


def fixed_body(body: str, unsafe: bool = False) -> str:
    """A program fixed, without what `program` adds."""
    return fix(program(body), unsafe=unsafe).split("\n", 7)[7].removesuffix("\n")


# What fixes make of the rules' examples, the example programs and the cases.


@pytest.mark.parametrize("example", BAD, ids=lambda example: example.path)
def test_fixed_example_of_a_rule(example: Example) -> None:
    config = Config(extend_select=(example.code,))
    text = fix(example.text, example.path, config=config)
    assert (text == example.text) == (example.path in NEVER)
    if text == example.text:
        return
    assert not linted(text.encode(), example.path, config)
    result = finished(run(text, example.path)).result
    if example.path != "ipl202-bad-1.py":  # whose good example is another program
        assert not differs(result, finished(run(_cure(example).text, example.path)).result)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_fixed_example_program(path: Path) -> None:
    text = fix(path.read_text(), path.name)
    # Whether a masked weight is a new parameter or part of the computation is the author's to say.
    assert {each.code for each in linted(text.encode(), path.name)} <= {"IPL102"}
    load(text, path.name)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_fixed_cases(file: Path) -> None:
    old = file.read_text("utf-8")
    text = fix(old, str(file))
    assert fix(text, str(file)) == text
    left = {each.site.span.row for each in linted(text.encode(), str(file))}
    before, after = _top_level(old), _top_level(text)
    for case in (case for case in [*CASES, *OPEN] if case.file == file):
        used = _used(case.name, before)
        changed = any(ast.dump(before[name]) != ast.dump(after[name]) for name in used)
        rows = {row for name in used for row in range(after[name].lineno, (after[name].end_lineno or 0) + 1)}
        if changed and not rows & left:
            _runs_right(case, text, case.name + "_cured" in after)


# Every fix takes a trial of its own if each may change everything.
SHORT = [file for file in FILES if file.read_text().count("\n") < 100]


@pytest.mark.parametrize("file", SHORT, ids=lambda file: file.stem)
def test_it_is_enough_to_try_a_fix_on_who_runs_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offered = linted(file.read_bytes(), str(file))
    monkeypatch.setattr(drafts, "enclosing_functions", lambda *_: None)
    monkeypatch.setattr(offer, "_MOST_TRIALS", 200)
    monkeypatch.setattr(offer, "_MOST_ROWS", 1_000_000)
    assert tuple(lint_bytes(file.read_bytes(), str(file), DEFAULT)) == offered


def test_the_functions_around_places() -> None:
    text = (
        "def f(\n    x=1\n):\n    def g():\n        y\n    z\n"
        "if 1:\n    class A:\n        k = 1\n        def h(self): y\n        def __init__(self): y\n"
    )
    around = {row: enclosing_functions(text, [Span(row, 1, row, 2)]) for row in range(1, 12)}
    inside = {4: {("f", None)}, 5: {("f", None)}, 6: {("f", None)}, 10: {("h", "A")}}
    assert around == {row: inside.get(row) for row in range(1, 12)}
    assert enclosing_functions(text, [Span(5, 1, 5, 2), Span(10, 1, 10, 2)]) == {("f", None), ("h", "A")}


def _top_level(text: str) -> dict[str, ast.stmt]:
    return {node.name: node for node in ast.parse(text).body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}


def _runs_right(case: Case, text: str, has_cure: bool) -> None:
    function, path = load(text, str(case.file))[case.name], str(case.file)
    if case.name.startswith("open_"):
        outcome = observe(lambda: _differentiated(function), path)
        assert isinstance(outcome, Finished), (case.name, outcome)
        return
    outcome = observe(function, path)
    assert isinstance(outcome, Finished), (case.name, outcome)
    if has_cure:
        assert not differs(outcome.result, finished(case.run("_cured")).result), case.name


def _differentiated(function: object) -> None:
    import torch

    assert callable(function)
    out = called_with(function, torch.rand(4, requires_grad=True) * 1)
    assert isinstance(out, torch.Tensor)
    if out.requires_grad:
        torch.autograd.backward(out.sum())


# How the source changes: only where it must.


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("y = h ** 2\nh *= w + 1  # why\n(y + h).sum().backward()", "h = h * (w + 1)  # why"),
        ("y = h ** 2\nh*=w\n(y + h).sum().backward()", "h = h * w"),
        ("y = h ** 2\nh -= w - 1\n(y + h).sum().backward()", "h = h - (w - 1)"),
        ("y = h ** 2\nh += w * 2\n(y + h).sum().backward()", "h = h + w * 2"),
        ("y = h ** 2\nh **= -w\n(y + h).sum().backward()", "h = h ** -w"),
        ("y = h ** 2\nh += w if len(w) else 1\n(y + h).sum().backward()", "h = h + (w if len(w) else 1)"),
        ("y = h ** 2\nh *= (w\n      + 1)\n(y + h).sum().backward()", "h = h * (w\n      + 1)"),
        ("y = h ** 2; h += 1; (y + h).sum().backward()", "y = h ** 2; h = h + 1; (y + h).sum().backward()"),
        ("y = h ** 2\nif len(w): h.add_(w, alpha=2)\n(y + h).sum().backward()", "if len(w): h = h.add(w, alpha=2)"),
        ("y = h ** 2\nh.add_(w).mul_(2)\n(y + h).sum().backward()", "h = h.add(w).mul_(2)"),
        ("y = h ** 2\ntorch.relu_(h)\n(y + h).sum().backward()", "h = torch.relu(h)"),
        ("y = h ** 2\nF.relu(h, inplace=True)\n(y + h).sum().backward()", "h = F.relu(h)"),
        ("y = h ** 2\nh = F.elu(h, 0.5, True)\n(y + h).sum().backward()", "h = F.elu(h, 0.5, False)"),
        (
            "y = h ** 2\nh = F.leaky_relu(\n    h,\n    inplace=True,  # saves memory\n)\n(y + h).sum().backward()",
            "h = F.leaky_relu(\n    h,  # saves memory\n)",
        ),
        (
            "y = h ** 2\nh = F.leaky_relu(h, inplace=True, negative_slope=0.2)\n(y + h).sum().backward()",
            "F.leaky_relu(h,",
        ),
        ("y = h ** 2\nh.zero_()\n(y + h).sum().backward()", "h = h.clone()\nh.zero_()"),
        ("y = h ** 2\nh[0] = 1\n(y + h).sum().backward()", "h = h.clone()\nh[0] = 1"),
        ("y = h ** 2; h[0] = 1\n(y + h).sum().backward()", "y = h ** 2; h = h.clone(); h[0] = 1"),
        ("y = h ** 2\nif len(w):\n\th[0] = 1\n(y + h).sum().backward()", "\th = h.clone()\n\th[0] = 1"),
        ("act = nn.ReLU(inplace=True)\ny = h ** 2\nh = act(h)\n(y + h).sum().backward()", "act = nn.ReLU()"),
        ("act = nn.ReLU(True)\ny = h ** 2\nh = act(h)\n(y + h).sum().backward()", "act = nn.ReLU(False)"),
    ],
)
def test_the_out_of_place_form(body: str, wanted: str) -> None:
    assert wanted in fixed_body(body)
    finished(run(fix(program(body + "\nresult = x.grad"), unsafe=False)))


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # Someone else reads what is written, so the op must save a copy instead.
        ("top = h[0]\ny = h ** 2\nh += 1\n(y + h + top).sum().backward()", "y = h.clone() ** 2"),
        ("top = h[0]\ny = torch.sigmoid(h)\nz = y[0]\ny += 1\n(y.sum() + z.sum()).backward()", "sigmoid(h).clone()"),
        (
            "z = h[0]\nif torch.rand(1) < 2:\n    y = h ** 2\nelse:\n    y = h ** 3\nh += 1\n(y + z).sum().backward()",
            "    y = h.clone() ** 2\nelse:\n    y = h.clone() ** 3",
        ),
        ("y = h ** 2\nh[0].mul_(2)\n(y + h).sum().backward()", "y = h.clone() ** 2"),
        ("y = torch.addmm(w, h[:, :2], h)\nh.t()[0].add_(1)\n(y + h).sum().backward()", "h[:, :2].clone(), h.clone())"),
        # A name of the module cannot be bound in a function.
        ("def f():\n    h.mul_(3)\ny = h ** 2\nf()\n(y + h).sum().backward()", "y = h.clone() ** 2"),
    ],
)
def test_a_copy_where_it_is_saved(body: str, wanted: str) -> None:
    assert wanted in fixed_body(body)
    finished(run(fix(program(body + "\nresult = x.grad"), unsafe=False)))


def test_parameter_updates_share_one_block() -> None:
    update = "    x -= 0.1 * x.grad\n    x.zero_()  # done\n\n    # next\n    x.fill_(1)"
    moved = "        x -= 0.1 * x.grad\n        x.zero_()  # done\n\n        # next\n        x.fill_(1)"
    before = "(x * 2).sum().backward()\nfor _ in w:\n"
    assert fixed_body(before + update) == f"{before}    with torch.no_grad():\n{moved}"
    assert "with torch.no_grad():\n    x[0] = 0" in fixed_body("x[0] = 0", unsafe=True)
    assert fixed_body("x[0] = 0") == "x[0] = 0"
    # A gradient would be cut.
    assert "no_grad" not in fixed_body("x.mul_(h)\nx.sum().backward()", unsafe=True)


def test_spelling_of_torch() -> None:
    text = "import torch as t\nx = t.ones(2, requires_grad=True)\nx.zero_()\n"
    assert "with t.no_grad():" in fix(text)
    text = "from torch import no_grad, ones\nx = ones(2, requires_grad=True)\nx.zero_()\n"
    assert "with no_grad():" in fix(text)
    text = "from torch import ones\nx = ones(2, requires_grad=True)\nx.zero_()\n"
    assert fix(text) == text


def test_what_the_caller_may_see_is_unsafe_to_change() -> None:
    text = """import torch

def silu_(x):
    value = x.clone()
    torch.sigmoid_(x)
    x *= value
    return x

silu_(torch.ones(2, requires_grad=True) * 1).sum().backward()
"""
    assert fix(text, unsafe=False) == text
    assert "x = x * value" in fix(text)


def test_a_hook_that_gives_nothing_back_keeps_its_write() -> None:
    body = "def hook(gradient):\n    gradient.mul_(2)\nh.register_hook(hook)\nh.sum().backward()"
    assert fixed_body(body, unsafe=True) == body
    body = body.replace("mul_(2)", "mul_(2)\n    return gradient")
    assert "gradient = gradient.mul(2)" in fixed_body(body)


def test_a_kept_state_is_copied() -> None:
    text = """import torch
from torch import nn

model = nn.Linear(2, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
best = model.state_dict()
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
model.load_state_dict(best)
result = model.weight
"""
    new = fix(text)
    assert "best = {name: value.clone() for name, value in model.state_dict().items()}\n" in new
    assert differs(finished(run(text)).result, finished(run(new)).result)


def test_suppressed_findings_stay() -> None:
    body = "y = h ** 2\nh += 1  # noqa: IPL201\n(y + h).sum().backward()"
    assert fixed_body(body) == body


# Editing a text and a file: every other character and byte stays.

TEXT = st.text(st.sampled_from("ab \t\f\x0b\x1c\x85\u2028\u6f22\U0001f600\r\n"), max_size=40)


@given(TEXT, st.data())
def test_edits_change_nothing_else(text: str, data: st.DataObject) -> None:
    rows = lines_of(text)
    assert "".join(rows) == text
    starts = [sum(map(len, rows[:number])) for number in range(len(rows))]
    places = [(row, column) for row, line in enumerate(rows, 1) for column in range(1, len(line.rstrip("\r\n")) + 2)]
    drawn = data.draw(st.sets(st.sampled_from(places), max_size=6))
    cuts = sorted(drawn)[: len(drawn) // 2 * 2]
    edits, parts, done = [], [], 0
    for (row, column), (end_row, end_column) in zip(cuts[::2], cuts[1::2], strict=True):
        content = data.draw(st.text("xyz", max_size=3))
        edits.append(Edit(Span(row, column, end_row, end_column), content))
        parts += [text[done : starts[row - 1] + column - 1], content]
        done = starts[end_row - 1] + end_column - 1
    assert edited(text, edits[::-1]) == "".join([*parts, text[done:]])


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"a\r\n\tb\r\n", b"a\r\n\tX\r\nY\r\n"),
        (b"a\n\x0cb", b"a\n\x0cX\nY"),
        (b"\xef\xbb\xbfa\n b", b"\xef\xbb\xbfa\n X\nY"),
        (b"# coding: latin-1 \xe9\n b # \xe9\n", b"# coding: latin-1 \xe9\n X\nY # \xe9\n"),
        (b"a\r b\r", b"a\r X\rY\r"),
        (b"a\n b\r\nc\r\n", b"a\n X\nY\r\nc\r\n"),
    ],
)
def test_bytes_of_a_file_stay(data: bytes, wanted: bytes) -> None:
    assert with_edits(data, "a.py", [Edit(Span(2, 2, 2, 3), "X\nY")]) == wanted


def test_a_file_that_would_not_come_back_is_left_alone() -> None:
    with pytest.raises(NotFixedError):
        with_edits(b"# coding: utf-7\n+AGE-\n", "a.py", [Edit(Span(1, 1, 1, 1), "")])
    with pytest.raises(NotFixedError):
        with_edits(b"# coding: latin-1\n", "a.py", [Edit(Span(1, 1, 1, 1), "\u6f22")])


def test_unicode_columns() -> None:
    body = "y = h ** 2; '\u6f22\U0001f600'; h += 1\n(y + h).sum().backward()"
    assert fixed_body(body) == "y = h ** 2; '\u6f22\U0001f600'; h = h + 1\n(y + h).sum().backward()"


# What libcst is asked for, and what it cannot read.


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = 1\n", False),
        ("import torch\ndef f(ctx, x):\n    return x + torch.ones(2)\n", False),
        ("import torch\nx = torch.ones(2)\ny = x * torch.sigmoid_(x)\n", True),
    ],
)
def test_libcst_is_imported_for_a_fix_only(text: str, wanted: bool) -> None:
    code = "import sys\nfrom inplace_lint import lint_source\nfound = lint_source(sys.argv[1])\n"
    code += "print(bool(found), 'libcst' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code, text], capture_output=True, text=True, check=True)
    assert run.stdout.split() == [str(wanted)] * 2


def test_a_file_for_another_python_is_fixed() -> None:
    newer = "type Number = int\n" + program("y = h ** 2\nh += 1\n(y + h).sum().backward()")
    assert "\nh = h + 1\n" in fix(newer)


def test_what_libcst_cannot_read_in_little_time_costs_the_fix() -> None:
    hazard, deep = "y = h ** 2\nh += 1\n(y + h).sum().backward()\n", " + ".join(["1"] * 1000)
    (found,) = lint_source(program(hazard + f"deep = {deep}"))
    assert (found.code, found.fix) == ("IPL201", None)
    assert "h = h + 1" in fix(program(hazard + f"def unused():\n    return {deep}"))


def test_only_the_functions_that_change_are_read() -> None:
    text = "a\n@d\ndef f():\n    b\nclass C:\n    c\n    def g(self): d\n    async def h(self):\n        e\n"
    text += "class D:\n    f\nif g:\n    def i(): h\n"
    rows = text.split("\n")
    for row, left in {1: {1, 12, 13}, 4: {1, 2, 3, 4, 12, 13}, 9: {1, 5, 6, 8, 9, 12, 13}}.items():
        read = excerpt(text, [row])
        ast.parse(read)
        seen = ["" if each.strip() in ("'''", "''") else each for each in read.split("\n")]
        assert seen == [each if n in left else "" for n, each in enumerate(rows, 1)]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("y = h ** 2\nh  *=  w\n(y + h).sum().backward()", "h  = h *  w"),
        ("y = h ** 2\nh *= \\\n  w\n(y + h).sum().backward()", "h = h * \\\n  w"),
        ("if len(w):\n  y = h ** 2\n  h[0] = 1\n  (y + h).sum().backward()", "  h = h.clone()\n  h[0] = 1"),
        (
            "if len(w):\n  x.zero_()\n  # why\n\n  x.fill_(1);",
            "  with torch.no_grad():\n    x.zero_()\n    # why\n\n    x.fill_(1);",
        ),
    ],
)
def test_the_style_of_the_file_is_kept(body: str, wanted: str) -> None:
    assert wanted in fixed_body(body, unsafe=True)


def test_a_name_that_means_something_else_is_not_used() -> None:
    text = "import torch\ndef f(torch):\n    x.zero_()\nx = torch.ones(2, requires_grad=True)\nf(None)\n"
    assert "no_grad" not in fix(text)


# The command line.

HAZARD = "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()\n"
SILENT = "import torch\nx = torch.ones(2)\ny = x * torch.sigmoid_(x)\n"


def cli(folder: Path, *args: str, stdin: bytes = b"") -> tuple[int, str, str]:
    command = [sys.executable, "-m", "inplace_lint", *args, "--output-format", "concise"]
    done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_command_line(tmp_path: Path) -> None:
    a, b = tmp_path / "a.py", tmp_path / "b.py"
    a.write_text(HAZARD)
    b.write_text(SILENT)
    status, out, _ = cli(tmp_path)
    assert status == 1
    assert "a.py:4:1: error[IPL202] [*] " in out
    assert (
        "[*] 1 fixable with the `--fix` option (1 hidden fix can be enabled with the `--unsafe-fixes` option)." in out
    )
    status, out, err = cli(tmp_path, "--diff")
    assert (status, err) == (1, "Would fix 1 problem.\n")
    assert "--- a.py\n+++ a.py\n" in out
    assert "-y += 1\n+y = y + 1\n" in out
    assert a.read_text() == HAZARD
    status, out, _ = cli(tmp_path, "--fix")
    assert status == 1
    assert "Found 2 problems (1 fixed, 1 remaining: 1 warning) in 1 file." in out
    assert a.read_text() == HAZARD.replace("y += 1", "y = y + 1")
    assert cli(tmp_path, "--fix-only", "--unsafe-fixes") == (0, "", "Fixed 1 problem.\n")
    assert b.read_text() == SILENT.replace("sigmoid_", "sigmoid")
    assert cli(tmp_path, "--diff", "--unsafe-fixes") == (0, "", "Would fix 0 problems.\n")
    assert cli(tmp_path, "--fix", "--diff")[0] == 2


def test_fixes_that_are_told_or_not_wanted(tmp_path: Path) -> None:
    a = tmp_path / "a.py"
    a.write_text(HAZARD)
    assert "[*]" not in cli(tmp_path, "--unfixable", "saved-output-modified")[1]
    assert cli(tmp_path, "--fix-only", "--config", "fixable = ['IPL3']")[2] == "Fixed 0 problems.\n"
    status, _, err = cli(tmp_path, "--fix", "--show-fixes", "--exit-non-zero-on-fix")
    assert (status, err) == (1, "a.py:\n  1 of IPL202 saved-output-modified\n")


def test_standard_input() -> None:
    folder = Path.cwd()
    status, out, err = cli(folder, "-", "--fix", "--isolated", stdin=HAZARD.replace("\n", "\r\n").encode())
    assert (status, out) == (0, HAZARD.replace("y += 1", "y = y + 1").replace("\n", "\r\n"))
    assert "(all fixed)" in err
    status, out, err = cli(folder, "-", "--fix", "--isolated", stdin=SILENT.encode())
    assert (status, out) == (1, SILENT)
    assert "IPL302" in err


def test_what_changes_meanwhile_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from inplace_lint.cli import fixing
    from inplace_lint.cli.checked import about_to_check
    from inplace_lint.pipeline.result import Result
    from inplace_lint.project.settings import Settings

    path = tmp_path / "a.py"
    path.write_text(HAZARD)
    settings = Settings(fixed=Config())
    options = {"fix": True, "fix_only": False, "diff": False, "unsafe_fixes": False, "quiet": False, "exit_zero": False}
    before = about_to_check([str(path)], settings)
    found = Result(tuple(lint_bytes(path.read_bytes(), str(path), Config())), (str(path),))
    path.write_text("# new\n" + HAZARD)
    assert not fixing.fix(found, before, settings, options, None).contents
    assert path.read_text() == "# new\n" + HAZARD
    assert "is left alone: it was changed while it was checked" in capsys.readouterr().err


def test_a_finding_in_another_file(tmp_path: Path) -> None:
    (tmp_path / "use.py").write_text(
        "import torch\nfrom callee import doubled\n\nx = torch.ones(2, requires_grad=True)\n"
        "doubled(x.exp()).sum().backward()\n"
    )
    callee = tmp_path / "callee.py"
    callee.write_text("def doubled(h):\n    h *= 2\n    return h\n")
    # Somebody else may call it, and look at what was given.
    assert "callee.py:2:5: error[IPL202] `*=`" in cli(tmp_path)[1]
    assert cli(tmp_path, "--fix", "--unsafe-fixes")[0] == 0
    assert callee.read_text() == "def doubled(h):\n    h = h * 2\n    return h\n"
