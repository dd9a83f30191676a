"""The outline of a file: its definitions, what each mentions, and which of them may write in place.

It is made from the syntax tree alone, before anything is lowered.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from inplace_lint.screen.evidence import Evidence
from inplace_lint.screen.survey import FileFacts, Survey, prepares
from inplace_lint.source.installed import folder_of
from inplace_lint.source.syntax import Function, last_word, root_name
from inplace_lint.torch_model.spellings import MODES, STATISTICS

_MOST_BOUND = 20

# Libraries of arrays, and methods that end in an underscore.
# What transforms functions, so that even writing new memory of theirs fails.
_TRANSFORMS = re.compile(r"vmap|functorch|\btorch(\.| import )func\b|\bautograd(\.| import )functional\b")
_WEIGHTS = frozenset({"parameters", "named_parameters"})
_LOADER = "DataLoader"
_CUT = frozenset({"detach", "data"})
_TENSORS = re.compile(r"\b(torch|np|numpy|jnp|jax|nn|F|Tensor|tensors?)\b|\w_\(")
# What begins a program: it may mention no tensor, and run files that do.
_PROGRAM = re.compile(r"\b__main__\b|^def main\(", re.MULTILINE)


@dataclass(slots=True, eq=False)
class Definition:
    """A function, a method, a class (without its methods), or loose statements.

    Args:
        outline: the file it belongs to.
        names: the variables that it mentions.
        ran: those among them that it calls, or hands to what it calls.
        attributes: the names that it mentions behind a dot.
        writes: whether it may itself write memory in place.
        outside: whether that may be memory which its callers see.
        rows: where it may be that; None if nobody knows.
        makes: whether it may make an object that writes what it is called with.
        calls: the variables that it calls.
        called: the names, behind a dot, of what it calls.
        calls_objects: whether it calls what has no name, or is a variable.
        owner: the class of a method.
        name: of a function, method or class.
        members: of a class, by name; `` (nothing) for its loose statements.
        bases: of a class, as its first line spells them.
        prepares: whether it is there to make an object ready for use.
        decorators: the variables that decorate it: what they make of it is called in its place.
        declared: the classes, by their annotations, of the arguments that it calls.
        annotated: the names in the annotations of its arguments.
    """

    outline: Outline
    names: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    writes: bool = False
    outside: bool = False
    makes: bool = False
    calls: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    calls_objects: bool = False
    rows: frozenset[int] | None = frozenset()
    owner: Definition | None = None
    name: str = ""
    members: dict[str, list[Definition]] = field(default_factory=dict)
    bases: tuple[str, ...] = ()
    prepares: bool = False
    decorators: tuple[str, ...] = ()
    declared: tuple[str, ...] = ()
    annotated: tuple[str, ...] = ()


def keeps_weights(cls: Definition) -> bool:
    """Whether a class may keep weights that others' steps overwrite: by their state, or without gradients."""
    members = (member for named in cls.members.values() for member in named)
    return any(
        "state_dict" in (taken := set(member.attributes)) or (taken & _WEIGHTS and taken & _CUT) for member in members
    )


@dataclass(slots=True, eq=False)
class Outline:
    """What a file defines and imports.

    Args:
        path: the file.
        globals: the definitions that bind each top-level name.
        imports: for each imported name, the module, its dots, and the name there (None: the module itself).
        dotted: the modules `a.b` that are imported under the name of their package `a`.
        stars: modules, with their dots, from which everything is imported.
        code: what runs when the file itself runs.
        headers: what runs when its functions and classes are defined: decorators and defaults.
        methods: the members of all classes, by name.
        about_tensors: whether the file speaks of tensors, or is a program. If not, it writes at most what others hand
            to it.
        named: its definitions by name, once one was looked for.
    """

    path: str
    globals: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    imports: dict[str, tuple[str, int, str | None]] = field(default_factory=dict)
    dotted: dict[str, set[str]] = field(default_factory=dict)
    stars: list[tuple[str, int]] = field(default_factory=list)
    code: list[Definition] = field(default_factory=list)
    headers: list[Definition] = field(default_factory=list)
    methods: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    about_tensors: bool = True
    named: dict[str, list[Definition]] = field(default_factory=dict)

    def bind(self, name: str, definition: Definition) -> None:
        """Note that a definition binds a top-level name."""
        self._add(self.globals[name], definition)

    def bind_method(self, name: str, definition: Definition) -> None:
        """Note a method of that name."""
        self._add(self.methods[name], definition)

    def _add(self, bound: list[Definition], definition: Definition) -> None:
        """Add a definition to those of its name. The later of very many stand behind one: each may run all others."""
        if len(bound) < _MOST_BOUND:
            bound.append(definition)
        elif len(bound) == _MOST_BOUND:
            bound.append(Definition(self, members={"": [definition]}))
        else:
            bound[-1].members[""].append(definition)

    def everything(self) -> Iterator[Definition]:
        """All definitions: what top-level names stand for, methods, and what runs with the file."""
        yield from self.code
        for bound in (*self.globals.values(), *self.methods.values()):
            yield from bound
            if len(bound) > _MOST_BOUND:
                yield from bound[-1].members[""]

    def inherited(self) -> set[str]:
        """The names of the bases of all classes: their methods may meet other attributes there."""
        return {name for each in self.classes() for name in each.names}

    def classes(self) -> Iterator[Definition]:
        """What has members."""
        return (each for bound in self.globals.values() for each in bound if each.members)

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
    made = Outline(path, about_tensors=any(known.search(text) for known in (_TENSORS, _PROGRAM)))
    modes = MODES if any(word in text for word in STATISTICS) else frozenset[str]()
    transforms = _TRANSFORMS.search(text) is not None
    habits = FileFacts(Evidence([tree]), modes, "numpy" in text, "checkpoint" in text, transforms)
    outlining = _Outlining(made, habits)
    outlining.add(tree.body)
    if path.endswith("__init__.py") and folder_of(path):
        outlining.add(_declared(tree.body))
    return made


