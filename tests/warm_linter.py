"""Importing this imports what a check imports, most of which waits for the first file."""

from inplace_lint.cli import main as _main  # noqa: F401
from inplace_lint.pipeline.lint_file import lint_source

lint_source("import torch\n\ndef f(x):\n    return x * torch.sigmoid_(x)\n")
