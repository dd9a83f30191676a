"""The in-place changes that `mutants.py` makes to a file, each a way in which people save memory or a copy."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

# Of these, tensors have a method with an underscore that computes the same in place.
_METHODS = set(
    "abs acos add addcdiv addcmul asin atan ceil clamp clamp_max clamp_min clip cos cumprod cumsum div erf exp expm1 "
    "fmod index_add index_copy index_fill index_put lerp log log10 log1p log2 logical_not masked_fill masked_scatter "
    "mul nan_to_num neg pow reciprocal relu remainder round rsqrt scatter scatter_add sigmoid sign sin sinh sqrt "
    "square sub tan tanh tril triu trunc".split()
)
_WITH_KEYWORD = set(
    "alpha_dropout celu dropout dropout2d elu hardsigmoid hardswish hardtanh leaky_relu mish relu relu6 rrelu selu "
    "silu threshold".split()
)
_LAYERS = set(
    "AlphaDropout CELU Dropout Dropout1d Dropout2d ELU Hardsigmoid Hardswish Hardtanh LeakyReLU Mish ReLU ReLU6 RReLU "
    "SELU SiLU Threshold".split()
)
# What these give has, or may have, the memory of what they are given: nobody copies it back.
_VIEWS = set(
    "contiguous default expand expand_as flatten permute rearrange repeat reshape squeeze t to transpose type_as "
    "unflatten unsqueeze view view_as".split()
)
_BINARY = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_", ast.Pow: "pow_"}
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
_TURNED = (ast.Add, ast.Mult)

Range = tuple[int, int]


@dataclass(frozen=True)
class Mutation:
    """One change of a file: the bytes from `start` to `end` become `new`."""

    kind: str
    function: str
    line: int
    start: int
    end: int
    new: str
    operand: Range  # of the expression that is written in place, of the layer that will write, or of the call that goes

    def apply(self, text: bytes) -> bytes:
        """The changed file, with every line where it was."""
        old, new = text[self.start : self.end], self.new.encode()
        lost = old.count(b"\n") - new.count(b"\n")
        if lost:
            assert lost > 0
            assert new.endswith(b")")
            new = new[:-1] + b"\n" * lost + b")"
        return text[: self.start] + new + text[self.end :]


def mutations(text: bytes) -> list[Mutation]:
    """All changes of a file."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return []
    return list(_Finder(text).all_of(tree))


