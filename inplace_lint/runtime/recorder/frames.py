"""Places in the user's program: frames, spans, and source text."""

from __future__ import annotations

import ast
import linecache
import os
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.op_names import LOAD_STATE_DICT, OPTIMIZER_STEP, SETITEM

_TORCH = str(Path(torch.__file__).parent) + os.sep
OURS = str(Path(__file__).parent.parent.parent) + os.sep
"""How the paths of this package's files begin."""

_STANDARD = tuple({sysconfig.get_path(name) + os.sep for name in ("stdlib", "platstdlib")})
_START = OURS + os.path.join("runtime", "program.py")
_MODULE = "torch.nn."
_LAYER = "layer"
_SCRIPTS = sysconfig.get_path("scripts") + os.sep
_INSTALLED = ("site-packages", "dist-packages")

# What each code object is (see `_kind`). They are told apart by identity: equal ones may stand in two files. They
# are kept, so that no identity is used twice.
_KINDS: dict[int, str | dict[int, Spot] | None] = {}
_CODES: list[CodeType] = []
_UNMET = "unmet"
_BEGIN = "start"


class Spot:
    """An instruction of the user's program: one object for each.

    Args:
        code: the function.
        offset: the instruction in it, in bytes.
    """

    def __init__(self, code: CodeType, offset: int) -> None:
        self.code = code
        self.offset = offset

    @cached_property
    def site(self) -> Site:
        """Where it is in the source."""
        return Site(self.code.co_filename, _span(self.code, self.offset))

    @cached_property
    def is_installed(self) -> bool:
        """Whether it belongs to a library, or to a command that one brings."""
        file = self.code.co_filename
        return file.startswith(_SCRIPTS) or any(part in file for part in _INSTALLED)

    @cached_property
    def statement(self) -> ast.stmt | None:
        """What stands there, as far as its span is whole Python."""
        return _statement(self.code, self.site.span)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an op was called.

    Args:
        frames: where the user's frames are, innermost first.
        via: what of PyTorch the user called, if that says more than the op (`optimizer.step`,
            `torch.nn.ReLU`).
        direct: the user called it himself, not through others (`nn.Sequential`, an optimizer).
    """

    frames: tuple[Spot, ...]
    via: str | None = None
    direct: bool = True

    @property
    def site(self) -> Site | None:
        """The innermost call of the user's; None if there is none."""
        return self.frames[0].site if self.frames else None

    @property
    def stack(self) -> tuple[Site, ...]:
        """The calls that led there, outermost first, without those of what started the program (pytest)."""
        own = [number for number, frame in enumerate(self.frames) if not frame.is_installed]
        last = own[-1] + 1 if own else len(self.frames)
        return tuple(frame.site for frame in reversed(self.frames[1:last]))

    def written(self, name: str, first: bool) -> str:
        """How the source calls the tensor that the op `name` writes; empty if it gives no name.

        Args:
            name: qualified name of the op.
            first: it is the op's first operand.
        """
        statement = self.frames[0].statement if self.frames and self.direct else None
        target = _target(statement, name, first) if statement is not None else None
        return ast.unparse(target) if target is not None and _is_path(target) else ""

    def op(self, name: str) -> str:
        """What ran here: `+=`, `[]=`, a part of PyTorch that calls the op `name`, or the op itself."""
        if self.via is not None or not self.frames:
            return self.via or name
        if name == "torch.Tensor.__setitem__":
            return SETITEM
        statement = self.frames[0].statement
        return _OPERATORS[type(statement.op)] if isinstance(statement, ast.AugAssign) else name


# One object for each place: a loop is at the same places again and again, and each object that a graph keeps
# alive makes the garbage collector work.
_Key = Any  # what the user called, how many parts of PyTorch, and the spots
_PLACES: dict[_Key, Place] = {}
_MOST_PLACES = 20_000

NOWHERE = Place(())
"""Where an op ran that nobody saw."""


def here(depth: int = 1) -> Place:
    """The place at which the user's program is.

    Args:
        depth: how many frames above the caller's to begin.
    """
    frames: list[Spot] = []
    via: str | None = None
    parts = 0
    met = _KINDS.get
    frame: FrameType | None = sys._getframe(depth + 1)
    while frame is not None:
        code = frame.f_code
        kind = met(id(code), _UNMET)
        if kind is _UNMET:
            kind = _kind(code)
        if kind is None:
            pass
        elif isinstance(kind, dict):
            at = frame.f_lasti
            spot = kind.get(at)
            if spot is None:
                spot = kind[at] = Spot(code, at)
            frames.append(spot)
        elif kind is _BEGIN:
            break
        elif not frames:
            parts += 1
            if via is None or kind is not _LAYER:
                via = _layer(frame) if kind is _LAYER else kind
        frame = frame.f_back
    key = (via, parts, *frames)
    return _PLACES.get(key) or _new_place(key)


def _new_place(key: _Key) -> Place:
    via, parts, *frames = key
    if len(_PLACES) >= _MOST_PLACES:
        _PLACES.clear()
    place = Place(tuple(frames), via, via is None or (parts == 1 and via.startswith(_MODULE)))
    return _PLACES.setdefault(key, place)


