"""Copies of containers: shallow ones, and `copy.deepcopy`."""

from __future__ import annotations

from collections.abc import Hashable

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.keys import Copied
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Instance, List, Ref, Unknown, Value, resolve
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Tensor


def empty_list(of: List) -> List:
    """A list of the same kind and class, without items."""
    return List(of.kind, [], of.open, of.fields, cls=of.cls, most=of.most)


def copies_all(node: ir.Comprehension) -> bool:
    """Whether a comprehension gives all that it goes through as it is: `[x for x in xs]`."""
    [first, *more] = node.clauses
    taken = first.target.items[-1] if isinstance(first.target, ir.Sequence) and node.key is not None else first.target
    if more or first.conditions or not isinstance(taken, ir.Name) or not isinstance(node.element, ir.Name):
        return False
    return taken.id == node.element.id


def copy_entries(run: Run, made: Dict, of: Dict) -> Dict:
    """Put the entries of one dictionary into another, in places of their own."""
    run.torch.trace.effort.spend(STEP * len(of.items))
    for key, ref in of.items.items():
        put_entry(run, made, key, ref, None)
    made.open |= of.open
    made.rest = made.rest or of.rest
    return made


def put_entry(run: Run, made: Dict, key: Hashable, ref: Ref, node: ir.Node | None) -> None:
    """Put a value into a dictionary, in a place of its own; `node` tells where."""
    label, site = ref.binding.label if ref.binding else "", run.site(node) if node is not None else None
    made.items[key] = run.ref(run.place(made, key), label, "element", ref.value, site, ref)


def copy_items(run: Run, made: List, of: List, node: ir.Node | None = None) -> List:
    """Put the items of one list into another, in places of their own; `node` tells where, if no list kept them yet."""
    run.torch.trace.effort.spend(STEP * len(of.items))
    site = run.site(node) if node is not None else None
    for ref in tuple(of.items):  # of a list that is extended by itself
        label = ref.binding.label if ref.binding else ""
        place = run.place(made, made.dropped + len(made.items))
        made.grow([run.ref(place, label, "element", ref.value, site, ref)])
    return made


def copy_object(run: Run, of: Instance) -> Instance:
    """Another object with the same attributes, in places of their own."""
    run.torch.trace.effort.spend(STEP * len(of.held))
    made = Instance(of.cls, {}, of.children, of.guess, of.key, of.label, of.built, computed=dict(of.computed))
    for name, ref in of.attributes.items():
        made.held[name] = run.ref(run.place(made, name), name, "attribute", ref.value, None, ref)
    return made


def shallow_copy(run: Run, tensor: Tensor, site: Site) -> Tensor:
    """`copy.copy`: a leaf on the same memory, with a counter of its own (`__reduce_ex__` in torch/_tensor.py)."""
    made = run.torch.data(tensor, site)
    made.counter.copied, made.counter.copied_at = True, run.torch.clock
    made.autograd_meta = AutogradMeta(tensor.need, parameter=tensor.autograd_meta.parameter, site=site)
    return made


def deep_copy(run: Run, value: Value, site: Site, memo: dict[int, Value] | None = None) -> Value:
    """A copy that shares nothing with the original."""
    memo = {} if memo is None else memo
    value = resolve(value)
    if id(value) in memo:
        return memo[id(value)]
    if isinstance(value, Tensor):
        memo[id(value)] = _copy_tensor(run, value, site)
    elif isinstance(value, List):
        made = empty_list(value)
        memo[id(value)] = made
        made.items = [_copy_ref(run, ref, site, memo) for ref in value.items]
    elif isinstance(value, Dict):
        entries = Dict({}, value.open, makes=value.makes)
        memo[id(value)] = entries
        entries.items = {key: _copy_ref(run, ref, site, memo) for key, ref in value.items.items()}
    elif isinstance(value, Instance):
        copied = Instance(value.cls, {}, None, value.guess, Copied(value.key, site), value.label, value.built)
        memo[id(value)] = copied
        copied.held = {key: _copy_ref(run, ref, site, memo) for key, ref in value.attributes.items()}
        copied.computed = {key: _copy_ref(run, ref, site, memo) for key, ref in value.computed.items()}
        if value.children is not None:
            children = deep_copy(run, value.children, site, memo)
            assert isinstance(children, (List, Dict))
            copied.children = children
    elif isinstance(value, Unknown):
        memo[id(value)] = run.unknown(Copied(value.key, site), value.label, is_data=True)
    else:
        return value
    return memo[id(value)]


def _copy_ref(run: Run, ref: Ref, site: Site, memo: dict[int, Value]) -> Ref:
    run.torch.trace.effort.spend(STEP)
    copied = deep_copy(run, ref.value, site, memo)
    if ref.binding is None:
        return Ref(copied)
    return run.ref(run.place(copied, ref.binding.label), ref.binding.label, ref.binding.kind, copied, site, None)


def _copy_tensor(run: Run, tensor: Tensor, site: Site) -> Tensor:
    made = run.torch.tensor(site, label=tensor.label)
    # PyTorch refuses to copy what has a history: of what is not known here, that is rather no gradient than a leaf.
    need = tensor.need if tensor.need.certain or tensor.autograd_meta.parameter else NO
    made.autograd_meta = AutogradMeta(need, parameter=tensor.autograd_meta.parameter, site=tensor.autograd_meta.site)
    made.dtype, made.precision, made.contiguous = tensor.dtype, tensor.precision, tensor.contiguous
    made.expanded, made.array, made.sizes = tensor.expanded, tensor.array, tensor.sizes
    return made
