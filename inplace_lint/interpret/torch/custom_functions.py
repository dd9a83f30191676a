"""`torch.autograd.Function`: `apply` runs `forward` without recording and makes one node of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from contextlib import suppress
from dataclasses import replace

from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.keys import MadeUp
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.tensors_within import tensors_of
from inplace_lint.interpret.state.values import (
    Arguments,
    Class,
    Function,
    Instance,
    Library,
    List,
    Native,
    Passed,
    Ref,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import called_name
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_names import base_name
from inplace_lint.torch_model.operands import Operand
from inplace_lint.torch_model.tensor import NO, AutogradMeta, Counter, Node, RequiresGrad, Save, Tensor, any_of

BASES = frozenset(
    {"torch.autograd.Function", "torch.autograd.function.Function", "torch.autograd.function.InplaceFunction"}
)


# What `forward` and `backward` are given.
CONTEXT = "torch.autograd.function.FunctionCtx"
_SAVED = "saved_tensors"
# What it keeps besides, under names that no program can spell.
_DIRTY = "<dirty>"
_SAVED_AT = "<saved at>"
_SEEN = "<saved, and seen by others>"


def is_custom_function(cls: object) -> bool:
    """Whether a class of the program is an autograd function."""
    return isinstance(cls, Class) and any(name in BASES for name in library_bases(cls))


def make_context(run: Run) -> Instance:
    """The `ctx` that `forward` and `backward` are given."""
    context = Instance(CONTEXT, key=MadeUp("ctx", run.torch.clock), label="ctx", guess=True)
    saved, dirty = List("tuple"), List("tuple")
    context.held.update({_SAVED: Ref(saved), _DIRTY: Ref(dirty)})
    times = List("tuple")
    context.held.update({_SAVED_AT: Ref(times), _SEEN: Ref(List("tuple"))})

    def save(arguments: Arguments) -> None:
        saved.items[:] = [passed.ref for passed in arguments.positional]
        times.items[:] = [Ref(run.torch.tick())]

    def mark(arguments: Arguments) -> None:
        dirty.items.extend(passed.ref for passed in arguments.positional)

    context.held["save_for_backward"] = Ref(Native("save_for_backward", save))
    context.held["mark_dirty"] = Ref(Native("mark_dirty", mark))
    for name in ("mark_non_differentiable", "set_materialize_grads"):
        context.held[name] = Ref(Native(name, lambda arguments: None))
    return context


def give_saved(run: Run, context: Instance, backward: Function) -> None:
    """Give `backward` what `forward` has saved, if that are inputs or results, which others have, too."""
    member = class_member(run, backward.owner, "forward") if backward.owner is not None else None
    if member is None or not isinstance(member.value, Function):
        return
    member.value.module.program.look_into(member.value.module, member.value.code)
    forward = member.value.code
    calls = [node for node in nodes(forward.body) if isinstance(node, ir.Call)]
    saving = [call for call in calls if called_name(call) == "save_for_backward"]
    names = [each.value.id if isinstance(each.value, ir.Name) else "" for call in saving for each in call.args]
    if len(saving) != 1 or any(each.star for each in saving[0].args):
        return
    seen = _seen_by_others(forward)
    saved, seen_by_others = List("tuple"), list[Ref]()
    for name in names:
        made = run.torch.unknown(run.site(saving[0]), NO, label=name, external=True)
        saved.items.append(Ref(made))
        seen_by_others += [Ref(made)] if name in seen else []
    context.held.update({_SAVED: Ref(saved), _SEEN: Ref(List("tuple", seen_by_others))})


def note_writes_to_saved(run: Run, context: Instance, began: int) -> None:
    """Note where `backward` first writes what `forward` has saved, and others have, too."""
    seen = {tensor.storage for tensor in _listed(context, _SEEN)}
    writes = run.torch.trace.writes_since(began) if seen else ()
    first = {write.storage: write for write in writes if write.storage in seen}  # the latest come first
    for write in first.values():
        write.note("of-saved")


def _seen_by_others(forward: ir.Function) -> set[str]:
    """The variables of `forward` that its caller has, too: arguments that keep their value, and results."""
    assigned = [to for node in nodes(forward.body) if isinstance(node, ir.Assign) for to in node.targets]
    changed = {to.id for to in assigned if isinstance(to, ir.Name)}
    returned = (node.value for node in nodes(forward.body) if isinstance(node, ir.Return))
    results = {value.id for value in returned if isinstance(value, ir.Name)}
    return {param.name for param in forward.params if param.name not in changed} | results


def apply(run: Run, cls: Class, arguments: Arguments, node: ir.Node) -> Ref:
    """`F.apply(...)`."""
    member = class_member(run, cls, "forward")
    if member is None or not isinstance(member.value, Function):
        return Ref(run.unknown(run.key(node)))
    context = make_context(run)
    setup = class_member(run, cls, "setup_context")
    first = _class_of(run, cls, member.value, node)
    first += [] if setup is not None else [Passed(Ref(context), node, "ctx", run.torch.clock)]
    inputs = [ref for passed in arguments.all() for ref in _tensors_in(passed.ref)]
    tensors = [tensor for ref in inputs if isinstance(tensor := resolve(ref.value), Tensor)]
    need = any_of(tensor.need for tensor in tensors) if run.torch.grad_mode else NO
    histories = run.torch.edges(tensors, run.site(node)) if need else ()
    began, recording = run.torch.clock, run.torch.grad_mode
    with modes(run.torch, grad=False):
        result = run.call_function(member.value, Arguments(first + arguments.positional, arguments.keywords), node)
        if setup is not None and isinstance(setup.value, Function):
            given = Ref(List("tuple", [passed.ref for passed in arguments.positional]))
            refs = (Ref(context), given, result)
            passed = [Passed(ref, node, "", run.torch.clock) for ref in refs]
            run.call_function(setup.value, Arguments(_class_of(run, cls, setup.value, node) + passed), node)
    judge(run, context, tensors, began, _lost(run, tensors, result, node) if need else set())
    _bump_dirty(run, cls, context, inputs, need, node)
    recorded = (
        Node(f"{cls.code.name}.apply", run.site(node), histories, (), need, made_at=run.torch.clock) if need else None
    )
    if recorded is not None:
        _save(run, cls, context, result, recorded)
        run.custom.append(recorded)
        recorded.custom = _backward(run, cls, context, arguments, result, node)
    return _outputs(run, context, tensors, result, recorded, run.site(node)) if recording else result


def _tensors_in(passed: Ref) -> list[Ref]:
    """A tensor that is passed, by the name that it has there, or those in a container."""
    if isinstance(resolve(passed.value), Tensor):
        return [passed]
    return [ref for ref, _ in tensors_of(passed.value)]


def _backward(
    run: Run, cls: Class, context: Instance, arguments: Arguments, result: Ref, node: ir.Node
) -> Callable[[], None] | None:
    """What runs `backward`, with gradients that nobody else has."""
    member = class_member(run, cls, "backward")
    function = member.value if member is not None else None
    if not isinstance(function, Function):
        return None
    tensors = [resolve(passed.ref.value) for passed in arguments.positional]
    needs = [Ref(isinstance(tensor, Tensor) and bool(tensor.need)) for tensor in tensors]
    context.held["needs_input_grad"] = Ref(List("tuple", needs))

    def backward() -> None:
        with modes(run.torch, grad=False), suppress(Raised):
            grads = [run.torch.tensor(run.site(node), NO, label="grad") for _ in tensors_of(result.value)]
            for grad in grads:
                grad.storage.share("gradient", run.torch.clock)
            given = [Passed(ref, node, "", run.torch.clock) for ref in (Ref(context), *map(Ref, grads))]
            known = [*tensors, *(resolve(ref.value) for ref, _ in tensors_of(result.value))]
            others = {tensor.storage for tensor in known if isinstance(tensor, Tensor)}
            seen = [Ref(tensor) for tensor in _listed(context, _SAVED) if tensor.storage in others]
            context.held[_SEEN], began = Ref(List("tuple", seen)), run.torch.tick()
            run.call_function(function, Arguments(_class_of(run, cls, function, node) + given), node)
            note_writes_to_saved(run, context, began)

    return backward


def _class_of(run: Run, cls: Class, function: Function, node: ir.Node) -> list[Passed]:
    """The class itself, as the first argument of a method that is declared for it."""
    return [Passed(Ref(cls), node, "cls", run.torch.clock)] if "classmethod" in function.decoration else []


def _bump_dirty(run: Run, cls: Class, context: Instance, inputs: list[Ref], need: RequiresGrad, node: ir.Node) -> None:
    """`mark_dirty` counts as another write when `forward` has returned; there a leaf is refused."""
    dirty, name = _listed(context, _DIRTY), f"{cls.code.name}.apply"
    for ref in inputs:
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor) and tensor in dirty:
            # What `forward` has written by a name of its own is told of there.
            alone = _is_statement(run, node)
            kept = ref.binding if alone and ref.binding is not None and ref.binding.kind != "name" else None
            write = run.torch.writing(
                Operand(tensor, run.site(node), kept, run.torch.clock, tensor.label), name, run.site(node), need
            )
            if alone:
                write.documented, write.meant = True, "statement"  # It is called for that.
            if write.refusal is None:
                run.torch.bump(tensor, write)  # The write in `forward` tells the story.
                continue
            if write.refusal.kind == "no-grad-view":
                write.refusal = replace(write.refusal, kind="leaf")
            run.torch.emit(write)


def _save(run: Run, cls: Class, context: Instance, result: Ref, recorded: Node) -> None:
    """What `save_for_backward` was given is saved when `forward` has returned."""
    site, name, need = recorded.site, recorded.op, recorded.need
    outputs = [resolve(ref.value) for ref, _ in tensors_of(result.value)]
    recorded.saves = tuple(
        Save(name, f"{cls.code.name}Backward", site, run.torch.stack, tensor.label, tensor.storage, tensor.counter,
             tensor.counter.value, any(tensor is output for output in outputs), need, run.torch.tick())
        for tensor in _listed(context, _SAVED)
    )  # fmt: skip
    run.torch.saved.extend(recorded.saves)
    recorded.saves += tuple(_kept_unseen(run, context, name, site, need))


def _outputs(run: Run, context: Instance, inputs: list[Tensor], result: Ref, recorded: Node | None, site: Site) -> Ref:
    """What `apply` returns: the results of `forward`, with the history that autograd gives them."""
    dirty, histories = _listed(context, _DIRTY), [tensor.autograd_meta for tensor in inputs]
    return _output(run, result, dirty, histories, recorded, site)


def _output(
    run: Run, ref: Ref, dirty: list[Tensor], histories: list[AutogradMeta], recorded: Node | None, site: Site
) -> Ref:
    value = resolve(ref.value)
    if isinstance(value, List):
        items = [_output(run, item, dirty, histories, recorded, site) for item in value.items]
        return Ref(replace(value, items=items), ref.binding)
    if not isinstance(value, Tensor):
        return ref
    if value in dirty:
        value.autograd_meta.node = recorded or value.autograd_meta.node
        if ref.binding is not None:
            return Ref(value, replace(ref.binding, bound_at=run.torch.clock), ref.way)
    elif value.autograd_meta in histories or (recorded is not None and value.view != "base"):
        # What shares memory with an input, or was cut out of something, becomes a view that nobody may write.
        with modes(run.torch, grad=False):
            made = run.torch.view(value, site, region=value.region, contiguous=value.contiguous)
        made.view, made.own = "custom", recorded
        return Ref(made, ref.binding)
    elif recorded is not None:
        value.autograd_meta = AutogradMeta(NO, recorded, site=site)
    return ref


def _kept_unseen(run: Run, context: Instance, name: str, site: Site, need: RequiresGrad) -> Iterator[Save]:
    """Tensors kept as attributes of `ctx`: backward reads them, and no version is checked."""
    for key, ref in context.held.items():
        tensor = resolve(ref.value)
        if isinstance(tensor, Tensor):
            unseen = Counter(hidden=True)
            yield Save(
                name, "", site, run.torch.stack, f"ctx.{key}", tensor.storage, unseen, 0, False, need, run.torch.tick()
            )


def _is_statement(run: Run, node: ir.Node) -> bool:
    """Whether nobody takes the result of a call."""
    return run.site(node) in run.torch.trace.results.discarded


def _lost(run: Run, inputs: list[Tensor], result: Ref, node: ir.Node) -> set[int]:
    """The memory of inputs that `forward` gives back to nobody: what these were written with loses its gradient."""
    if not _is_statement(run, node):
        return set()
    given = {
        id(tensor.storage) for ref, _ in tensors_of(result.value) if isinstance(tensor := resolve(ref.value), Tensor)
    }
    return given.intersection(id(tensor.storage) for tensor in inputs)


def judge(run: Run, context: Instance, inputs: list[Tensor], began: int, lost: Set[int] = frozenset()) -> None:
    """Mark writes of `forward` to inputs that it did not declare, and to what it had saved.

    Args:
        lost: memory of inputs that requires no grad, but gets values that do.
    """
    dirty = {id(tensor.storage) for tensor in _listed(context, _DIRTY)}
    saved = {id(tensor.storage) for tensor in _listed(context, _SAVED)}
    given = lost | {id(tensor.storage) for tensor in inputs if tensor.need}  # nobody asks after what others were
    times = context.held[_SAVED_AT].value
    saved_at = times.items[0].value if isinstance(times, List) and times.items else None
    for event in reversed(run.torch.trace.events):
        if event.time <= began:
            break
        if not isinstance(event, Write):
            continue
        event.note("custom")
        if base_name(event.op) == "set_":
            continue  # What has other memory from now on leaves the input what it had.
        storage = id(event.storage)
        if storage in given and storage not in dirty:
            event.note("unmarked")
        elif storage in saved and isinstance(saved_at, int) and event.time > saved_at:
            event.note("after-save")


def _listed(context: Instance, name: str) -> list[Tensor]:
    refs = tensors_of(context.held[name].value)
    return [tensor for ref, _ in refs if isinstance(tensor := resolve(ref.value), Tensor)]


def is_apply(value: object, name: str) -> bool:
    """Whether `value.name` is the `apply` of a custom function."""
    return name == "apply" and is_custom_function(value) and not isinstance(value, Library)
