"""The parts of a file that other files may depend on: its functions, one by one, and the skeleton around them.

Each has a digest that neither comments, blank lines nor places change. A file that has used some parts of another one
need not be checked again as long as these stay the same. The cache keeps them (`project/cache.py`).
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from inplace_lint.screen.outline import Definition, Outline, blocks
from inplace_lint.source.part_names import EVERYTHING, SKELETON
from inplace_lint.source.syntax import Function, root_name

_YIELDS = re.compile(r"\byield\b")
_SUPPRESSES = re.compile(r"#.*(?:noqa|inplace-lint:).*", re.IGNORECASE)


@dataclass(slots=True)
class Parts:
    """The parts of a file.

    Args:
        digests: of each part, by name. `f` is the text of the function `f`; of a method it is `C.f`. `f:place` is no
            digest alone: it tells its first row, and the text as it stands.
        rows: the first and the last row of each function, and its name.
    """

    digests: dict[str, str]
    rows: list[tuple[int, int, str]]

    def at(self, row: int) -> str:
        """The part that has the function whose name stands on a row; row 0 is the whole file."""
        if not row:
            return EVERYTHING
        return next((name for first, last, name in self.rows if first <= row <= last), SKELETON)


def parts(tree: ast.Module, text: str, outline: Outline) -> Parts:
    """The parts of a file."""
    lines = text.split("\n")
    rows: list[tuple[int, int, str]] = []
    said: dict[str, list[str]] = {}
    inside = set(chain(_rows_of_docstring(tree.body), *(_rows_of_docstring(cls.body) for cls in _classes(tree.body))))
    decorating = set(_decorating(tree))
    generators: list[str] = []
    for node, owner in _functions(tree.body):
        name = f"{owner}.{node.name}" if owner else node.name
        body = range(_first_row(node, lines), (node.end_lineno or node.lineno) + 1)
        rows.append((node.lineno, body.stop - 1, name))
        said.setdefault(f"{name}:place", []).append("\n".join(lines[node.lineno - 1 : body.stop - 1]))
        said.setdefault(name, []).append(_said(node, body, lines))
        if _YIELDS.search(said[name][-1]) and _is_generator(node):
            generators.append(f"{name} yields")
        if node.name not in decorating:
            inside.update(body)
    outside = [line for row, line in enumerate(lines, 1) if row not in inside]
    said[SKELETON] = [_plain(outside), *(comment for line in outside for comment in _SUPPRESSES.findall(line))]
    said[SKELETON] += [*said, *generators]
    _say_outline(outline, said)
    digests = {name: digest(texts) for name, texts in said.items()}
    for first, last, name in rows:
        digests[f"{name}:place"] += f" {first} {last}"
    return Parts(digests, rows)


def _said(node: ast.FunctionDef | ast.AsyncFunctionDef, body: range, lines: list[str]) -> str:
    """The body of a function, whose docstring may be laid out otherwise."""
    docstring = set(_rows_of_docstring(node.body))
    documentation = ast.get_docstring(node, clean=False) or ""
    return "\n".join((_plain(lines[row - 1] for row in body if row not in docstring), *documentation.split()))


def _say_outline(outline: Outline, said: dict[str, list[str]]) -> None:
    """Add to the parts what the screen knows of them."""
    skeleton = said[SKELETON]
    skeleton += [repr(sorted(outline.imports.items())), repr(outline.stars)]
    skeleton.append(repr((outline.about_tensors, list(outline.globals), list(outline.methods))))
    classes = {name for name, bound in outline.globals.items() if any(each.members for each in bound)}
    for definition in dict.fromkeys(outline.everything()):
        name = part_of(definition)
        skeleton.append(repr((name, _shown(definition, classes))))
        if not name:
            skeleton.append(_outlined(definition))


def part_of(definition: Definition) -> str:
    """The part to which a definition belongs."""
    if not definition.name or definition.members or definition.bases:
        return SKELETON
    owner = definition.owner
    return f"{owner.name}.{definition.name}" if owner is not None else definition.name


def digest(texts: Iterable[str]) -> str:
    """A short digest of some texts, in order."""
    found = hashlib.blake2b(digest_size=8)
    for text in texts:
        found.update(text.encode(errors="surrogatepass") + b"\0")
    return found.hexdigest()


def _shown(definition: Definition, classes: set[str]) -> tuple[object, ...]:
    """What of a definition matters to whoever comes across it."""
    made = sorted(classes.intersection(definition.ran))
    return definition.writes, definition.outside, definition.makes, definition.prepares, definition.decorators, made


def _outlined(definition: Definition) -> str:
    # Sorted, since these have been sets.
    told = [
        sorted(names)
        for names in (definition.names, definition.ran, definition.attributes, definition.calls, definition.called)
    ]
    return repr((told, definition.calls_objects, definition.bases))


def _functions(
    body: Iterable[ast.stmt], owner: str = ""
) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    """The functions of a file, and the methods of its classes, as its outline has them."""
    for node in body:
        if isinstance(node, Function):
            yield node, owner
        elif owner:
            continue
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, node.name)
        else:
            for block in blocks(node):
                yield from _functions(block)


def _classes(body: Iterable[ast.stmt]) -> Iterator[ast.ClassDef]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield node
        for block in blocks(node):
            yield from _classes(block)


def _decorating(tree: ast.Module) -> Iterator[str]:
    """The names of what decorates a definition of the file: what it does belongs to that definition."""
    for node, _ in _functions(tree.body):
        yield from map(root_name, node.decorator_list)
    for cls in _classes(tree.body):
        yield from map(root_name, cls.decorator_list)


def _is_generator(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a `yield` belongs to the function itself."""
    todo: list[ast.AST] = [*function.body]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom):
            return True
        if not isinstance(node, Function | ast.ClassDef | ast.Lambda):
            todo += ast.iter_child_nodes(node)
    return False


def _first_row(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """The first row that belongs to the body of a function alone."""
    first = node.body[0]
    if isinstance(first, Function | ast.ClassDef) and first.decorator_list:
        return first.decorator_list[0].lineno
    alone = not lines[first.lineno - 1].encode()[: first.col_offset].strip()
    return first.lineno if alone else first.lineno + 1


def _rows_of_docstring(body: list[ast.stmt]) -> Iterable[int]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return range(first.lineno, (first.end_lineno or first.lineno) + 1)
    return ()


def _plain(lines: Iterable[str]) -> str:
    """Lines without comments and blank lines; as they are, if a string may run over several of them."""
    kept = list(lines)
    if any('"""' in line or "'''" in line or line.endswith("\\") for line in kept):
        return "\n".join(kept)
    return "\n".join(line.rstrip() for line in kept if (bare := line.lstrip()) and not bare.startswith("#"))
