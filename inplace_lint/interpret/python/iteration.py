"""Iteration and unpacking."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import replace

from inplace_lint.interpret.python import indices, subscripts
from inplace_lint.interpret.python.annotated import annotate
from inplace_lint.interpret.python.made_up import recognize
from inplace_lint.interpret.state import parts
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.keys import Answer, Attribute, Item, Key, place_in
from inplace_lint.interpret.state.naming import names_data
from inplace_lint.interpret.state.run import MOST_ITERATIONS, USUAL_TURNS, Raised, Run
from inplace_lint.interpret.state.values import Dict, Instance, List, Ref, Unknown, Value, identity, resolve
from inplace_lint.interpret.torch import asked_sizes, numpy
from inplace_lint.interpret.torch.results import size_of
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.operands import Binding
from inplace_lint.torch_model.subscript import Position
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Several, Tensor

YIELDED = "what was yielded"
"""How the place of what a generator has yielded is called."""

# Units of effort for taking an element.
_AN_ELEMENT = 5


def elements(run: Run, ref: Ref, node: ir.Node) -> List:
    """What iterating over a value gives, as a list; `open` if there may be more."""
    value = resolve(ref.value)
    if isinstance(value, (List, Dict)):
        run.torch.trace.effort.spend(_AN_ELEMENT * len(value.items))
    if isinstance(value, List) and value.yielded:
        return List("list", [as_yielded(run, item) for item in value.items], value.open)
    if isinstance(value, List):
        if not value.items and value.open:
            return _unknown_elements(run, ref, value, node)
        return value if ref.binding is None else replace(value, items=[ref.has(item) for item in value.items])
    if isinstance(value, Dict):
        return _keys(run, value)
    if isinstance(value, str) and len(value) <= MOST_ITERATIONS:
        return List("list", [Ref(character) for character in value])
    if isinstance(value, Tensor):
        return _rows(run, ref, value, node)
    if isinstance(value, Instance):
        return _of_object(run, ref, value, node)
    return _unknown_elements(run, ref, value, node)


def _keys(run: Run, value: Dict) -> List:
    keys = [Ref(key.value if isinstance(key, Constant) else run.unknown(_symbolic(key))) for key in value.items]
    return List("list", keys, value.open)


def _symbolic(key: Hashable) -> Hashable:
    """What is known of a key: one that nobody knows stands for itself."""
    return key if isinstance(key, Key) else Answer("key", (key,))


def _rows(run: Run, ref: Ref, tensor: Tensor, node: ir.Node) -> List:
    """What a loop over a tensor takes from it: views of one memory, as `unbind` gives them."""
    operand = run.operand(ref, run.site(node), tensor.label)
    assert operand is not None
    if numpy.takes_number(tensor, (Position(None),)):
        return List("list", [Ref(numpy.number(run, operand, (run.key(node), i))) for i in range(run.turns)], True)
    several = Several(tensor, "torch.unbind", run.site(node), tensor.need)
    return List("list", [Ref(_row(run, tensor, several, run.key(node)), ref.binding) for _ in range(run.turns)], True)


def _row(run: Run, tensor: Tensor, several: Several, position: Hashable) -> Tensor:
    """A row of a tensor, at a position that may be known."""
    row = run.torch.element(several)
    if tensor.region is not None:
        row.region = (*tensor.region, (Position(position),))
    return row


def _of_object(run: Run, ref: Ref, instance: Instance, node: ir.Node) -> List:
    """What an object gives: a container of modules these, others by their special methods."""
    if instance.children is not None:
        return elements(run, Ref(instance.children), node)
    found = run.special_method(ref, "__iter__", (), node)
    if found is not None and not isinstance(resolve(found.value), Instance):
        return elements(run, found, node)
    items, ended = _one_by_one(run, found or ref, "__getitem__" if found is None else "__next__", node)
    return List("list", items, not ended) if items or ended else _unknown_elements(run, ref, instance, node)


def _one_by_one(run: Run, ref: Ref, method: str, node: ir.Node) -> tuple[list[Ref], bool]:
    """What `__getitem__` gives for 0, 1 and so on, or `__next__`, and whether it has said that there is no more."""
    items: list[Ref] = []
    for index in range(run.turns):
        run.catching += 1
        try:
            item = run.special_method(ref, method, (Ref(index),) if method == "__getitem__" else (), node)
        except Raised:
            return items, True
        finally:
            run.catching -= 1
        if item is None:
            break
        items.append(item)
    return items, False


def as_yielded(run: Run, ref: Ref, since: int = 0) -> Ref:
    """What a generator yielded: each is used before the generator goes on, and writes again.

    Args:
        since: when the dictionary or named tuple was yielded that keeps it; 0 for what was yielded itself, or in a
            tuple.
    """
    value, binding = ref.value, ref.binding
    yielded = binding.bound_at if binding is not None else run.torch.clock
    if isinstance(value, List) and value.kind == "tuple" and not _is_kept(binding):
        named = yielded if value.fields else 0
        value = replace(value, items=[as_yielded(run, item, named) for item in value.items])
    elif isinstance(value, Dict) and not _is_kept(binding):
        value = replace(value, items={key: as_yielded(run, item, yielded) for key, item in value.items.items()})
    source = binding if since or binding is None else binding.source  # A tuple is taken apart at once.
    if binding is None or source is None:
        return Ref(value)
    began = since or binding.bound_at
    return Ref(value, replace(source, bound_at=run.torch.clock, source=source, is_result=True, produced_from=began))


def _is_kept(yielded: Binding | None) -> bool:
    """Whether what was yielded is kept elsewhere, where whoever gets it may put more into it."""
    links = [yielded, *sources(yielded)] if yielded is not None else []
    return any(link.kind in ("attribute", "element") and link.label != YIELDED for link in links)


def sizes_of_shape(run: Run, shape: Unknown) -> List | None:
    """The sizes of a tensor; None for what is no shape, or if it is not known of how many dimensions."""
    shown = asked_sizes.shown_by(run, shape)
    dimensions = asked_sizes.rank(shown) if shown is not None else None
    if dimensions is None:
        return None
    places = [(Position(Constant(place)),) for place in range(dimensions)]
    known = [asked_sizes.part_of_shape(run, shape, place) for place in places]
    asked = zip(known, places, strict=True)
    return List("tuple", [parts.item(run, shape, place) if size is None else Ref(size) for size, place in asked])


def _unknown_elements(run: Run, ref: Ref, value: Value, node: ir.Node) -> List:
    if isinstance(value, Unknown) and (sizes := sizes_of_shape(run, value)) is not None:
        return sizes
    label = value.label if isinstance(value, Unknown) else ""
    keys = [place_in(identity(value), i) for i in range(run.turns)]
    history, is_data = (value.history, value.is_data) if isinstance(value, Unknown) else ((), False)
    if isinstance(value, Unknown) and _keeps_elements(run, value):
        items = [parts.item(run, value, (Position(Constant(i)),)) for i in range(run.turns)]
    else:
        labels = [f"{label}[{i}]" if label else "" for i in range(run.turns)]
        items = [Ref(run.unknown(key, labels[i], history, is_data)) for i, key in enumerate(keys)]
    if isinstance(value, Unknown) and value.annotation is not None:
        items = [annotate(run, item, value.annotation.element(i), run.site(node)) for i, item in enumerate(items)]
    if isinstance(value, Unknown) and ref.binding is not None:
        items = [_taken_from(ref.binding, value, item, key) for item, key in zip(items, keys, strict=True)]
    return List("list", items, True)


def _taken_from(whole: Binding, value: Unknown, item: Ref, key: Hashable) -> Ref:
    """An element that has no name itself: it came from what has one, and stays there, whatever is written to it."""
    if item.binding is not None:
        return item
    label = f"{value.label}[...]" if value.label else ""
    tensor = resolve(item.value)
    region = tensor.region if isinstance(tensor, Tensor) else None
    element = replace(whole, place=(value.key, key), label=label, kind="element", source=whole, region=region)
    return Ref(item.value, element)


def _keeps_elements(run: Run, value: Unknown) -> bool:
    """Whether iterating over it again gives the same objects: it is declared so, has a length, or is an optimizer's."""
    if value.annotation is not None and value.annotation.keeps_elements:
        return True
    if run.frame.code is not None and value.label in facts(run.frame.code).counted_of:
        return True
    made = value.key.made
    if isinstance(made, Attribute):
        return made.name == "param_groups"
    return isinstance(made, Item) and made.places == (Position(Constant("params")),)