def _kind(code: CodeType) -> str | dict[int, Spot] | None:
    """The spots of a user's code, the name of a part of PyTorch that users call, or None for what they never see.

    `_BEGIN` is where this package runs a program of the user's; what is above is none of his.
    """
    kind = _kind_in(code, code.co_filename)
    _CODES.append(code)
    return _KINDS.setdefault(id(code), kind)


def _kind_in(code: CodeType, file: str) -> str | dict[int, Spot] | None:
    if file.startswith(_TORCH):
        return _part(code, file.removeprefix(_TORCH).replace(os.sep, "/"))
    if file == _START:
        return _BEGIN
    if file.startswith((OURS, "<frozen ")) or "spawn_main" in code.co_names:  # how multiprocessing starts Python
        return None
    if file.startswith(_STANDARD) and not any(part in file for part in _INSTALLED):
        return None
    return {}


def _part(code: CodeType, file: str) -> str | None:
    if file.startswith("optim/"):
        return OPTIMIZER_STEP if code.co_name == "step" else None
    if code.co_name == "load_state_dict":
        return LOAD_STATE_DICT
    if file == "utils/checkpoint.py" and code.co_name == "checkpoint":
        return "torch.utils.checkpoint"
    return _LAYER if file.startswith("nn/modules/") and code.co_name in ("forward", "__init__") else None


def _layer(frame: FrameType) -> str:
    """`torch.nn.ReLU` in its `forward`, `torch.nn.Linear.__init__` in its constructor."""
    name = _layers().get(id(frame.f_code))
    if name is None:  # inherited by several layers; looking at locals prolongs their lives, so only then
        classes = type(frame.f_locals.get("self")).__mro__
        name = next((each.__name__ for each in classes if each.__module__.startswith("torch.nn.modules")), "Module")
    method = frame.f_code.co_name
    return f"{_MODULE}{name}" if method == "forward" else f"{_MODULE}{name}.{method}"


@cache
def _layers() -> dict[int, str | None]:
    """The layer that a method belongs to, by its code; None if it belongs to several."""
    found: dict[int, str | None] = {}
    for name, layer in vars(torch.nn.modules).items():
        for method in ("forward", "__init__"):
            code = getattr(getattr(layer, method, None), "__code__", None)
            if isinstance(layer, type) and code is not None:
                found[id(code)] = None if id(code) in found else name
    return found


def _span(code: CodeType, offset: int) -> Span:
    if sys.version_info >= (3, 11):
        row, end_row, column, end_column = next(islice(code.co_positions(), offset // 2, None))
        if row is not None and end_row is not None and column is not None and end_column is not None:
            return Span(
                row,
                _characters(code, row, column) + 1,
                end_row,
                _characters(code, end_row, end_column) + 1,
            )
    else:
        row = next((line for first, last, line in code.co_lines() if first <= offset < last), None)
    row = row or code.co_firstlineno
    line = _line(code, row)
    return Span(row, len(line) - len(line.lstrip()) + 1, row, len(line.rstrip()) + 1)


def _line(code: CodeType, row: int) -> str:
    return linecache.getline(code.co_filename, row)


def _characters(code: CodeType, row: int, column: int) -> int:
    """Python counts columns in bytes."""
    return len(_line(code, row).encode()[:column].decode(errors="replace"))


def _statement(code: CodeType, span: Span) -> ast.stmt | None:
    rows = [_line(code, row) for row in range(span.row, span.end_row + 1)]
    rows[-1] = rows[-1][: span.end_column - 1]
    rows[0] = rows[0][span.column - 1 :]
    text = "".join(rows)
    for attempt in (f"({text}\n)", text):
        try:
            return ast.parse(attempt).body[0]
        except (SyntaxError, ValueError, IndexError):
            continue
    return None


def _target(statement: ast.stmt, name: str, first: bool) -> ast.expr | None:
    """The target of an assignment, the receiver of a method, an `out=`, or the first argument."""
    if isinstance(statement, ast.AugAssign):
        return statement.target
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Subscript):
        return value.value
    if not isinstance(value, ast.Call):
        return None
    out = next((keyword.value for keyword in value.keywords if keyword.arg == "out"), None)
    if out is not None or not first:
        return out
    owner, _, method = name.rpartition(".")
    if owner == "torch.Tensor" and isinstance(value.func, ast.Attribute) and value.func.attr == method:
        return value.func.value
    return value.args[0] if value.args else None


def _is_path(node: ast.expr) -> bool:
    """A name, or attributes, elements and methods of one: what can stand in a message."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return isinstance(node, ast.Name)


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "+=",
    ast.Sub: "-=",
    ast.Mult: "*=",
    ast.Div: "/=",
    ast.FloorDiv: "//=",
    ast.Mod: "%=",
    ast.Pow: "**=",
    ast.MatMult: "@=",
    ast.BitAnd: "&=",
    ast.BitOr: "|=",
    ast.BitXor: "^=",
    ast.LShift: "<<=",
    ast.RShift: ">>=",
}
