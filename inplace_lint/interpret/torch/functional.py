"""`torch.func`: transforms of functions, and modules that are called with other parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import (
    Arguments,
    Dict,
    Instance,
    List,
    Native,
    Passed,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.interpret.torch import modules
from inplace_lint.interpret.torch.module_tree import is_module, own_tensors, submodules
from inplace_lint.interpret.torch.ops import unknown_call
from inplace_lint.source import ir
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.emission import emitting
from inplace_lint.torch_model.events import Refusal, Write
from inplace_lint.torch_model.graph import leaves as graph_leaves
from inplace_lint.torch_model.graph import reachable
from inplace_lint.torch_model.modes import map_over, modes
from inplace_lint.torch_model.operands import Binding, Operand
from inplace_lint.torch_model.tensor import YES, AutogradMeta, Counter, Node, Storage, Tensor, any_of


def functional_call(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`functional_call(module, parameters, args, kwargs)`: the module is called with other parameters and buffers.

    Source: `torch/_functorch/functional_call.py`. They are the module's while it runs; then it has its own again.
    """
    first = arguments.keywords.get("module") or (arguments.positional[0] if arguments.positional else None)
    module = resolve(first.ref.value) if first is not None else None
    if first is None or not isinstance(module, Instance) or not is_module(module):
        return Ref(unknown_call(run, name, arguments, node))
    given = resolve(arguments.get(1, "parameter_and_buffer_dicts"))
    passed = resolve(arguments.get(2, "args"))
    several = isinstance(passed, List) and passed.kind == "tuple"
    refs = passed.items if several and isinstance(passed, List) else [] if passed is None else [Ref(passed)]
    named = resolve(arguments.get(3, "kwargs"))
    keywords = {
        key.value: Passed(ref, node, "", run.torch.clock)
        for key, ref in (named.items.items() if isinstance(named, Dict) else ())
        if isinstance(key, Constant) and isinstance(key.value, str)
    }
    inner = Arguments(
        [Passed(ref, node, "", run.torch.clock) for ref in refs],
        keywords,
        isinstance(named, Unknown) or (isinstance(passed, Unknown) and not passed.label),
    )
    with _parameters_replaced(module, given):
        return modules.call_instance(run, first.ref, module, inner, node)


@contextmanager
def _parameters_replaced(module: Instance, given: Value) -> Iterator[None]:
    """A module has the tensors of a dictionary, or of several, in place of its own for a while."""
    several = [resolve(ref.value) for ref in given.items] if isinstance(given, List) else [given]
    entries = {key: ref for each in several if isinstance(each, Dict) for key, ref in each.items.items()}
    kept: list[tuple[Ref, Value, Binding | None]] = []
    for prefix, below in submodules(module):
        inner = resolve(below.value)
        for name, own in own_tensors(inner) if isinstance(inner, Instance) else ():
            entry = entries.get(Constant(f"{prefix}.{name}" if prefix else name))
            if entry is not None:
                kept.append((own, own.value, own.binding))
                own.value, own.binding = entry.value, entry.binding
    try:
        yield
    finally:
        for own, value, binding in kept:
            own.value, own.binding = value, binding


def _is_outer(binding: Binding | None, depth: int) -> bool:
    """Whether a variable of a frame at some depth, or of one around it, holds a value."""
    links = (binding, *sources(binding)) if binding is not None else ()
    return any(link.kind == "name" and link.depth <= depth for link in links)


