"""From nodes and their replacements to edits: only what differs between the two is changed in the text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from inplace_lint.findings.diagnostic import Edit
from inplace_lint.fixes.offsets import Offsets
from inplace_lint.fixes.tree import Tree

# A difference begins and ends between two words; an underscore parts words.
_WORD = re.compile(r"[^\W_]+|.", re.DOTALL)

New = cst.BaseExpression | cst.BaseSmallStatement | cst.SimpleStatementLine | cst.BaseCompoundStatement


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Nodes of a tree, which follow one another, and what is to stand in their place.

    What stands in their place may hold nodes of the tree: these keep their text, and are not edited.
    """

    old: tuple[cst.CSTNode, ...]
    new: tuple[New, ...]


def replace(old: cst.CSTNode, new: cst.BaseExpression | cst.BaseSmallStatement) -> Rewrite:
    """An expression for an expression, or a simple statement for another."""
    return Rewrite((old,), (new,))


def insert_before(tree: Tree, statement: cst.BaseSmallStatement, source: str) -> Rewrite:
    """A statement before another: on a line of its own, if the other stands first on its line."""
    line = tree.parent(statement)
    (new,) = cst.ensure_type(cst.parse_statement(source), cst.SimpleStatementLine).body
    if isinstance(line, cst.SimpleStatementLine) and line.body[0] is statement:
        return Rewrite((statement,), (cst.SimpleStatementLine([new]), cst.SimpleStatementLine([statement])))
    return Rewrite((statement,), (cst.SimpleStatementLine([new, statement]),))


def edits(tree: Tree, rewrites: Iterable[Rewrite]) -> tuple[Edit, ...]:
    """The edits that do what rewrites say; what two of them share counts once."""
    return tuple(dict.fromkeys(edit for each in rewrites for edit in _differences(tree, each)))


def _differences(tree: Tree, rewrite: Rewrite) -> Iterator[Edit]:
    """The stretches between the nodes that stay, as far as they differ."""
    old, new = tree.offsets, _written(tree, rewrite)
    start, new_start = old.start(rewrite.old[0]), new.start(rewrite.new[0])
    for node in _kept(rewrite.new, tree.positions):
        yield from _change(old, start, old.start(node), new.text[new_start : new.start(node)])
        start, new_start = old.end(node), new.end(node)
    yield from _change(old, start, old.end(rewrite.old[-1]), new.text[new_start : new.end(rewrite.new[-1])])


def _written(tree: Tree, rewrite: Rewrite) -> Offsets:
    """What is to stand there as a text of its own, indented as it will be."""
    lines = [_line(node) for node in rewrite.new]
    ahead = tree.offsets.ahead(rewrite.old[0])
    if isinstance(rewrite.new[0], cst.BaseStatement) and ahead and not ahead.strip():
        lines = [cst.If(cst.Name("_"), cst.IndentedBlock(lines, indent=ahead))]
    wrapper = MetadataWrapper(cst.Module(lines, default_indent=tree.module.default_indent), unsafe_skip_copy=True)
    return Offsets(wrapper.module.code, wrapper.resolve(PositionProvider))


def _line(node: New) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
    if isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement)):
        return node
    return cst.SimpleStatementLine([cst.Expr(node) if isinstance(node, cst.BaseExpression) else node])


def _kept(nodes: Iterable[cst.CSTNode], known: Mapping[cst.CSTNode, CodeRange]) -> Iterator[cst.CSTNode]:
    """The outermost nodes that stood in the text already."""
    for node in nodes:
        if isinstance(node, (cst.BaseExpression, cst.BaseSmallStatement)) and node in known:
            yield node
        else:
            yield from _kept(node.children, known)


def _change(text: Offsets, start: int, end: int, content: str) -> Iterator[Edit]:
    """An edit of a stretch, without what it would leave as it is on both sides."""
    old, new = _WORD.findall(text.text[start:end]), _WORD.findall(content)
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    gone, come = ("".join(words[head : len(words) - tail]) for words in (old, new))
    if gone or come:
        start += sum(map(len, old[:head]))
        yield Edit(text.span(start, start + len(gone)), come)


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
