"""Calls that declare by their name, documentation or arguments that they write their arguments."""

from __future__ import annotations

import re
from itertools import takewhile

from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Function, Library, Value, resolve
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.documentation import says_that_it_writes
from inplace_lint.source.spelling import ir_text
from inplace_lint.source.syntax import is_initializer
from inplace_lint.torch_model.spellings import is_inplace_option

NAMED_FOR_WRITING = silent(
    "named-for-writing",
    "the function's name says that it writes: it ends in `_`, or is `fill...`, `update...` or the like",
    """
    import torch


    def center_(values):
        values -= values.mean()
        return values / values.std()


    batch = torch.rand(4)
    scaled = center_(batch)
    result = scaled + batch
    """,
)
ASKED_TO_WRITE = silent(
    "asked-to-write",
    "the call asks for the write, by `inplace=True`, by `out=` or by handing over an op that writes",
    """
    import torch


    def center(values, inplace=False):
        values = values if inplace else values.clone()
        values -= values.mean()
        return values / values.std()


    batch = torch.rand(4)
    scaled = center(batch, inplace=True)
    result = scaled + batch
    """,
)
DOCUMENTED_WRITE = silent(
    "documented-write",
    "the documentation of the function says that it writes in place",
    '''
    import torch


    def center(values):
        """Subtract the mean from `values`, in place, and give them in units of their deviation."""
        values -= values.mean()
        return values / values.std()


    batch = torch.rand(4)
    scaled = center(batch)
    result = scaled + batch
    ''',
)

COMPILED_KERNEL = silent(
    "compiled-kernel",
    "a kernel that Numba compiles is called for what it writes to the arrays that it is given",
    """
    import torch


    def njit(function):
        return function


    @njit
    def scaled(values, by):
        values *= by
        return values.sum() / by


    batch = torch.rand(4)
    total = scaled(batch, 2)
    result = batch + total
    """,
)

# How decorators are called by which Numba compiles a kernel: `numba.cuda.jit`.
_COMPILING = re.compile(r"(\w+\.)*(njit|guvectorize|(numba|nb|cuda)\.jit)")
# Verbs of functions that are there to fill or change what they are given; `_mask(mask, ...)` does so, too.
_FILLING = frozenset("fill zero set update write assign allocate scatter overwrite".split())


def declares_writes(run: Run, function: Function, arguments: Arguments, node: ir.Node) -> bool:
    """Whether the name, the documentation or the arguments of a call say that it writes its argument."""
    variable = _variable(run, function, node)
    named = NAMED_FOR_WRITING.on and (_says_so(variable) if variable else _is_named_for_writing(function.code))
    if named and not _is_of_object(function):
        return True
    if ASKED_TO_WRITE.on and _is_asked_to_write(arguments):
        return True
    if COMPILED_KERNEL.on and any(map(_compiles, function.code.decorators)):
        return True
    return DOCUMENTED_WRITE.on and says_that_it_writes(function.code)


def _compiles(decorator: ir.Expr) -> bool:
    """Whether Numba makes a kernel of what is decorated, in which arrays are all that has elements."""
    return _COMPILING.fullmatch(ir_text(decorator.func if isinstance(decorator, ir.Call) else decorator)) is not None


def _variable(run: Run, function: Function, node: ir.Node) -> str:
    """The variable of the caller that stands for a function in a call: whoever calls it by that sees no other name."""
    called = node.func if isinstance(node, ir.Call) else None
    if not run.stack or run.frame.code is None or not isinstance(called, ir.Name):
        return ""
    ref = run.frame.variables.get(called.id)
    return called.id if ref is not None and resolve(ref.value) is function else ""


def _is_named_for_writing(function: ir.Function) -> bool:
    name = function.name
    return _says_so(name) or any(param.name == name.strip("_") for param in function.params)


def _says_so(name: str) -> bool:
    if name.endswith("_") and not name.endswith("__"):
        return True
    words = name.strip("_").split("_")
    return words[0] in _FILLING or is_initializer(words[0]) or words[-1] == "update"


# What methods say that they do with the object that they are of.
_OF_OBJECT = frozenset({"update", "set"})
# What follows in a name is what a function uses: `initialize_with_data(data)`.
_USING = frozenset({"with", "from", "by", "using"})


def _is_of_object(function: Function) -> bool:
    """Whether it is a method that brings its object up to date, not its arguments.

    So is `update`; so are `update_mean` and `init_from_mean(mean)` if they assign attributes and the first has no
    argument called `mean`.
    """
    code = function.code
    if function.owner is None or not code.params or code.params[0].name != "self":
        return False
    words = list(takewhile(lambda word: word not in _USING, code.name.strip("_").split("_"))) or [""]
    told = {word for param in code.params[1:] for word in (param.name, *param.name.split("_"))}
    keeps = bool(facts(code).assigned) and told.isdisjoint(words)
    brings = not _OF_OBJECT.isdisjoint((words[0], words[-1])) or is_initializer(words[0])
    return words == ["update"] or (keeps and brings)


def _is_asked_to_write(arguments: Arguments) -> bool:
    if any(_writes_by_name(resolve(passed.ref.value)) for passed in arguments.positional):
        return True
    return any(
        (key == "out" or is_inplace_option(key)) and resolve(passed.ref.value) not in (False, None)
        for key, passed in arguments.keywords.items()
    )


def _writes_by_name(value: Value) -> bool:
    """Whether a callee is handed an op that writes: `tree_map(torch.Tensor.add_, ...)`."""
    return isinstance(value, Library) and value.name.endswith("_") and not value.name.endswith("__")
