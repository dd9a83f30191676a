"""Evidence that an in-place write is meant: its op, the use of its result, the names around it."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice

from inplace_lint.judgement.pair import links_of
from inplace_lint.torch_model.bindings import came_by_call, is_in_copy, sources
from inplace_lint.torch_model.events import Read, Trace, Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import (
    GETITEM,
    LATER_USE,
    LOAD_STATE_DICT,
    OPTIMIZER_STEP,
    SETITEM,
    base_name,
    copies,
    has_out,
    is_augmented,
    method_of,
)
from inplace_lint.torch_model.op_table import adds, filling, gives_value, moves
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.regions import extent
from inplace_lint.torch_model.tensor import Storage, same

LIBRARY_WRITES = frozenset({OPTIMIZER_STEP, LOAD_STATE_DICT})


def takes_from_elsewhere(op: str) -> bool:
    """Whether an op gives elements in other places: `x.mul_(lam).add_(x[perm])` takes what it has written."""
    return op == GETITEM or moves(op)


def is_taken_as_value(write: Write) -> bool:
    """Whether what was kept was put through a function for the sake of the result: `std = self.log_std.exp_()`."""
    if base_name(write.op) in ("mul_", "div_"):
        got = write.use == "bound" and bool(write.calls) and write.calls[-1] in write.results.getters
        used = got or write.use == "expression" or _is_divided_by_number(write) or _is_of_average(write)
        return used and not is_average(write)
    return gives_value(write.op) and write.use in ("bound", "expression", "returned")


def _is_divided_by_number(write: Write) -> bool:
    """Whether the result of `beta = self.beta.div_(10)` is used: what decays is multiplied, or divided for itself."""
    return write.use == "bound" and base_name(write.op) == "div_" and not write.others


def _is_of_average(write: Write) -> bool:
    """Whether another statement keeps a running average, which this one scales under another name."""
    return write.use == "bound" and any(
        each.statement != write.statement and is_average(each) for each, _, _ in write.storage.writes
    )


def is_put_through(write: Write) -> bool:
    """Whether an op changed something for its result, which is used: who brings a state up to date adds to it."""
    return write.use in ("bound", "rebound", "expression") and not (is_average(write) or adds(write.op))


def is_used(write: Write) -> bool:
    """Whether a parameter was written for the value, which is used: that of `weight.detach()`, or one of several."""
    written, binding = write.operand.tensor, write.operand.binding
    if binding is None or "loaded" in write.marks:
        return binding is not None
    detached = written.detached_from is not None
    shown = not written.counter.hidden or (written.array and _is_array_used(write, binding))
    if detached and binding.kind == "name" and binding.read_at > write.time and shown:
        return True
    if write.documented or filling(write.op):
        return False
    in_passing = write.use == "expression" and not detached and is_taken_as_value(write)
    return in_passing or _is_spent(write, binding) or _is_taken_for_own(write, binding, detached)


def _is_array_used(write: Write, binding: Binding) -> bool:
    """Whether a function makes of an array, after its last change to it, what it gives or keeps elsewhere."""
    if not write.calls or binding.read_at <= _last_write(write, write.calls[-1]):
        return False
    kept_at = write.results.products.get(write.calls[-1], 0)
    return write.gave(-1) in ("other", "measure") or kept_at >= binding.read_at


def _is_taken_for_own(write: Write, binding: Binding, detached: bool) -> bool:
    """Whether a function gives on what it changed, or makes something of it, as if nobody else had it.

    Whoever is given what a call gave, as what a module has computed, cannot see that it is a parameter.
    """
    by_call = any(map(came_by_call, links_of(binding)))
    if by_call and binding.kind == "name" and _makes_something(write, binding.depth, binding.read_at):
        return True
    return _is_given_back(write, binding) if detached or by_call else _is_given_with_others(write, binding)


def _is_given_back(write: Write, binding: Binding) -> bool:
    """Whether a function gives back the argument that it changed, and its caller takes that for another value."""
    depths = sorted({link.depth for link in links_of(binding) if link.kind == "parameter"})
    for depth in depths:
        if 0 < depth <= len(write.calls) and write.results.gave.get(write.calls[depth - 1]) is None:
            return not write.results.is_for_argument(write.stack[depth - 1])
    return False


def _is_spent(write: Write, binding: Binding) -> bool:
    """Whether a function was given a parameter, and made something else of it after its last change to it.

    A number only says of the changed parameter how large it is.
    """
    links = list(links_of(binding))
    return any(
        link.kind == "parameter"
        and not is_named_for_output(link.label)
        and _makes_something(write, link.depth, _last_read(links[: at + 1]))
        for at, link in enumerate(links)
    )


def _last_read(links: list[Binding]) -> int:
    """When a function last read what it was given as the last of some links, by that name or by others that it gave."""
    return max(link.read_at for link in links if link.depth == links[-1].depth and link.kind in ("parameter", "name"))


def _makes_something(write: Write, depth: int, read_at: int) -> bool:
    """Whether the call at a depth gives something else, after it has read at some time what it changed."""
    if not 0 < depth <= len(write.calls):
        return False
    results, call, site = write.results, write.calls[depth - 1], write.stack[depth - 1]
    gives = write.gave(depth - 1) in ("other", "measure") and call not in results.scalars
    return gives and not results.is_for_argument(site) and read_at > _last_write(write, call)


def _last_write(write: Write, call: int) -> int:
    """When a call last wrote the memory of a write."""
    return next(each.time for each, _, _ in reversed(write.storage.writes) if call in each.calls)


def _is_given_with_others(write: Write, binding: Binding) -> bool:
    """Whether a function changes what it has put in a container, and gives that to a caller who takes it for copies."""
    put = [link for link in links_of(binding) if link.kind == "element"]
    return any(
        write.storage in write.results.returned.get(began, ())
        and any(link.bound_at > began and link.depth == depth for link in put)
        and not write.results.is_for_argument(call)
        for depth, (began, call) in enumerate(zip(write.calls, write.stack, strict=True), start=1)
    )


def is_averaged(write: Write) -> bool:
    """Whether a call has moved a running average on, by this write or by one before it: `slot.div_(slot.norm())`."""
    before = (each for each in write.storage.latest(write.time) if each.calls == write.calls)
    return write.use == "statement" and any(map(is_average, before))


def is_average(write: Write) -> bool:
    """Whether a write is part of `v.mul_(0.9).add_(g)` or `v.lerp_(g, 0.1)`: a state is brought up to date."""
    writes = write.storage.writes
    first = write.storage.count_until(write.statement)
    together = [each for each, _, _ in writes[first : first + 3] if each.statement == write.statement]
    names = [base_name(each.op) for each in together]
    if names == ["lerp_"]:
        return True
    if len(names) > 1:
        return _is_scaled(together[0]) and names[1:] in (["add_"], ["addcmul_"], ["addcdiv_"], ["sub_"])
    pairs = (writes[first - 1 : first + 1] if first else [], writes[first : first + 2])
    return any(len(pair) == 2 and _is_spread_average(pair[0][0], pair[1][0]) for pair in pairs)


def _is_scaled(write: Write) -> bool:
    """Whether a write multiplies by one number."""
    return base_name(method_of(write.op)) == "mul_" and not any(operand.tensor.sizes != () for operand in write.others)


def _is_spread_average(scaled: Write, added: Write) -> bool:
    """Whether two statements of one call make an average: `v *= 0.9` and `v += g`."""
    one, other = scaled.operand.binding, added.operand.binding
    same = one is not None and other is not None and one.place == other.place and scaled.calls == added.calls
    values = any(operand.tensor.sizes != () for operand in added.others)
    return same and values and _is_scaled(scaled) and base_name(method_of(added.op)) in ("add_", "sub_")


def is_taken_for_copy(read: Read, held: Binding, write: Write) -> bool:
    """Whether what `held` keeps is compared or averaged with itself, or copied to where it already is.

    What goes by both names was taken from one place; a write before that is in both. What a statement has written
    itself, `x[:] = f(x)`, is where it should be.
    """
    kept = held.kind in ("attribute", "element")
    twins = [twin for twin in _twins(read, write) if kept or held.place not in _places(twin.binding)]
    name = _spelled(read.operand.binding)
    return any(
        _spelled(twin.binding) != name and parted(read.operand.binding, twin.binding) < write.time for twin in twins
    )


def _spelled(binding: Binding | None) -> list[tuple[object, bool]]:
    """By which places the program comes to a tensor, and which of them a call or an op gave."""
    return [(link.place, link.is_result) for link in links_of(binding)]


def parted(one: Binding | None, other: Binding | None) -> int:
    """When a tensor got the first name that only one of two reads goes by; 0 if they go by the same."""
    mine, theirs = _places(one), _places(other)
    links = [*links_of(one), *links_of(other)]
    return min((link.bound_at for link in links if not (link.place in mine and link.place in theirs)), default=0)


def _twins(read: Read, written: Write) -> Iterator[Operand]:
    """The same tensor once more, with which it is compared, from which it is averaged, or where it is copied to.

    Where it is copied to counts only if an earlier statement has written it, and by another name than what is copied.
    """
    if read.twin is not None:
        yield read.twin
    storage = read.operand.tensor.storage
    first = storage.count_until(read.time)
    for write, _, _ in storage.writes[first : first + 3]:
        put = write.op == SETITEM or copies(write.op)
        if write.statement != read.statement or (put and written.time >= read.statement):
            break
        same_one = [other for other in write.others if same(other.tensor, write.operand.tensor)]
        itself = any(other is read.operand for other in same_one)
        if any(_is_put_back(written, each, write.operand) or _is_updated(write, each) for each in same_one):
            continue
        yield from [write.operand] if itself else same_one


def puts(write: Write) -> bool:
    """Whether a write puts the values of another tensor into what is written."""
    return copies(write.op) or (write.op == SETITEM and "scattered" not in write.marks)


def clone_put_back(write: Write) -> Storage | None:
    """The clone, unchanged since, that a write copies as a whole to what it was made of; None if there is none."""
    if not puts(write) or extent(write.operand.tensor.region) != ():
        return None
    for tensor in (other.tensor for other in write.others):
        clone = tensor.storage
        whole = clone.clone_of is write.storage and extent(tensor.region) == ()
        if whole and not clone.count_until(write.time):
            return clone
    return None


def puts_where_it_is(write: Write) -> bool:
    """Whether a write copies a tensor to itself."""
    return puts(write) and any(same(other.tensor, write.operand.tensor) for other in write.others)


def _is_updated(write: Write, source: Operand) -> bool:
    """Whether an op is asked to put its result where one of its operands is: `torch.maximum(x, y, out=x)`."""
    return has_out(write.op) and _places(write.operand.binding) == _places(source.binding)


def _is_put_back(written: Write, source: Operand, target: Operand) -> bool:
    """Whether what is put to where it came from was written by a name that only what is put goes by."""
    names = _places(written.operand.binding) - _places(target.binding)
    return not names.isdisjoint(_places(source.binding))


def _places(binding: Binding | None) -> set[object]:
    return {link.place for link in links_of(binding)}


def is_foreign(binding: Binding, write: Write) -> bool:
    """Whether a callee has no claim to the place that it wrote: its own attributes are its state."""
    if write.operand.is_own or (write.use == "statement" and _is_of_function_around(write)):
        return False
    return binding.kind == "element" or write.use in ("bound", "expression")


def _is_of_function_around(write: Write) -> bool:
    """Whether a nested function writes what a variable of the function around it has, and was not given it."""
    way = write.operand.way
    return way is not None and way.binding.kind == "name" and way.binding.depth < len(write.stack)


def gives_what_it_wrote(write: Write) -> bool:
    """Whether a function wrote its own argument, all of it, and gave a result, which its caller took.

    What assigns to items that a mask chooses must give the argument itself.
    """
    if not write.calls:
        return False
    if write.op == SETITEM:
        return "scattered" in write.marks and write.gave(-1) is None
    return write.gave(-1) in ("other", None)


def keeps_product(write: Write, written: Binding, began: int) -> bool:
    """Whether the function that wrote an argument used it afterwards for what it then kept in an object or list.

    Or what called that, if it gave its caller what it made of it. What is added up, or averaged, is a product itself.

    Args:
        began: when the outermost call began that was given the argument.
    """
    if adds(write.op) or is_average(write):
        return False
    outer = write.calls[write.calls.index(began) : -1]
    if write.gave(-1) not in ("nothing", "number") and any(
        write.results.products.get(call, 0) > write.time for call in outer
    ):
        return True
    kept = write.results.products.get(write.calls[-1], 0)
    own = [each.time for each in write.storage.latest(kept) if each.calls == write.calls]
    return any(last < written.read_at for last in own[-1:])


# Parameters whose names say that the callee fills them, and last words of such names.
_OUTPUTS = frozenset("out output outputs dst dest buf buffer result results ret".split())
_WORKING = frozenset("workspace workspaces scratch".split())
_KEPT = frozenset("buf buffer cache state".split()) | _WORKING


def for_output(binding: Binding | None) -> bool:
    """Whether a value came through a parameter whose name says that it is filled, or brought up to date."""
    return any(is_named_for_output(link.label) for link in links_of(binding) if link.kind == "parameter")


def is_named_for_output(name: str) -> bool:
    """Whether a name says that it is filled, or brought up to date."""
    return name in _OUTPUTS or name.rpartition("_")[2] in _KEPT or name.startswith("running_")


def is_of_optimizer(binding: Binding) -> bool:
    """Whether a value came from the state of an optimizer."""
    return any(link.keeper == "optimizer" for link in links_of(binding))


def is_working_memory(read: Read, held: Binding) -> bool:
    """Whether what is kept is called a workspace, or is a part of one that no read in view asks for."""
    if held.kind != "attribute":
        return False
    links = [held] if read.reader != LATER_USE else links_of(held)
    return any(last_name(link.label).rpartition("_")[2] in _WORKING for link in links)


def is_named_in_place(function: str) -> bool:
    """Whether a function says by its name that it works in place: `clip_`, not `__call__`."""
    name = last_name(function)
    return name.endswith("_") and not name.endswith("__")


def argument_of(write: Write, trace: Trace) -> bool:
    """Whether a write changes memory that the entry point was given by whoever calls it."""
    if trace.collected or is_named_in_place(trace.entry):
        return False
    bindings = links_of(write.operand.binding)
    given = [binding for binding in bindings if binding.kind == "parameter" and binding.depth == 0]
    return not all(is_named_for_output(binding.label) for binding in given)


def in_shallow_copy(write: Write) -> Binding | None:
    """What the entry point writes in a copy that it made of a dictionary or object, itself or by a call."""
    links = list(links_of(write.operand.binding))
    copied = next((at for at, link in enumerate(links) if is_in_copy(link)), len(links))
    by_callee = any(link.kind == "parameter" and link.depth for link in links[copied:])
    return links[copied] if copied < len(links) and not by_callee else None


def is_for_result(write: Write) -> bool:
    """Whether what an op gives goes on without its operand: into an expression, under another name, or for a part.

    What is filled, an average that is brought up to date, and what a list or an object keeps is changed to keep it.
    """
    if _is_of_keeper(write.operand.binding) or write.filler or filling(write.op) or is_average(write):
        return False
    of_part = extent(write.operand.tensor.region) not in (None, ())
    return write.use in ("bound", "expression") or (write.use == "returned" and of_part)


def second_name_of(write: Write, trace: Trace) -> str:
    """The argument that a statement changes by another name for it, which is read afterwards: `y = x; y += 1`.

    Who wants the argument itself to change has no need of that name, though perhaps of a view (`x.view(-1)`). "" if the
    write is no such one.
    """
    name, tensor = write.operand.binding, write.operand.tensor
    if name is None or name.kind != "name" or name.source is None or name.read_at <= write.time:
        return ""
    given = name.source
    is_view = name.region != given.region if write.op == SETITEM else tensor.view != "base"
    if is_view or tensor.detached_from is not None:
        return ""
    renamed = given.kind == "parameter" and given.depth == name.depth == 0 and given.label != name.label
    if write.op == SETITEM and not _is_made_of(write, given, trace):
        return ""  # It may put back into the argument what was computed in a copy.
    return given.label if renamed else ""


def _is_made_of(write: Write, given: Binding, trace: Trace) -> bool:
    """Whether what a statement puts somewhere was computed from an argument, by its own name: `y[0] = f(x[0])`."""
    at = bisect_left(trace.events, write.statement, key=lambda each: each.time)
    for event in islice(trace.events, at, at + _MOST_READS):
        if event.time > write.time:
            break
        if isinstance(event, Read) and event.statement == write.statement:
            own = event.operand.binding
            first = next((link for link in links_of(own) if link.kind in ("name", "parameter")), None)
            if first is given and event.operand.tensor.storage is write.storage:
                return True
    return False


# A statement with more reads does too much to tell from it what it puts where.
_MOST_READS = 30


def _is_of_keeper(binding: Binding | None) -> bool:
    """Whether a list or object keeps something, and it got no name of its own, as `real` does by `real, imag = z`."""
    named = False
    for link in links_of(binding):
        named = named or (link.kind == "name" and not link.in_loop)
        subscripted = isinstance(link.key, tuple)
        if link.kind == "attribute" or (link.kind == "element" and (link.name or subscripted or not named)):
            return True
    return False


def stands_for(name: Binding, binding: Binding) -> bool:
    """Whether a name is a shorthand for an attribute or an entry of a dictionary: `buf`, of `momentum_buffer`."""
    key = binding.name
    if not key or name.label == last_name(name.container):
        return True
    letters = iter(key.lower())
    words = {word for word in name.label.lower().split("_") if len(word) > 2}
    return all(letter in letters for letter in name.label.lower()) or any(word in key.lower() for word in words)


def others_need(write: Write) -> bool:
    """Whether an operand besides the written one requires grad."""
    return any(operand.tensor.need for operand in write.others)


def is_collected(variable: Binding, write: Write) -> bool:
    """Whether a loop puts what it has added something to into another container, as if it were new."""
    put = variable.stored_as
    if put is None or put.bound_at < write.time or not is_augmented(write.op):
        return False
    return put.owner not in [binding.owner for binding in sources(variable)]
