"""Escapes foreign names and texts before they are printed.

A file name, a key of a configuration or a line of a source may hold control characters for a terminal,
line breaks, or marks that turn the reading direction. All output passes through here.
"""

from __future__ import annotations

import os
import re
import unicodedata

_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}

# As git and C write them.
_IN_QUOTES = {**_SHORT, "\a": r"\a", "\b": r"\b", "\v": r"\v", "\f": r"\f", '"': r"\"", "\\": r"\\"}

# What GitHub Actions takes for a command: the one wherever a step prints it at the start of a line, the older one
# anywhere in a line (`ActionCommand.cs` of actions/runner).
_COMMAND = re.compile(r"(\s*):(?=:)")
_OLDER_COMMAND, _OLDER_IN_QUOTES = "##[", r"#\043["


def visible(text: str) -> str:
    r"""The text with each character that nobody sees visible out: `\n`, `\u001b`, `\u202e`.

    The escapes are those of TOML, so that its strings stay the same strings.
    """
    return text if text.isprintable() else "".join(char if _is_seen(char) else _escape(char) for char in text)


def escaped(text: str) -> str:
    """The same for a text that may stand at the start of a line, which it then does not make a command."""
    shown = visible(text).replace(_OLDER_COMMAND, r"#\u0023[")
    return _COMMAND.sub(r"\1\\u003a", shown, count=1) if _COMMAND.match(text) else shown


def quoted_path(path: str) -> str:
    r"""A path for machines to read, as git prints it: in quotes if need be, with octal escapes for bytes."""
    special = '"' if os.sep == "\\" else '"\\'
    if escaped(path) == path and not any(char in path for char in special):
        return path
    quoted = "".join(_in_quotes(char) for char in path)
    return f'"{quoted.replace(_OLDER_COMMAND, _OLDER_IN_QUOTES)}"'


def path_bytes(path: str) -> bytes:
    """A path as UTF-8; a byte of it that is no text, which Python keeps as half of a pair, is that byte again."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # another half: of a name in Windows
        return path.encode("utf-8", "surrogatepass")


def _is_seen(char: str) -> bool:
    return char.isprintable() or unicodedata.category(char) == "Zs"


def _escape(char: str) -> str:
    code = ord(char)
    return _SHORT.get(char) or (f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def _in_quotes(char: str) -> str:
    if (short := _IN_QUOTES.get(char)) is not None:
        return short
    return char if _is_seen(char) else "".join(f"\\{byte:03o}" for byte in path_bytes(char))
