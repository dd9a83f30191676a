"""What the findings in a file depend on in other files: for the cache, which keeps them as long as that is the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from inplace_lint.interpret.state.program import Program
from inplace_lint.source.part_names import EVERYTHING, SKELETON


@dataclass(frozen=True, slots=True)
class Learned:
    """What an analysis has learned of other files.

    Args:
        imports: what files import.
        absent: the names, by folder, that were looked for there in vain.
        used: by file, the parts that were used.
        digests: of the parts of files, by file.
    """

    imports: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    used: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    digests: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def learned_by(program: Program, path: str) -> Learned:
    """What a program has learned since this was last asked, while the file at `path` was checked."""
    used = {other: set(parts) for other, parts in program.screen.used.items()}
    for other, row in program.looked_into:
        found = program.screen.parts_of(other)
        used.setdefault(other, {SKELETON}).add(found.at(row) if found is not None else EVERYTHING)
    used.pop(path, None)
    told = Learned(
        {importer: tuple(found) for importer, found in program.imports.items()},
        {folder: tuple(names) for folder, names in program.absent.items()},
        {other: tuple(sorted(parts)) for other, parts in used.items() if program.stubs.at(other) is None},
        {other: each for other, each in program.screen.new_digests().items() if program.stubs.at(other) is None},
    )
    program.imports.clear()
    program.absent.clear()
    program.screen.used.clear()
    program.looked_into.clear()
    return told
