"""Which files depend on which, as far as files were read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping


def importing(changed: Collection[str], imports: Mapping[str, Iterable[str]]) -> set[str]:
    """All files that import one of `changed`, directly or not."""
    by: dict[str, list[str]] = {}
    for path, targets in imports.items():
        for target in targets:
            by.setdefault(target, []).append(path)
    todo, found = list(changed), set[str]()
    while todo:
        for path in by.get(todo.pop(), ()):
            if path not in found:
                found.add(path)
                todo.append(path)
    return found
