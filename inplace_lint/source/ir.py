"""The small intermediate representation: Python as the interpreter wants it.

Every node knows its span. Nodes are compared by identity, since one node is one place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from inplace_lint.source.facts import BranchFacts, FunctionFacts, Gives
from inplace_lint.source.place import Span


@dataclass(slots=True, eq=False)
class Node:
    """Something with a place in the source."""

    span: Span


@dataclass(slots=True, eq=False)
class Const(Node):
    """A number, string, bytes, `None`, `True`, `False` or `...`."""

    value: object


@dataclass(slots=True, eq=False)
class Name(Node):
    """A variable."""

    id: str


@dataclass(slots=True, eq=False)
class Attr(Node):
    """`value.name`."""

    value: Expr
    name: str


@dataclass(slots=True, eq=False)
class Index(Node):
    """`value[index]`."""

    value: Expr
    index: Expr


@dataclass(slots=True, eq=False)
class Slice(Node):
    """`lower:upper:step` inside a subscript."""

    lower: Expr | None
    upper: Expr | None
    step: Expr | None


@dataclass(slots=True, eq=False)
class Sequence(Node):
    """A tuple, list or set display."""

    kind: Literal["tuple", "list", "set"]
    items: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Starred(Node):
    """`*value` in a display, a call or a target."""

    value: Expr


@dataclass(slots=True, eq=False)
class Dict(Node):
    """A dict display; a key of None stands for `**value`."""

    items: tuple[tuple[Expr | None, Expr], ...]


@dataclass(slots=True, eq=False)
class Arg(Node):
    """An argument of a call: positional, `keyword=value`, `*value` or `**value`."""

    value: Expr
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""


@dataclass(slots=True, eq=False)
class Call(Node):
    """`func(args)`."""

    func: Expr
    args: tuple[Arg, ...]


@dataclass(slots=True, eq=False)
class Binary(Node):
    """`left op right` for an arithmetic or bitwise operator, spelled as in Python."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class Unary(Node):
    """`-x`, `+x`, `~x`, `not x`."""

    op: str
    value: Expr


@dataclass(slots=True, eq=False)
class Compare(Node):
    """`left op right op right...`."""

    left: Expr
    rest: tuple[tuple[str, Expr], ...]


@dataclass(slots=True, eq=False)
class BoolOp(Node):
    """`and` or `or`."""

    op: Literal["and", "or"]
    left: Expr
    right: Expr


@dataclass(slots=True, eq=False)
class IfExp(Node):
    """`then if test else orelse`."""

    test: Expr
    then: Expr
    orelse: Expr


@dataclass(slots=True, eq=False)
class Lambda(Node):
    """A lambda; its body is one return."""

    function: Function


@dataclass(slots=True, eq=False)
class Clause(Node):
    """One `for target in iter if conditions` of a comprehension."""

    target: Expr
    iter: Expr
    conditions: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Comprehension(Node):
    """A list, set, dict or generator comprehension; `key` only for a dict."""

    kind: Literal["list", "set", "dict", "generator"]
    key: Expr | None
    element: Expr
    clauses: tuple[Clause, ...]


@dataclass(slots=True, eq=False)
class Named(Node):
    """`target := value`."""

    target: Name
    value: Expr


@dataclass(slots=True, eq=False)
class Yield(Node):
    """`yield value`, `yield from value`, `await value`."""

    kind: Literal["yield", "from", "await"]
    value: Expr | None


@dataclass(slots=True, eq=False)
class Text(Node):
    """An f-string that only puts its parts one behind the other."""

    parts: tuple[Expr | str, ...]


@dataclass(slots=True, eq=False)
class Opaque(Node):
    """An expression whose value nobody needs (an f-string that says how to spell numbers); its parts are evaluated."""

    parts: tuple[Expr, ...]


Expr = (
    Const
    | Name
    | Attr
    | Index
    | Slice
    | Sequence
    | Starred
    | Dict
    | Call
    | Binary
    | Unary
    | Compare
    | BoolOp
    | IfExp
    | Lambda
    | Comprehension
    | Named
    | Yield
    | Text
    | Opaque
)


@dataclass(slots=True, eq=False)
class Param(Node):
    """A parameter of a function; `kind` is how it may be passed."""

    name: str
    kind: Literal["positional", "keyword", "args", "kwargs"]
    default: Expr | None = None
    annotation: Expr | None = None


