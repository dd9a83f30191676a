"""Looks names up: local variables, closures, the file's own names, imports, builtins."""

from __future__ import annotations

import builtins
from dataclasses import replace
from pathlib import PurePath

from inplace_lint.effort import STEP
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.fed_elsewhere import Feeding, feeding_elsewhere
from inplace_lint.interpret.state.fillers import is_told_of_classes
from inplace_lint.interpret.state.keys import Global, Imported, key_of
from inplace_lint.interpret.state.optional import unknown_modules
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import (
    Class,
    Dict,
    Frame,
    Function,
    Instance,
    Library,
    List,
    Option,
    Ref,
    Unknown,
    Value,
    resolve,
)
from inplace_lint.source import ir
from inplace_lint.source.spelling import root_name
from inplace_lint.torch_model.events import MODULE
from inplace_lint.torch_model.modes import modes
from inplace_lint.torch_model.op_table import shipped, table
from inplace_lint.torch_model.public_names import public_name
from inplace_lint.torch_model.tensor import Tensor

MOST_FEEDING = 100
# So many bases of a class, and of these, are looked through.
_MOST_BASES = 16


def look_up(run: Run, node: ir.Name) -> Ref:
    """What a variable refers to."""
    frame: Frame | None = run.frame
    while frame is not None:
        ref = frame.variables.get(node.id)
        if ref is not None:
            if isinstance(ref.value, Unknown):
                run.proven.note_read(ref.value.key)
            return ref
        frame = frame.parent
    found = global_ref(run, run.frame.module, node.id)
    if found is not None:
        return found
    if hasattr(builtins, node.id):
        return Ref(Library(f"builtins.{node.id}"))
    return Ref(run.unknown(Global(run.frame.module.path, node.id), node.id))


def module_frame(run: Run, module: ModuleFile) -> Frame:
    """The frame of a file's top level."""
    if module.path not in run.frames:
        run.frames[module.path] = Frame(module, MODULE)
    return run.frames[module.path]


def global_ref(run: Run, module: ModuleFile, name: str) -> Ref | None:
    """A top-level name of a file; the statement that binds it is executed when first asked for."""
    frame = module_frame(run, module)
    if name in frame.variables:
        return frame.variables[name]
    statement = module.bindings.get(name)
    if statement is None:
        return _starred(run, module, name)
    lasting, key = module.program.lasting, (module.path, name)
    if key in lasting:
        made = frame.variables[name] = Ref(_own(lasting[key]))
        return made
    optional = module.optional.get(name)
    if optional is not None and not all(module.program.has(*each, module.path) for each in unknown_modules(optional)):
        if optional.is_flag:
            made = frame.variables[name] = Ref(Option(key_of(Global(module.path, name)), name, False))
            return made
        statement = optional.fallback
    frame.variables[name] = Ref(run.unknown(Global(module.path, name), name))
    before = len(run.oracle.taken), run.registered
    spent = run.oracle.steps, run.oracle.preparations
    if isinstance(statement, ir.ImportFrom):
        _import_alone(run, frame, statement, name)
    else:
        execute_at_top(run, frame, statement)
    value = resolve(frame.variables[name].value)
    elsewhere: Feeding = []
    if isinstance(value, Tensor):
        value.storage.share("global", run.torch.tick())
    if isinstance(value, (Dict, List, Instance)):
        run.torch.trace.effort.spend(len(module.code.body))
        for later in feeding(module, name):
            execute_at_top(run, frame, later)
        elsewhere = feeding_elsewhere(run, module, name, value)
        for other, later in elsewhere:
            execute_at_top(run, module_frame(run, other), later)
    run.oracle.discount(*spent)
    if elsewhere:  # by which files depends on where the run begins
        return frame.variables[name]
    if before == (len(run.oracle.taken), run.registered) and (lasts(value) or _holds_lasting(value)):
        lasting[key] = _own(value)
    return frame.variables[name]