def unwrapped(ref: Ref, display: List) -> Ref:
    """An element of a display that nothing refers to: it stands for the variable that it was made of.

    What `*` took over from another list stays an element of that.
    """
    value, binding = ref.value, ref.binding
    if binding is not None and binding.owner != id(display):
        return ref
    source = binding.source if binding is not None else None
    if isinstance(value, List) and value.kind == "tuple" and source is None and not value.fields:  # a display itself
        value = List("tuple", [unwrapped(item, value) for item in value.items], value.open)
    return Ref(value, source)


def bounded(run: Run, items: List) -> Iterator[Ref]:
    """The elements to run a loop body for."""
    steps, choices = run.oracle.steps, len(run.oracle.taken)
    for index, item in enumerate(items.items[: MOST_ITERATIONS + 1]):
        if index == USUAL_TURNS and isinstance(item.value, int) and len(run.oracle.taken) > choices:
            # Each turn may go either way: what all of them cost would be missing for other paths.
            left = (len(items.items) - index) // index
            run.oracle.expect((run.oracle.steps - steps) * left, (len(run.oracle.taken) - choices) * left)
        if items.open and index == USUAL_TURNS == len(items.items) - 1 and is_short_of_steps(run):
            return
        if index >= MOST_ITERATIONS:
            run.torch.trace.complete = False
            return
        yield item


