"""From the bytes of a file to its text, as Python itself would read it."""

from __future__ import annotations

import codecs
import io
import tokenize

from inplace_lint.diagnostic import Site, Span
from inplace_lint.source.errors import SourceError


def read(path: str) -> str:
    """The text of a source file.

    Raises:
        SourceError: the file cannot be read, or is no text.
    """
    try:
        with open(path, "rb") as file:
            data = file.read()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        raise SourceError(f"cannot be read: {reason or error}", _site(path)) from error
    return decode(data, path)


def decode(data: bytes, path: str) -> str:
    """The text in `data`: by its byte order mark or coding line, else UTF-8; newlines are `\\n`.

    Raises:
        SourceError: the bytes do not fit the encoding, or hold a NUL.
    """
    if (nul := data.find(b"\0")) >= 0:
        wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        hint = "; it looks like UTF-16, save it as UTF-8" if wide else "; it is no text"
        raise SourceError(f"contains a NUL byte{hint}", _site(path, data.count(b"\n", 0, nul) + 1))
    try:
        text = data.decode(_encoding(data))
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


def _encoding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError as error:
        if "invalid or missing" in str(error.msg):
            return "utf-8"  # whose decoder will say where it goes wrong
        raise


def _coding_row(data: bytes) -> int:
    head = data.split(b"\n", 2)[:2]
    return next((row for row, line in enumerate(head, 1) if b"coding" in line), 1)


def _site(path: str, row: int = 1, column: int = 1) -> Site:
    return Site(path, Span(row, column, row, column))
