"""A finding about a module that writes stands where the module is made: that is the line to change."""

from __future__ import annotations

from pathlib import Path

from inplace_lint import lint_paths
from inplace_lint.findings.diagnostic import Diagnostic

MODEL = """import torch
from torch import nn
{imports}

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.relu = {relu}

    def forward(self, x):
        y = torch.sigmoid(x)
        y = self.relu(y)
        z = torch.sigmoid(x)
        return y + self.relu(z)


Model()(torch.rand(3, requires_grad=True)).sum().backward()
"""


def found(tmp_path: Path, relu: str, imports: str = "") -> list[Diagnostic]:
    path = tmp_path / "model.py"
    path.write_text(MODEL.format(relu=relu, imports=imports))
    return list(lint_paths([str(path)]).diagnostics)


def test_one_finding_names_each_place_where_the_module_writes(tmp_path: Path) -> None:
    (only,) = found(tmp_path, "nn.ReLU(inplace=True)")
    assert (only.code, only.site.span.row) == ("IPL202", 8)
    assert {site.span.row for site in only.write_sites} == {12, 14}


def test_a_module_that_another_file_makes_is_told_where_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "layers.py").write_text("from torch import nn\n\n\ndef relu():\n    return nn.ReLU(inplace=True)\n")
    some = found(tmp_path, "relu()", "from layers import relu\n")
    assert [(each.code, each.site.span.row) for each in some] == [("IPL202", 13), ("IPL202", 15)]
    assert all(each.write_sites == (each.site,) for each in some)