def is_short_of_steps(run: Run) -> bool:
    """Whether a loop of unknown length had better be left after the usual turns."""
    return run.oracle.steps > run.oracle.most_steps // 3


def _take_for_data(value: Value) -> None:
    """What nobody knows, given by a call under a name for data, requires no grad."""
    if isinstance(value, Unknown):
        value.is_data, value = True, value.tensor
    if (
        isinstance(value, Tensor)
        and value.external
        and ("(" in value.label or "[" in value.label)
        and not value.need.certain
    ):
        value.require(NO)
        if value.view == "base":
            value.autograd_meta = AutogradMeta(NO)  # What the callee has made it from gave it no history.


def assign(run: Run, target: ir.Expr, ref: Ref, in_loop: bool = False) -> None:
    """Give a value to a target: a name, an attribute, a subscript, or a nest of these."""
    if isinstance(target, ir.Name):
        frame = run.frame
        if names_data(target.id, first=True):
            _take_for_data(ref.value)
        if isinstance(ref.value, Unknown):
            code = frame.code or (frame.parent.code if frame.parent is not None else None)  # a comprehension has none
            recognize(run, ref.value, target.id, facts(code).used.get(target.id, ()) if code is not None else ())
        if target.id in frame.globals_declared:
            frame = run.frames.get(frame.module.path, frame)
        made = run.bind(frame, target.id, ref.value, run.site(target), ref)
        if made.binding is not None and not frame.module.library:
            made.binding.in_loop = in_loop
            made.binding.copied_to = _copied_to(run, made.binding)
        if run.look is not None:
            run.look(run, target, made)
    elif isinstance(target, ir.Attr):
        run.set_attribute(run.evaluate(target.value), target.name, ref, target)
    elif isinstance(target, ir.Index):
        base = run.evaluate(target.value)
        subscripts.set(run, base, indices.index_of(run, target.index), ref, target)
    elif isinstance(target, ir.Sequence):
        unpack(run, target, ref, in_loop)
    elif isinstance(target, ir.Starred):
        assign(run, target.value, ref, in_loop)


