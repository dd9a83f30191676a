"""The outline of a file: its definitions, what each mentions, and which of them may write in place.

It is made from the syntax tree alone, before anything is lowered.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from inplace_lint.interpret.evidence import Evidence, is_text
from inplace_lint.torch_model.spellings import (
    ARRAY_WRITERS,
    INITIALIZERS,
    KEYWORDS,
    MODES,
    POSITIONAL,
    STATISTICS,
    WRITERS,
)

Function = ast.FunctionDef | ast.AsyncFunctionDef

_MOST_BOUND = 20


@dataclass(slots=True, eq=False)
class Definition:
    """A function, a method, a class (without its methods), or loose statements.

    Args:
        outline: the file it belongs to.
        names: the variables that it mentions.
        attributes: the names that it mentions behind a dot.
        writes: whether it may itself write memory in place.
        owner: the class of a method.
        name: of a function, method or class.
        members: of a class, by name; `` (nothing) for its loose statements.
        bases: of a class, as its first line spells them.
    """

    outline: Outline
    names: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    writes: bool = False
    owner: Definition | None = None
    name: str = ""
    members: dict[str, list[Definition]] = field(default_factory=dict)
    bases: tuple[str, ...] = ()


@dataclass(slots=True, eq=False)
class Outline:
    """What a file defines and imports.

    Args:
        path: the file.
        globals: the definitions that bind each top-level name.
        imports: for each imported name, the module, its dots, and the name there (None: the module itself).
        stars: modules, with their dots, from which everything is imported.
        code: what runs when the file itself runs.
        methods: the members of all classes, by name.
    """

    path: str
    globals: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    imports: dict[str, tuple[str, int, str | None]] = field(default_factory=dict)
    stars: list[tuple[str, int]] = field(default_factory=list)
    code: list[Definition] = field(default_factory=list)
    methods: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))

    def bind(self, name: str, definition: Definition) -> None:
        """Note that a definition binds a top-level name. The later of very many stand behind one."""
        bound = self.globals[name]
        if len(bound) < _MOST_BOUND:
            bound.append(definition)
        elif len(bound) == _MOST_BOUND:
            bound.append(Definition(self, members={"": [definition]}))
        else:
            bound[-1].members[""].append(definition)

    def find(self, function: str, owner: str | None) -> list[Definition]:
        """The functions, or methods of a class, of that name."""
        name = function if owner is None else owner
        bound = list(self.globals.get(name, ()))
        if len(bound) > _MOST_BOUND:
            bound += bound[-1].members[""]
        bound = [each for each in bound if each.name == name]
        return bound if owner is None else [method for each in bound for method in each.members.get(function, ())]


def outline(tree: ast.Module, text: str, path: str) -> Outline:
    """The outline of a file."""
    made = Outline(path)
    modes = MODES if any(word in text for word in STATISTICS) else frozenset[str]()
    modes |= ARRAY_WRITERS if "numpy" in text else frozenset[str]()
    _Outlining(made, _Habits(Evidence([tree]), modes, "checkpoint" in text)).add(tree.body)
    return made


@dataclass(frozen=True, slots=True)
class _Habits:
    """What is known of a file as a whole.

    Args:
        evidence: what it binds.
        modes: attributes that write, or switch a mode which matters, in such a file.
        replays: whether it may run code twice, which even changes a number.
    """

    evidence: Evidence
    modes: frozenset[str]
    replays: bool


class _Outlining:
    def __init__(self, made: Outline, habits: _Habits) -> None:
        self._made = made
        self._habits = habits
        self._loose_kinds: set[tuple[object, ...]] = set()

    def add(self, body: Iterable[ast.stmt]) -> None:
        """Take up top-level statements; those under `if`, `try` and the like one by one."""
        for node in body:
            if isinstance(node, Function):
                definition = self._define([node], node.name)
                self._made.bind(node.name, definition)
                self._registered(node, definition)
                self._header(node)
            elif isinstance(node, ast.ClassDef):
                definition = self._class(node)
                self._made.bind(node.name, definition)
                self._registered(node, definition)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                self._import(node)
            elif blocks := _blocks(node):
                self._loose(_heads(node))
                for block in blocks:
                    self.add(block)
            else:
                self._loose([node])

    def _header(self, node: ast.stmt) -> None:
        """What runs when a function or class is defined."""
        if roots := _header(node):
            self._made.code.append(self._define(roots, ""))

    def _registered(self, node: Function | ast.ClassDef, definition: Definition) -> None:
        """A decorator may put what it decorates into a registry of the file."""
        for decorator in node.decorator_list:
            root = _root(decorator)
            if root in self._made.globals:
                self._made.bind(root, definition)

    def _loose(self, nodes: list[ast.AST]) -> None:
        if not nodes:
            return
        definition, fed = self._define(nodes, ""), frozenset(_fed(nodes))
        # Of statements that say the same, one is enough: generated files have thousands of them.
        alike = (definition.names, definition.attributes, definition.writes, fed)
        if alike in self._loose_kinds:
            return
        self._loose_kinds.add(alike)
        self._made.code.append(definition)
        for name in fed:
            self._made.bind(name, definition)

    def _class(self, node: ast.ClassDef) -> Definition:
        bases = tuple(ast.unparse(base) for base in node.bases)
        self._header(node)
        made = Definition(self._made, tuple(map(_root, node.bases)), name=node.name)
        made.bases = bases
        members: dict[str, list[Definition]] = defaultdict(list)
        for inner in node.body:
            name = inner.name if isinstance(inner, Function) else ""
            member = self._define([inner], name)
            member.owner = made
            members[name].append(member)
            if name:
                self._made.methods[name].append(member)
                self._header(inner)
            else:
                self._made.code.append(member)
        made.members = members
        return made

    def _define(self, roots: list[ast.AST], name: str) -> Definition:
        survey = _Survey(roots, self._habits)
        for node in survey.imports:
            self._import(node)
        return Definition(self._made, tuple(survey.names), tuple(survey.attributes), survey.writes, name=name)

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                top = alias.name.partition(".")[0]
                self._made.imports.setdefault(alias.asname or top, (alias.name if alias.asname else top, 0, None))
            elif alias.name == "*":
                self._made.stars.append((node.module or "", node.level))
            else:
                self._made.imports.setdefault(alias.asname or alias.name, (node.module or "", node.level, alias.name))


def _header(node: ast.stmt) -> list[ast.AST]:
    if isinstance(node, ast.ClassDef):
        return [*node.bases, *node.keywords, *node.decorator_list]
    if isinstance(node, Function):
        defaults = [default for default in (*node.args.defaults, *node.args.kw_defaults) if default is not None]
        return [*defaults, *node.decorator_list]
    return []


def _blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a top-level `if`, `try` or `with`, whose definitions count as those of the file."""
    if isinstance(node, ast.If):
        # What only type checkers see may name all files of a package.
        return [node.orelse] if _ends(node.test) == "TYPE_CHECKING" else [node.body, node.orelse]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [node.body]
    if isinstance(node, ast.Try):
        return [node.body, node.orelse, node.finalbody, *(handler.body for handler in node.handlers)]
    return []


