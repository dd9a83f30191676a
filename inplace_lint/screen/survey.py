"""The screen's view of one definition: the names that it mentions, and whether it may write in place."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeGuard

from inplace_lint.judgement.reason import silent
from inplace_lint.screen.allocations import LocalAllocations
from inplace_lint.screen.evidence import Evidence, is_text
from inplace_lint.screen.likely import (
    begins_inference,
    ends_a_writer,
    fills,
    is_counting,
    is_false,
    is_filing,
    is_hidden,
    is_true,
    names_an_option,
)
from inplace_lint.screen.op_names import classifying, is_library, savers, viewing
from inplace_lint.source.label_names import are_labels, may_be_places
from inplace_lint.source.syntax import INNER, Function, is_initializer, last_word, nodes_below
from inplace_lint.torch_model.spellings import (
    ARRAY_WRITERS,
    asks_to_write,
    is_inplace_option,
    is_old_initializer,
    is_writer,
    names_a_writer,
    out_of_place_methods,
    positions,
    updates_statistics,
    writers,
)

INITIALIZER = silent(
    "initializer",
    "a function named for initializing or resetting gives tensors their first values",
    """
    import torch
    from torch import nn


    def init_gate(bias):
        gate = torch.sigmoid(bias)
        nn.init.uniform_(gate[:1], 0.4, 0.6)
        return gate
    """,
)


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a file as a whole.

    Args:
        evidence: what it binds.
        modes: attributes that switch a mode which matters in such a file.
        arrays: whether it speaks of NumPy.
        replays: whether it may run code twice, which even changes a number.
        transforms: whether it may transform functions so that even writing new memory fails.
    """

    evidence: Evidence
    modes: frozenset[str]
    arrays: bool
    replays: bool
    transforms: bool


