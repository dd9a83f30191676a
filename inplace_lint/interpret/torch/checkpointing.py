"""Checkpointing, and other hooks on saved tensors: PyTorch does not check versions there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Arguments, Class, Instance, List, Native, Ref, resolve
from inplace_lint.interpret.torch.ops import operand_of, unknown_call
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Event, Read, Write
from inplace_lint.torch_model.modes import UNCHANGED, UNCHECKED, modes, switch
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import Counter, Save, Storage, Tensor

HOOKS: tuple[str, ...] = ("saved_tensors_hooks", "save_on_cpu")
_OPTIONS = frozenset({"use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug", "early_stop"})


def hooks(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`saved_tensors_hooks(...)` and `save_on_cpu(...)`, as contexts."""
    return Ref(Native(name, mode=UNCHECKED))


def checkpoint(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.utils.checkpoint.checkpoint(function, *args)`.

    Without reentrant autograd (`use_reentrant=False`) only the arguments are saved, with their
    versions. Everything else is computed anew in backward, from the memory as it is by then.
    """
    function, others = arguments.split("function")
    if function is None:
        return Ref(unknown_call(run, name, arguments, node))
    rest, keywords = others.positional, {key: others.keywords[key] for key in others.keywords if key not in _OPTIONS}
    reentrant = resolve(arguments.get(None, "use_reentrant")) is not False
    noted = _ignored if _tells_replay(run, arguments, node) else partial(_note_replay, run, run.torch.clock)
    began, known, told = run.torch.clock, len(run.torch.saved), len(run.torch.trace.events)
    given = [operand for passed in rest if isinstance(operand := operand_of(run, passed), Operand)]
    versions = [operand.tensor.counter.value for operand in given]
    with modes(run.torch), emitting(run.torch, noted):
        switch(run.torch, UNCHANGED if reentrant else UNCHECKED)
        result = run.call(function.ref, Arguments(rest, keywords, arguments.open), node)
    if not reentrant:
        saves = run.torch.saved[known:]
        for save in saves:
            if save.storage.made_at > began:
                save.until = saves[-1].time  # computing anew stops where the last one has been saved
        _save(run, name, zip(given, versions, strict=True), result, run.site(node))
        computed_with = list(_computed_with(run.torch.trace.events[told:], began))
        with modes(run.torch):
            switch(run.torch, UNCHECKED)
            _save(run, name, ((each, each.tensor.counter.value) for each in computed_with), result, run.site(node))
    return result


def _computed_with(events: Iterable[Event], began: int) -> Iterator[Operand]:
    """What a function has read that was there before it, and that it has not changed itself: its replay reads it again.

    Of parameters, optimizers tell.
    """
    known: set[Storage] = {event.storage for event in events if isinstance(event, Write)}
    for event in events:
        if isinstance(event, Read) and event.operand.tensor.storage.made_at <= began:
            tensor = event.operand.tensor
            if tensor.storage not in known and not (tensor.is_leaf and tensor.need):
                known.add(tensor.storage)
                yield event.operand


def _tells_replay(run: Run, arguments: Arguments, node: ir.Node) -> bool:
    """Whether `context_fn` gives a context of the program, which sees to what a replay is to do otherwise."""
    passed = arguments.keywords.get("context_fn")
    pair = resolve(run.call(passed.ref, Arguments(), node).value) if passed is not None else None
    replayed_in = resolve(pair.items[1].value) if isinstance(pair, List) and len(pair.items) == 2 else None
    if isinstance(replayed_in, Native):
        return replayed_in.around is not None
    return isinstance(replayed_in, Instance) and isinstance(replayed_in.cls, Class)


def _ignored(write: Write) -> None:
    """A write of which nothing is to be noted."""


def _note_replay(run: Run, began: int, write: Write) -> None:
    """What is there before a checkpointed function runs is written again when it is replayed."""
    there = write.storage.made_at <= began or run.made_up(write.storage)
    if there and not run.oracle.preparing:
        write.marked |= {"replayed"}


def _save(run: Run, name: str, kept: Iterable[tuple[Operand, int]], result: Ref, site: Site) -> None:
    """Have the graph of a result keep tensors, each at a version of it."""
    made = [resolve(ref.value) for ref, _ in tensors_of(result.value)]
    graph = next(
        (tensor.autograd_meta.node for tensor in made if isinstance(tensor, Tensor) and tensor.autograd_meta.node), None
    )
    if graph is None:
        return
    saves = [
        Save(
            name, "CheckpointFunction", site, run.torch.stack, operand.text, operand.tensor.storage,
            Counter(version) if run.torch.unchecked else operand.tensor.counter, version, False, graph.need,
            run.torch.tick(), operand.tensor.certain,
        )
        for operand, version in kept
    ]  # fmt: skip
    graph.saves = (*graph.saves, *saves)
    run.torch.saved += saves
