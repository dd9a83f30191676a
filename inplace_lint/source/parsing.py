"""Parses a text, and computes cheap facts about it before it is lowered."""

from __future__ import annotations

import ast
import re
from functools import lru_cache
from itertools import islice

from inplace_lint.phases import within
from inplace_lint.source.errors import SourceError, TooLarge
from inplace_lint.source.place import Site, Span

# People stay below a hundred; far more than this would overflow the stack.
DEEPEST = 1500

# People write no file of more characters than this.
LARGEST = 10_000_000
# A syntax tree takes some 0.7 kB and 4 microseconds for each token. Sixty thousand lines of usual code have as many.
MOST_TOKENS = 600_000
# For each field of an f-string, Python before 3.12 looks through its line from the start (`fstring_find_expr_location`
# in Parser/string_parser.c).
_LONG, _MOST_FIELDS = 20_000, 400_000_000
_TOKEN = re.compile(r"\w+|[^\w\s]")


def parse(text: str, path: str) -> tuple[ast.Module | None, SourceError | None]:
    """The syntax tree of a text, or why the running Python refuses it.

    The text may still be right for another version of Python.

    Raises:
        SourceError: it is nested so deeply that reading on would take minutes.
        TooLarge: its tree would take more memory than a file may, or more time.
    """
    if reason := _too_large(text):
        message = f"is too large: {reason}; `extend-exclude` leaves it out"
        raise TooLarge(message, _site(path, 1, 1), is_data="import" not in text)
    try:
        with within("parse"):
            tree = ast.parse(text)
    except SyntaxError as error:
        site = _site(path, error.lineno or 1, error.offset or 1)
        if error.msg == "too many nested parentheses":
            raise SourceError(f"is nested too deeply: {error.msg}", site) from error
        return None, SourceError(f"syntax error: {error.msg}", site)
    except UnicodeEncodeError as error:  # an escape of the encoding, or of JSON, has made it
        row, column = text.count("\n", 0, error.start) + 1, error.start - text.rfind("\n", 0, error.start)
        lone = f"U+{ord(text[error.start]):04X}"
        raise SourceError(f"is no text: it contains a lone surrogate, {lone}", _site(path, row, column)) from error
    except ValueError as error:
        raise SourceError(f"is no text: {error}", _site(path, 1, 1)) from error
    except (RecursionError, MemoryError) as error:
        raise SourceError("is nested too deeply", _site(path, 1, 1)) from error
    return tree, None


def _too_large(text: str) -> str | None:
    """Why a text is too large to be read, if it is."""
    if len(text) > LARGEST:
        return f"{len(text) / 1e6:.1f} MB of Python, and no more than {LARGEST / 1e6:g} MB are read"
    if holds_more_than(MOST_TOKENS, text):
        return f"it has more than {MOST_TOKENS:,} tokens"
    if any(len(line) * line.count("{") > _MOST_FIELDS for line in text.split("\n") if len(line) > _LONG):
        return "it has too many braces on one line"
    return None


def holds_more_than(most: int, text: str) -> bool:
    """Whether a text has more than so many tokens."""
    if len(text) <= most:
        return False
    return next(islice(_TOKEN.finditer(text), most, None), None) is not None


# For the file that is checked, and what it imports: they are screened first and lowered then.
parse_once = lru_cache(maxsize=16)(parse)


def too_deep(node: ast.AST, path: str) -> SourceError:
    """The refusal of a node that is nested more than `DEEPEST` levels deep."""
    return SourceError(f"is nested too deeply: more than {DEEPEST} levels", _site(path, getattr(node, "lineno", 1), 1))


def _site(path: str, row: int, column: int) -> Site:
    column = max(column, 1)
    return Site(path, Span(max(row, 1), column, max(row, 1), column + 1))
