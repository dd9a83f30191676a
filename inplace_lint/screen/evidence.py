"""Cheap evidence, from the syntax of one function or file, that a value is surely no tensor.

It clears `count += 1` and `table[key] = value`. Where it does not decide, nothing is cleared.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from inplace_lint.judgement.reason import silent
from inplace_lint.screen.op_names import queries
from inplace_lint.source.syntax import last_word, nodes_below

SETTING_NAME = silent(
    "setting-name",
    "what is read from `args`, `config` and the like is a number or a text",
    """
    import torch


    def scaled(args):
        scale = args.scale
        y = torch.square(scale)
        scale += 1
        return y
    """,
)

_DISPLAYS = (
    ast.Dict, ast.List, ast.Tuple, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp, ast.JoinedStr, ast.Constant,
    ast.Lambda,
)  # fmt: skip
_MAKERS = frozenset(
    "dict list set tuple frozenset defaultdict OrderedDict Counter deque str len int float bool sorted range round "
    "repr isinstance hasattr callable".split()
)
_TEXTS = frozenset("join format strip lower upper startswith endswith items keys count index find perf_counter".split())
_STANDARD = frozenset({"math", "os", "re", "json", "collections", "time", "random", "logging"})
_SHAPES = frozenset("shape ndim dtype itemsize __name__ __dict__".split())
_SETTINGS = frozenset("config cfg args opt options hparams".split())
# Only containers and texts have these methods.
_TELLING = frozenset(
    "items keys values append extend insert update setdefault popitem appendleft "
    "startswith endswith strip lstrip rstrip lower upper splitlines encode join".split()
)
_PLAIN_TYPES = frozenset(
    "dict Dict list List str int bool tuple Tuple set Set OrderedDict defaultdict Mapping MutableMapping".split()
)

_PLAIN = object()


class Evidence:
    """What a scope binds to each name and attribute.

    Args:
        roots: the function, or the loose statements of a file or class.
        beyond: the evidence of the file around it, which knows global names and attributes.
    """

    def __init__(self, roots: Iterable[ast.AST], beyond: Evidence | None = None) -> None:
        self._roots = tuple(roots)
        self._beyond = beyond
        self._verdicts: dict[tuple[str, str], bool] = {}
        self._nodes: list[ast.AST] | None = None
        self._held: set[tuple[str, str]] | None = None
        self._bound: dict[tuple[str, str], list[object]] | None = None

    def attribute(self, name: str) -> list[object]:
        """All values that an attribute of this name is given: expressions, or None if nothing is known."""
        return (self._beyond or self)._bindings().get(("attribute", name), [])

    def comes_from(self, node: ast.expr, ops: frozenset[str]) -> bool:
        """Whether a name is given the result of a method, or function of a module, that goes by one of some names."""
        given = self._bindings().get(("name", node.id), ()) if isinstance(node, ast.Name) else ()
        called = (value.func for value in given if isinstance(value, ast.Call))
        return any(isinstance(func, ast.Attribute) and func.attr in ops for func in called)

    def is_plain(self, node: ast.expr | None, depth: int = 0) -> bool:
        """Whether a value is surely neither a tensor nor an array."""
        if node is None or depth > 8:
            return False
        if isinstance(node, _DISPLAYS):
            return True
        if isinstance(node, ast.Name):
            return self._is_plain("name", node.id, depth)
        if isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id in ("sys", "os"):
                return True
            setting = SETTING_NAME.on and last_word(node.value) in _SETTINGS
            return node.attr in _SHAPES or setting or self._is_plain("attribute", node.attr, depth)
        if isinstance(node, ast.Subscript):
            return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
        if isinstance(node, ast.Call):
            return self._is_plain_call(node, depth)
        parts = _operands(node)
        return bool(parts) and all(self.is_plain(part, depth + 1) for part in parts)

    def _is_plain_call(self, node: ast.Call, depth: int) -> bool:
        func = node.func
        if isinstance(func, ast.Name):
            if func.id in ("max", "min"):
                return any(self.is_plain(arg, depth + 1) for arg in node.args)
            if func.id in ("abs", "sum", "copy", "deepcopy"):
                return bool(node.args) and all(self.is_plain(arg, depth + 1) for arg in node.args)
            return func.id in _MAKERS
        if not isinstance(func, ast.Attribute):
            return False
        if func.attr in ("copy", "pop", "get", "replace", "split") and isinstance(func.value, _DISPLAYS):
            return True
        if func.attr in ("copy", "fromkeys"):
            return func.attr == "fromkeys" or self.is_plain(func.value, depth + 1)
        standard = isinstance(func.value, ast.Name) and func.value.id in _STANDARD
        return func.attr in queries() or func.attr in _TEXTS or standard

    def _is_plain(self, kind: str, name: str, depth: int) -> bool:
        key = kind, name
        if key not in self._verdicts:
            # Attributes may be set anywhere in the file.
            found = self._bindings().get(key) if kind == "name" or self._beyond is None else None
            if found is None:
                beyond = self._beyond
                self._verdicts[key] = beyond is not None and beyond._is_plain(kind, name, depth)
            else:
                self._verdicts[key] = True  # until proven otherwise: `i = i + 1` says nothing new
                values = (value.value if isinstance(value, ast.AugAssign) else value for value in found)
                resolve = (
                    value is _PLAIN or (isinstance(value, ast.expr) and self.is_plain(value, depth + 1))
                    for value in values
                )
                told = key in self._containers() or any(map(_is_telling, found))
                # What is only added to here, as `p.data += q.data`, has begun elsewhere, nobody knows as what.
                begun = any(not isinstance(value, ast.AugAssign) for value in found)
                self._verdicts[key] = told or _is_list(found) or (all(resolve) and begun)
        return self._verdicts[key]

    def _containers(self) -> set[tuple[str, str]]:
        """Names whose use shows that they hold a container or a text."""
        if self._held is None:
            self._held = set(self._telling())
        return self._held

    def _telling(self) -> Iterator[tuple[str, str]]:
        for node in self._telling_nodes():
            binding_at_write: ast.expr | None = None
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                binding_at_write = node.func.value if node.func.attr in _TELLING else None
            elif isinstance(node, ast.keyword) and node.arg is None:
                binding_at_write = node.value
            elif isinstance(node, ast.AugAssign) and is_text(node.value):
                binding_at_write = node.target
            if isinstance(binding_at_write, ast.Name):
                yield "name", binding_at_write.id
            elif isinstance(binding_at_write, ast.Attribute):
                yield "attribute", binding_at_write.attr

    def _telling_nodes(self) -> list[ast.AST]:
        if self._nodes is None:
            self._nodes = [node for node in nodes_below(self._roots) if node.__class__ in _TELLING_KINDS]
        return self._nodes

    def _bindings(self) -> dict[tuple[str, str], list[object]]:
        if self._bound is None:
            self._bound = self._find_bindings()
        return self._bound

    def _find_bindings(self) -> dict[tuple[str, str], list[object]]:
        found: dict[tuple[str, str], list[object]] = defaultdict(list)
        for node in self._telling_nodes():
            if isinstance(node, ast.Call):  # `register_buffer("mean", ...)`, `setattr(self, "mean", ...)`
                for argument in node.args[:2]:
                    if isinstance(argument, ast.Constant) and isinstance(argument.value, str):
                        found["attribute", argument.value].append(None)
            if isinstance(node, ast.ClassDef):
                for target, value in (each for inner in node.body for each in bound(inner)):
                    if isinstance(target, ast.Name):  # its objects have it as an attribute
                        empty = isinstance(value, ast.Constant) and value.value is None  # others will fill it
                        found["attribute", target.id].append(None if empty else value)
            for target, value in bound(node) if node.__class__ in BINDERS else ():
                if isinstance(target, str):
                    found["name", target].append(value)
                elif isinstance(target, ast.Name):
                    found["name", target.id].append(value)
                elif isinstance(target, ast.Attribute):
                    found["attribute", target.attr].append(value)
        return found


def _operands(node: ast.expr) -> Sequence[ast.expr]:
    """What an operation gives another value of the same kind of: plain, if all of these are."""
    if isinstance(node, ast.BinOp):
        return (node.left, node.right)
    if isinstance(node, ast.UnaryOp):
        return (node.operand,)
    if isinstance(node, ast.IfExp):
        return (node.body, node.orelse)
    if isinstance(node, ast.BoolOp):
        return node.values
    return (node.left, *node.comparators) if isinstance(node, ast.Compare) else ()


def is_text(node: object) -> bool:
    """Whether an expression is surely a string."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        if is_text(node.right):
            return True
        node = node.left
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _is_telling(value: object) -> bool:
    """Whether what has this value once is never a tensor."""
    return is_text(value) or isinstance(value, (ast.Dict, ast.DictComp))


