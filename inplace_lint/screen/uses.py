"""The uses of names in a function: where it binds them, reads them, writes their memory, or lets it escape.

Rows give the order. Where syntax does not decide, the worst is assumed.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from inplace_lint.screen.evidence import BINDERS, bound
from inplace_lint.screen.op_names import LIBRARIES, frugal, is_library, makers, metadata
from inplace_lint.source.syntax import Function, last_word, nodes_below, root_name
from inplace_lint.torch_model.modes import GRAD_MODE_NAMES
from inplace_lint.torch_model.spellings import asks_to_write, is_spelled_in_place

_METADATA = frozenset("shape dtype device ndim".split())


class Uses:
    """What a function does with its names.

    Args:
        function: with all that is nested in it.

    Attributes:
        values: what each name is given; None if nobody knows.
        read: the rows in which what a name holds is read, and may be saved.
        written: the rows in which it is written.
        handed_on: the rows in which it comes to be known to others.
        loops: the first and last row of each.
        yields: others run before the function ends.
    """

    def __init__(self, function: Function) -> None:
        self.values: dict[str, list[ast.expr | None]] = defaultdict(list)
        self.read: dict[str, list[int]] = defaultdict(list)
        self.written: dict[str, list[int]] = defaultdict(list)
        self.handed_on: dict[str, list[int]] = defaultdict(list)
        self.loops: list[tuple[int, int]] = []
        self.yields = False
        self._function = function
        self._aliases: dict[str, set[str]] = defaultdict(set)
        self._blocks: dict[int, tuple[list[ast.stmt], int, ast.stmt]] = {}
        self._rows: list[ast.stmt] = []
        self._passed: set[int] = set()
        self._unread: set[int] = set()
        self._blocks_of_modes: list[tuple[int, int]] = []
        # Those of decorators hold for the whole function.
        self._modes = {id(inner) for each in function.decorator_list for inner in ast.walk(each)}
        self._switches = False
        for node in nodes_below([function]):  # each before what is inside of it
            handler = _HANDLERS.get(node.__class__)
            if handler is not None:
                handler(self, node)
            if node.__class__ in BINDERS:
                self._give(node)

    def is_one_mode(self, rows: Sequence[int]) -> bool:
        """Whether all of these rows see one grad mode: none of the writes there is hidden from autograd by it."""
        around = {tuple(block for block in self._blocks_of_modes if block[0] <= row <= block[1]) for row in rows}
        return len(around) == 1 and not self._switches

    def statement(self, row: int) -> ast.stmt | None:
        """The innermost statement in a row."""
        around = [each for each in self._rows if each.lineno <= row <= (each.end_lineno or each.lineno)]
        return max(around, key=lambda each: each.lineno, default=None)

    def just_given(self, name: str, row: int) -> ast.Assign | None:
        """The assignment that surely gave a name the value which it has in a row."""
        at = self.statement(row)
        while at is not None and id(at) in self._blocks:
            block, index, parent = self._blocks[id(at)]
            for earlier in reversed(block[:index]):
                if isinstance(earlier, ast.Assign) and any(_is_name(target, name) for target in earlier.targets):
                    return earlier
                binders = nodes_below([earlier]) if not isinstance(earlier, ast.AugAssign) else []
                if any(_binds(node, name) for node in binders):
                    return None
            at = parent if isinstance(parent, (ast.If, ast.With)) else None
        return None

    def is_other_branch(self, other: int, row: int) -> bool:
        """Whether one row is in the other branch of an `if` around another row."""
        at = self.statement(row)
        while at is not None and id(at) in self._blocks:
            block, _, parent = self._blocks[id(at)]
            inside = isinstance(parent, ast.If) and parent.lineno < other <= (parent.end_lineno or parent.lineno)
            if inside and not block[0].lineno <= other <= (block[-1].end_lineno or block[-1].lineno):
                return True
            at = parent
        return False

    def group(self, names: Iterable[str]) -> list[str]:
        """Names that may stand for the same memory."""
        group = list(dict.fromkeys(names))
        for name in group:  # grows
            group += [other for other in self._aliases[name] if other not in group]
        return group

    def is_before(self, earlier: int, row: int) -> bool:
        """Whether one row may run before another: it stands above it, or in a loop with it."""
        return earlier <= row or any(first <= row <= last and first <= earlier <= last for first, last in self.loops)

    def _name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load) and id(node) not in self._unread:
            self.read[node.id].append(node.lineno)
        if node.id in GRAD_MODE_NAMES:
            self._switches |= id(node) not in self._modes

    def _attribute(self, node: ast.Attribute) -> None:
        if node.attr in _METADATA or node.attr in metadata() or node.attr in frugal():
            self._unread.add(id(node.value))
        if node.attr in GRAD_MODE_NAMES:
            self._switches |= id(node) not in self._modes

    def _item(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._write(node)

    def _augmented(self, node: ast.AugAssign) -> None:
        self._write(node.target)

    def _expression(self, node: ast.Expr) -> None:
        """A statement that fills: `x.zero_()`."""
        func = node.value.func if isinstance(node.value, ast.Call) else None
        if isinstance(func, ast.Attribute) and is_spelled_in_place(func.attr):
            self._write(func.value)

    def _operation(self, node: ast.BinOp) -> None:
        if isinstance(node.op, (ast.Add, ast.Sub)):
            self._unread.update(map(id, (node.left, node.right)))  # saves nothing

    def _comparison(self, node: ast.Compare) -> None:
        self._unread.update(map(id, (node.left, *node.comparators)))  # saves nothing, is not differentiated

    def _call(self, node: ast.Call) -> None:
        if is_library(node.func):
            writes = any(asks_to_write(keyword.arg) for keyword in node.keywords)
            if last_word(node.func) in frugal() and not writes:
                self._unread.update(map(id, node.args))
            self._passed.update(map(id, node.args))  # `torch.cat([a, b])` keeps no list
        else:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            self._hand_on((name for each in given for name in sharing(each)), node.lineno)

    def _display(self, node: ast.expr) -> None:
        if id(node) not in self._passed:
            inner = (name for each in ast.iter_child_nodes(node) for name in sharing(each))
            self._hand_on(inner, node.lineno)

    def _assigned(self, node: ast.Assign) -> None:
        if not all(isinstance(target, ast.Name) for target in node.targets):
            self._hand_on(sharing(node.value), node.lineno)
        elif len(node.targets) > 1:
            twins = [name for target in node.targets for name in sharing(target)]
            for twin in twins:
                self._aliases[twin].update(twins)

    def _function_or_lambda(self, node: Function | ast.Lambda) -> None:
        if node is self._function:
            self._block(self._function)
        else:
            inner = (each.id for each in ast.walk(node) if isinstance(each, ast.Name))
            self._hand_on(inner, node.lineno)

    def _loop(self, node: ast.For | ast.AsyncFor | ast.While) -> None:
        self.loops.append((node.lineno, node.end_lineno or node.lineno))
        self._block(node)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        """Keep apart grad modes that hold for a block, and those that hold nobody knows where."""
        modes = [item.context_expr for item in node.items if _is_mode(item.context_expr)]
        if modes:
            self._blocks_of_modes.append((node.lineno, node.end_lineno or node.lineno))
            self._modes.update(id(inner) for mode in modes for inner in ast.walk(mode))
        self._block(node)

    def _yield(self, _: ast.expr) -> None:
        self.yields = True

    def _block(self, parent: ast.stmt) -> None:
        for name in ("body", "orelse", "finalbody"):
            block: list[ast.stmt] = getattr(parent, name, [])
            for index, statement in enumerate(block):
                self._blocks[id(statement)] = block, index, parent
                self._rows.append(statement)

    def _write(self, target: ast.expr) -> None:
        whole = whole_of(target)
        if isinstance(whole, ast.Name):
            self._unread.add(id(whole))
            self.written[whole.id].append(whole.lineno)

    def _hand_on(self, names: Iterable[str], row: int) -> None:
        for name in names:
            self.handed_on[name].append(row)

    def _give(self, node: ast.AST) -> None:
        """Note what a node binds."""
        if isinstance(node, ast.AugAssign):
            return
        for target, value in bound(node):
            name = target if isinstance(target, str) else target.id if isinstance(target, ast.Name) else None
            if name is not None:
                self._bind(name, value if isinstance(value, ast.expr) else None)

    def _bind(self, name: str, value: ast.expr | None) -> None:
        self.values[name].append(value)
        for other in sharing(value) if value is not None else ():
            self._aliases[name].add(other)
            self._aliases[other].add(name)


# What each kind of node tells.
_HANDLERS: dict[type, Callable[[Uses, Any], None]] = {
    ast.Name: Uses._name,
    ast.Attribute: Uses._attribute,
    ast.Subscript: Uses._item,
    ast.AugAssign: Uses._augmented,
    ast.Expr: Uses._expression,
    ast.BinOp: Uses._operation,
    ast.Compare: Uses._comparison,
    ast.Call: Uses._call,
    ast.Assign: Uses._assigned,
    **dict.fromkeys((ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda), Uses._function_or_lambda),
    **dict.fromkeys((ast.For, ast.AsyncFor, ast.While), Uses._loop),
    **dict.fromkeys((ast.With, ast.AsyncWith), Uses._with),
    **dict.fromkeys((ast.Yield, ast.YieldFrom, ast.Await), Uses._yield),
    **dict.fromkeys((ast.If, ast.Try, getattr(ast, "TryStar", ast.Try), ast.ClassDef), Uses._block),
    **dict.fromkeys((ast.List, ast.Tuple, ast.Set, ast.Dict), Uses._display),
    **dict.fromkeys((ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp), Uses._display),
}


def _is_mode(node: ast.expr) -> bool:
    return last_word(node.func if isinstance(node, ast.Call) else node) in GRAD_MODE_NAMES


def whole_of(target: ast.expr | None) -> ast.expr | None:
    """What is written, where only a part of it may be."""
    while isinstance(target, ast.Subscript):
        target = target.value
    return target


def sharing(node: ast.AST | None) -> Iterator[str]:
    """The names whose memory an expression may share."""
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.Attribute, ast.Subscript, ast.Starred, ast.keyword)):
        yield from sharing(node.value)
    elif isinstance(node, ast.IfExp):
        yield from sharing(node.body)
        yield from sharing(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for each in node.values:
            yield from sharing(each)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for each in node.elts:
            yield from sharing(each)
    elif isinstance(node, ast.Dict):
        for each in node.values:
            yield from sharing(each)
    elif isinstance(node, ast.NamedExpr):
        yield from sharing(node.target)
        yield from sharing(node.value)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr not in makers():
        if root_name(node.func) not in LIBRARIES:
            yield from sharing(node.func.value)
        if is_library(node.func) and not node.func.attr.endswith("Tensor"):
            for each in node.args:
                yield from sharing(each)


def _is_name(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _binds(node: ast.AST, name: str) -> bool:
    if node.__class__ not in BINDERS:
        return False
    return any(target == name or (isinstance(target, ast.Name) and target.id == name) for target, _ in bound(node))
