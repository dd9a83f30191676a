"""The hints of a file: what was saved, where versions go up, and which names are views."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from inplace_lint.findings.wording import op_name
from inplace_lint.interpret.state.run import Run
from inplace_lint.knowledge.sight import Sight
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.tensor import Save

Words = Callable[["Site | None"], str]


class Marks:
    """Collects hints, path by path.

    Args:
        path: the file.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._targets: dict[Span, None] = {}
        self._labels: dict[Span, dict[str, None]] = {}
        self._versions: dict[Span, set[tuple[int, bool]]] = {}

    def statement(self, run: Run, statement: ir.Stmt) -> None:
        """Note the names that an assignment gives a value to."""
        if isinstance(statement, ir.Assign) and run.frame.module.path == self._path:
            names = [target for target in statement.targets if isinstance(target, ir.Name)]
            self._targets.update(dict.fromkeys(target.span for target in names))

    def note(self, run: Run, sights: Iterable[Sight], words: Words) -> None:
        """Note what one path shows."""
        external = {id(sight.storage) for sight in sights if sight.external}
        for sight in sights:
            if sight.span in self._targets and sight.tensor.view != "base":
                of = next((name for name, how, _ in sight.others if how == "base"), "") or words(sight.storage.site)
                self._label(sight.span, f"view of {of}" if of else "view")
        for save in run.torch.saved:
            if save.need and save.site.path == self._path and _is_telling(save):
                site = save.place if save.place is not None and not save.is_result else save.site
                self._label(site.span, f"saved by {op_name(save.op).strip('`')}")
        for event in run.torch.trace.events:
            if isinstance(event, Write) and event.site.path == self._path and not event.operand.tensor.array:
                self._version(event, id(event.storage) in external)

    def _label(self, span: Span, label: str) -> None:
        self._labels.setdefault(span, {})[label] = None

    def _version(self, write: Write, external: bool) -> None:
        value = next((value for each, _, value in write.storage.writes if each is write), 0)
        self._versions.setdefault(write.site.span, set()).add((value, external))

    def all(self) -> dict[Span, list[str]]:
        """By the expression that they stand behind, the words of hints."""
        found = {span: list(labels) for span, labels in self._labels.items()}
        for span, versions in self._versions.items():
            found.setdefault(span, []).append(_version(versions))
        return found


def _is_telling(save: Save) -> bool:
    """Whether few expect the save, or a write to what was saved follows: ops that keep an operand are many."""
    return save.is_result or len(save.storage.writes) > save.writes_before


def _version(versions: set[tuple[int, bool]]) -> str:
    """The version after a write; of memory from elsewhere only by how much it went up."""
    least = min(value for value, _ in versions)
    if any(external for _, external in versions):
        return f"v+{least}"
    return f"v{least}" if len(versions) == 1 else f"v{least}…"
