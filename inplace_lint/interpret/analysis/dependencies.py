"""What the findings in a file depend on in other files: for the cache, which keeps them as long as that is the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from inplace_lint.interpret.analysis import grad_modes
from inplace_lint.interpret.state import asked, fillers
from inplace_lint.interpret.state.program import Program
from inplace_lint.phases import within
from inplace_lint.source.part_names import EVERYTHING, SKELETON


@dataclass(frozen=True, slots=True)
class Learned:
    """What an analysis has learned of other files.

    Args:
        imports: what files import.
        absent: the names, by folder, that were looked for there in vain.
        used: by file, the parts that were used.
        digests: of the parts of files, by file.
        beneath: by file, the parts of others on which answers to questions about it rest.
    """

    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    used: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    beneath: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)


def answers(program: Program, path: str, questions: Iterable[str]) -> dict[str, str]:
    """The answers to questions about a file, but for those that the screen answers."""
    each = tuple(questions)
    known = (kind.answers(program, path, each) for kind in (asked, fillers, grad_modes))
    return {question: answer for found in known for question, answer in found.items()}


def learned_by(program: Program, path: str) -> Learned:
    """What a program has learned since this was last asked, while the file at `path` was checked."""
    screen, known = program.screen, program.stubs
    program.note_lengths()
    for other, question in program.asked:
        if other != path and known.at(other) is None:
            screen.used.setdefault(other, {SKELETON}).add(question)
    with within("reach"):
        screen.answer_used(partial(answers, program))
    used = {other: set(parts) for other, parts in screen.used.items()}
    for other, row in program.looked_into:
        if other != path and known.at(other) is None:
            found = screen.read(other)
            used.setdefault(other, {SKELETON}).add(found.at(row) if found is not None else EVERYTHING)
    used.pop(path, None)
    told = Learned(
        {importer: tuple(found) for importer, found in program.imports.items()},
        {folder: tuple(names) for folder, names in program.absent.items()},
        {other: tuple(sorted(parts)) for other, parts in used.items() if known.at(other) is None},
        {other: each for other, each in screen.new_digests().items() if known.at(other) is None},
        {
            of: {other: tuple(sorted(parts)) for other, parts in beneath.items() if known.at(other) is None}
            for of, beneath in screen.new_beneath().items()
        },
    )
    program.imports.clear()
    program.absent.clear()
    screen.used.clear()
    program.looked_into.clear()
    program.asked.clear()
    return told