def of_function(run: Run, function: Function, name: str) -> Ref | None:
    """An attribute of a function of a file, that some statement at the top gives it, or the program has; or None."""
    place = place_in_file(function, name)
    if place is None:
        return None
    frame = module_frame(run, function.module)
    if place not in frame.variables:
        statement = next((each for each in function.module.code.body if _gives(each, function, name)), None)
        if statement is None:
            return None
        frame.variables[place] = Ref(run.unknown(Global(function.module.path, place), place))
        execute_at_top(run, frame, statement)
    return frame.variables[place]


def place_in_file(function: Function, name: str) -> str | None:
    """Under what name a file keeps an attribute of a function; None for functions of classes and other functions."""
    bound = function.module.bindings.get(function.code.name)
    is_own = isinstance(bound, ir.FunctionDef) and bound.function is function.code
    return f"{function.code.name}.{name}" if is_own else None


def _gives(statement: ir.Stmt, function: Function, name: str) -> bool:
    return isinstance(statement, ir.Assign) and any(
        isinstance(target, ir.Attr)
        and target.name == name
        and isinstance(target.value, ir.Name)
        and target.value.id == function.code.name
        for target in statement.targets
    )


def _import_alone(run: Run, frame: Frame, statement: ir.ImportFrom, name: str) -> None:
    """One of the names that a statement imports."""
    original = next(original for original, alias in statement.names if alias == name)
    run.stack.append(frame)
    try:
        frame.variables[name] = import_name(run, statement, original)
    finally:
        run.stack.pop()


def lasts(value: Value) -> bool:
    """Whether a value is the same in all runs: nothing in it can change, or belongs to one run."""
    if not isinstance(value, Class):
        return _lasts(value, set())
    if value.lasts is None:
        met: set[Class] = set()
        value.lasts = _lasts(value, met)
        if value.lasts:
            for each in met:
                each.lasts = True
    return value.lasts


def _lasts(value: Value, met: set[Class]) -> bool:
    """Whether a value lasts if the classes that were looked into already do."""
    if isinstance(value, Class):
        if value.lasts is not None or value in met:
            return value.lasts is not False
        met.add(value)
        inner = [*value.bases, *(ref.value for ref in value.frame.variables.values())]
        return value.frame.parent is None and all(_lasts(each, met) for each in inner)
    if isinstance(value, Function):
        return value.closure is None and all(_lasts(each, met) for each in value.defaults.values())
    return value is None or isinstance(value, (Library, ModuleFile, bool, int, float, str, bytes))


def _holds_lasting(value: Value) -> bool:
    """Whether a container, of which each run needs one of its own, has nothing else that belongs to a run."""
    if not isinstance(value, (List, Dict)):
        return False
    refs = value.items if isinstance(value, List) else value.items.values()
    return all(lasts(ref.value) or _holds_lasting(ref.value) for ref in refs)


def _own(value: Value) -> Value:
    """A lasting value, for one run."""
    if isinstance(value, List):
        return replace(value, items=[Ref(_own(ref.value)) for ref in value.items])
    if isinstance(value, Dict):
        return replace(value, items={key: Ref(_own(ref.value)) for key, ref in value.items.items()})
    return value


def feeding(module: ModuleFile, name: str) -> list[ir.Stmt]:
    """The top-level statements that fill a container or registry: item assignments, method calls, decorators."""
    if name not in module.feeding:
        found = [statement for statement in module.code.body if _feeds(module, statement, name)]
        module.feeding[name] = found[:MOST_FEEDING]
    return module.feeding[name]


def _feeds(module: ModuleFile, statement: ir.Stmt, name: str) -> bool:
    if isinstance(statement, ir.Assign):
        return any(isinstance(target, ir.Index) and root_name(target) == name for target in statement.targets)
    if isinstance(statement, ir.ExprStmt):
        called = statement.value.func if isinstance(statement.value, ir.Call) else None
        return isinstance(called, ir.Attr) and root_name(called) == name
    if isinstance(statement, ir.For):
        return any(_feeds(module, inner, name) for inner in statement.body)
    if isinstance(statement, ir.FunctionDef):
        return any(_registers(module, decorator, name) for decorator in statement.function.decorators)
    if isinstance(statement, ir.ClassDef):
        return _is_introduced(module, statement, name) or any(
            _registers(module, decorator, name) for decorator in statement.decorators
        )
    return False