@dataclass(eq=False)
class Function(Node):
    """A function, method or lambda; the span is that of its name.

    Its body is made when first asked for, since most functions are never run. What its syntax shows, what a
    constructor's statements give attributes, and whether it yields, is kept here once it is found out.
    """

    name: str
    params: tuple[Param, ...]
    make_body: Callable[[], tuple[Stmt, ...]] = field(repr=False)
    decorators: tuple[Expr, ...] = ()
    returns: Expr | None = None
    facts: FunctionFacts | None = field(default=None, init=False, repr=False)
    gives: tuple[Gives, ...] | None = field(default=None, init=False, repr=False)
    yields: bool | None = field(default=None, init=False, repr=False)
    _body: tuple[Stmt, ...] | None = field(default=None, init=False, repr=False)

    @property
    def body(self) -> tuple[Stmt, ...]:
        """Its statements."""
        if self._body is None:
            self._body = self.make_body()
            self.make_body = tuple  # lets go of what it was made from
        return self._body


@dataclass(slots=True, eq=False)
class Assign(Node):
    """`target = target = value`, or an annotated assignment."""

    targets: tuple[Expr, ...]
    value: Expr
    annotation: Expr | None = None


@dataclass(slots=True, eq=False)
class Declare(Node):
    """`target: annotation` without a value."""

    target: Expr
    annotation: Expr


@dataclass(slots=True, eq=False)
class AugAssign(Node):
    """`target op= value`; `op` without the equals sign."""

    op: str
    target: Expr
    value: Expr


@dataclass(slots=True, eq=False)
class ExprStmt(Node):
    """An expression as a statement."""

    value: Expr


@dataclass(slots=True, eq=False)
class If(Node):
    """`if`, with `elif` nested in `orelse`. What its syntax shows is kept here once it is found out."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    last_row: int = field(default=0, init=False, repr=False)
    facts: tuple[BranchFacts, BranchFacts] | None = field(default=None, init=False, repr=False)


@dataclass(slots=True, eq=False)
class While(Node):
    """`while`."""

    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    asked: frozenset[str] | None = field(default=None, init=False, repr=False)
    seconds: frozenset[str] = field(default=frozenset(), init=False, repr=False)


@dataclass(slots=True, eq=False)
class For(Node):
    """`for`."""

    target: Expr
    iter: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    rotated: int | None = field(default=None, init=False, repr=False)
    asked: frozenset[str] | None = field(default=None, init=False, repr=False)
    seconds: frozenset[str] = field(default=frozenset(), init=False, repr=False)
    moved: tuple[tuple[Stmt, bool], ...] | None = field(default=None, init=False, repr=False)


@dataclass(slots=True, eq=False)
class With(Node):
    """`with`, one entry an item."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class Try(Node):
    """`try`; a handler is the name it binds, if any, and its body."""

    body: tuple[Stmt, ...]
    handlers: tuple[tuple[str | None, tuple[Stmt, ...]], ...]
    orelse: tuple[Stmt, ...]
    final: tuple[Stmt, ...]


@dataclass(slots=True, eq=False)
class Return(Node):
    """`return`."""

    value: Expr | None


@dataclass(slots=True, eq=False)
class Raise(Node):
    """`raise`."""

    value: Expr | None


@dataclass(slots=True, eq=False)
class Assert(Node):
    """`assert`."""

    test: Expr


@dataclass(slots=True, eq=False)
class Jump(Node):
    """`break` or `continue`."""

    kind: Literal["break", "continue"]


@dataclass(slots=True, eq=False)
class Delete(Node):
    """`del`."""

    targets: tuple[Expr, ...]


@dataclass(slots=True, eq=False)
class Scope(Node):
    """`global` or `nonlocal`."""

    kind: Literal["global", "nonlocal"]
    names: tuple[str, ...]


@dataclass(slots=True, eq=False)
class FunctionDef(Node):
    """`def`."""

    function: Function


@dataclass(slots=True, eq=False)
class ClassDef(Node):
    """`class`; the span is that of its name. Among the bases are its keywords, as `metaclass=`."""

    name: str
    bases: tuple[Arg, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    asked: frozenset[str] | None = field(default=None, init=False, repr=False)


@dataclass(slots=True, eq=False)
class Import(Node):
    """`import module as name`; without `as`, `name` is the first part and binds the top package."""

    module: str
    name: str
    whole: bool


@dataclass(slots=True, eq=False)
class ImportFrom(Node):
    """`from module import name as alias`, `level` dots before the module; `*` as a name."""

    module: str
    level: int
    names: tuple[tuple[str, str], ...]


Stmt = (
    Assign | Declare | AugAssign | ExprStmt | If | While | For | With | Try | Return | Raise | Assert | Jump | Delete
    | Scope | FunctionDef | ClassDef | Import | ImportFrom
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Module:
    """A file."""

    path: str
    body: tuple[Stmt, ...]
