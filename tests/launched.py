"""Processes of Python that begin with what they need imported: forked from one that has it.

A process of its own shows what a call does not: its streams, its exit status, and what it imports. To import torch, or
the linter, takes most of the time of a short one; here the tests of a session share that. The process ends as any
other does, with the interpreter's own last steps; unless it began with torch, which is not taken apart again.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import runpy
import shlex
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Any, NoReturn

WITH_TORCH = ("torch", "torch._dynamo", "warm_linter")

_LONGEST = 120  # seconds


def launched(
    module: str,
    *args: str,
    folder: Path,
    stdin: bytes | IO[bytes] = b"",
    stdout: IO[bytes] | None = None,
    stderr: IO[bytes] | None = None,
    env: Mapping[str, str] | None = None,
    imported: Sequence[str] = ("warm_linter",),
) -> subprocess.CompletedProcess[str]:
    """What `python -m module` does in a folder.

    Args:
        module: the module to run.
        args: what it is told.
        folder: the working folder.
        stdin: what it reads.
        stdout: where it writes; else what it writes is in the result.
        stderr: the same for errors.
        env: its environment; neither how Python is to start, nor the encoding of streams, is asked of it.
        imported: what is imported before the process begins.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if isinstance(stdin, bytes):
            given.write(stdin)
            given.seek(0)
        streams = (given if isinstance(stdin, bytes) else stdin, stdout or out, stderr or err)
        request = {"module": module, "args": args, "folder": str(folder), "env": dict(env or os.environ)}
        if hasattr(os, "fork"):
            status = _asked(_server(tuple(imported)), request, [stream.fileno() for stream in streams])
        else:
            command = [sys.executable, "-m", module, *args]
            status = subprocess.run(command, 0, None, *streams, cwd=folder, env=env, check=False).returncode
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(io.TextIOWrapper(stream, "utf-8").read())  # every kind of newline is one, as `text` has it
        return subprocess.CompletedProcess([module, *args], status, *texts)


def commands(folder: Path, imported: Sequence[str]) -> tuple[dict[str, str], int]:
    """`python` and `inplace-lint` for a shell, as programs in a new folder that is first in its search path.

    Args:
        folder: where to write them.
        imported: what is imported before a process of theirs begins.

    Returns:
        The environment for the shell, and the descriptor that it must inherit.
    """
    own = Path(sys.executable).parent
    folder.mkdir()
    server = _server(tuple(imported)).fileno() if hasattr(os, "fork") else -1
    asking = shlex.join([sys.executable, "-ISB", __file__, f"--ask={server}"])
    for name, before in (("python", ""), ("inplace-lint", " -m inplace_lint")) if server >= 0 else ():
        (folder / name).write_text(f'#!/bin/sh\nexec {asking}{before} "$@"\n')
        (folder / name).chmod(0o755)
    return {**os.environ, "PATH": os.pathsep.join([str(folder), str(own), os.environ["PATH"]])}, server


def _ask(server: int, *words: str) -> int:
    """The status of `python` with these words, started in this process's place."""
    module, args = (words[1], words[2:]) if words[0] == "-m" else ("", words)
    request = {"module": module, "args": args, "folder": os.getcwd(), "env": dict(os.environ)}
    connection = socket.socket(fileno=server)
    connection.settimeout(_LONGEST)
    status = _asked(connection, request, [0, 1, 2])
    return status if status >= 0 else 128 - status


def _asked(server: socket.socket, request: object, streams: list[int]) -> int:
    with tempfile.TemporaryFile() as file:  # a message may be longer than a socket takes
        file.write(json.dumps(request).encode())
        file.seek(0)
        socket.send_fds(server, [b"?"], [file.fileno(), *streams])
    answer = server.recv(100)
    assert answer, "the server has ended"
    return int(answer)


@cache
def _server(imported: tuple[str, ...]) -> socket.socket:
    ours, theirs = socket.socketpair()
    ours.settimeout(_LONGEST)
    with theirs:
        command = [sys.executable, __file__, str(theirs.fileno()), *imported]
        subprocess.Popen(command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    return ours


def _serve(connection: socket.socket) -> dict[str, Any] | None:
    """Fork for each request; in the new process, return it. None once nobody asks any more."""
    while True:
        message, descriptors, _, _ = socket.recv_fds(connection, 1, 4)
        if not message:
            return None
        child = os.fork()
        if not child:
            connection.close()
            for number, descriptor in enumerate(descriptors[1:]):
                os.dup2(descriptor, number)
        with open(descriptors[0], "rb") as file:
            request: dict[str, Any] = json.loads(file.read()) if not child else {}
        for descriptor in descriptors[1:]:
            os.close(descriptor)
        if not child:
            return request
        connection.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _become(request: dict[str, Any]) -> None:
    """Be `python -m module`, or `python file`, in its folder."""
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["env"])
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        errors = "backslashreplace" if name == "stderr" else "strict"
        stream = open(number, "w" if number else "r", encoding="utf-8", errors=errors)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    sys.path[0] = request["folder"]
    sys.argv[1:] = request["args"]
    if request["module"]:
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
    else:
        sys.argv[:1] = []
        sys.path[0] = str(Path(sys.argv[0]).resolve().parent)
        runpy.run_path(sys.argv[0], run_name="__main__")


def _status(request: dict[str, Any]) -> int:
    """Be that program; its exit status."""
    try:
        _become(request)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    except BaseException:
        sys.excepthook(*sys.exc_info())
        return 1
    return 0


def _leave(status: int) -> NoReturn:
    """End at once: to take apart all that torch consists of takes longer than a short program."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__" and sys.argv[1].startswith("--ask="):
    sys.exit(_ask(int(sys.argv[1].partition("=")[2]), *sys.argv[2:]))
if __name__ == "__main__":
    has_torch = "torch" in sys.argv[2:]
    for each in sys.argv[2:]:
        importlib.import_module(each)
    gc.collect()
    gc.freeze()  # to look for garbage in what is imported would be most of the work of a process
    asked = _serve(socket.socket(fileno=int(sys.argv[1])))
    if asked is not None and has_torch:
        _leave(_status(asked))
    elif asked is not None:
        _become(asked)