def _is_introduced(module: ModuleFile, cls: ir.ClassDef, name: str) -> bool:
    """Whether a base of a class is told of it by `__init_subclass__`, which uses a container."""
    todo, met = [cls], {cls}
    while todo and len(met) < _MOST_BASES:
        for spelled in todo.pop().bases:
            base = module.bindings.get(root_name(spelled.value)) if spelled.keyword is None else None
            if not isinstance(base, ir.ClassDef) or base in met:
                continue
            if is_told_of_classes(base, name):
                return True
            met.add(base)
            todo.append(base)
    return False


def _registers(module: ModuleFile, decorator: ir.Expr, name: str) -> bool:
    """Whether a decorator is, mentions or is given a container."""
    first = root_name(decorator)
    bound = module.bindings.get(first)
    given = decorator.args if isinstance(decorator, ir.Call) else ()
    return (
        first == name
        or (isinstance(bound, ir.FunctionDef) and name in facts(bound.function).mentions)
        or any(isinstance(each.value, ir.Name) and each.value.id == name for each in given)
    )


def execute_at_top(run: Run, frame: Frame, statement: ir.Stmt) -> None:
    """Execute a statement of a file or class, outside of what is running."""
    torch = run.torch
    with modes(torch, grad=True, inference=False, documented=False):
        run.stack.append(frame)
        try:
            run.execute(statement)
        finally:
            run.stack.pop()


def _starred(run: Run, module: ModuleFile, name: str, met: set[str] | None = None) -> Ref | None:
    """What a star import gives; `met` has the files that were looked into, as they may import one another."""
    met = {module.path} if met is None else met
    for statement in module.stars:
        run.torch.trace.effort.spend(STEP)
        if not module.program.supplies((statement.module, statement.level), module.path, name, len(module.stars)):
            continue
        source = module.program.find(statement.module, statement.level, module.path)
        if source is None:
            if statement.level == 0 and _offers(module, statement.module, name):
                return library(run, f"{statement.module}.{name}", statement)
            hidden = _behind_stub(run, module, statement.module, name) if statement.level == 0 else None
            if hidden is not None:
                return hidden
        elif source.path not in met:
            met.add(source.path)
            here = name in source.bindings or name in module_frame(run, source).variables
            found = global_ref(run, source, name) if here else _starred(run, source, name, met)
            if found is not None:
                return found
    return None


def _offers(module: ModuleFile, source: str, name: str) -> bool:
    """Whether a star import of a library may give a name; what PyTorch has is not all known, what it hides is."""
    stub = module.program.stub(source)
    if stub is not None and name in stub.bindings:
        return True
    whole = f"{source}.{name}"
    return source.partition(".")[0] == "torch" and (not hasattr(builtins, name) or table().knows(whole))


def import_module(run: Run, node: ir.Import) -> Ref:
    """What `import a.b` or `import a.b as c` binds."""
    if node.whole:
        source = run.frame.module.program.find(node.module, 0, run.frame.module.path)
        return Ref(source if source is not None else Library(node.module))
    top = run.frame.module.program.find(node.name, 0, run.frame.module.path)
    return Ref(top if top is not None else Library(node.name))