class Survey:
    """What some nodes mention, and whether they may write in place.

    Attributes:
        names: the variables.
        ran: those that are called, or handed to what is called.
        attributes: the names behind a dot.
        imports: the import statements.
        writes: they may write memory in place.
        outside: they may write memory that others see, too: not only what they allocated.
        rows: where they do; None if nobody knows.
        makes: they may make an object that will write what it is called with.
        calls: the variables that are called.
        called: the names, behind a dot, of what is called, but for ops and what else is known.
        calls_objects: something is called that has no name, or is a variable.
    """

    def __init__(self, roots: list[ast.AST], habits: FileFacts) -> None:
        self.names: set[str] = set()
        self.ran: set[str] = set()
        self.attributes: set[str] = set()
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.calls: set[str] = set()
        self.called: set[str] = set()
        self.calls_objects = False
        self.writes = self.outside = self.makes = False
        self.rows: set[int] | None = set()
        self._habits = habits
        function = roots[0] if len(roots) == 1 and isinstance(roots[0], Function) else None
        self._evidence = Evidence(roots, habits.evidence) if function else habits.evidence
        name = function.name if function is not None else ""
        self._initializes = INITIALIZER.on and is_initializer(name)
        self._prepares = prepares(name)
        self._cleared: set[int] = set()
        self._bound: set[str] = set()
        self._written: list[tuple[ast.expr, ast.AST]] = []
        self._look_at(roots)
        self.calls_objects |= not self._bound.isdisjoint(self.calls)
        if not self.outside and any(is_writer(word) for word in self.names - self._bound):
            self._writes_anything()
        if not viewing("expanded").isdisjoint(self.attributes) and "Parameter" in self.attributes | self.calls:
            self.writes = True  # what an optimizer will write
        if self._written and not self.outside:
            self._judge_allocations(function if not habits.transforms else None)
        if is_writer(name) and name != "backward":  # that of a custom function is called by nobody
            self.outside = False  # whoever calls it says so
        if function is not None and any(map(begins_inference, function.decorator_list)):
            self._writes_anything()  # what comes out of it cannot be used by all

    def _look_at(self, roots: Iterable[ast.AST]) -> None:
        """All nodes that run, each before what is inside it: no annotations, and no decorators of the roots."""
        todo: list[Any] = []
        for root in roots:
            todo += [root.args, *root.body] if isinstance(root, Function) else [root]
        handlers, inner = _HANDLERS, INNER
        while todo:
            node = todo.pop()
            kind = node.__class__
            handler = handlers.get(kind)
            if handler is not None and handler(self, node):
                todo += node.args[:1]
                continue
            for name in inner.get(kind, ()):
                value = getattr(node, name)
                if value.__class__ is list:
                    todo += value
                else:
                    todo.append(value)

    def _judge_allocations(self, function: Function | None) -> None:
        if function is None or len(self._written) > _MOST_WRITES:
            self._writes_anything()
            return
        allocations = LocalAllocations(function, self._evidence.attribute)
        for target, at in self._written:
            self.writes = self.writes or self._may_be_lost(target, at)
            if not allocations.is_filled(target, at):
                self.writes = True
                if not allocations.covers(target, at):
                    self.outside = True
                    self.rows = {*(self.rows or ()), getattr(at, "lineno", 0)}

    def _may_be_lost(self, target: ast.expr, at: ast.AST) -> bool:
        """Whether a write may go to a copy that a subscript made, and not to what is filled."""
        if isinstance(at, ast.AugAssign):  # puts back what it changed, but for the parts of a copy
            if isinstance(target, ast.Subscript) and self._may_repeat(target.slice, at.value):
                return True
            target = target.value if isinstance(target, ast.Subscript) else target
        if not isinstance(target, ast.Subscript):
            return False
        index = target.slice
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        return any(
            isinstance(part, ast.List) or not (isinstance(part, _VIEWING) or self._evidence.is_plain(part))
            for part in parts
        )

    def _may_repeat(self, index: ast.expr, added: ast.expr) -> bool:
        """Whether several positions may be the same, so that additions are lost."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        if all(isinstance(part, _VIEWING) or self._evidence.is_plain(part) for part in parts):
            return False
        words = {last_word(each) for each in nodes_below([index]) if isinstance(each, ast.expr)}
        if any(map(are_labels, words)) or not classifying().isdisjoint(self.attributes):
            return True
        on_zeros = not isinstance(added, ast.Constant) and not _ZEROS.isdisjoint(self.attributes)
        return on_zeros and any(map(may_be_places, words))

    def _name(self, node: ast.Name) -> None:
        if id(node) not in self._cleared:
            self.names.add(node.id)
            if node.ctx.__class__ is ast.Store:
                self._bound.add(node.id)

    def _param(self, node: ast.arg) -> None:
        self._bound.add(node.arg)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        self.imports.append(node)

    def _call(self, node: ast.Call) -> bool:
        """A call; whether it only asks for the class of an object, which uses none."""
        called = node.func
        ran = self.ran
        for part in (called, *node.args, *(keyword.value for keyword in node.keywords)):
            while isinstance(part, (ast.Attribute, ast.Starred)):
                part = part.value
            if isinstance(part, ast.Name) and id(part) not in self._cleared:
                ran.add(part.id)
        if isinstance(called, ast.Attribute):
            if called.attr not in _ORDINARY and not is_library(called):
                self.called.add(called.attr)
        elif isinstance(called, ast.Name):
            if called.id in ("isinstance", "issubclass"):
                return True
            self.calls.add(called.id)
        else:
            self.calls_objects = True
        if last_word(called).endswith(_CALLERS):
            self._hands_over(node.args[:1])
        if not self.outside:
            self._asks(node)
        return False

    def _hands_over(self, functions: Iterable[ast.expr]) -> None:
        """What is given to be called, as in `checkpoint(self.block, x)`, may as well be called here."""
        for each in functions:
            if isinstance(each, ast.Name):
                self.calls.add(each.id)
            self.calls_objects |= isinstance(each, ast.Attribute)

    def _writes_anything(self) -> None:
        self.writes = self.outside = True
        self.rows = None

    def _writes_to(self, target: ast.expr, at: ast.AST) -> None:
        self._written.append((target, at))

    def _attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        if id(node) in self._cleared:
            return
        self.attributes.add(name)
        if self.outside or (isinstance(node.value, ast.Call) and last_word(node.value.func) == "super"):
            return
        if name == "load_state_dict" and self._prepares:
            self.writes = True
        elif name in writers() and name[:2] != "__":
            self._writes_anything()  # not, or not only, its own object
        elif not is_writer(name):
            self._switches(node, name)
        elif self._initializes and is_hidden(node.value):
            self.writes = True
        else:
            self._writes_to(node.value, node)

    def _switches(self, node: ast.Attribute, name: str) -> None:
        """An attribute may let others write, or write itself: layers, modes, and functions of some names."""
        stored = isinstance(node.ctx, ast.Store)
        module = last_word(node.value)
        by_name = is_old_initializer(module, name) or updates_statistics(module, name)
        switched = name in self._habits.modes and (name != "training" or stored)
        asked = stored and is_inplace_option(name)
        if asked:
            self._makes_writer()
        if by_name or switched or (asked and module != "self"):
            self._writes_anything()

    def _augmented(self, node: ast.AugAssign) -> None:
        if self.outside or self._clears_operation(node):
            return
        counts = is_counting(node) and not self._evidence.comes_from(node.target, savers())
        if self._is_setting(node) or (counts and not self._evidence.is_plain(node.value)):
            self.writes = True
        elif not counts:
            self._writes_to(node.target, node)

    def _assigned(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._put(target, node.value, node)

    def _looped(self, node: ast.For | ast.AsyncFor | ast.comprehension | ast.AnnAssign) -> None:
        self._put(node.target, None, node)

    def _with(self, node: ast.withitem) -> None:
        if node.optional_vars is not None:
            self._put(node.optional_vars, None, node.optional_vars)

    def _dict(self, node: ast.Dict) -> None:
        if any(names_an_option(key) for key in node.keys):
            self._makes_writer()

    def _constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str) and names_a_writer(node.value):
            self._writes_anything()

    def _statement(self, statement: ast.Expr) -> None:
        node = statement.value
        if not isinstance(node, ast.Call):
            return
        function = node.func
        if self._initializes and fills(function):
            self._cleared.add(id(function))  # filling fresh parameters is what such a function is for
            return
        if not isinstance(function, ast.Attribute):
            return
        self.writes |= function.attr in out_of_place_methods()  # nothing of it reaches a caller
        if self._habits.arrays and function.attr in ARRAY_WRITERS:
            of_numpy = last_word(function.value) in ("np", "numpy", "random") and node.args
            self._writes_to(node.args[0] if of_numpy else function.value, node)

    def _asks(self, node: ast.Call) -> None:
        """A call may ask for a write, by a name or an argument."""
        name = last_word(node.func)
        if name == "getattr" and len(node.args) > 1:
            if ends_a_writer(node.args[1]):
                self._writes_anything()
        elif name in positions():
            if any(not is_false(argument) for argument in node.args[positions()[name] :]):
                self._asked(node, name)
        elif (not name or name.lower().endswith(_MAKERS)) and any(map(is_true, node.args)):
            self._makes_writer()
        for keyword in node.keywords:
            if keyword.arg is not None and not is_false(keyword.value):
                self._keyword(node, keyword.arg, keyword.value)
            elif keyword.arg == "copy" and self._habits.arrays:
                self._writes_anything()

    def _keyword(self, call: ast.Call, name: str, value: ast.expr) -> None:
        if name == "out":
            self.writes = True  # that it is new does not help where an argument requires grad
            self._writes_to(value, call)
        elif asks_to_write(name):
            self._asked(call, last_word(call.func))

    def _asked(self, call: ast.Call, name: str) -> None:
        """A function or layer is asked to write its input."""
        if name[:1].isupper() or name in ("partial", "dict") or name.lower().endswith(_MAKERS):
            self._makes_writer()
        elif call.args and isinstance(call.func, ast.Attribute):
            self._writes_to(call.args[0], call)
        else:
            self._writes_anything()

    def _makes_writer(self) -> None:
        self.writes = self.makes = True

    def _clears_operation(self, node: ast.AugAssign) -> bool:
        value, target = node.value, node.target
        if is_text(value):
            return True
        if isinstance(target, ast.Attribute) and self._habits.replays:
            return False
        return not isinstance(target, ast.Subscript) and self._evidence.is_plain(target)

    def _is_setting(self, node: ast.AugAssign) -> bool:
        """Whether an operation very likely counts in a table; what is scaled there, by a number, may be a tensor."""
        target, counts = node.target, isinstance(node.op, (ast.Add, ast.Sub))
        named = isinstance(target, ast.Subscript) and is_text(target.slice)
        return counts and named and self._evidence.is_plain(node.value)

    def _put(self, target: ast.expr, value: ast.expr | None, at: ast.AST) -> None:
        """Something may be put into what may be a tensor."""
        if isinstance(target, (ast.Tuple, ast.List)):
            for inner in target.elts:
                self._put(inner, None, at)
        elif isinstance(target, ast.Starred):
            self._put(target.value, None, at)
        elif self._changes(target, value):
            self._writes_to(target.value, at)

    def _changes(self, target: ast.expr, value: ast.expr | None) -> TypeGuard[ast.Subscript | ast.Attribute]:
        if isinstance(target, ast.Subscript):
            return not self._clears_item(target, value)
        return isinstance(target, ast.Attribute) and target.attr == "data" and not self._initializes

    def _clears_item(self, target: ast.Subscript, value: ast.expr | None) -> bool:
        key, base = target.slice, target.value
        if is_text(key) or is_text(value) or isinstance(value, (ast.Dict, ast.Lambda, ast.DictComp, ast.Set)):
            return True
        if isinstance(value, ast.Constant) and value.value is None:
            return True
        itself = any(isinstance(part, ast.Name) and part.id in ("self", "cls") for part in (key, base))
        return itself or self._evidence.is_plain(base) or is_filing(target, value)


# What is looked at, and what may be inside of it and runs.
_HANDLERS: dict[type, Callable[[Survey, Any], bool | None]] = {
    ast.Name: Survey._name,
    ast.arg: Survey._param,
    ast.Attribute: Survey._attribute,
    ast.Import: Survey._import,
    ast.ImportFrom: Survey._import,
    ast.Call: Survey._call,
    ast.AugAssign: Survey._augmented,
    ast.Assign: Survey._assigned,
    ast.For: Survey._looped,
    ast.AsyncFor: Survey._looped,
    ast.comprehension: Survey._looped,
    ast.AnnAssign: Survey._looped,
    ast.withitem: Survey._with,
    ast.Dict: Survey._dict,
    ast.Constant: Survey._constant,
    ast.Expr: Survey._statement,
}


# What calling by these names runs is no object of the program.
_ORDINARY = frozenset(
    name for kind in (str, list, dict, set, int, float, bytes) for name in dir(kind) if name[:1] != "_"
) | frozenset(
    "__init__ __post_init__ register_buffer register_parameter register_module add_module parameters named_parameters "
    "modules named_modules children named_children buffers named_buffers state_dict train eval cuda cpu "
    "info debug warning warning_once warn error exception critical get_logger getLogger partial wraps dataclass "
    "appendleft popleft move_to_end most_common namedtuple defaultdict OrderedDict".split()
)

# Parts of a subscript that never copy.
_VIEWING = (ast.Slice, ast.Constant)
_ZEROS = frozenset({"zeros", "new_zeros", "zeros_like"})

# Each takes time in proportion to the length of the function.
_MOST_WRITES = 100

# How names end of what calls its first argument.
_CALLERS = ("checkpoint", "checkpointing_func", "functional_call", "vmap", "vjp", "jvp", "jacobian", "hessian")

# How names end of what makes layers.
_MAKERS = ("act", "layer", "activation", "cls", "class")


def prepares(name: str) -> bool:
    """Whether a function or class goes by the name of what makes objects ready for use."""
    return is_initializer(name) or any(word in name for word in ("load", "pretrained", "create", "build"))
