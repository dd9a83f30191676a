"""Subscripts: views, copies by advanced indexing, item assignment, and Python containers."""

from __future__ import annotations

from dataclasses import replace

from inplace_lint.interpret.python import list_items, unknown_items
from inplace_lint.interpret.python.indices import Part, cuts_of, has_text, known_positions, may_be_number, whole_key
from inplace_lint.interpret.python.tables_of_functions import chosen_entry
from inplace_lint.interpret.state import parts, unsure_keys
from inplace_lint.interpret.state.annotation import Annotation
from inplace_lint.interpret.state.classes import keeper_of_item
from inplace_lint.interpret.state.keys import Answer, Item, key_of
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.unsure_keys import entry_key
from inplace_lint.interpret.state.values import (
    Arguments,
    Dict,
    Instance,
    Library,
    List,
    Passed,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import asked_sizes, module_tree, numpy
from inplace_lint.interpret.torch.ops import marks_of_value, operand_of, past_of
from inplace_lint.source import ir
from inplace_lint.torch_model import sizes
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.effects import Effects, Output, Param, SaveSpec
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Mark, Refusal, Write
from inplace_lint.torch_model.op_names import GETITEM, SETITEM
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.refusal import overlap
from inplace_lint.torch_model.regions import Region
from inplace_lint.torch_model.subscript import (
    Advanced,
    Full,
    IndexPart,
    NewAxis,
    Position,
    Range,
    Rest,
    Unsure,
)
from inplace_lint.torch_model.taking import OF_ONE_DIMENSION, take_part, take_row
from inplace_lint.torch_model.tensor import Tensor

_GET = Effects(
    (Param("self", "tensor"), Param("indices", "tensors")),
    saves=(SaveSpec("indices"),),
    dense=True,
    node="IndexBackward0",
)
_SET = Effects(
    (Param("self", "tensor"), Param("indices", "tensors"), Param("value", "tensor")),
    writes=("self",),
    outputs=(Output("alias", "self"),),
    saves=(SaveSpec("indices"),),
    node="IndexPutBackward0",
)
_COPY = Effects(
    (Param("self", "tensor"), Param("value", "tensor")),
    writes=("self",),
    outputs=(Output("alias", "self"),),
    node="CopySlices",
)


def get(run: Run, base: Ref, index: tuple[Part, ...], node: ir.Index) -> Ref:
    """`value[index]`."""
    value = resolve(base.value)
    if isinstance(value, Tensor):
        return _of_tensor(run, base, value, index, node)
    if isinstance(value, Instance):
        return _of_instance(run, base, value, index, node)
    if isinstance(value, List):
        return _of_container(base, list_items.get(run, value, index, node))
    if isinstance(value, Dict) and (key_ref := whole_key(index)) is not None:
        return _of_container(base, _of_dict(run, value, key_ref, node))
    if isinstance(value, Library):
        return Ref(value)
    if isinstance(value, Unknown):
        for operand in _advanced(run, index):
            run.torch.read(operand, GETITEM)
        places = cuts_of(index)
        if (known := asked_sizes.part_of_shape(run, value, places)) is not None:
            return Ref(known)
        told = _declared(value.annotation, index) if value.annotation is not None else None
        return unknown_items.item(run, base, places, told, node)
    return Ref(run.unknown(run.key(node)))


def _declared(whole: Annotation, index: tuple[Part, ...]) -> Annotation | None:
    """What a subscript of such a value gives: a range of a list is a list."""
    if len(index) == 1 and isinstance(index[0].cut, (Range, Full)):
        return whole if whole.keeps_elements else None
    return whole.entry(_position(index))


def _position(index: tuple[Part, ...]) -> Value:
    """The position that a subscript asks for, if that is one number."""
    return resolve(index[0].ref.value) if len(index) == 1 and index[0].ref is not None else None


def _of_container(base: Ref, found: Ref) -> Ref:
    if found.binding is not None and base.binding is not None:
        found.binding.container = base.binding.label
    return base.has(found)


def _of_dict(run: Run, value: Dict, key_ref: Ref, node: ir.Node) -> Ref:
    if (chosen := chosen_entry(run, value, key_ref.value)) is not None:
        return chosen
    key = resolve(key_ref.value)
    entry = entry_key(key)
    found = value.items.get(entry) or unsure_keys.likely(run, value, key)
    if found is not None:
        return found
    if (copied := unknown_items.copied_entry(run, value, key, node)) is not None:
        return copied
    if value.makes is not None:
        fresh = run.call(Ref(value.makes), Arguments(), node).value
        value.items[entry] = run.store(run.place(value, entry), "", "element", fresh, run.site(node), None)
        return value.items[entry]
    if run.catching and _lacks(run, value, key):
        raise Raised
    items = list(value.items.values())
    if isinstance(key, Unknown) and items and (not value.open or all(map(_is_part, items)) or _are_one(items)):
        return unsure_keys.choose(run, value, key)
    past = past_of(run, items, node) if isinstance(key, Unknown) else ()
    item = run.unknown(Item(run.known(value), entry), history=past)
    made = run.ref(run.place(value, entry), "", "element", item, None, None)
    value.items[entry] = made
    return made


def _lacks(run: Run, value: Dict, key: Value) -> bool:
    """Whether a dictionary has no entry for a key, as `key not in value` says: who catches that asks just so."""
    if isinstance(key, Unknown) and value.items:
        return not value.open and not run.oracle.truth(Answer("in", (identity(key), run.known(value))))
    return not value.open


def _are_one(items: list[Ref]) -> bool:
    """Whether all entries have the same tensor, as `dict.fromkeys(names, tensor)` gives it to any key."""
    values = [resolve(item.value) for item in items]
    return len(values) > 1 and isinstance(values[0], Tensor) and all(value is values[0] for value in values)


def _is_part(ref: Ref) -> bool:
    """Whether it is a part of a model: `dict(model.named_modules())[name]`."""
    value = resolve(ref.value)
    return isinstance(value, Instance) and module_tree.is_module(value)


def _of_instance(run: Run, base: Ref, value: Instance, index: tuple[Part, ...], node: ir.Index) -> Ref:
    if value.children is not None:
        inner = get(run, Ref(value.children), index, node)
        if isinstance(inner.value, List) and isinstance(value.children, List):
            return Ref(Instance(value.cls, dict(value.attributes), inner.value))
        return base.has(inner)
    found = run.special_method(base, "__getitem__", (_asked(index),), node)
    return found if found is not None else Ref(run.unknown(Item(identity(value), index[0].cut if index else None)))


def _asked(index: tuple[Part, ...]) -> Ref:
    """What an object of the program is asked for: an item's key, several, or ranges as `slice(...)` makes them."""
    return whole_key(index) or Ref(index)


def _advanced(run: Run, index: tuple[Part, ...]) -> list[Operand]:
    """The tensors that tell the positions; what is called a mask is one."""
    operands: list[Operand] = []
    for part in index:
        value = resolve(part.ref.value) if isinstance(part.cut, Unsure) and part.ref is not None else None
        if isinstance(value, Unknown) and part.node is not None and value.label.lower().endswith(("mask", "masks")):
            run.promote(value, run.site(part.node)).dtype = "bool"
        if isinstance(part.cut, (Advanced, Unsure)) and part.ref is not None and part.node is not None:
            bound = operand_of(run, Passed(part.ref, part.node, "", run.torch.clock))
            if isinstance(bound, Operand):
                operands.append(bound)
            elif isinstance(bound, list):
                operands.extend(bound)
    for operand in operands:
        operand.tensor.dtype = operand.tensor.dtype or "int"  # or bool: no other tensor can be an index
    return operands


def _of_tensor(run: Run, base: Ref, tensor: Tensor, index: tuple[Part, ...], node: ir.Index) -> Ref:
    if has_text(index):
        return parts.item(run, Unknown(key_of(tensor.storage.key)), cuts_of(index))  # no tensor after all
    if numpy.takes_number(tensor, cuts_of(index)):
        return Ref(numpy.number(run, _operand(run, base, tensor, node), run.key(node)))
    if any(isinstance(part.cut, (Advanced, Unsure)) for part in index):
        source = _operand(run, base, _looked_at(tensor, index), node)
        arguments = {"self": source, "indices": _advanced(run, index)}
        taken = run.torch.run(GETITEM, _GET, arguments, run.site(node))
        if isinstance(taken, Tensor):
            taken.storage.repeats = tensor.storage.repeats
        if isinstance(taken, Tensor) and any(map(_copies, index)):
            taken.storage.copied = source.text
        elif isinstance(taken, Tensor):
            taken.external = tensor.external or run.made_up(tensor.storage)  # perhaps it is a view
        return Ref(taken)
    return Ref(_view(run, tensor, index, node), base.binding, base.way)


def _looked_at(tensor: Tensor, index: tuple[Part, ...]) -> Tensor:
    """The tensor, as far as lists of positions, and what stands before them, tell which part of it is looked at."""
    cuts: list[IndexPart] = []
    for at, part in enumerate(index):
        positions = known_positions(part) if isinstance(part.cut, Advanced) else []
        if positions:
            cuts.append(Range(Constant(min(positions)), Constant(max(positions) + 1), Constant(None)))
        elif isinstance(part.cut, OF_ONE_DIMENSION):
            cuts.append(_from_the_front(part.cut, index[:at], tensor))
        else:
            break
    smaller = any(not isinstance(cut, Full) for cut in cuts) and tensor.region is not None
    return replace(tensor, region=(*(tensor.region or ()), tuple(cuts))) if smaller else tensor


def _copies(part: Part) -> bool:
    """Whether a part makes the subscript a copy for sure: a mask, a list, or positions; one position gives a view."""
    value = resolve(part.ref.value) if part.ref is not None else None
    if isinstance(value, Tensor):
        return value.dtype == "bool" or bool(value.sizes) or (value.sizes is None and _is_cut_out(value.region))
    return isinstance(value, List) and value.kind == "list"


def _is_cut_out(region: Region | None) -> bool:
    """Whether what was taken last is a range, as of `order[:count]`, which is never a single number."""
    last = region[-1] if region else ()
    return isinstance(last, tuple) and any(isinstance(cut, (Range, Full)) for cut in last)


def _operand(run: Run, base: Ref, tensor: Tensor, node: ir.Index) -> Operand:
    return Operand(
        tensor, run.site(node.value), base.binding, run.torch.clock, run.spelled(node.value) or tensor.label, base.way
    )


def _view(run: Run, tensor: Tensor, index: tuple[Part, ...], node: ir.Node) -> Tensor:
    region = None
    if tensor.region is not None:
        cuts = [_from_the_front(part.cut, index[:at], tensor) for at, part in enumerate(index)]
        region = (*tensor.region, tuple(cuts))
    contiguous = tensor.contiguous if _takes_rows(index) else False if _cuts_rows(index) else None
    made = run.torch.view(tensor, run.site(node), region=region, contiguous=contiguous)
    made.label = f"{tensor.label}[...]" if tensor.label else ""
    if len(index) == 1 and isinstance(index[0].cut, Position):
        take_row(made, tensor)
    else:
        made.sizes = sizes.index(tensor.sizes, cuts_of(index))
        take_part(made, tensor, cuts_of(index))
    return made


def _from_the_front(cut: IndexPart, before: tuple[Part, ...], tensor: Tensor) -> IndexPart:
    """A part; a position that counts from the end of a known size as one from the front."""
    at = cut.at.value if isinstance(cut, Position) and isinstance(cut.at, Constant) else None
    plain = all(isinstance(each.cut, OF_ONE_DIMENSION) for each in before)
    known = (sizes.numbers(tensor.sizes) or ()) if plain else ()
    size = known[len(before)] if len(before) < len(known) else None
    if isinstance(at, int) and size is not None and -size <= at < 0:
        return Position(Constant(at + size))
    return cut


def _takes_rows(index: tuple[Part, ...]) -> bool:
    """Whether what is taken lies together in memory: integers, then a range, then everything."""
    rest = list(index)
    while rest and isinstance(rest[0].cut, (Position, NewAxis)):
        rest.pop(0)
    return all(isinstance(part.cut, (Full, Rest)) for part in (rest[1:] if rest and _is_range(rest[0]) else rest))


def _cuts_rows(index: tuple[Part, ...]) -> bool:
    """Whether a range is taken of what lies together: of each row, all rows being taken."""
    return len(index) == 2 and isinstance(index[0].cut, (Full, Rest)) and _is_range(index[1])


def _is_range(part: Part) -> bool:
    """A slice without a step."""
    return isinstance(part.cut, Range) and part.cut.step == Constant(None)


def set(run: Run, base: Ref, index: tuple[Part, ...], ref: Ref, node: ir.Index) -> None:
    """`value[index] = ...`."""
    value = resolve(base.value)
    if isinstance(value, Tensor):
        if not has_text(index):
            _set_on_tensor(run, base, value, index, ref, node)
        return
    key_ref = whole_key(index)
    if isinstance(value, (List, Dict)) and base.binding is not None and base.binding.kind == "name":
        run.non_tensor_write_sites.add(run.site(node))
    if isinstance(value, List):
        new, taken = resolve(ref.value), index[0].cut if len(index) == 1 else None
        if isinstance(new, List) and isinstance(taken, (Range, Full)):
            list_items.set_slice(run, value, taken, new, node)
            return
        list_items.set_item(run, value, key_ref, ref, node)
    elif isinstance(value, Dict) and key_ref is not None:
        _set_entry(run, value, key_ref, ref, node)
    elif isinstance(value, Instance):
        if value.children is not None:
            set(run, Ref(value.children), index, ref, node)
            return
        run.special_method(base, "__setitem__", (_asked(index), ref), node)
    elif isinstance(value, Unknown):
        _set_on_unknown(run, base, value, index, ref, node)


def _set_entry(run: Run, value: Dict, key_ref: Ref, ref: Ref, node: ir.Index) -> None:
    if isinstance(node.value, ir.Attr) and node.value.name == "__dict__":
        passed = run.passing(node, run.evaluate(node.value.value), key_ref, ref)
        run.call_builtin("object.__setattr__", passed, node)
        return
    key = entry_key(key_ref.value)
    unsure_keys.let_go(value, key)
    keeper = keeper_of_item(run, node)
    value.items[key] = run.store(run.place(value, key), "", "element", ref.value, run.site(node), ref, keeper)
    kept = resolve(ref.value)
    if value.is_global and isinstance(kept, Tensor) and not run.frame.is_module:
        kept.storage.share("global", run.torch.clock)


def _set_on_unknown(run: Run, base: Ref, value: Unknown, index: tuple[Part, ...], ref: Ref, node: ir.Index) -> None:
    # Of the items of a data set, an array would be changed again and again just so.
    like_array = run.torch.fetching is not None and _takes_ranges(index)
    if not value.not_tensor and (like_array or _tells_a_tensor(index, ref)):
        _set_on_tensor(run, base, run.promote(value, run.site(node.value)), index, ref, node)
    else:
        run.maybe_write_sites.add(run.site(node))
        parts.set_item(run, value, cuts_of(index), ref, node, keeper_of_item(run, node))


def _tells_a_tensor(index: tuple[Part, ...], new: Ref) -> bool:
    """Whether only a tensor takes such an item: at a tensor, or a tensor at one of several positions."""
    given = [part.ref for part in index if part.ref is not None] + ([new] if _takes_ranges(index) else [])
    values = (resolve(ref.value) for ref in given)
    return any(isinstance(each, Tensor) and not each.array for each in values)


def _takes_ranges(index: tuple[Part, ...]) -> bool:
    """Whether an index has several parts, and one of them is a range: no list or dictionary takes that."""
    return len(index) > 1 and any(isinstance(part.cut, (Range, Full, Rest)) for part in index)


def put_back(run: Run, base: Ref, index: tuple[Part, ...]) -> None:
    """`value[i] += ...` ends with `value[i] = ...`.

    That copies nothing, but counts as a write: of what the addition saved, and, for `value[:]`, of
    `value` itself, which may be refused where the addition to the slice was not.
    """
    tensor, write = resolve(base.value), _last_write(run)
    if not isinstance(tensor, Tensor) or write.storage is not tensor.storage or write.refusal is not None:
        return
    if _is_whole(index) and run.torch.refusal(tensor, tensor.need) is not None:
        target = replace(write.operand, tensor=tensor)
        again = run.torch.writing(target, write.op, write.site, tensor.need, use="statement")
        again.others = write.others
        run.torch.emit(again)
    else:
        run.torch.bump(tensor, write)


def _is_whole(index: tuple[Part, ...]) -> bool:
    return all(isinstance(part.cut, (Rest, Full)) for part in index)


def _set_on_tensor(run: Run, base: Ref, tensor: Tensor, index: tuple[Part, ...], ref: Ref, node: ir.Index) -> None:
    target = _operand(run, base, tensor, node)
    new = operand_of(run, Passed(ref, node, "", run.torch.clock))
    arguments: dict[str, object] = {"value": new} if isinstance(new, Operand) else {}
    indices = _advanced(run, index)
    marks = marks_of_value(resolve(ref.value))
    if any(isinstance(part.cut, (Advanced, Unsure)) for part in index):
        _scatter(run, target, indices, arguments, marks, node, all(map(may_be_number, index)))
        return
    view = tensor if _is_whole(index) else _view(run, tensor, index, node)
    view.label = tensor.label
    written = Operand(view, target.site, target.binding, target.evaluated_at, target.text, target.way)
    itself = isinstance(new, Operand) and new.tensor.storage is view.storage and not overlap(view, new.tensor)

    def complete(write: Write) -> None:
        write.meant = "statement"
        if itself and write.refusal and write.refusal.kind == "expanded":
            write.refusal = None  # Perhaps a copy to itself.

    with emitting(run.torch, complete):
        run.torch.run(SETITEM, _COPY, {"self": written, **arguments}, run.site(node), marks=marks)


_SCATTERED: frozenset[Mark] = frozenset({"scattered"})


def _scatter(
    run: Run,
    target: Operand,
    indices: list[Operand],
    arguments: dict[str, object],
    marks: frozenset[Mark],
    node: ir.Node,
    numbers: bool,
) -> None:
    """Set what stands at positions that tensors or lists tell, or under a mask.

    Args:
        numbers: perhaps each is one number, for which a view is taken: what that belongs to may have a history by now.
    """
    tensor = target.tensor
    expanded, tensor.expanded = tensor.expanded, False
    shared, tensor.rows_shared = tensor.rows_shared, tensor.rows_shared or bool(expanded)
    # `mask[mask] = v`: the index and the written tensor are one memory; `for k in d: d[k] = v` goes through a table.
    own = (each.binding for each in indices if each.tensor.storage is tensor.storage)
    own_mask = any(binding is None or not binding.in_loop for binding in own)

    def complete(write: Write) -> None:
        write.meant = "statement"
        if own_mask and write.refusal is None:
            write.refusal = Refusal("overlap", "certain")
        if numbers and tensor.view == "view" and write.refusal is not None and write.refusal.kind == "leaf":
            write.refusal = None

    with emitting(run.torch, complete):
        given = {"self": target, "indices": indices, **arguments}
        run.torch.run(SETITEM, _SET, given, run.site(node), marks=marks | _SCATTERED)
    tensor.expanded, tensor.rows_shared = expanded, shared


def _last_write(run: Run) -> Write:
    return next(event for event in reversed(run.torch.trace.events) if isinstance(event, Write))


def is_view(base: Ref, item: Ref) -> bool:
    """Whether an item shares the memory of what it was read from."""
    whole, part = resolve(base.value), resolve(item.value)
    return isinstance(whole, Tensor) and isinstance(part, Tensor) and whole.storage is part.storage