def _transform(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`torch.func.vmap`, `grad` and their like: a function that runs the given one on (parts of) its arguments."""
    function = arguments.positional[0].ref if arguments.positional else Ref(None)
    is_map, differentiates = name.endswith("vmap"), name.rpartition(".")[2] in _REVERSE

    def transformed(later: Arguments) -> Value:
        given = _storages(passed.ref for passed in later.all())

        def mark(write: Write) -> None:
            write.marked |= {"transformed"} if write.storage not in given else frozenset()

        leaves: list[Operand] = []
        passed = _with_leaves(run, arguments, later, leaves, node) if differentiates else later
        complete = mark if is_map else _captured(run, given)
        with modes(run.torch, grad=True if differentiates else None), emitting(run.torch, complete):
            if is_map:
                map_over(run.torch, _mapped(arguments, later))
            ref = run.call(function, passed, node)
        result = resolve(ref.value)
        if leaves:
            has_aux = resolve(arguments.get(2, "has_aux")) is True and isinstance(result, List)
            roots = result.items[:1] if has_aux and isinstance(result, List) else [ref]
            run.torch.backward(run.site(node), _operands(run, roots, node), "grad", True, leaves)
        tensors = [resolve(ref.value) for ref, _ in tensors_of(result, 16)]
        known = bool(tensors) or (isinstance(result, Unknown) and result.is_data)
        no_need = all(isinstance(tensor, Tensor) and not tensor.need for tensor in tensors)
        return run.unknown(run.key(node), is_data=known and (no_need or bool(leaves)))

    return Ref(Native(name, transformed))


# These run backward; the others compute forward.
_REVERSE = frozenset({"grad", "grad_and_value", "jacrev", "hessian"})


def _captured(run: Run, given: set[Storage]) -> Callable[[Write], None]:
    """PyTorch refuses writes to what a function that it differentiates was not given."""
    began, depth = run.torch.clock, run.frame.depth

    def complete(write: Write) -> None:
        outer = write.storage.made_at <= began or _is_outer(write.operand.binding, depth)
        if write.storage not in given and write.refusal is None and outer:
            write.refusal = Refusal("captured", "certain", (), write.storage.site)

    return complete


def _vjp(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`vjp(f, *primals)`: runs the function, and gives a function that runs backward from the result.

    Nothing checks the versions of what it saves once the function has returned: its tensors hide those that are saved.
    """
    if not arguments.positional or arguments.open:
        return Ref(unknown_call(run, name, arguments, node))
    function, primals = arguments.positional[0].ref, arguments.positional[1:]
    leaves: list[Operand] = []
    inner = [_as_leaf(run, passed, leaves, node) for passed in primals]
    given, saved = _storages(passed.ref for passed in primals), len(run.torch.saved)
    with modes(run.torch, grad=True), emitting(run.torch, _captured(run, given)):
        result = run.call(function, Arguments(inner), node)
    for save in run.torch.saved[saved:]:
        if save.counter.value == save.version:
            save.counter = Counter(save.version)
    has_aux = "has_aux" in arguments.keywords and resolve(arguments.keywords["has_aux"].ref.value) is True
    parts = resolve(result.value)
    if has_aux and not (isinstance(parts, List) and len(parts.items) == 2):
        return Ref(unknown_call(run, name, arguments, node))
    output, *more = parts.items if has_aux and isinstance(parts, List) else [result]
    roots = _operands(run, [output], node)
    own = {leaf.tensor.autograd_meta for leaf in leaves}
    outside = _needed_outside(run, roots, [*primals, *arguments.keywords.values()], own, node)

    def pull(later: Arguments) -> Value:
        at = later.positional[0].node if later.positional else node
        for operand in _operands(run, (passed.ref for passed in later.positional), at):
            run.torch.read(operand, name)
        run.torch.backward(run.site(at), roots, "grad", True, leaves)
        return List("tuple", [Ref(_like(run, passed.ref.value, outside, node)) for passed in primals])

    shown = [Ref(_outside(run, ref.value, outside, node)) for ref in (output, *more)]
    return Ref(List("tuple", [shown[0], Ref(Native("pullback", pull)), *shown[1:]]))


def _jvp(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`jvp(f, primals, tangents)`: runs the function forward once; what it writes, its tangents follow."""
    primals, tangents = resolve(arguments.get(1, "primals")), resolve(arguments.get(2, "tangents"))
    if not isinstance(primals, List) or primals.open or not arguments.positional:
        return Ref(unknown_call(run, name, arguments, node))
    for operand in _operands(run, [Ref(tangents)], node):
        run.torch.read(operand, name)
    passed = [Passed(ref, node, "", run.torch.clock) for ref in primals.items]
    with emitting(run.torch, _captured(run, _storages(primals.items))):
        result = run.call(arguments.positional[0].ref, Arguments(passed), node)
    has_aux = "has_aux" in arguments.keywords and resolve(arguments.keywords["has_aux"].ref.value) is True
    parts = resolve(result.value)
    if has_aux and not (isinstance(parts, List) and len(parts.items) == 2):
        return Ref(unknown_call(run, name, arguments, node))
    output, *more = parts.items if has_aux and isinstance(parts, List) else [result]
    given = [*arguments.positional[1:], *arguments.keywords.values()]
    through = _needed_outside(run, _operands(run, [output], node), given, set(), node)
    return Ref(List("tuple", [output, Ref(_like(run, output.value, through, node)), *more]))


def _needed_outside(
    run: Run, roots: list[Operand], passed: Iterable[Passed], own: set[AutogradMeta], node: ir.Node
) -> Node | None:
    """What the results of a transform continue for who differentiates around it."""
    site = run.site(node)
    primals = [operand.tensor for operand in _operands(run, (each.ref for each in passed), node)]
    edges = dict.fromkeys(run.torch.edges(primals, site))
    reached = reachable(run.torch.edges([root.tensor for root in roots], site))
    edges.update(dict.fromkeys(leaf for leaf in graph_leaves(reached) if leaf not in own))
    need = any_of(edge.need for edge in edges)
    return Node("torch.func.vjp", site, tuple(edges), (), need, made_at=run.torch.clock) if need else None


def _outside(run: Run, given: Value, through: Node | None, node: ir.Node) -> Value:
    """What a function that was differentiated gave, as its caller gets it: the same memory."""
    value = resolve(given)
    if isinstance(value, Tensor):
        shown = run.torch.detach(value, run.site(node))
        shown.counter, shown.detached_from = Counter(), None
        shown.autograd_meta.node = through if value.need else None
        return shown
    if isinstance(value, List):
        return List(value.kind, [Ref(_outside(run, ref.value, through, node)) for ref in value.items], value.open)
    if isinstance(value, Dict):
        entries = {key: Ref(_outside(run, ref.value, through, node)) for key, ref in value.items.items()}
        return Dict(entries, value.open)
    return value


def _like(run: Run, given: Value, through: Node | None, node: ir.Node) -> Value:
    """Gradients for tensors, in the same containers."""
    value = resolve(given)
    if isinstance(value, Tensor):
        made = run.torch.tensor(run.site(node), dtype=value.dtype)
        made.autograd_meta.node = through
        return made
    if isinstance(value, List):
        return List(value.kind, [Ref(_like(run, ref.value, through, node)) for ref in value.items], value.open)
    if isinstance(value, Dict):
        return Dict({key: Ref(_like(run, ref.value, through, node)) for key, ref in value.items.items()}, value.open)
    return run.unknown(run.key(node), is_data=through is None)


def _as_leaf(run: Run, passed: Passed, leaves: list[Operand], node: ir.Node) -> Passed:
    leaf = Ref(_leaf(run, passed.ref.value, node), passed.ref.binding)
    leaves += _operands(run, [leaf], node)
    return Passed(leaf, passed.node, passed.text, passed.at)


def _with_leaves(run: Run, arguments: Arguments, later: Arguments, leaves: list[Operand], node: ir.Node) -> Arguments:
    """The arguments of a function that is differentiated by some of them: those require grad in it."""
    chosen = resolve(arguments.get(1, "argnums"))
    indices = [resolve(ref.value) for ref in chosen.items] if isinstance(chosen, List) else [chosen or 0]
    positional = list(later.positional)
    for index, passed in enumerate(positional):
        if index in indices:
            positional[index] = _as_leaf(run, passed, leaves, node)
    return Arguments(positional, later.keywords, later.open)


def _leaf(run: Run, given: Value, node: ir.Node) -> Value:
    """The same memory, as tensors that require grad and have no history; whole numbers stay what they are."""
    value = resolve(given)
    if isinstance(value, Tensor) and value.dtype not in ("int", "bool"):
        leaf = run.torch.detach(value, run.site(node))
        leaf.autograd_meta = AutogradMeta(YES, site=run.site(node))
        return leaf
    if isinstance(value, List):
        return List(value.kind, [Ref(_leaf(run, ref.value, node), ref.binding) for ref in value.items], value.open)
    if isinstance(value, Dict):
        entries = {key: Ref(_leaf(run, ref.value, node), ref.binding) for key, ref in value.items.items()}
        return Dict(entries, value.open)
    return value


def _operands(run: Run, refs: Iterable[Ref], node: ir.Node) -> list[Operand]:
    found = [(inner, resolve(inner.value)) for ref in refs for inner, _ in tensors_of(ref.value)]
    return [
        Operand(tensor, run.site(node), inner.binding, run.torch.clock, tensor.label)
        for inner, tensor in found
        if isinstance(tensor, Tensor)
    ]


def _storages(refs: Iterable[Ref]) -> set[Storage]:
    tensors = [resolve(inner.value) for ref in refs for inner, _ in tensors_of(ref.value)]
    return {tensor.storage for tensor in tensors if isinstance(tensor, Tensor)}


def _mapped(arguments: Arguments, later: Arguments) -> set[Storage] | None:
    """The memory of the arguments that `vmap` maps over; None if that is not clear."""
    given, named = [passed.ref for passed in later.positional], [passed.ref for passed in later.keywords.values()]
    told = len(arguments.positional) > 1 or "in_dims" in arguments.keywords
    dims = resolve(arguments.get(1, "in_dims")) if told else 0
    if later.open or arguments.open:
        return None
    if isinstance(dims, int):
        return _storages(given + named)
    if not isinstance(dims, List) or dims.open or len(dims.items) != len(given):
        return None
    each = [resolve(ref.value) for ref in dims.items]
    if not all(dim is None or isinstance(dim, int) for dim in each):
        return None
    return _storages([ref for dim, ref in zip(each, given, strict=True) if dim is not None] + named)


HANDLERS: dict[str, Callable[[Run, str, Arguments, ir.Node], Ref]] = {
    "torch.func.functional_call": functional_call,
    "torch.func.vjp": _vjp,
    "torch.func.jvp": _jvp,
    "torch.vmap": _transform,
    **{f"torch.func.{name}": _transform for name in "vmap grad grad_and_value jacrev jacfwd hessian".split()},
}