def import_name(run: Run, node: ir.ImportFrom, name: str) -> Ref:
    """What `from module import name` binds."""
    here = run.frame.module
    if not node.level and table().knows(f"{node.module}.{name}"):
        return library(run, f"{node.module}.{name}", node)  # a user's model file may say more than the source
    source = here.program.find(node.module, node.level, here.path)
    if source is None:
        if node.level:
            return Ref(run.unknown(Imported(here.path, node.level, node.module, name), name))
        return library(run, f"{node.module}.{name}", node)
    submodule = f"{node.module}.{name}" if node.module else name
    if name not in source.bindings or source is here:  # `from . import part` in the package itself
        # Before the stars of a package, which may lead to all of its files.
        inner = here.program.find(submodule, node.level, here.path)
        if inner is not None:
            return Ref(inner)
        if not node.level and name not in source.bindings and here.program.stub(submodule) is not None:
            return Ref(Library(submodule))  # a module of an installed package that has a stub
    found = global_ref(run, source, name)
    if found is None and name == "torch":  # a file that sets up the frameworks that there are
        return Ref(Library(name))
    return _or_its_stub(run, found) if found is not None else Ref(run.unknown(Imported(source.path, 0, "", name), name))


def whole_base(run: Run, base: Value) -> Value:
    """A base of a library's class, also from a file of the library that has nothing to do with tensors itself."""
    here, made = run.frame.module, base.key.made if isinstance(base, Unknown) else None
    if not here.installed or not isinstance(made, Imported) or not made.level:
        return base
    source = here.program.find_plain(made.module, made.level, made.path)
    found = global_ref(run, source, made.name) if source is not None else None
    return base if found is None else found.value


def _behind_stub(run: Run, here: ModuleFile, module: str, name: str) -> Ref | None:
    """What a name stands for that a shipped stub leaves out, if the source of its library is installed."""
    place = here.program.behind(module, here.path)
    source = here.program.file(place) if place is not None else None
    if source is None or table().knows(f"{module}.{name}"):
        return None
    return seen_in(run, source, name)


def dotted(run: Run, module: ModuleFile, name: str) -> Value:
    """What `a.b.c` stands for in a file, where `a` and `b` are modules; None if nothing tells."""
    first, *others = name.split(".")
    found = global_ref(run, module, first)
    for each in others:
        value = resolve(found.value) if found is not None else None
        if isinstance(value, Library):
            found = Ref(Library(f"{value.name}.{each}"))
        else:
            found = attribute_of(run, value, each) if isinstance(value, ModuleFile) else None
    return resolve(found.value) if found is not None else None


def attribute_of(run: Run, module: ModuleFile, name: str) -> Ref | None:
    """`module.name`: a name of the file, or a module of a package."""
    return global_ref(run, module, name) or _submodule(module, name)


def seen_in(run: Run, package: ModuleFile, name: str) -> Ref | None:
    """`package.name` as the program sees it: a module of an installed package may have a stub."""
    found = attribute_of(run, package, name)
    return _or_its_stub(run, found) if found is not None else None


def _or_its_stub(run: Run, found: Ref) -> Ref:
    """What stands for a module of an installed package in the program: its stub, if one is shipped."""
    module, here = found.value, run.frame.module
    if not isinstance(module, ModuleFile) or not module.installed or here.installed:
        return found
    parts = PurePath(module.path).relative_to(module.installed).with_suffix("").parts
    dotted = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    stubbed = here.program.stub(dotted) is not None and here.program.find(dotted, 0, here.path) is None
    return Ref(Library(dotted)) if stubbed else found


def _submodule(package: ModuleFile, name: str) -> Ref | None:
    """A module of a package, which is an attribute of it as soon as anybody has imported it."""
    inner = package.program.find(name, 1, package.path) if package.path.endswith("__init__.py") else None
    return Ref(inner) if inner is not None else None


def library(run: Run, name: str, node: ir.Node) -> Ref:
    """Something of a library: as a stub defines it, if one does and no model file of the user's says more."""
    module, _, last = name.rpartition(".")
    here = run.frame.module
    stub = here.program.stub(module)
    if stub is None or stub is here or last not in stub.bindings:
        public = public_name(name)
        if public != name:
            return library(run, public, node)
        return _behind_stub(run, here, module, last) or Ref(Library(name))
    told = table().overloads(name) != shipped().overloads(name)
    module_frame(run, stub).called_at = run.site(node)
    found = global_ref(run, stub, last) if not told else None
    return found if found is not None else Ref(Library(name))
