"""Compiles the hot modules with mypyc, from a copy that is rewritten to suit it.

mypyc leaves the methods of a dataclass to Python, and knows no `slots`. So in the copy they are spelled out, in place
of the rows that explain the class: every other row stays where it is, as tracebacks show it.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeGuard

_SOURCE = "errors expressions facts ir lower parsing place positions spelling syntax walk"
_HOT = (
    *("effort.py", "findings/diagnostic.py"),
    *("interpret/**/*.py", "judgement/*.py", "knowledge/*.py", "screen/*.py", "torch_model/*.py"),
    *(f"source/{name}.py" for name in _SOURCE.split()),
)

# Other packages count as unknown: where torch is installed, reading it takes longer than all the rest.
_OPTIONS = ("--config-file=", "--follow-imports=silent", "--ignore-missing-imports", "--no-site-packages")

# Lets the values of classes without `__dict__` travel between processes.
_TRAVEL = """
import copyreg
def _reduced(value: object) -> tuple[object, ...]:
    return type(value), tuple([getattr(value, name) for name in getattr(value, "__dataclass_fields__")])
"""


def check_compiler(folder: Path) -> None:
    """Compile a line of C in a folder: mypyc takes a minute before it asks for the compiler.

    Raises:
        CompileError: there is no compiler, or it has not the headers of Python.
    """
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext
    from setuptools.extension import Extension

    source = folder / "check.c"
    source.write_text("#include <Python.h>\nint check(void) { return PY_MAJOR_VERSION; }\n")
    command = build_ext(Distribution({"ext_modules": [Extension("check", [str(source)])]}))
    command.ensure_finalized()
    command.build_temp = command.build_lib = str(folder)
    command.run()


def compile_package(package: Path, folder: Path) -> list[Path]:
    """Compile the hot modules of a package in a new folder; the libraries, relative to that folder.

    Raises:
        subprocess.CalledProcessError: mypyc or the C compiler refuses, as `stdout` tells.
    """
    copy = folder / package.name
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.pyd"))
    for path in _modules(copy):
        path.write_text(rewritten(path.read_text("utf-8")), "utf-8")
    command = [sys.executable, str(Path(__file__).resolve()), package.name]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    found = [path for kind in ("*.so", "*.pyd") for path in (*folder.glob(kind), *copy.rglob(kind))]
    return [path.relative_to(folder) for path in found]


def _modules(package: Path) -> list[Path]:
    hot = os.environ.get("INPLACE_LINT_HOT", "").split() or _HOT  # fewer are for tests
    found = [path for pattern in hot for path in sorted(package.glob(pattern))]
    return [path for path in found if path.name != "__init__.py"]


def rewritten(text: str) -> str:
    """A module as mypyc compiles it well."""
    text = _importing("from typing import Final", _with_kinds(_with_constants(text)))
    tree = ast.parse(text)
    lines = text.split("\n")
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    for node in classes.values():
        options = _options(node)
        if options is None:
            continue
        _rewrite(node, list(_fields(node, classes)), options, lines)
        if options.get("frozen"):
            travel = "" if "\nimport copyreg\n" in "\n".join(lines) else _TRAVEL
            lines += [*travel.split("\n"), f"copyreg.pickle({node.name}, _reduced)  # type: ignore"]
    return _importing("from builtins import object", "\n".join(lines))  # as fields are looked up


def _with_constants(text: str) -> str:
    """Constants that say so: else each use looks them up by name."""
    lines = text.split("\n")
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target if _is_given(node) else None
        if isinstance(target, ast.Name) and re.fullmatch("_?[A-Z][A-Z0-9_]+", target.id):
            kind = f"[{ast.unparse(node.annotation)}]" if isinstance(node, ast.AnnAssign) else ""
            row = node.lineno - 1
            end = node.annotation.end_col_offset if isinstance(node, ast.AnnAssign) else target.end_col_offset
            lines[row] = f"{target.id}: Final{kind}{lines[row][end:]}"
    return "\n".join(lines)


def _is_given(node: ast.stmt) -> TypeGuard[ast.AnnAssign]:
    return isinstance(node, ast.AnnAssign) and node.value is not None


def _with_kinds(text: str) -> str:
    """Kinds of nodes as constants: else each use of `ast.Name` looks up two names."""
    if "\nimport ast\n" not in text:
        return text
    lines = text.split("\n")
    used = [
        node for function in ast.walk(ast.parse(text)) if isinstance(function, _FUNCTIONS) for node in _run(function)
    ]
    kinds = {(each.lineno, each.col_offset): each for each in used if _is_kind(each)}
    for (row, column), each in sorted(kinds.items(), reverse=True):
        line = lines[row - 1]
        lines[row - 1] = f"{line[:column]}_ast_{each.attr}{line[each.end_col_offset :]}"
    constants = "".join(f"; _ast_{name}: Final = ast.{name}" for name in sorted({each.attr for each in kinds.values()}))
    return "\n".join(lines).replace("\nimport ast\n", f"\nimport ast{constants}\n", 1)


_FUNCTIONS = (ast.FunctionDef, ast.Lambda)


def _run(function: ast.FunctionDef | ast.Lambda) -> Iterator[ast.AST]:
    """What is inside a function, but for annotations."""
    todo: list[ast.AST] = list(function.body) if isinstance(function, ast.FunctionDef) else [function.body]
    while todo:
        node = todo.pop()
        yield node
        for name, part in ast.iter_fields(node):
            if name not in ("annotation", "returns"):
                todo += [each for each in (part if isinstance(part, list) else [part]) if isinstance(each, ast.AST)]


def _is_kind(node: ast.AST) -> TypeGuard[ast.Attribute]:
    """Whether this is `ast.Name` or the like."""
    module = node.value if isinstance(node, ast.Attribute) else None
    return isinstance(module, ast.Name) and module.id == "ast" and isinstance(getattr(ast, node.attr), type)


def _importing(statement: str, text: str) -> str:
    """With another import, in the row of the first one."""
    future = "from __future__ import annotations"
    return text.replace(future, f"{future}; {statement}", 1)


def _options(node: ast.ClassDef) -> dict[str, bool] | None:
    """The options of a dataclass; None for another class."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Name) and decorator.id == "dataclass":
            return {}
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "dataclass":
            return {each.arg or "": bool(ast.literal_eval(each.value)) for each in decorator.keywords}
    return None