def _is_list(values: list[object]) -> bool:
    """Whether these make a list, a tuple or nothing: it stays that when something is added to it."""
    begun = [value for value in values if not isinstance(value, ast.AugAssign)]
    return bool(begun) and all(map(_lists, begun))


def _lists(value: object) -> bool:
    if isinstance(value, ast.IfExp):
        return (_lists(value.body) or _is_none(value.body)) and (_lists(value.orelse) or _is_none(value.orelse))
    return isinstance(value, (ast.List, ast.Tuple, ast.ListComp))


def _is_none(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is None


# The kinds of nodes that bind names.
BINDERS = frozenset(
    {
        ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.For, ast.AsyncFor, ast.comprehension, ast.With,
        ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.Import, ast.ImportFrom, ast.Global,
        ast.Nonlocal, ast.MatchAs, ast.MatchStar, ast.ClassDef,
    }
)  # fmt: skip

_TELLING_KINDS = BINDERS | {ast.Call, ast.keyword}


def bound(node: ast.AST) -> Iterator[tuple[ast.expr | str, object]]:
    """What a node binds, and to which value: an expression, `_PLAIN`, or None if nothing is known.

    What `target += value` binds is that statement.
    """
    if isinstance(node, ast.Assign):
        for target in node.targets:
            yield from _unpacked(target, node.value)
    elif isinstance(node, ast.AugAssign):
        yield node.target, node
    elif isinstance(node, ast.AnnAssign):
        yield node.target, _PLAIN if _says_plain(node.annotation) else node.value
    elif isinstance(node, ast.NamedExpr):
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield from _looped(node.target, node.iter)
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        for item in node.items:
            yield from _unpacked(item.optional_vars, None)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
        yield from _parameters(node.args)
        if not isinstance(node, ast.Lambda):
            yield node.name, None
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (((alias.asname or alias.name).partition(".")[0], None) for alias in node.names)
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from ((name, None) for name in node.names)
    elif isinstance(node, (ast.MatchAs, ast.MatchStar, ast.ClassDef)) and node.name:
        yield node.name, None


def _unpacked(target: ast.expr | None, value: ast.expr | None) -> Iterator[tuple[ast.expr, object]]:
    if isinstance(target, (ast.Tuple, ast.List)):
        values: list[ast.expr] | list[None] = [None] * len(target.elts)
        if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts):
            values = value.elts
        for inner, part in zip(target.elts, values, strict=True):
            starred = isinstance(inner, ast.Starred) or isinstance(part, ast.Starred)
            yield from _unpacked(inner.value if isinstance(inner, ast.Starred) else inner, None if starred else part)
    elif target is not None:
        yield target, value


