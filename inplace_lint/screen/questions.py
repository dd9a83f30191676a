"""What a file asks of another one to know what its own definitions reach, and the answers.

A question is a part of the other file (see `parts.py`): as long as its answer stays the same, whoever asked need not
be checked again, whatever has become of the text. It has its name for a key, and can be asked anew from that alone.
An answer may rest on answers of further files, fewer steps away.
"""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.screen.outline import Definition, Outline
from inplace_lint.screen.parts import digest
from inplace_lint.screen.reach import MOST_BEYOND, Mode, Node, Reach, writes_outside
from inplace_lint.source.part_names import EVERYTHING, QUESTION

_REACHES, _MEETS = f"{QUESTION}reaches", f"{QUESTION}meets"
_MODES: tuple[Mode, ...] = ("named", "calling", "making")

Asked = tuple[str, str]
"""A file, and a question or another part of it."""


def questions_of(reach: Reach, home: Outline) -> Iterator[Asked]:
    """What a file asks of others."""
    for node in reach.beyond.get(home, ()):
        yield _reaches(node, MOST_BEYOND)
    for cls in reach.classes_of(home):
        yield from _meets(reach, cls)


def is_answered(question: str) -> bool:
    """Whether this is a question that is answered here."""
    return question.split(" ")[0] in (_REACHES, _MEETS)


def answer(reach: Reach, home: Outline, question: str) -> str:
    """The answer to a question about a file."""
    kind, name, *rest = question.split(" ")
    found = _called(home, name)
    if kind == _MEETS:
        members = [(each, member) for cls in found for each, all in cls.members.items() for member in all]
        met = ((each, sorted(set(rest).intersection(member.attributes))) for each, member in members)
        return digest(repr(one) for one in met if one[1])
    mode, most = _mode(rest[0]), int(rest[1])
    answers = (
        reach.writes_beyond((definition, mode), most, prepares) for definition in found for prepares in (False, True)
    )
    return "".join(map(str, map(int, answers)))


def beneath(reach: Reach, home: Outline, question: str) -> set[Asked]:
    """What the answer to a question about a file rests on in other files, beside their skeletons."""
    kind, name, *rest = question.split(" ")
    found: set[Asked] = set()
    if kind == _REACHES:
        met: set[tuple[Node, int]] = set()
        for definition in _called(home, name):
            _collect(reach, (definition, _mode(rest[0])), int(rest[1]), found, met)
    return found


def _collect(reach: Reach, node: Node, most: int, found: set[Asked], met: set[tuple[Node, int]]) -> None:
    if (node, most) in met or not most or writes_outside(node):
        return
    met.add((node, most))
    definition = node[0]
    if definition.owner is not None:
        found.update(_meets(reach, definition.owner))
    for target in reach.runs(node):
        if target[0].outline is definition.outline:
            _collect(reach, target, most - 1, found, met)
        elif most > 1:
            found.add(_reaches(target, most - 1))


def _reaches(node: Node, most: int) -> Asked:
    definition, mode = node
    name = _name(definition)
    if definition not in _called(definition.outline, name):
        return definition.outline.path, EVERYTHING
    return definition.outline.path, f"{_REACHES} {name} {mode} {most}"


def _meets(reach: Reach, cls: Definition) -> Iterator[Asked]:
    """Which members of a class are met by what it inherits from other files."""
    names = " ".join(sorted(filter(None, cls.members)))
    for base in reach.lineage(cls):
        if base.outline is not cls.outline:
            known = base in _called(base.outline, base.name)
            yield base.outline.path, f"{_MEETS} {base.name} {names}" if known else EVERYTHING


def _mode(word: str) -> Mode:
    return next(mode for mode in _MODES if mode == word)


def _name(definition: Definition) -> str:
    return f"{definition.owner.name}.{definition.name}" if definition.owner is not None else definition.name


def _called(outline: Outline, name: str) -> list[Definition]:
    """The definitions of a file that have a name; a class comes before its methods."""
    if not outline.named:
        for definition in dict.fromkeys(outline.everything()):
            inner = [member for members in definition.members.values() for member in members]
            for each in dict.fromkeys((definition, *inner)):
                known = outline.named.setdefault(_name(each), [])
                if each not in known:
                    known.append(each)
    return outline.named.get(name, [])
