"""The names of modules, asked for by text: `globals()`, `vars(module)`, `import_module("a.b")`, `eval("Name")`."""

from __future__ import annotations

from inplace_lint.interpret.state.names import attribute_of, library, look_up
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Library, List, Ref, Value, resolve
from inplace_lint.source import ir

# The class of the stubs that gives a module's names as a mapping does.
_NAMESPACE = "importlib._Namespace"


def namespace(run: Run, module: Value, node: ir.Node) -> Ref:
    """`module.__dict__`"""
    return run.call(library(run, _NAMESPACE, node), run.passing(node, Ref(module)), node)


def own_names(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`globals()`"""
    return namespace(run, run.frame.module, node)


def has(run: Run, module: ModuleFile, name: str) -> bool:
    """Whether a module binds a name at its top, or a package has a module of that name."""
    return name == "__name__" or attribute_of(run, module, name) is not None


def names(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`dir(module)`"""
    module = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    if isinstance(module, ModuleFile):
        return Ref(List("list", [Ref(name) for name in sorted(module.bindings)], bool(module.stars)))
    return Ref(run.unknown(run.key(node)))


def evaluated(run: Run, arguments: Arguments, node: ir.Node) -> Ref:
    """`eval(name)` of a text that names something; who writes the name itself there hides it from linters."""
    given = node.args[0].value if isinstance(node, ir.Call) and len(node.args) == 1 else None
    text = resolve(arguments.get(0, "source")) if given is not None and not _is_spelled_out(given) else None
    first, *others = text.split(".") if isinstance(text, str) else [""]
    if not first.isidentifier() or not all(name.isidentifier() for name in others):
        return Ref(run.unknown(run.key(node)))
    found = look_up(run, ir.Name(node.span, first))
    for name in others:
        found = run.get_attribute(found, name, node)
    return found


def _is_spelled_out(text: ir.Expr) -> bool:
    return isinstance(text, ir.Const) or (isinstance(text, ir.Attr) and text.name == "__name__")


def imported(run: Run, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """`importlib.import_module(name, package)`; also of `__name__`, the file's own."""
    given = resolve(arguments.get(0, "name"))
    outside = (frame.module for frame in reversed(run.stack) if not frame.module.library)
    here = next(outside, run.frame.module)
    if isinstance(given, Library) and given.name == "builtins.__name__":
        return Ref(here)
    if not isinstance(given, str):
        return Ref(run.unknown(run.key(node)))
    plain = given.lstrip(".")
    found = here.program.find(plain, len(given) - len(plain), here.path)
    if found is not None:
        return Ref(found)
    return Ref(Library(given) if plain == given else run.unknown(run.key(node)))
