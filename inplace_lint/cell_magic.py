"""`%load_ext inplace_lint`: the cell magic `%%inplace_lint`, which records the cell under it."""

from __future__ import annotations

import ast
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic

Shell = Any  # an `InteractiveShell`: IPython is no dependency


def add_magic(shell: Shell) -> None:
    """Let a shell of IPython know the magic."""

    def inplace_lint(line: str, cell: str) -> Any:
        """Run the cell; explain PyTorch's errors about in-place writes, and tell of silent ones.

        `%%inplace_lint --strict` raises where a silent write would make a gradient wrong.
        """
        __tracebackhide__ = True  # IPython leaves such frames out
        return _record(shell, line, cell)

    shell.register_magic_function(inplace_lint, "cell")


def _record(shell: Shell, line: str, cell: str) -> Any:
    """Run a cell under the recorder; its value is that of its last expression, as without the magic."""
    __tracebackhide__ = True
    from inplace_lint.runtime.watch import watch

    if line.split() not in ([], ["--strict"]):
        raise ValueError(f"%%inplace_lint takes --strict or nothing, not {line.strip()!r}")
    # The row of the magic itself counts, too.
    text = "\n" + shell.transform_cell(cell)
    name = shell.compile.cache(text, shell.execution_count, raw_code=text)
    tree = shell.transform_ast(shell.compile.ast_parse(text, filename=name))
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    statements = shell.compile(tree, name, "exec")
    value = shell.compile(ast.Expression(last.value), name, "eval") if last else None
    with watch(strict=bool(line.strip()), tell=_print):
        exec(statements, shell.user_ns)
        return eval(value, shell.user_ns) if value else None


def _print(diagnostics: Sequence[Diagnostic]) -> None:
    from inplace_lint.runtime.watch import told

    if diagnostics:
        print(told(diagnostics), file=sys.stderr)
