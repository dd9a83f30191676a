"""Looks names up: local variables, closures, the file's own names, imports, builtins."""

from __future__ import annotations

import builtins

from inplace_lint.interpret.program import ModuleFile
from inplace_lint.interpret.run import Run
from inplace_lint.interpret.values import Cell, Frame, Library
from inplace_lint.source import ir

_LOADING = object()


def look_up(run: Run, node: ir.Name) -> Cell:
    """The cell of a variable."""
    frame: Frame | None = run.frame
    while frame is not None:
        cell = frame.cells.get(node.id)
        if cell is not None:
            return cell
        frame = frame.parent
    found = global_cell(run, run.frame.module, node.id)
    if found is not None:
        return found
    if hasattr(builtins, node.id):
        return Cell(Library(f"builtins.{node.id}"))
    return Cell(run.unknown(("global", run.frame.module.path, node.id), node.id))


def module_frame(run: Run, module: ModuleFile) -> Frame:
    """The frame of a file's top level."""
    if module.path not in run.frames:
        run.frames[module.path] = Frame(module, "<module>")
    return run.frames[module.path]


def global_cell(run: Run, module: ModuleFile, name: str) -> Cell | None:
    """A top-level name of a file; the statement that binds it is executed when first asked for."""
    frame = module_frame(run, module)
    if name in frame.cells:
        return frame.cells[name]
    statement = module.bindings.get(name)
    if statement is None:
        return _starred(run, module, name)
    frame.cells[name] = Cell(run.unknown(("global", module.path, name), name))
    _execute_at_top(run, frame, statement)
    return frame.cells[name]


def _execute_at_top(run: Run, frame: Frame, statement: ir.Stmt) -> None:
    from inplace_lint.interpret.statements import execute

    torch = run.torch
    saved = torch.grad_mode, torch.inference, torch.declared
    torch.grad_mode, torch.inference, torch.declared = True, False, False
    run.stack.append(frame)
    try:
        execute(run, statement)
    finally:
        run.stack.pop()
        torch.grad_mode, torch.inference, torch.declared = saved


def _starred(run: Run, module: ModuleFile, name: str) -> Cell | None:
    for statement in module.stars:
        source = module.program.find(statement.module, statement.level, module.path)
        if source is None:
            if statement.level == 0 and statement.module.partition(".")[0] == "torch":
                return Cell(Library(f"{statement.module}.{name}"))
        elif source is not module and (found := global_cell(run, source, name)) is not None:
            return found
    return None


def import_module(run: Run, node: ir.Import) -> Cell:
    """What `import a.b` or `import a.b as c` binds."""
    if node.whole:
        source = run.frame.module.program.find(node.module, 0, run.frame.module.path)
        return Cell(source if source is not None else Library(node.module))
    top = run.frame.module.program.find(node.name, 0, run.frame.module.path)
    return Cell(top if top is not None else Library(node.name))


def import_name(run: Run, node: ir.ImportFrom, name: str) -> Cell:
    """What `from module import name` binds."""
    here = run.frame.module
    source = here.program.find(node.module, node.level, here.path)
    if source is None:
        if node.level:
            return Cell(run.unknown(("import", here.path, node.level, node.module, name), name))
        return Cell(Library(f"{node.module}.{name}"))
    found = global_cell(run, source, name)
    if found is not None:
        return found
    submodule = f"{node.module}.{name}" if node.module else name
    inner = here.program.find(submodule, node.level, here.path)
    return Cell(inner if inner is not None else run.unknown(("import", source.path, name), name))