class _Finder:
    def __init__(self, text: bytes) -> None:
        self.text = text
        self.starts = [0]
        for line in text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def all_of(self, tree: ast.AST, function: str = "") -> Iterator[Mutation]:
        for node in ast.iter_child_nodes(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from self.all_of(node, f"{function}.{node.name}".strip("."))
                continue
            for made in self._of(node):
                yield replace(made, function=function)
            yield from self.all_of(node, function)

    def _of(self, node: ast.AST) -> Iterator[Mutation]:
        match node:
            case ast.BinOp(op=op) if type(op) in _BINARY:
                yield from self._of_binary(node)
            case ast.UnaryOp(op=ast.USub(), operand=operand) if not isinstance(operand, ast.Constant):
                yield self._made("unary-neg", node, f"({self._source(operand)}).neg_()", operand)
            case ast.Call():
                yield from self._of_call(node)
            case ast.Assign(targets=[target], value=value):
                yield from self._of_assignment(node, target, value)
            case ast.With(items=[ast.withitem(context_expr=ast.Call() as call, optional_vars=None)]):
                if ast.unparse(call) == "torch.no_grad()":
                    yield self._made("drop-no-grad", call, "torch.enable_grad()", call)

    def _of_binary(self, node: ast.BinOp) -> Iterator[Mutation]:
        left, right = self._source(node.left), self._source(node.right)
        method = _BINARY[type(node.op)]
        if not isinstance(node.left, ast.Constant):
            yield self._made("binop-method", node, f"({left}).{method}({right})", node.left)
        if isinstance(node.op, _TURNED) and not isinstance(node.right, ast.Constant):
            yield self._made("binop-right", node, f"({right}).{method}({left})", node.right)

    def _of_assignment(self, node: ast.Assign, target: ast.expr, value: ast.expr) -> Iterator[Mutation]:
        name = ast.unparse(target)
        if isinstance(value, ast.BinOp) and type(value.op) in _SIGNS:
            sign = _SIGNS[type(value.op)]
            if ast.unparse(value.left) == name:
                new = f"{self._source(target)} {sign}= ({self._source(value.right)})"
                yield self._made("aug-assign", node, new, value.left)
            elif isinstance(value.op, _TURNED) and ast.unparse(value.right) == name:
                new = f"{self._source(target)} {sign}= ({self._source(value.left)})"
                yield self._made("aug-assign", node, new, value.right)
        elif isinstance(target, ast.Name) and isinstance(value, ast.Call) and not self._gives_view(value):
            read = [each for each in ast.walk(value) if isinstance(each, ast.Name) and each.id == target.id]
            if read:
                new = f"{target.id}.copy_({self._source(value)})"
                yield self._made("copy-into", node, new, read[0])

    @staticmethod
    def _gives_view(call: ast.Call) -> bool:
        return ast.unparse(call.func).rpartition(".")[-1] in _VIEWS

    def _of_call(self, node: ast.Call) -> Iterator[Mutation]:
        name = ast.unparse(node.func) if isinstance(node.func, ast.Attribute | ast.Name) else ""
        module, _, last = name.rpartition(".")
        has_inplace = any(keyword.arg == "inplace" for keyword in node.keywords)
        if module in ("F", "nn.functional", "torch.nn.functional") and last in _WITH_KEYWORD and node.args:
            if not has_inplace:
                yield self._made("F-inplace", node, self._with_keyword(node), node.args[0])
        elif module in ("nn", "torch.nn") and last in _LAYERS and not has_inplace:
            yield self._made("layer-inplace", node, self._with_keyword(node), node)
        elif module == "torch" and last in _METHODS and node.args and not isinstance(node.args[0], ast.Starred):
            rest = ", ".join([*map(self._source, node.args[1:]), *map(self._source, node.keywords)])
            new = f"({self._source(node.args[0])}).{last}_({rest})"
            yield self._made("torch-to-method", node, new, node.args[0])
        elif isinstance(node.func, ast.Attribute) and module != "torch":
            yield from self._of_method(node, node.func)

    def _of_method(self, node: ast.Call, called: ast.Attribute) -> Iterator[Mutation]:
        value = self._source(called.value)
        arguments = self.text[self._range(called)[1] : self._range(node)[1]].decode()
        if called.attr in _METHODS:
            yield self._made("method", node, f"({value}).{called.attr}_{arguments}", called.value)
        elif called.attr == "clone" and not node.args:
            yield self._made("drop-clone", node, f"({value})", called.value)
        elif called.attr == "detach":
            yield self._made("drop-detach", node, f"({value})", called.value)

    def _with_keyword(self, node: ast.Call) -> str:
        inside = self._source(node)[:-1].rstrip().removesuffix(",")
        return f"{inside}{', ' if node.args or node.keywords else ''}inplace=True)"

    def _made(self, kind: str, node: ast.expr | ast.stmt, new: str, operand: ast.expr) -> Mutation:
        start, end = self._range(node)
        return Mutation(kind, "", node.lineno, start, end, new, self._range(operand))

    def _source(self, node: ast.expr | ast.keyword) -> str:
        start, end = self._range(node)
        return self.text[start:end].decode()

    def _range(self, node: ast.expr | ast.stmt | ast.keyword) -> Range:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.starts[node.lineno - 1] + node.col_offset, self.starts[node.end_lineno - 1] + node.end_col_offset


class Watched(ast.NodeTransformer):
    """Tells `_watched(place, value)` the value of each expression that a mutation writes in place."""

    def __init__(self, text: bytes, operands: set[Range]) -> None:
        self._finder = _Finder(text)
        self._operands = operands

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, or the call that tells of it."""
        if not isinstance(node, ast.expr) or not hasattr(node, "end_lineno"):
            return self.generic_visit(node)
        place = self._finder._range(node)
        self.generic_visit(node)
        if place not in self._operands or isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            return node
        self._operands.discard(place)
        function = ast.Name("_watched", ast.Load())
        called = ast.Call(function, [ast.Constant(place[0]), ast.Constant(place[1]), node], [])
        return ast.copy_location(called, node)
