"""The folder of the cache: made by this program, marked as its own, and never reached through a link.

A folder that this program did not make is neither written to nor cleaned.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from inplace_lint.project.config import Config, ConfigError

DEFAULT_FOLDER = ".inplace_lint_cache"

_MARK = "CACHEDIR.TAG"
_TEXTS = {
    _MARK: """Signature: 8a477f597d28d172789f06886806bc55
# This folder is a cache of inplace-lint. It may be deleted at any time.
# About cache directory tags see https://bford.info/cachedir/
""",
    ".gitignore": "*\n",
}
_DRAFT = ".draft-"
_OWN = re.compile(
    rf"(files|run)-[0-9a-f]{{16}}\.bin|outline-[0-9a-f]{{32}}\.bin|{re.escape(_DRAFT)}[a-z0-9_]{{8}}\.bin"
)

_MAGIC = b"inplace-lint cache 2\n"
# More is not read: what a stranger has written may take twenty times as much memory. Ours has some 2 kB for each file.
_MOST_BYTES = 1 << 26


def folder_for(config: Config) -> str:
    """The folder of the cache: the one that the configuration names, or the default one beside it."""
    return config.cache_dir or os.path.join(config.root, DEFAULT_FOLDER)


def require_own(folder: str, root: str) -> bool:
    """Whether the folder is there, and holds nothing but a cache; otherwise there is nothing of that name.

    Args:
        folder: the folder of the cache.
        root: the project's folder; links within it may come from anybody.

    Raises:
        ConfigError: there is something else, or a link leads there.
    """
    if not _is_marked(folder, root):
        return False
    if strange := next(_strangers(folder), None):
        raise ConfigError(f"{folder}: is a cache, but holds `{strange}` as well; `inplace-lint clean`, then {_CURE}")
    return True


def make(folder: str, root: str) -> None:
    """Make and mark the folder, unless that is done.

    Raises:
        ConfigError: meanwhile, something else has come to be there.
        OSError: it cannot be made.
    """
    if require_own(folder, root):
        return
    parent, name = os.path.split(os.path.abspath(folder))
    os.makedirs(parent, exist_ok=True)
    # Marked before it gets its name: a folder without a mark would be nobody's.
    draft = os.path.join(parent, f".{name.lstrip('.')}-{os.urandom(4).hex()}")
    os.mkdir(draft)
    try:
        for own, text in _TEXTS.items():
            Path(draft, own).write_bytes(text.encode())
        os.rename(draft, folder)
    except OSError:
        for own in _TEXTS:
            with suppress(OSError):
                os.unlink(os.path.join(draft, own))
        os.rmdir(draft)
        if not require_own(folder, root):  # else another run was faster
            raise


def store(file: str, data: bytes) -> None:
    """Write all or nothing: other runs may read or write at the same time. What would not be read is not written.

    Raises:
        OSError: it cannot be written.
    """
    if len(data) + len(_MAGIC) + 32 > _MOST_BYTES:
        return
    handle, draft = mkstemp(dir=os.path.dirname(file), prefix=_DRAFT, suffix=".bin")
    try:
        with open(handle, "wb") as new:
            new.write(_MAGIC + hashlib.sha256(data).digest() + data)
        os.replace(draft, file)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def stored(file: str) -> bytes | None:
    """What was stored in a file; None if it is not there, broken, or not ours."""
    size = len(_MAGIC) + 32
    try:
        if not _is_file(file) or (length := os.path.getsize(file)) > _MOST_BYTES:
            return None
        with open(file, "rb") as source:
            data = source.read(length)
    except OSError:
        return None
    body = data[size:]
    whole = data[: len(_MAGIC)] == _MAGIC and hashlib.sha256(body).digest() == data[len(_MAGIC) : size]
    return body if whole else None


def clean(folder: str, root: str) -> bool:
    """Delete a cache; False if there is none. Of a folder that holds other things, too, those stay.

    Raises:
        ConfigError: the folder is something else.
        OSError: something cannot be deleted.
    """
    if not _is_marked(folder, root):
        return False
    for name in sorted(os.listdir(folder), key=lambda name: name == _MARK):  # without the mark, the rest would stay
        file = os.path.join(folder, name)
        if (name in _TEXTS and _has_text(file, _TEXTS[name])) or (_OWN.fullmatch(name) and _is_file(file)):
            os.unlink(file)
    with suppress(OSError):
        os.rmdir(folder)
    return True


_CURE = "name a folder that does not exist yet (`cache-dir`), or use `--no-cache`"


def _is_marked(folder: str, root: str) -> bool:
    """Whether there is a folder with our mark; False if there is nothing.

    Raises:
        ConfigError: there is something else, or a link leads there.
    """
    if link := next(_links(folder, root), None):
        raise ConfigError(f"{folder}: cannot be the cache: {link} is a link; {_CURE}")
    there = next(each for each in _way(folder) if os.path.lexists(each))
    if not os.path.isdir(there):
        raise ConfigError(f"{folder}: cannot be the cache: {there} is no folder; {_CURE}")
    if there != os.path.abspath(folder):
        return False
    if not _has_text(os.path.join(folder, _MARK), _TEXTS[_MARK]):
        raise ConfigError(f"{folder}: cannot be the cache: inplace-lint did not make this folder; {_CURE}")
    return True


def _way(folder: str) -> list[str]:
    """The folder and all those around it."""
    way = [os.path.abspath(folder)]
    while (above := os.path.dirname(way[-1])) != way[-1]:
        way.append(above)
    return way


def _links(folder: str, root: str) -> Iterator[str]:
    """The folder if it is a link, and what leads to it below the project's folder or the working folder, likewise."""
    around = [os.path.join(os.path.abspath(each), "") for each in (root, os.getcwd())]
    own, *way = _way(folder)
    inner = (each for each in way if any(each.startswith(top) for top in around))
    yield from (each for each in (own, *inner) if os.path.islink(each))


def _strangers(folder: str) -> Iterator[str]:
    """What is there and can be seen, and is none of ours. What is hidden may be a file system's."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be read: {error.strerror}; {_CURE}") from error
    yield from (name for name in names if not (name.startswith(".") or name in _TEXTS or _OWN.fullmatch(name)))


def _has_text(file: str, text: str) -> bool:
    try:
        if not _is_file(file):
            return False
        with open(file, encoding="utf-8") as source:
            return source.read(len(text) + 1) == text
    except (OSError, UnicodeDecodeError):
        return False


def _is_file(path: str) -> bool:
    """Whether this is a file itself, and not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
