"""Listens to a recorder, and judges the writes that PyTorch refuses and those that it should refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain

import torch

from inplace_lint.findings.diagnostic import Diagnostic
from inplace_lint.runtime.recorder.frames import Place
from inplace_lint.runtime.recorder.recorder import Listener, Recorder
from inplace_lint.runtime.recorder.records import Change, Keep
from inplace_lint.runtime.recorder.saves import CHECKPOINTED, HIDDEN, Node, kept_by, nodes_from, same_values
from inplace_lint.runtime.recorder.story import Story, judge, refused
from inplace_lint.source.place import Site
from inplace_lint.torch_model.messages import Stale, is_stale, refusal, stale

Overwritten = tuple[Keep, Change]


class Judge(Listener):
    """Collects the findings of a recording.

    Args:
        on_error: called with an error of PyTorch's, on its way up, and what is found to explain it.
        on_silent: called with what PyTorch should have refused, as a backward pass reads it; may raise.

    Attributes:
        diagnostics: what explains the errors so far, each once.
        silent: what PyTorch should have refused, each once.
    """

    def __init__(
        self,
        on_error: Callable[[RuntimeError, Sequence[Diagnostic]], None] | None = None,
        on_silent: Callable[[Sequence[Diagnostic]], None] | None = None,
    ) -> None:
        self.diagnostics: dict[tuple[str, Site], Diagnostic] = {}
        self.silent: dict[tuple[str, Site], Diagnostic] = {}
        self._on_error = on_error
        self._on_silent = on_silent
        self.recorder = Recorder([self])
        self._told_of: tuple[int, str] | None = None

    def refused(self, error: RuntimeError, op: str, place: Place, operands: Sequence[torch.Tensor]) -> None:
        """Judge an error that an op raised."""
        kind = refusal(str(error))
        if kind is not None and self._is_new(error):
            self._add(error, judge(refused(kind, place.op(op), place, place.written(op, True), self.recorder.time)))

    def backward(self, roots: Sequence[Node], place: Place) -> None:
        """Judge what a backward pass is about to read, although it was overwritten unseen."""
        if self.recorder.suspects:
            hidden = list(self._overwritten_unseen(roots))
            self._add_silent(judge([Story().backward(place, self.recorder.time, (), hidden)]))

    def unpacked(self, keep: Keep, change: Change, place: Place) -> None:
        """Judge what a backward pass reads past the version check."""
        self._add_silent(judge([Story().backward(place, self.recorder.time, (), [(keep, change)])]))

    def backward_failed(self, error: RuntimeError, roots: Sequence[Node], place: Place, whole: bool) -> None:
        """Judge an error that a backward pass raised."""
        if not is_stale(str(error)) or not self._is_new(error):
            return
        message = stale(str(error))
        found = list(self._overwritten(roots))
        exact = [pair for pair in found if message is None or _fits(pair[0], message)]
        if not exact:
            exact = [pair for pair in self._out_of_sight(roots) if message is not None and _fits(pair[0], message)]
        if exact and not whole:
            found = exact
        story = Story()
        read = exact + [pair for pair in found if pair not in exact]
        self._add(error, judge([story.backward(place, self.recorder.time, read)]))

    def _is_new(self, error: RuntimeError) -> bool:
        """Whether it was not yet seen on its way up, through nested calls; errors are not held on to."""
        before, self._told_of = self._told_of, (id(error), str(error))
        return self._told_of != before

    def _overwritten(self, roots: Sequence[Node]) -> Iterator[Overwritten]:
        """What a graph keeps and has been overwritten, as far as the version check sees it."""
        for node in nodes_from(roots):
            versions = {kept.at: kept.tensor for kept in kept_by(node)}
            for keep in self.recorder.keeps_of(node):
                tensor = versions.get(keep.attribute)
                change = keep.culprit()
                if tensor is not None and change is not None and tensor._version != keep.version:
                    yield keep, change

    def _overwritten_unseen(self, roots: Sequence[Node]) -> Iterator[Overwritten]:
        """What a graph keeps and has been overwritten past the version check."""
        for node in nodes_from(roots):
            for keep in self.recorder.keeps_of(node):
                if keep not in self.recorder.suspects or keep.original is None:
                    continue
                tensor = next((kept.tensor for kept in kept_by(node) if kept.at == keep.attribute), None)
                if tensor is not None and tensor._version == keep.version and not same_values(tensor, keep.original):
                    yield keep, keep.unseen[0]

    def _out_of_sight(self, roots: Sequence[Node]) -> Iterator[Overwritten]:
        """Overwritten, kept by nodes of the graph that show nothing, or by checkpoints that it may replay."""
        shut = (
            keep for node in nodes_from(roots) for keep in self.recorder.keeps_of(node) if keep.attribute[0] in HIDDEN
        )
        checkpointed = (keep for keep in self.recorder.live if keep.attribute[0] == CHECKPOINTED)
        for keep in chain(shut, checkpointed):
            change = keep.culprit()
            if change is not None:
                yield keep, change

    def _add(self, error: RuntimeError, diagnostics: Sequence[Diagnostic]) -> None:
        for diagnostic in diagnostics:
            self.diagnostics.setdefault((diagnostic.code, diagnostic.site), diagnostic)
        if self._on_error is not None:
            self._on_error(error, diagnostics)

    def _add_silent(self, diagnostics: Sequence[Diagnostic]) -> None:
        self.silent.update(((diagnostic.code, diagnostic.site), diagnostic) for diagnostic in diagnostics)
        if self._on_silent is not None and diagnostics:
            self._on_silent(diagnostics)


def _fits(keep: Keep, message: Stale) -> bool:
    """Whether PyTorch's message may speak of this tensor."""
    return (keep.layout.described, keep.version) == (f"[{message.type} {list(message.shape)}]", message.expected)
