"""Data loaders: the items of a data set, put together by a function of the program or as PyTorch does it."""

from __future__ import annotations

from collections.abc import Iterator

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.keys import Item
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Cell,
    Class,
    Dict,
    Instance,
    List,
    Passed,
    Value,
    identity,
    resolve,
    tensors_of,
)
from inplace_lint.source import ir
from inplace_lint.torch_model.coverage import covers
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Slot, Write
from inplace_lint.torch_model.slots import sources
from inplace_lint.torch_model.tensor import Tensor

# How many items of the data set go into a batch that a function of the program puts together.
_BATCH = 2


def loader(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Cell:
    """`DataLoader(dataset, ..., collate_fn=...)`; with `batch_size=None` it gives the items themselves."""
    instance = Instance(name, key=run.key(node), label="DataLoader")
    first = arguments.keywords.get("dataset") or (arguments.positional[0] if arguments.positional else None)
    instance.held["dataset"] = first.cell if first is not None else Cell(run.unknown(run.key(node)))
    batched = arguments.keywords.get("batch_size")
    if batched is not None and resolve(batched.cell.value) is None:
        instance.held["items"] = Cell(True)
    collate = arguments.keywords.get("collate_fn")
    if collate is not None and resolve(collate.cell.value) is not None:
        instance.held["collate_fn"] = collate.cell
    return Cell(instance)


def batches(run: Run, loader: Instance, node: ir.Node) -> Iterator[Cell]:
    """The first batches that a data loader gives."""
    data, collate = loader.held["dataset"], loader.held.get("collate_fn")
    for index in range(run.turns):
        if "items" in loader.held:
            item = _item(run, data, index, node)
            for tensor in _kept([item]):
                tensor.storage.share("fetched", run.torch.tick())
            yield item
        elif collate is None:
            yield Cell(_collated(run, _item(run, data, index, node), node, ("batch", loader.key, index)))
        else:
            items = [_item(run, data, _BATCH * index + place, node) for place in range(_BATCH)]
            kept = {tensor.storage for tensor in _kept(items)}
            made = _put_together(run, collate, items, node)
            for cell, _ in tensors_of(made.value):
                if isinstance(part := resolve(cell.value), Tensor) and part.storage in kept:
                    part.storage.share("fetched", run.torch.tick())
            yield made


_DATA_SETS = frozenset({"torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset"})


def note_fetch(run: Run, data: Instance, item: Cell, began: int) -> None:
    """A data set has given an item: mark what others have written to it since it was given the first time.

    Args:
        began: when the item was asked for; what was made since then is no part of the data set.
    """
    if not isinstance(data.cls, Class) or _DATA_SETS.isdisjoint(library_bases(data.cls)):
        return
    for cell, _ in tensors_of(item.value):
        tensor = resolve(cell.value)
        if not isinstance(tensor, Tensor) or tensor.storage.made_at > began:
            continue
        first = tensor.storage.fetched_at = tensor.storage.fetched_at or began
        run.torch.trace.effort.spend(STEP * len(tensor.storage.writes))
        for write, _, _ in tensor.storage.writes:
            foreign = write.time > first and write.fetching is None and not _is_within(run, data.cls, write)
            if foreign and covers(tensor, write.operand.tensor):
                write.note("refetched")


def _is_within(run: Run, cls: Class, write: Write) -> bool:
    """Whether a method of the class runs when something is written: that may be meant to change the data."""
    return any(frame.self_class in cls.lineage and frame.began in write.calls for frame in run.past)


def _kept(items: list[Cell]) -> Iterator[Tensor]:
    """The tensors in items that have a place in the data set."""
    for item in items:
        for cell, _ in tensors_of(item.value):
            if isinstance(tensor := resolve(cell.value), Tensor) and _is_kept(cell.slot):
                yield tensor


def _is_kept(slot: Slot | None) -> bool:
    """Whether an item has a place in the data set: it was not made just now."""
    return slot is not None and any(link.kind in ("attribute", "element") for link in (slot, *sources(slot)))


def _item(run: Run, data: Cell, index: int, node: ir.Node) -> Cell:
    item = run.special_method(data, "__getitem__", (Cell(index),), node)
    return item if item is not None else _counted(run, data, index)


def _counted(run: Run, base: Cell, index: int) -> Cell:
    """The item at a known position of a list; otherwise unknown."""
    value = resolve(base.value)
    if isinstance(value, List) and index < len(value.items):
        return value.items[index]
    return Cell(run.unknown(Item(identity(value), index)))


def _put_together(run: Run, collate: Cell, items: list[Cell], node: ir.Node) -> Cell:
    """Call a `collate_fn`; what it writes of the items it writes again whenever they are fetched."""
    began = run.torch.tick()
    batch = List("list", items, True)
    tensors = (resolve(cell.value) for cell, _ in tensors_of(batch))
    fetched = {tensor.storage for tensor in tensors if isinstance(tensor, Tensor)}

    def complete(write: Write) -> None:
        if write.fetching is None and write.storage in fetched:
            write.fetching = began

    with emitting(run.torch, complete):
        return run.call(collate, Arguments([Passed(Cell(batch), node, "", run.torch.clock)]), node)


def _collated(run: Run, cell: Cell, node: ir.Node, key: object) -> Value:
    value = resolve(cell.value)
    if isinstance(value, Tensor):
        operand = run.operand(cell, run.site(node), value.label)
        assert operand is not None
        run.torch.read(operand, "DataLoader")
        return run.torch.tensor(run.site(node), dtype=value.dtype)
    if isinstance(value, List):
        parts = [Cell(_collated(run, item, node, (key, i))) for i, item in enumerate(value.items)]
        return List("tuple", parts, value.open)
    if isinstance(value, Dict):
        entries = {name: Cell(_collated(run, item, node, (key, name))) for name, item in value.items.items()}
        return Dict(entries, value.open)
    return run.unknown(key, is_data=True)
