"""From the bytes of a file to its text, as Python itself would read it."""

from __future__ import annotations

import codecs
import io
import tokenize
from collections.abc import Callable, Sequence
from functools import lru_cache

from inplace_lint.notebook import is_notebook, program, sources
from inplace_lint.project.files import SpecialFileError, read_file
from inplace_lint.source.errors import SourceError
from inplace_lint.source.place import Site, Span

Load = Callable[[str], "str | None"]
"""Gives the text of another file of the project; None if there is none that can be read."""


@lru_cache(maxsize=1024)
def load(path: str) -> str | None:
    """The text of another file of the project; None if there is none that can be read."""
    try:
        return read(path)
    except SourceError:
        return None


def read(path: str) -> str:
    """The text of a source file.

    Raises:
        SourceError: the file cannot be read, or is no text.
    """
    return decode(read_bytes(path), path)


def read_bytes(path: str) -> bytes:
    """The content of a file.

    Raises:
        SourceError: it cannot be read.
    """
    try:
        return read_file(path)
    except SpecialFileError as error:
        raise SourceError("is no regular file; pipe its content in with `-`", _site(path)) from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise SourceError(f"cannot be read: {reason or error}", _site(path)) from error


# Python takes a time that is quadratic in the length to decode these, which are for names of hosts.
_SLOW, _MOST_OF_SLOW = frozenset({"punycode", "idna"}), 10_000


def decode(data: bytes, path: str) -> str:
    """The text in `data`: by its byte order mark or coding line, else UTF-8; newlines are `\\n`.

    Of a notebook it is the program that its cells make up.

    Raises:
        SourceError: the bytes do not fit the encoding, or hold a NUL, or are no notebook.
    """
    text = _decoded(data, path)
    return program(text, path) if is_notebook(path) else text


def rows_as_written(data: bytes, path: str, cell: int | None) -> Sequence[str]:
    """The rows of a file, or of a cell of a notebook as it is written.

    Raises:
        SourceError: the file cannot be read as what it should be.
    """
    # Not `splitlines`: Python counts rows by newlines alone, form feeds do not end a line.
    text = sources(_decoded(data, path)).get(cell, "") if cell else decode(data, path)
    return normalized(text).split("\n")


def _decoded(data: bytes, path: str) -> str:
    if (nul := data.find(b"\0")) >= 0:
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        hint = "; it looks like UTF-16, save it as UTF-8" if wide else "; it is no text"
        raise SourceError(f"contains a NUL byte{hint}", _site(path, data.count(b"\n", 0, nul) + 1))
    try:
        encoding = encoding_of(data)
        if encoding in _SLOW and len(data) > _MOST_OF_SLOW:
            raise LookupError(f"{encoding}, for more than {_MOST_OF_SLOW:,} bytes")
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        message = f"is not valid {error.encoding}: byte 0x{data[error.start]:02x} at this place"
        raise SourceError(message, _site(path, row, column)) from error
    except (SyntaxError, LookupError, ValueError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else error
        raise SourceError(f"has an unusable encoding: {reason}", _site(path, _coding_row(data))) from error
    return normalized(text)


def normalized(text: str) -> str:
    """The text without a byte order mark, and with `\\n` for every newline."""
    text = text.removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def encoding_of(data: bytes) -> str:
    """The encoding by byte order mark or coding line, else UTF-8.

    Raises:
        SyntaxError: the file asks for one that there is not.
    """
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        if "invalid or missing" not in str(error.msg):
            raise
    # The first rows are no UTF-8. Python still finds the coding line in them, if there is one.
    head = bytes(byte if byte < 128 else 63 for byte in b"".join(data.splitlines(keepends=True)[:2]))
    return tokenize.detect_encoding(io.BytesIO(head).readline)[0]


def _coding_row(data: bytes) -> int:
    head = data.split(b"\n", 2)[:2]
    return next((row for row, line in enumerate(head, 1) if b"coding" in line), 1)


def _site(path: str, row: int = 1, column: int = 1) -> Site:
    return Site(path, Span(row, column, row, column))
