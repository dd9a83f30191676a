"""What an entry point returns or leaves with its caller, who reads it, and may differentiate what was returned."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import dropwhile

from inplace_lint.interpret.analysis.let_go import objects_let_go
from inplace_lint.interpret.python.fields import has_fields
from inplace_lint.interpret.state import parts
from inplace_lint.interpret.state.run import Returned, Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import Class, Dict, Instance, List, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch import module_tree
from inplace_lint.judgement.pair import links_of
from inplace_lint.source import ir
from inplace_lint.source.place import Site, Span
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.events import Bind, Write
from inplace_lint.torch_model.labels import last_name
from inplace_lint.torch_model.op_names import EXCHANGE, LATER_USE, RETURN
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.subscript import Position
from inplace_lint.torch_model.tensor import AutogradMeta, Node, Tensor


def read_result(run: Run, returned: Returned) -> None:
    """Read what an entry point gives back, and run a backward pass through it."""
    site = run.site(returned.node) if returned.node is not None else Site(run.frame.module.path, Span(1, 1, 1, 1))
    operands: list[Operand] = []
    for operand in _operands(run, returned.ref, site):
        run.torch.read(operand, RETURN)
        operands.append(operand)
    value = resolve(returned.ref.value)
    pieces = [value, *(resolve(ref.value) for ref in value.items)] if isinstance(value, List) else [value]
    made = [(part, _fields(run, part)) for part in pieces if isinstance(part, Instance)]
    for part, fields in made:
        inside = [operand for ref in fields for operand in _operands(run, ref, site)]
        operands += inside
        if isinstance(part.cls, Class) and has_fields(part.cls):  # as the items of a tuple
            for operand in inside:
                run.torch.read(operand, RETURN)
    histories = _histories([*pieces, *(resolve(ref.value) for _, fields in made for ref in fields)])
    if (operands or histories) and not _is_record(run, value):
        run.torch.backward(site, operands, "return", histories=histories)


def differentiate(run: Run, given: Ref, site: Site) -> None:
    """Run a backward pass through what an entry point has given back, and not read it."""
    operands, histories = _operands(run, given, site), _histories([resolve(given.value)])
    if operands or histories:
        run.torch.backward(site, operands, "return", histories=histories)


def train(run: Run, given: Ref, site: Site) -> None:
    """Take a step of training with what an entry point has given back."""
    run.torch.training_step(site, _operands(run, given, site), _histories([resolve(given.value)]))


def read_kept(run: Run, arguments: Iterable[Value], yielded: Iterable[Ref], site: Site) -> None:
    """Read what an entry point has put into lists and dictionaries that its caller brought, or objects of it keep.

    The caller may differentiate what he then has: `batch["loss"] = loss`, `data.x = x`.
    Who iterates over a generator may collect what it yields; a buffer of its own that it fills anew is taken at once.
    """
    for ref in yielded:
        for operand in _operands(run, ref, site):
            if operand.tensor.external:
                run.torch.read(operand, RETURN)
    for value in arguments:
        put = parts.put_into(value) if isinstance(value, Unknown) else []
        results = [operand for ref in put for operand in _operands(run, ref, site)]
        inside = [operand for ref in _collected(run, resolve(value)) for operand in _operands(run, ref, site)]
        for operand in (*results, *inside):
            run.torch.read(operand, RETURN)
        given = parts.set_on(value) if isinstance(value, Unknown) else []
        results += [operand for ref in given for operand in _operands(run, ref, site)]
        if any(operand.tensor.need for operand in results):
            run.torch.backward(site, results, "return")


def _collected(run: Run, value: Value) -> Iterator[Ref]:
    """What was put into the lists and dictionaries of an object that a caller brings."""
    if not isinstance(value, Instance) or not value.guess:
        return
    for held in value.held.values():
        container = resolve(held.value)
        if isinstance(container, (List, Dict)):
            items = container.items if isinstance(container, List) else container.items.values()
            yield from (item for item in items if _was_put(run, item))


def _was_put(run: Run, item: Ref) -> bool:
    binding = item.binding
    return binding is not None and binding.site is not None and not run.was_preparing(binding.bound_at)


def read_attributes(run: Run, function: ir.Function, writes: Iterable[Write], site: Site) -> None:
    """Read the attributes that were handed to functions which wrote them: who has the object uses it again.

    What was given another value, or other memory, since then holds what was written no longer, and nobody reads what an
    object keeps that nobody has. Who has brought a dictionary from which an object was made that wrote what it keeps,
    uses that again, too.

    Args:
        writes: those of the path, latest first, without what was written to make objects ready.
    """
    run.torch.statement = run.torch.tick()
    found: list[tuple[Write, Binding]] = []
    for write in writes:
        tensor, links = write.operand.tensor, list(links_of(write.operand.binding))
        passed = dropwhile(lambda link: link.kind != "parameter", links)
        moved = tensor.external and bool(links) and links[0].kind == "attribute"
        kept = next((link for link in passed if _is_kept(run, link) or (moved and _is_item(link))), None)
        if kept is not None and not _was_exchanged(write, run.torch.clock):
            found.append((write, kept))
    given = _last_given(run, {kept.place for _, kept in found}) if found else {}
    let_go = objects_let_go(run) if found else set()
    emptied: set[object] = set()
    for write, kept in found:
        if kept.place in emptied or given.get(kept.place, 0) >= write.time or kept.owner in let_go:
            continue
        if _was_emptied(run, function, write, kept):
            emptied.add(kept.place)  # Whoever used it before has read it by then.
        else:
            run.torch.read(Operand(write.operand.tensor, site, kept, run.torch.clock, kept.label), LATER_USE)


def _was_emptied(run: Run, function: ir.Function, write: Write, kept: Binding) -> bool:
    """Whether a place was given what holds no tensor before the function that has called the write could use it."""
    time, row = run.emptied.get(kept.place, (0, 0))
    own = [site.span.row for site in (*write.stack, write.site) if site.path == run.frame.module.path]
    name, called = last_name(kept.label), next((each for each in own if function.span.row < each < row), row)
    used = (node for node in nodes(function.body) if isinstance(node, ir.Attr) and node.name == name)
    return time > write.time and not any(called < node.span.row < row for node in used)


def _is_kept(run: Run, link: Binding) -> bool:
    """Whether it is an attribute, or in a container that the object has had since it was made."""
    return link.kind == "attribute" or (link.kind == "element" and run.was_preparing(link.bound_at))


def _is_item(link: Binding) -> bool:
    """Whether it is in a dictionary, under a key that the program spells."""
    match link.key:
        case (Position(at=Constant(value=str())),):
            return link.kind == "element"
    return False


def _was_exchanged(write: Write, now: int) -> bool:
    return any(later.op == EXCHANGE and later.time > write.time for later in write.storage.latest(now))


def _last_given(run: Run, places: Collection[object]) -> dict[object, int]:
    """When each of some places was given a tensor last."""
    events = run.torch.trace.events
    return {
        event.binding.place: event.time for event in events if isinstance(event, Bind) and event.binding.place in places
    }


def _operands(run: Run, given: Ref, site: Site) -> list[Operand]:
    """The tensors in a value, each by the name under which the caller reads it."""
    operands = []
    for ref, text in tensors_of(given.value):
        tensor = resolve(ref.value)
        assert isinstance(tensor, Tensor)
        binding = ref.binding
        if (
            binding is not None
            and binding.kind == "element"
            and binding.bound_at >= run.torch.statement
            and binding.source
        ):
            binding = binding.source
        kept = binding if text and binding is not None else given.binding
        operands.append(Operand(tensor, site, kept, run.torch.clock, tensor.label))
    return operands


def _fields(run: Run, result: Instance) -> list[Ref]:
    """What an object holds that was made to be given back, such as the output of a model."""
    made = isinstance(result.cls, Class) and not result.guess and not module_tree.is_module(result)
    return list(result.held.values()) if made else []


def _histories(values: Sequence[Value]) -> list[Node | AutogradMeta]:
    return [history for value in values if isinstance(value, Unknown) for history in value.history]


def _is_record(run: Run, value: Value) -> bool:
    """Whether what a function that has trained gives back is a list, of losses and norms to look at."""
    return isinstance(value, List) and value.kind == "list" and run.torch.trace.runs_backward()
