"""Layers that an option of a class chooses, where nobody in view makes an object of it."""

from __future__ import annotations

import re
from pathlib import Path

from inplace_lint import lint_source

CASES = Path(__file__).parent / "cases" / "chosen_by_options.py"


def test_classes_alone_are_enough() -> None:
    text = CASES.read_text()
    alone = re.sub(r"\ndef open_.*?(?=\n\n\n|\Z)", "", text, flags=re.DOTALL)
    assert "open_" not in alone
    assert [each.code for each in lint_source(alone)] == ["IPL202", "IPL201", "IPL101", "IPL101"]