def _looped(target: ast.expr, source: ast.expr) -> Iterator[tuple[ast.expr, object]]:
    called = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    if called == "range" and isinstance(target, ast.Name):
        yield target, _PLAIN
    elif called == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        yield target.elts[0], _PLAIN
        yield from _unpacked(target.elts[1], None)
    else:
        yield from _unpacked(target, None)


def _parameters(arguments: ast.arguments) -> Iterator[tuple[str, object]]:
    positional = [*arguments.posonlyargs, *arguments.args]
    without = [None] * (len(positional) - len(arguments.defaults))
    defaults = [*without, *arguments.defaults, *arguments.kw_defaults]
    for param, default in zip([*positional, *arguments.kwonlyargs], defaults, strict=True):
        number = isinstance(default, ast.Constant) and isinstance(default.value, (int, float, str))
        yield param.arg, _PLAIN if number or _says_plain(param.annotation) else None
    for rest in (arguments.vararg, arguments.kwarg):
        if rest is not None:
            yield rest.arg, _PLAIN


def _says_plain(annotation: ast.expr | None) -> bool:
    if annotation is None:
        return False
    if isinstance(annotation, (ast.Name, ast.Attribute)):
        return last_word(annotation) in _PLAIN_TYPES
    return _first_word(annotation) in _PLAIN_TYPES and not any(map(_may_be_other, nodes_below([annotation])))


def _may_be_other(part: ast.AST) -> bool:
    """Whether a part of an annotation allows another type, or an array inside."""
    if isinstance(part, ast.BinOp):
        return not isinstance(part.right, ast.Constant) or part.right.value is not None
    word = last_word(part) if isinstance(part, (ast.Name, ast.Attribute)) else ""
    return "ndarray" in word or "Any" in word


def _first_word(annotation: ast.expr) -> str:
    """The first type that an annotation names: what it says of the others takes long to spell."""
    node: ast.expr = annotation
    while True:
        if isinstance(node, ast.BinOp):
            node = node.left
        elif isinstance(node, ast.Subscript):
            node = node.slice if last_word(node.value) == "Optional" else node.value
        else:
            return last_word(node) if isinstance(node, (ast.Name, ast.Attribute)) else ""
