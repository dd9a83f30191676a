"""Truth of values; where it is unknown, the oracle chooses a path."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from typing import TypeGuard

from inplace_lint.interpret.state.branches import Branch, may_write, names_on, own_attributes, renews_written
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.keys import (
    Answer,
    Available,
    Compare,
    Equal,
    HasItems,
    Is,
    Key,
    LeftOut,
    Not,
    Shape,
    TakenFor,
)
from inplace_lint.interpret.state.naming import names_evaluation
from inplace_lint.interpret.state.optional import asks_for_package
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Dict,
    Instance,
    List,
    Option,
    Ref,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.source.walk import nodes
from inplace_lint.torch_model.bindings import sources
from inplace_lint.torch_model.constant import Constant
from inplace_lint.torch_model.spellings import is_inplace_option
from inplace_lint.torch_model.tensor import Tensor


def truth(run: Run, value: Value, node: ir.Node, first: bool | None = None) -> bool:
    """Whether a value counts as true; where nobody knows, paths go the way `first` before the other one."""
    if isinstance(value, Option) and not value.given:
        return is_taken_for(run, value, None)
    value = resolve(value)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return bool(value)
    if isinstance(value, Unknown):
        if asked := asks_for_package(node):
            run.oracle.option(Available(asked), False)
            run.oracle.answer_alike(value.key, Available(asked))
        return _decide(run, value.key, False if first is None and names_evaluation(value.label) else first)
    if isinstance(value, Tensor):
        return run.oracle.truth(identity(value), first is not False)
    if isinstance(value, (List, Dict)):
        return True if value.items else run.oracle.truth(HasItems(run.known(value))) if value.open else False
    if isinstance(value, Instance):
        return _is_true(run, value, node)
    return True


def _is_true(run: Run, value: Instance, node: ir.Node) -> bool:
    """What an object says of its own truth, or how many it has inside."""
    told = run.special_method(Ref(value), "__bool__", (), node) or run.special_method(Ref(value), "__len__", (), node)
    if told is None and value.children is not None and not value.guess:
        told = Ref(value.children)
    return told is None or truth(run, told.value, node)


def asked_of_option(run: Run, op: str, left: Value, right: Value) -> bool | None:
    """What is asked of an option that may have its default, if it is which value it has."""
    if not isinstance(left, Option):
        return None
    other = resolve(right)
    if left.given:
        known = _was_taken_for(run, left, other)
        return known == (op == "==") if known is not None and op in ("==", "!=") else None
    some = [resolve(ref.value) for ref in other.items] if isinstance(other, List) and not other.open else [other]
    if op not in (("in", "not in") if isinstance(other, List) else ("==", "!=", "is", "is not")):
        return None
    if not all(isinstance(each, (bool, int, str, type(None))) for each in some):
        return None
    holds = is_taken_for(run, left, tuple([Constant(each) for each in some]))
    return holds == (op in ("==", "is", "in"))


_ORDER: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
# One choice for all that is asked of how large an option is: where it has not its default, nobody knows the number.
_HOW_LARGE = "how large"


def compared_with_option(run: Run, op: str, left: Value, right: Value) -> bool | None:
    """How a number compares with an option that has a number as its default; None if nobody knows."""
    option = left if isinstance(left, Option) else right
    a, b = resolve(left), resolve(right)
    if not isinstance(option, Option) or option.given or op not in _ORDER or not (_is_number(a) and _is_number(b)):
        return None
    usual = _ORDER[op](a, b)
    if run.oracle.option(TakenFor(option.key, _HOW_LARGE), True):
        return usual
    option.given, option.value = True, run.unknown(option.key, option.label)
    return not usual


def _is_number(value: Value) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_taken_for(run: Run, option: Option, values: tuple[Constant, ...] | None) -> bool:
    """Whether an option has one of some values, or counts as true (None).

    Where the path goes the way that the default does not, the option is given from now on.
    """
    known = values is not None and Constant(option.value) in values
    usual = known if values is not None else bool(option.value)
    if run.oracle.option(TakenFor(option.key, values), usual) == usual:
        return usual
    option.given = True
    if is_inplace_option(option.label):
        run.torch.documented = True  # whoever gives it asks for the writes that follow
    if values and not usual:
        option.value = values[0].value
    elif isinstance(option.value, bool):
        option.value = not option.value
    else:
        option.value = run.unknown(option.key, option.label)
    return not usual


def _was_taken_for(run: Run, option: Option, other: Value) -> bool | None:
    """Whether the path has it already that an option that is given is some value; None if it has not been asked."""
    if not isinstance(resolve(option), Unknown) or not isinstance(other, (int, str)):
        return None
    found = run.oracle.remembered.get(TakenFor(option.key, (Constant(other),)))
    return None if found is None else found[0]


def asks_in_place(run: Run, value: Value) -> Value:
    """What an argument is by which an op or a layer may be asked to write: an option is worth a path on which it is."""
    if not isinstance(value, Option) or value.given or value.value is not False:
        return resolve(value)
    asked = is_taken_for(run, value, None)
    run.oracle.press(TakenFor(value.key, None))
    run.torch.documented |= asked
    return asked


def note_branch(run: Run, branch: Branch) -> None:
    """Note which way a test has led.

    Where the object that a method is run on decides, and the other way leads to a write, another object is wanted.
    """
    if branch.holds and branch.function is not None and not run.oracle.preparing:
        stand_ins = facts(branch.function).stand_ins
        run.stood_in.update(each for each in branch.way if each in stand_ins)
    decider = run.oracle.decider
    if decider is not None:
        run.oracle.enter(branch, decider)
        if decider in run.oracle.options and not run.oracle.preparing and _reads_written(run, branch.other):
            run.oracle.pressing.add(decider)
    elif not run.oracle.preparing and may_write(branch.other):
        run.oracle.decisive.update(each.id for each in nodes(branch.node.test) if isinstance(each, ir.Name))
        if run.frame.depth == 0:
            run.oracle.wanted.update(own_attributes(branch.node.test), _named_attributes(run, branch.node.test))


def _named_attributes(run: Run, test: ir.Expr) -> set[str]:
    """The attributes that have got a name, and are asked for by that: `scale = self.scale`."""
    refs = [run.frame.variables.get(node.id) for node in nodes(test) if isinstance(node, ir.Name)]
    sources = [ref.binding.source for ref in refs if ref is not None and ref.binding is not None]
    return {str(each.place[1]) for each in sources if each is not None and each.kind == "attribute"}


def _reads_written(run: Run, branch: Branch) -> bool:
    """Whether a variable is read on a branch whose memory has been written since it, or what it was given, was bound.

    Its own name for the result is another binding: that is bound after the write.
    """
    if next(run.torch.trace.writes_since(0), None) is None:
        return False
    for name in names_on(branch):
        ref = run.frame.variables.get(name)
        tensor = resolve(ref.value) if ref is not None else None
        if ref is None or not isinstance(tensor, Tensor):
            continue
        bindings = [ref.binding, *sources(ref.binding)] if ref.binding is not None else []
        if bindings and len(tensor.storage.writes) > tensor.storage.count_until(bindings[-1].bound_at):
            return True
    return False


def was_left_out(run: Run, node: ir.If) -> bool:
    """Whether, on some other path, an argument of the entry point that is a tensor was not given at all.

    That is asked where something else takes its place, and may be changed by its name: `if out is None: out = x`, or
    gets another name there.
    """
    test, frame = node.test, run.frame
    if frame.depth != 0 or frame.code is None or not isinstance(test, ir.Compare) or not isinstance(test.left, ir.Name):
        return False
    name = test.left.id
    if not any(isinstance(each, ir.Assign) and _is_alias(each) for each in node.body):
        return False
    if len(test.rest) != 1 or test.rest[0][0] != "is" or not _is_none(test.rest[0][1]):
        return False
    return _is_given(run, name) and run.oracle.truth(LeftOut(name), likely=False)


def was_not_given(run: Run, node: ir.If) -> bool:
    """Whether, on some other path, an argument of the entry point that is a tensor was not given at all.

    That is asked where it makes another tensor of what is written later: `if index is not None: x = x[index]`.
    """
    test, frame = node.test, run.frame
    if frame.depth != 0 or frame.code is None or not isinstance(test, ir.Compare) or not isinstance(test.left, ir.Name):
        return False
    name = test.left.id
    if node.orelse or len(test.rest) != 1 or test.rest[0][0] != "is not" or not _is_none(test.rest[0][1]):
        return False
    if not renews_written(Branch(node, True, frame.code, frame.module)) or not _is_given(run, name):
        return False
    if not run.oracle.option(LeftOut(name), False):
        return False
    frame.variables[name].value = None
    return True


def _is_alias(node: ir.Assign) -> bool:
    """Whether an assignment gives what has a name another one."""
    return isinstance(node.value, (ir.Name, ir.Attr, ir.Index)) and isinstance(node.targets[0], ir.Name)


def leave_out(run: Run, node: ir.Assign) -> None:
    """On some other path, an argument was not given, and another value is chosen: `context = default(context, x)`.

    That is asked before a write only.
    """
    frame = run.frame
    if frame.depth != 0 or frame.code is None or not any(isinstance(target, ir.Name) for target in node.targets):
        return
    chosen = _chosen_from(node.value)
    names = [each.id for each in chosen if isinstance(each, ir.Name)]
    if len(chosen) < 2 or not any(row > node.span.row for row in facts(frame.code).write_rows):
        return
    for name in names:
        if _is_given(run, name) and run.oracle.truth(LeftOut(name), likely=False):
            frame.variables[name].value = None


def _chosen_from(value: ir.Expr) -> tuple[ir.Expr, ...]:
    """What an expression may give one of: the arguments of a call, or the two ways of a condition."""
    if isinstance(value, ir.IfExp):
        parts: tuple[ir.Expr, ...] = (value.then, value.orelse)
    elif isinstance(value, ir.Call) and isinstance(value.func, ir.Name):
        parts = tuple(argument.value for argument in value.args)
    else:
        return ()
    return parts if all(isinstance(part, (ir.Name, ir.Attr, ir.Index, ir.Lambda)) for part in parts) else ()


def _is_given(run: Run, name: str) -> bool:
    """Whether a parameter of the entry point that may be None is a tensor on this path."""
    frame = run.frame
    ref = frame.variables.get(name)
    value = resolve(ref.value) if ref is not None else None
    code = frame.code
    optional = code is not None and any(param.name == name and _is_none(param.default) for param in code.params)
    return optional and isinstance(value, Tensor) and value.external


def _is_none(node: ir.Expr | None) -> bool:
    return isinstance(node, ir.Const) and node.value is None


def _decide(run: Run, key: Key, first: bool | None) -> bool:
    made = key.made
    if isinstance(made, Not) and isinstance(made.of, Key) and key not in run.oracle.remembered:
        return not _decide(run, made.of, None if first is None else not first)
    usual = not isinstance(made, Is) and not _asks_for_few(key) and not _asks_for_another_library(made)
    holds = run.oracle.truth(key, usual if first is None else first)
    if not holds and (tensor := run.asked_need.get(key)) is not None:
        tensor.take_for_constant()
    return holds


def _asks_for_few(asked: Hashable) -> bool:
    """Whether it is asked if there is nothing, or hardly anything (`x.numel() == 0`, `len(x) <= 1`): an exception."""
    made = asked.made if isinstance(asked, Key) else None
    if isinstance(made, Equal):
        return any(map(_is_size, made.sides)) and identity(0) in made.sides
    if isinstance(made, Compare):
        op, size, bound = made.op, made.left, made.right
        if op in _TURNED:
            op, size, bound = _TURNED[op], bound, size
        return _is_size(size) and bound in _FEW.get(op, ())
    return isinstance(made, Answer) and made.asked == EVERY and any(map(_asks_for_few, made.about))


def _asks_for_another_library(made: Hashable) -> bool:
    """Whether a name is compared with that of a library beside which PyTorch is one of several backends."""
    if not isinstance(made, Equal):
        return False
    texts = [side.value for side in made.sides if isinstance(side, Constant) and isinstance(side.value, str)]
    return any(text.partition(".")[0].lower() in _OTHER_LIBRARIES for text in texts)


_OTHER_LIBRARIES = frozenset({"tensorflow", "tf", "jax", "paddle", "mxnet", "mindspore", "theano"})


# What `all` is asked of conditions that nobody knows.
EVERY = "all"

_TURNED = {">": "<", ">=": "<="}
_FEW = {"<": (identity(1), identity(2)), "<=": (identity(0), identity(1))}


def _is_size(side: Hashable) -> bool:
    return isinstance(side, Key) and isinstance(side.made, Shape)
