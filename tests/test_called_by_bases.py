"""What a class defines for its base to call, where nobody in view makes an object of it."""

from __future__ import annotations

import re
from pathlib import Path

from inplace_lint import lint_source

CASES = Path(__file__).parent / "cases" / "called_by_bases.py"


def test_classes_alone_are_enough() -> None:
    text = CASES.read_text()
    alone = re.sub(r"\ndef open_.*?(?=\n\n\n|\Z)", "", text, flags=re.DOTALL)
    assert "open_" not in alone
    assert [each.code for each in lint_source(alone)] == ["IPL103", "IPL202", "IPL303"]


def test_a_base_of_another_file_calls(tmp_path: Path) -> None:
    from inplace_lint import lint_paths

    classes = CASES.read_text().split("\n\n\n")
    (tmp_path / "bases.py").write_text("\n\n\n".join(classes[:2]))
    (tmp_path / "layers.py").write_text("import torch\nfrom bases import Coupling\n\n\n" + classes[2])
    found = lint_paths([str(tmp_path)], cache=None).diagnostics
    assert [(each.code, Path(each.site.path).name) for each in found] == [("IPL103", "layers.py")]


def test_an_inherited_method_that_the_class_overrides_does_not_run() -> None:
    text = """
import torch
from torch import nn


class Coupling(nn.Module):
    def forward(self, x):
        return self.shifted(*torch.split(x, [2, 2]))


class Other(Coupling):
    def forward(self, x):
        return self.shifted(x + 1, x)

    def shifted(self, left, right):
        return left.add_(right)
"""
    assert not lint_source(text)
