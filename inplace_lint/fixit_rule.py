"""All rules as one rule of Fixit: `enable = ["inplace_lint.fixit_rule"]`. It applies fixes that are safe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

import libcst as cst
from fixit import Invalid, LintRule, Valid
from libcst.metadata import CodeRange, PositionProvider

from inplace_lint.cst import AutogradHazards, cured
from inplace_lint.findings.diagnostic import Diagnostic


class AutogradHazard(LintRule):
    """Finds in-place operations that raise in backward, or silently change values or gradients."""

    METADATA_DEPENDENCIES = (PositionProvider, AutogradHazards)
    VALID: ClassVar = [Valid("import torch\nx = torch.ones(2)\ny = x * torch.sigmoid(x)")]
    INVALID: ClassVar = [
        Invalid("import torch\nx = torch.ones(2)\ny = x * torch.sigmoid_(x)"),
        Invalid(
            "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\ny.sum().backward()",
            expected_replacement=(
                "import torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny = y + 1\ny.sum().backward()"
            ),
        ),
    ]

    def visit_Module(self, node: cst.Module) -> None:  # noqa: N802
        """Report what is found, each at its own node."""
        positions = cast("Mapping[cst.CSTNode, CodeRange]", self.metadata[PositionProvider])
        found = cast("Mapping[cst.CSTNode, tuple[Diagnostic, ...]]", self.metadata[AutogradHazards])
        for place, hazards in found.items():
            for hazard in hazards:
                message = f"{hazard.code} {hazard.message}"
                old, new = cured(node, positions, hazard) or (place, None)
                self.report(old, message, position=positions[place], replacement=new)
