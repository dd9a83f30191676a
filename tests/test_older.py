"""How older releases of PyTorch differ, and what `torch-version` makes of it."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from inplace_lint import Config, lint_paths, lint_source
from inplace_lint.project.keys import OLDEST_TORCH, TORCH
from inplace_lint.torch_model.op_table import shipped, shipped_for, table, using

if TYPE_CHECKING:
    from inplace_lint.runtime.op_table.older import Differences

STEPS = json.loads((files("inplace_lint.torch_model") / "older.json").read_text("utf-8"))

PROGRAM = """
import torch

def train():
    x = (torch.randn(3, 3, requires_grad=True) * 2)
    {made}
    {write}
    y.sum().backward()
"""

# a hazard, the last version in which it is none, and its code
SINCE = [
    ("y = torch.linalg.lstsq(x, torch.ones(3, 3)).solution", "y.mul_(2)", "2.6", "IPL202"),
    ("y = torch.ldexp(x, torch.ones(3, 3))", "y.mul_(2)", "2.10", "IPL202"),
    ("y, _ = torch.aminmax(x)", "y.mul_(2)", "2.11", "IPL202"),
    ("y = torch.nextafter(x, x * 2)", "x.mul_(2)", "2.12", "IPL201"),
    ("y = torch.nn.functional.rms_norm(x, (3,))", "x.mul_(2)", "2.3", "IPL201"),
    ("y = torch.nn.RMSNorm(3)(x)", "x.mul_(2)", "2.3", "IPL201"),
]


def codes(text: str, version: str) -> list[str]:
    return [each.code for each in lint_source(text, "a.py", Config(torch_version=version))]


def later(version: str) -> str:
    major, minor = version.split(".")
    return f"{major}.{int(minor) + 1}"


@pytest.mark.parametrize(("made", "write", "last", "code"), SINCE)
def test_what_is_found_depends_on_the_version(made: str, write: str, last: str, code: str) -> None:
    text = PROGRAM.format(made=made, write=write)
    assert codes(text, OLDEST_TORCH) == []
    assert codes(text, last) == []
    assert codes(text, later(last)) == [code]
    assert codes(text, f"{TORCH}.1") == [code]


def test_what_once_saved_more_is_found() -> None:
    # the generator of PyTorch 2.1 could not keep the number of elements without the tensor
    text = PROGRAM.format(made="y = x.mean()", write="x.mul_(2)")
    assert codes(text, "2.1") == ["IPL201"]
    assert codes(text, "2.2") == []
    assert not shipped_for("2.1").suits_screen
    assert shipped_for("2.2").suits_screen


def test_the_last_patch_release_is_what_a_program_sees() -> None:
    guarded = PROGRAM.format(made="y = x.exp()", write="if torch.__version__ == '2.4.1': y.mul_(2)")
    assert codes(guarded, "2.4") == codes(guarded, "2.4.0") == ["IPL202"]
    assert codes(guarded, "2.5") == []


def test_versions_do_not_mix_in_a_cache_or_a_run(tmp_path: Path) -> None:
    made, write, last, code = SINCE[0]
    for folder, version in (("a", last), ("b", later(last)), ("c", last)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "inplace-lint.toml").write_text(f"torch-version = '{version}'")
        (tmp_path / folder / "a.py").write_text(PROGRAM.format(made=made, write=write))
    found = lint_paths([str(tmp_path)], jobs=1).diagnostics
    assert [(Path(each.site.path).parent.name, each.code) for each in found] == [("b", code)]

    (tmp_path / "d.py").write_text(PROGRAM.format(made=made, write=write))

    def cached(version: str) -> list[str]:
        config = Config(root=str(tmp_path), torch_version=version)
        result = lint_paths([str(tmp_path / "d.py")], config, cache=str(tmp_path / ".cache"))
        return [each.code for each in result.diagnostics]

    assert [cached(version) for version in (last, TORCH, last, TORCH)] == [[], [code], [], [code]]


def test_the_versions_are_those_that_a_configuration_may_name() -> None:
    named = [TORCH, *STEPS]
    assert named == sorted(named, key=lambda each: int(each.partition(".")[2]), reverse=True)
    assert named[-1] == OLDEST_TORCH
    assert all(later(older) == newer for newer, older in pairwise(named))
    assert all(step["torch"].startswith(f"{version}.") for version, step in STEPS.items())
    assert shipped_for(TORCH) is shipped()


@pytest.mark.parametrize("version", STEPS)
def test_each_difference_is_one_of_the_next_version(version: str) -> None:
    step, newer, older = STEPS[version], shipped_for(later(version)), shipped_for(version)
    assert older.torch_version == step["torch"]
    for name in step.get("absent", ()):
        assert newer.knows(name), name
        assert not older.knows(name), name
    for name, rows in step.get("saves", {}).items():
        assert len(rows) == len(newer.overloads(name)), name
        for now, then in zip(newer.overloads(name), older.overloads(name), strict=True):
            assert now.saves != then.saves or len(rows) > 1, name
            assert set(then.saves) <= set(now.saves) or not older.suits_screen, name


def test_what_a_model_file_says_of_an_absent_op_wins() -> None:
    row = {"params": ["input:tensor"], "saves": [["result"]]}
    with using(shipped_for("2.1").extended({"ops": {"torch.rms_norm": row}})):
        assert table().knows("torch.rms_norm")
        assert not table().suits_screen


def made_from(*changes: tuple[str, str]) -> Differences:
    """The differences of the installed release from itself, with changes to its files."""
    pytest.importorskip("torch")
    import torchgen

    from inplace_lint.runtime.op_table.older import Release, differences

    class Changed(Release):
        def text(self, path: str) -> str:
            text = super().text(path)
            for old, new in changes:
                text = text.replace(old, new)
            return text

    place = Path(torchgen.__file__).parents[1]
    return differences(Changed(place), Release(place))


def test_a_release_does_not_differ_from_itself() -> None:
    found = made_from()
    assert (found.absent, found.saves, found.left) == (frozenset(), {}, [])


def test_differences_are_those_of_formulas_and_declarations() -> None:
    found = made_from(
        ("self: grad * result.conj()\n", "self: grad\n"),  # of `exp`
        ("- name: sin(", "- name: another("),
        ("erfinv", "another"),
    )
    assert found.absent == {"torch.erfinv", "torch.Tensor.erfinv", "torch.Tensor.erfinv_", "torch.special.erfinv"}
    assert found.saves == {name: [[]] for place in ("torch", "torch.Tensor") for name in _changed(place)}
    assert found.left == []


def test_an_older_formula_may_save_more() -> None:
    found = made_from(("self: grad * -self.sin()", "self: grad * -self.sin() * result"))  # of `cos`
    plain, written = [["self"], ["result"]], [["self", [], "clone"], ["result"]]
    assert found.saves["torch.Tensor.cos"] == [plain]
    assert found.saves["torch.Tensor.cos_"] == [written]


def _changed(place: str) -> list[str]:
    return [f"{place}.{name}" for name in ("exp", "exp_", "sin", "sin_")]


def test_what_the_formula_does_not_explain_is_left() -> None:
    # flash attention is described by hand
    found = made_from(("- name: _scaled_dot_product_flash_attention_for_cpu(", "- name: another("))
    assert found.saves == {}
    assert [name.partition(" ")[0] for name in found.left] == ["torch.nn.functional.scaled_dot_product_attention"]


def test_the_file_tells_steps_from_version_to_version() -> None:
    pytest.importorskip("torch")
    from inplace_lint.runtime.op_table.older import Differences, text

    near = Differences("2.12.0", frozenset({"torch.a"}), {"torch.exp": [[]], "torch.log": [[]]})
    far = Differences("2.11.3", frozenset({"torch.a", "torch.b"}), {"torch.log": [[]]})
    assert json.loads(text([near, far])) == {
        "2.12": {"torch": "2.12.0", "absent": ["torch.a"], "saves": {"torch.exp": [[]], "torch.log": [[]]}},
        "2.11": {"torch": "2.11.3", "absent": ["torch.b"], "saves": {"torch.exp": [[["result"]]]}},
    }
    with pytest.raises(ValueError, match=r"PyTorch 2\.11\.3 has torch\.a"):
        text([near, Differences("2.11.3")])
