"""What type annotations say about tensors."""

from __future__ import annotations

import re

from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.source import ir

_TENSOR = re.compile(r"(^|[\[|, .])(Tensor|FloatTensor|LongTensor|BoolTensor|HalfTensor|Parameter)($|[\]|, ])")
_ONE = re.compile(r"^(typing\.)?(Optional\[)?(torch\.)?(nn\.)?(Tensor|FloatTensor|Parameter)(\])?( *\| *None)?$")

_OPTIONAL = re.compile(r"\bOptional\[|\bNone\b")


def spelled(node: ir.Expr | None) -> str:
    """An annotation as text."""
    if node is None:
        return ""
    if isinstance(node, ir.Const):
        return str(node.value)
    if isinstance(node, ir.Name):
        return node.id
    if isinstance(node, ir.Attr):
        return f"{spelled(node.value)}.{node.name}"
    if isinstance(node, ir.Index):
        return f"{spelled(node.value)}[{spelled(node.index)}]"
    if isinstance(node, ir.Sequence):
        return ", ".join(map(spelled, node.items))
    if isinstance(node, ir.Binary):
        return f"{spelled(node.left)} {node.op} {spelled(node.right)}"
    return ""


def annotated_tensor(run: Run, node: ir.Expr | None) -> bool:
    """Whether an annotation says that a value is a tensor of floating point, perhaps None."""
    return bool(_ONE.match(spelled(_meant(node, run.frame.module))))


def may_be_none(node: ir.Expr | None) -> bool:
    """Whether an annotation says that a value may be None."""
    return bool(_OPTIONAL.search(spelled(node)))


def annotated_array(node: ir.Expr | None) -> bool:
    """Whether an annotation says that a value is an array of NumPy's."""
    return "ndarray" in spelled(node).lower()


def declared_array(node: ir.Expr | None) -> bool:
    """Whether an annotation says that a value is an array of NumPy's, and no tensor."""
    return annotated_array(node) and not _TENSOR.search(spelled(node))


def _meant(node: ir.Expr | None, module: ModuleFile | None) -> ir.Expr | None:
    """What a file gives a name of its own: `from torch import Tensor as T`, `T = torch.Tensor`."""
    statement = module.bindings.get(node.id) if isinstance(node, ir.Name) and module is not None else None
    if isinstance(node, ir.Name) and isinstance(statement, ir.ImportFrom):
        name = next((name for name, alias in statement.names if alias == node.id), node.id)
        return ir.Name(node.span, name)
    if isinstance(statement, ir.Assign) and isinstance(statement.value, (ir.Name, ir.Attr, ir.Index, ir.Binary)):
        return statement.value
    return node


def annotated_kind(node: ir.Expr | None, module: ModuleFile | None = None) -> str | None:
    """`int`, `bool`, `tensor`... as far as an annotation tells, in a file that may have other names for these."""
    text = spelled(_meant(node, module))
    if _ONE.match(text):
        return "tensor"
    if text in ("torch.LongTensor", "LongTensor", "torch.IntTensor", "torch.BoolTensor"):
        return "int tensor"
    if text in ("bool", "int", "float", "str"):
        return text
    return "other" if text and not _TENSOR.search(text) else None