class _Outlining:
    def __init__(self, made: Outline, habits: FileFacts) -> None:
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
            elif inner := blocks(node):
                self._loose(_heads(node))
                for block in inner:
                    self.add(block)
            else:
                self._loose([node])

    def _header(self, node: ast.stmt) -> None:
        """What runs when a function or class is defined."""
        if roots := _header(node):
            self._made.headers.append(self._define(roots, ""))

    def _registered(self, node: Function | ast.ClassDef, definition: Definition) -> None:
        """A decorator may put what it decorates into a registry of the file."""
        for decorator in node.decorator_list:
            root = root_name(decorator)
            if root in self._made.globals:
                self._made.bind(root, definition)

    def _loose(self, nodes: list[ast.AST]) -> None:
        if not nodes:
            return
        definition, fed = self._define(nodes, ""), frozenset(_fed(nodes))
        # Of statements that say the same, one is enough: generated files have thousands of them.
        alike = (definition.names, definition.attributes, definition.writes, definition.calls_objects, fed)
        if alike in self._loose_kinds:
            return
        self._loose_kinds.add(alike)
        self._made.code.append(definition)
        for name in fed:
            self._made.bind(name, definition)

    def _class(self, node: ast.ClassDef) -> Definition:
        bases = tuple(base.id if isinstance(base, ast.Name) else ast.unparse(base) for base in node.bases)
        self._header(node)
        roots = tuple(map(root_name, node.bases))
        decorators = tuple(map(root_name, node.decorator_list))
        made = Definition(
            self._made, roots, roots, name=node.name, bases=bases, prepares=prepares(node.name), decorators=decorators
        )
        members: dict[str, list[Definition]] = defaultdict(list)
        for inner in node.body:
            name = inner.name if isinstance(inner, Function) else ""
            member = self._define([inner], name)
            member.owner = made
            members[name].append(member)
            if name:
                self._made.bind_method(name, member)
                self._header(inner)
            else:
                self._made.code.append(member)
        made.members = members
        return made

    def _define(self, roots: list[ast.AST], name: str) -> Definition:
        survey = Survey(roots, self._habits)
        for node in survey.imports:
            self._import(node)
        loads = _LOADER in survey.ran  # and who gets the loader calls what it was given
        return Definition(
            self._made, tuple(survey.names), tuple(survey.ran), tuple(survey.attributes), survey.writes, survey.outside,
            survey.makes, tuple(survey.calls), tuple(survey.called), survey.calls_objects or loads,
            frozenset(survey.rows) if survey.rows is not None else None, name=name,
            prepares=prepares(name) and not loads,
            decorators=tuple(map(root_name, getattr(roots[0], "decorator_list", ()))),
            declared=tuple(_declared_of(roots[0], survey.calls)),
            annotated=tuple(dict.fromkeys(_annotated(roots[0]))),
        )  # fmt: skip

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.Import):
                top = alias.name.partition(".")[0]
                self._made.imports.setdefault(alias.asname or top, (alias.name if alias.asname else top, 0, None))
                if alias.asname is None and alias.name != top:
                    self._made.dotted.setdefault(top, set()).add(alias.name)
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


def _declared_of(node: ast.AST, called: Collection[str]) -> Iterator[str]:
    """The classes that annotations name for the parameters of a function among some names."""
    if called and isinstance(node, Function):
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            if each.arg in called and isinstance(each.annotation, ast.Name):
                yield each.annotation.id


def _annotated(node: ast.AST) -> Iterator[str]:
    """The names in the annotations of the parameters of a function; one in quotes has to stand alone."""
    if isinstance(node, Function):
        for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            for inner in ast.walk(each.annotation) if each.annotation is not None else ():
                if isinstance(inner, ast.Name):
                    yield inner.id
                elif isinstance(inner, ast.Constant) and isinstance(inner.value, str) and inner.value.isidentifier():
                    yield inner.value


def blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a top-level `if`, `try` or `with`, whose definitions count as those of the file."""
    if isinstance(node, ast.If):
        # What only type checkers see may name all files of a package.
        return [node.orelse] if last_word(node.test) == "TYPE_CHECKING" else [node.body, node.orelse]
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return [node.body]
    if isinstance(node, ast.Try):
        return [node.body, node.orelse, node.finalbody, *(handler.body for handler in node.handlers)]
    return []


def _declared(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """What a package declares for type checkers: it imports that at run time, too, when it is first asked for."""
    for node in body:
        if isinstance(node, ast.If) and last_word(node.test) == "TYPE_CHECKING":
            yield from node.body
        elif isinstance(node, ast.Try):
            yield from _declared(node.body)


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
            yield root_name(node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            yield root_name(node.value.func)
