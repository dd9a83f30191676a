"""Commands that run the user's program, in a process of their own: here nothing imports torch."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence


async def printed(python: str | None, command: str, arguments: Sequence[str], folder: str) -> str:
    """What `inplace-lint COMMAND ARGUMENTS` prints; why it cannot run, if so.

    Args:
        python: an interpreter that has torch and inplace-lint; None for the present one.
        command: the command.
        arguments: its arguments.
        folder: where to run.
    """
    words = (python or sys.executable, "-m", "inplace_lint", command, *arguments)
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as error:
        return f"{words[0]}: {error.strerror}"
    output, _ = await process.communicate()
    return output.decode("utf-8", "replace")