def _copied_to(run: Run, name: Binding) -> str:
    """The variable that a new name was given the value of, if the function copies what has that name into it."""
    copied = facts(run.frame.code).copied_over if run.frame.code is not None else ()
    if not copied or name.source is None:
        return ""
    return next((each.label for each in (name.source, *sources(name.source)) if (each.label, name.label) in copied), "")


def unpack(run: Run, target: ir.Sequence, ref: Ref, in_loop: bool = False) -> None:
    """`a, *b, c = value`."""
    count = len(target.items)
    wrapped = _displayed(run, ref)
    starred = next((i for i, item in enumerate(target.items) if isinstance(item, ir.Starred)), None)
    items = _exactly(run, ref, count, target, starred is not None)
    if starred is None:
        parts = items[:count]
    else:
        after = count - starred - 1
        middle = items[starred : len(items) - after]
        parts = [*items[:starred], Ref(List("list", middle)), *(items[len(items) - after :] if after else [])]
    began = run.torch.clock
    for index, (item, part) in enumerate(zip(target.items, parts, strict=False)):
        if index and index < len(wrapped) and _is_written_since(wrapped[index], began):
            part = wrapped[index]
        if index and isinstance(item, ir.Name) and names_data(item.id):
            _take_for_data(part.value)
        assign(run, item, part, in_loop)


def _displayed(run: Run, ref: Ref) -> list[Ref]:
    """The items of the display that is unpacked, if one is: they are evaluated before any target is assigned."""
    if run.displayed is not None and run.displayed[0] is ref.value:
        return run.displayed[1]
    return []


def _is_written_since(ref: Ref, began: int) -> bool:
    """Whether a target before it has changed what an item holds: `x[i], y = y, x[i]`."""
    tensor = resolve(ref.value)
    return isinstance(tensor, Tensor) and any(write.time > began for write, _, _ in tensor.storage.writes[-2:])


def _exactly(run: Run, ref: Ref, count: int, node: ir.Node, starred: bool) -> list[Ref]:
    value = resolve(ref.value)
    if isinstance(value, Tensor):
        several = Several(value, "torch.unbind", run.site(node), value.need)
        return [Ref(_row(run, value, several, Constant(index)), ref.binding) for index in range(count)]
    source = run.all_elements(ref, node)
    items = list(source.items)
    if not starred and source.open:
        items = items[:count]
    while len(items) < count:
        key = place_in(identity(value), len(items))
        last = resolve(items[-1].value) if items else None
        if isinstance(last, Tensor) and last.view == "multi":
            several = Several(run.torch.view(last, run.site(node), "multi"), "torch.chunk", run.site(node), last.need)
            made = run.torch.element(several)
            made.sizes = last.sizes
            items.append(Ref(made))
        else:
            told = value.annotation.element(len(items)) if isinstance(value, Unknown) and value.annotation else None
            items.append(annotate(run, Ref(run.unknown(key)), told, run.site(node)))
    shaped = run.described.get(value.key) if isinstance(value, Unknown) and not starred else None
    if shaped is not None and shaped.sizes is None:
        shaped.sizes = tuple([size_of(resolve(item.value)) for item in items])
    return items


def rotated(loop: ir.For) -> int:
    """How many names change places in a loop, as in `old, new = new, old`."""
    if loop.rotated is None:
        loop.rotated = 0
        for node in nodes(loop.body):
            if isinstance(node, ir.Assign) and isinstance(node.value, ir.Sequence):
                given = _names(node.value)
                if len(given) > 1 and all(_names(target) == given for target in node.targets):
                    loop.rotated = max(loop.rotated, len(given))
    return loop.rotated


def _names(node: ir.Expr) -> set[str]:
    """The names in a display of nothing else."""
    if not isinstance(node, ir.Sequence):
        return set()
    names = {item.id for item in node.items if isinstance(item, ir.Name)}
    return names if len(names) == len(node.items) else set()