def _own_fields(node: ast.ClassDef) -> list[ast.AnnAssign]:
    return [each for each in node.body if isinstance(each, ast.AnnAssign)]


def _fields(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Iterator[ast.AnnAssign]:
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes:
            yield from _fields(classes[base.id], classes)
    yield from _own_fields(node)


def _rewrite(node: ast.ClassDef, fields: list[ast.AnnAssign], options: dict[str, bool], lines: list[str]) -> None:
    """Put the fields in one row, and the methods into those that were theirs, the docstring's, or are blank."""
    own = _own_fields(node)
    body = ["; ".join(map(ast.unparse, own))] if own else []
    body += [_init(node, fields), *_methods(node.name, [ast.unparse(each.target) for each in fields], options)]
    first, last, end = node.body[0].lineno - 1, [*node.body[:1], *own][-1].end_lineno or 0, node.end_lineno or 0
    rows = [*range(first, last), *sorted({row for row in (last, end, end + 1) if lines[row : row + 1] == [""]})]
    lines[first:last] = [""] * (last - first)
    for row, text in zip(rows[: len(body)], body, strict=True):
        lines[row] = f"    {text}  # type: ignore"
    kept = [f"{name}={value}" for name, value in options.items() if name not in ("order", "slots")]
    lines[node.decorator_list[0].lineno - 1] = f"@dataclass({', '.join(kept)})"


def _methods(name: str, fields: list[str], options: dict[str, bool]) -> Iterator[str]:
    """What tells values apart and puts them in order; `>` and `>=` are the same seen from the other side."""
    own, others = (f"({''.join(f'{each}.{field}, ' for field in fields)})" for each in ("self", "other"))
    if options.get("frozen"):
        same = " and ".join([f"isinstance(other, {name})", *(f"self.{field} == other.{field}" for field in fields)])
        yield f"def __eq__(self, other: object) -> bool: return {same}"
        yield f"def __hash__(self) -> int: return hash({own})"
    if options.get("order"):
        yield f"def __lt__(self, other: {name}) -> bool: return {own} < {others}"
        yield f"def __le__(self, other: {name}) -> bool: return {own} <= {others}"


def _init(node: ast.ClassDef, fields: list[ast.AnnAssign]) -> str:
    params, body = ["self"], []
    for each in fields:
        name, given, default = ast.unparse(each.target), ast.unparse(each.annotation), each.value
        result = name
        if isinstance(default, ast.Call) and ast.unparse(default.func) == "field":
            facts = {keyword.arg: keyword.value for keyword in default.keywords}
            default = facts.get("default")
            if "default_factory" in facts:
                result = f"{_made(facts['default_factory'])} if {name} is None else {name}"
                given, default = f"{given} | None", ast.Constant(None)
            if "init" in facts:  # it is False
                body += [f"self.{name} = {ast.unparse(default)}"] if default is not None else []
                continue
        params.append(f"{name}: {given}" + (f" = {ast.unparse(default)}" if default is not None else ""))
        body.append(f"self.{name} = {result}")
    if any(isinstance(each, ast.FunctionDef) and each.name == "__post_init__" for each in node.body):
        body.append("self.__post_init__()")
    return f"def __init__({', '.join(params)}) -> None: {'; '.join(body) or 'pass'}"


def _made(factory: ast.expr) -> str:
    text = ast.unparse(factory.body if isinstance(factory, ast.Lambda) else factory)
    return text if isinstance(factory, ast.Lambda) else {"list": "[]", "dict": "{}"}.get(text, f"{text}()")


def _build(package: str) -> None:
    """In the folder with the copy: C, and libraries from it."""
    from mypyc.build import mypycify
    from setuptools import setup

    modules = [str(path) for path in _modules(Path(package))]
    level = os.environ.get("INPLACE_LINT_OPT", "1")  # 0 is for tests
    extensions = mypycify([*_OPTIONS, *modules], opt_level=level, debug_level="0", group_name=package)
    for extension in extensions if os.name == "posix" else []:
        # To look for this in C of such width takes the compiler longer than all the rest.
        extension.extra_compile_args = [*extension.extra_compile_args, "-Wno-misleading-indentation"]
    setup(name=package, packages=[], ext_modules=extensions, script_args=["build_ext", "--inplace"])


if __name__ == "__main__":
    _build(sys.argv[1])
