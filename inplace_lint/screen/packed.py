"""Outlines and parts of files as bytes, so that installed libraries need not be parsed in every run."""

from __future__ import annotations

import marshal
from collections import defaultdict
from typing import Any

from inplace_lint.screen.outline import Definition, Outline
from inplace_lint.screen.parts import Parts

Row = tuple[Any, ...]
Named = dict[str, list[int]]


def packed(outline: Outline, parts: Parts) -> bytes:
    """An outline and the parts of the same file; places among its definitions stand for these."""
    numbers: dict[int, int] = {}
    order: list[Definition] = []
    _number([*outline.everything(), *outline.headers], numbers, order)

    def all_of(definitions: list[Definition]) -> list[int]:
        return [numbers[id(each)] for each in definitions]

    def by_name(named: dict[str, list[Definition]]) -> Named:
        return {name: all_of(each) for name, each in named.items()}

    links = [(None if each.owner is None else numbers[id(each.owner)], by_name(each.members)) for each in order]
    whole = (
        [*map(_row, order)], links, by_name(outline.globals), outline.imports, outline.dotted, outline.stars,
        all_of(outline.code), all_of(outline.headers), by_name(outline.methods), outline.about_tensors,
        parts.digests, parts.rows,
    )  # fmt: skip
    return marshal.dumps(whole)


def _row(of: Definition) -> Row:
    """The arguments that make a definition again, but for the others that it leads to."""
    return (
        of.names, of.ran, of.attributes, of.writes, of.outside, of.makes, of.calls, of.called, of.calls_objects,
        of.rows, None, of.name, {}, of.bases, of.prepares, of.decorators, of.declared,
        of.annotated,
    )  # fmt: skip


def _number(definitions: list[Definition], numbers: dict[int, int], order: list[Definition]) -> None:
    """Give each definition a place, and those that it leads to."""
    todo = definitions[::-1]
    while todo:
        each = todo.pop()
        if id(each) not in numbers:
            numbers[id(each)] = len(order)
            order.append(each)
            todo += [member for members in each.members.values() for member in members]
            todo += [each.owner] if each.owner is not None else []


def unpacked(data: bytes, path: str) -> tuple[Outline, Parts]:
    """The outline and the parts of the file at a path.

    Raises:
        ValueError, EOFError, TypeError: the bytes are not from `packed`.
    """
    rows, links, globals_, imports, dotted, stars, code, headers, methods, about_tensors, digests, places = (
        marshal.loads(data)
    )
    outline = Outline(path, imports=imports, dotted=dotted, stars=stars, about_tensors=about_tensors)
    made = [Definition(outline, *row) for row in rows]

    def all_of(numbers: list[int]) -> list[Definition]:
        return [made[number] for number in numbers]

    for each, (owner, members) in zip(made, links, strict=True):
        each.owner = None if owner is None else made[owner]
        each.members = {name: all_of(named) for name, named in members.items()}
    outline.globals = defaultdict(list, {name: all_of(bound) for name, bound in globals_.items()})
    outline.methods = defaultdict(list, {name: all_of(bound) for name, bound in methods.items()})
    outline.code, outline.headers = all_of(code), all_of(headers)
    return outline, Parts(digests, places)
