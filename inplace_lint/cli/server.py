"""`inplace-lint server`: the linter in editors, by the Language Server Protocol."""

from __future__ import annotations

import gc

import click

from inplace_lint.cli.options import fail


@click.command()
@click.option("--stdio", is_flag=True, help="Speak on standard input and output, as always.")
def server(stdio: bool) -> None:
    """Start the language server, for an editor, on standard input and output."""
    from inplace_lint.pipeline.worker import Worker

    worker = Worker((), {})  # begins to import the analysis while we import the protocol
    gc.disable()  # nothing of what is imported is ever garbage
    try:
        from inplace_lint.server.serve import serve
    except ModuleNotFoundError as error:
        if error.name not in ("pygls", "lsprotocol"):
            raise
        worker.end()
        fail("the language server needs pygls; install `inplace-lint[lsp]`")
    gc.freeze()
    gc.enable()
    serve(worker)