def _heads(node: ast.stmt) -> list[ast.AST]:
    if isinstance(node, ast.If):
        return [node.test]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return list(node.items)
    return []


def _fed(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The names that a statement binds, or whose values it may fill."""
    for node in (inner for each in nodes for inner in ast.walk(each)):
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
            yield _root(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield _root(node.value.func)


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


class _Survey:
    """What some nodes mention, and whether they may write in place."""

    def __init__(self, roots: list[ast.AST], habits: _Habits) -> None:
        self.names: set[str] = set()
        self.attributes: set[str] = set()
        self.imports: list[ast.Import | ast.ImportFrom] = []
        self.writes = False
        self._habits = habits
        function = len(roots) == 1 and isinstance(roots[0], Function)
        self._evidence = Evidence(roots, habits.evidence) if function else habits.evidence
        name = roots[0].name if function and isinstance(roots[0], Function) else ""
        self._initializes = "init" in name or "reset" in name
        self._cleared: set[int] = set()
        for node in _descend(roots):
            self._see(node)

    def _see(self, node: ast.AST) -> None:
        kind = node.__class__
        if kind is ast.Name:
            self.names.add(node.id)  # type: ignore[attr-defined]
            self.writes = self.writes or _is_writer(node.id)  # type: ignore[attr-defined]
        elif kind is ast.Attribute:
            self._attribute(node)  # type: ignore[arg-type]
        elif kind is ast.Import or kind is ast.ImportFrom:
            self.imports.append(node)  # type: ignore[arg-type]
        elif not self.writes:
            self.writes = self._may_write(node)

    def _attribute(self, node: ast.Attribute) -> None:
        name = node.attr
        self.attributes.add(name)
        of_super = isinstance(node.value, ast.Call) and _ends(node.value.func) == "super"
        if self.writes or of_super or id(node) in self._cleared:
            return
        old = name in INITIALIZERS and _ends(node.value) == "init"
        switched = name in self._habits.modes and (name != "training" or isinstance(node.ctx, ast.Store))
        asked = "inplace" in name and isinstance(node.ctx, ast.Store)
        self.writes = _is_writer(name) or old or switched or asked

    def _may_write(self, node: ast.AST) -> bool:
        if isinstance(node, ast.AugAssign):
            return not self._clears_operation(node)
        if isinstance(node, ast.Assign):
            return any(self._may_write_item(target, node.value) for target in node.targets)
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension, ast.AnnAssign)):
            return self._may_write_item(node.target, None)
        if isinstance(node, ast.withitem):
            return node.optional_vars is not None and self._may_write_item(node.optional_vars, None)
        if isinstance(node, ast.keyword):
            return (node.arg in KEYWORDS or "inplace" in (node.arg or "")) and not _is_false(node.value)
        if isinstance(node, ast.Call):
            return self._may_write_call(node)
        if isinstance(node, ast.Dict):
            return any(isinstance(key, ast.Constant) and key.value in KEYWORDS for key in node.keys)
        if isinstance(node, ast.Expr) and self._initializes and isinstance(node.value, ast.Call):
            function = node.value.func
            if isinstance(function, ast.Attribute) and _ends(function.value) == "init":
                self._cleared.add(id(function))  # filling fresh parameters is what such a function is for
        return False

    def _may_write_call(self, node: ast.Call) -> bool:
        name = _ends(node.func)
        if name == "getattr" and len(node.args) > 1:
            named = node.args[1].value if isinstance(node.args[1], ast.Constant) else None
            return _is_writer(named) if isinstance(named, str) else True  # it may be any method
        if name in POSITIONAL:
            return any(not _is_false(argument) for argument in node.args[POSITIONAL[name] :])
        constructs = not name or name.lower().endswith(("act", "layer", "activation", "cls", "class"))
        return constructs and any(
            isinstance(argument, ast.Constant) and argument.value is True for argument in node.args
        )

    def _clears_operation(self, node: ast.AugAssign) -> bool:
        value, target = node.value, node.target
        if is_text(value):
            return True
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == 1:
            return True
        if isinstance(target, ast.Attribute) and self._habits.replays:
            return False
        return not isinstance(target, ast.Subscript) and self._evidence.is_plain(target)

    def _may_write_item(self, target: ast.expr, value: ast.expr | None) -> bool:
        """Whether something is put into what may be a tensor."""
        if isinstance(target, (ast.Tuple, ast.List)):
            return any(self._may_write_item(inner, None) for inner in target.elts)
        if isinstance(target, ast.Starred):
            return self._may_write_item(target.value, None)
        if not isinstance(target, ast.Subscript):
            return False
        key, base = target.slice, target.value
        if is_text(key) or is_text(value) or isinstance(value, (ast.Dict, ast.Lambda, ast.DictComp, ast.Set)):
            return False
        if isinstance(value, ast.Constant) and value.value is None:
            return False
        itself = any(isinstance(part, ast.Name) and part.id in ("self", "cls") for part in (key, base))
        return not itself and not self._evidence.is_plain(base)


def _descend(roots: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes that run, each before what is inside it: no annotations, and no decorators of the roots."""
    todo = list(roots)
    for node in roots:
        if isinstance(node, Function):
            todo.remove(node)
            todo += [node.args, *node.body]
    while todo:
        node = todo.pop()
        yield node
        for name in node._fields:
            value = getattr(node, name, None)
            if value.__class__ is list:
                todo += [inner for inner in value if isinstance(inner, ast.AST)]
            elif isinstance(value, ast.AST) and name not in ("annotation", "returns"):
                todo.append(value)


def _is_writer(name: str) -> bool:
    return (name[-1:] == "_" and name[:1] != "_") or name in WRITERS


def _ends(node: ast.expr) -> str:
    """The last word of a chain of attributes."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and not node.value
