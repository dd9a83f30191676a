"""Findings that hold only where gradients are taken, by what the code around them says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from inplace_lint.findings.finding import Finding
from inplace_lint.findings.rule import Rule
from inplace_lint.interpret.analysis.refuted import ABOUT_RECORDING
from inplace_lint.interpret.state.facts import facts
from inplace_lint.interpret.state.naming import names_evaluation
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.spelling import called_name, last_word
from inplace_lint.source.walk import last_row, nodes
from inplace_lint.torch_model.tensor import Assumption

ASKS_FOR_GRADIENTS = silent(
    "asks-for-gradients",
    "a function that asks whether gradients are recorded knows what it does, and is but informed",
    """
    import torch


    def halved(x):
        y = torch.sigmoid(x)
        if x.requires_grad:
            return y / 2
        return y.div_(2)
    """,
)

# How flags are called that are true in training.
_TRAINING = frozenset({"training", "is_training", "is_train"})
_IN_EVALUATION = Assumption("gradients", "are taken in evaluation")


def conditioned(findings: list[tuple[Rule, Finding]], module: ModuleFile, text: str) -> list[tuple[Rule, Finding]]:
    """Findings as they are, but for two kinds.

    Of functions that ask for gradients, what rests on assumptions informs only. What is written in evaluation only
    raises for those who take gradients there: for attributions, or attacks.
    """
    asks = ASKS_FOR_GRADIENTS.on and ("is_grad_enabled" in text or "requires_grad" in text)
    asking = rows_that_ask(module.code) if asks and any(found.assumed for _, found in findings) else []
    recording = list(_rows_while_recording(module.code)) if asking else []
    told_apart = any(found.severity == "error" for _, found in findings)
    evaluating = list(_rows_in_evaluation(module.code)) if told_apart else []

    def told(rule: Rule, found: Finding) -> Finding:
        sites = [found.site, *(each.site for each in found.related)]
        here = [site.span.row for site in sites if site.path == module.path]
        if found.assumed and _are_within(here, asking) and not _are_within(here, recording):
            because = f"[{ASKS_FOR_GRADIENTS.name}] {ASKS_FOR_GRADIENTS.says}"
            return replace(found, severity="info", because=because)
        records = rule.code.startswith(ABOUT_RECORDING) and found.site.path == module.path
        if found.severity == "error" and records and _are_within(here[:1], evaluating):
            return replace(found, severity="warning", assumes=(*found.assumes, _IN_EVALUATION))
        return found

    return [(rule, told(rule, found)) for rule, found in findings]


def _are_within(here: list[int], rows: list[tuple[int, int]]) -> bool:
    return any(first <= row <= last for first, last in rows for row in here)


def _rows_in_evaluation(module: ir.Module) -> Iterator[tuple[int, int]]:
    """The first and the last row of each branch that is taken only when a flag says that nobody trains."""
    for node in nodes(module.body):
        if isinstance(node, ir.If):
            denied = isinstance(node.test, ir.Unary) and node.test.op == "not"
            test = node.test.value if isinstance(node.test, ir.Unary) and denied else node.test
            flag = last_word(test) if isinstance(test, (ir.Name, ir.Attr)) else ""
            branch = node.body if denied == (flag in _TRAINING) else node.orelse
            if branch and (flag in _TRAINING or names_evaluation(flag)):
                yield branch[0].span.row, last_row(branch[-1])
        elif isinstance(node, ir.Function):
            yield from _rows_of_what_training_replaces(node)


def _rows_of_what_training_replaces(function: ir.Function) -> Iterator[tuple[int, int]]:
    """Where a function writes, in its last statements, what it has given another value to in training."""
    replaced: set[str] = set()
    for statement in function.body:
        if isinstance(statement, ir.If) and last_word(statement.test) in _TRAINING and not statement.orelse:
            given = (target for node in nodes(statement.body) if isinstance(node, ir.Assign) for target in node.targets)
            replaced.update(target.id for target in given if isinstance(target, ir.Name))
        elif replaced:
            rows = range(statement.span.row, last_row(statement) + 1)
            yield from ((row, row) for name, row in facts(function).written if name in replaced and row in rows)
            if isinstance(statement, ir.Assign):
                replaced -= {target.id for target in statement.targets if isinstance(target, ir.Name)}


def _rows_while_recording(module: ir.Module) -> Iterator[tuple[int, int]]:
    """The rows of each branch that is taken only where gradients are recorded: it is no way around them."""
    for node in nodes(module.body):
        if (
            isinstance(node, ir.If)
            and node.body
            and not node.orelse
            and any(map(_is_grad_enabled, _conjuncts(node.test)))
        ):
            yield node.body[0].span.row, last_row(node.body[-1])


def _conjuncts(test: ir.Expr) -> Iterator[ir.Expr]:
    if isinstance(test, ir.BoolOp) and test.op == "and":
        yield from (*_conjuncts(test.left), *_conjuncts(test.right))
    else:
        yield test


def _is_grad_enabled(node: object) -> bool:
    return isinstance(node, ir.Call) and called_name(node) == "is_grad_enabled"


def rows_that_ask(module: ir.Module) -> list[tuple[int, int]]:
    """The first and the last row of each function that asks for gradients."""
    functions = (node for node in nodes(module.body) if isinstance(node, ir.FunctionDef))
    return [(node.span.row, last_row(node)) for node in functions if _asks_for_gradients(node.function)]


def _asks_for_gradients(function: ir.Function) -> bool:
    """Whether a function finds out by itself if gradients are recorded, and so need not be told."""
    return any(_is_grad_enabled(node) or any(map(_asks, _tests(node))) for node in nodes(function.body, inner=False))


def _tests(node: ir.Node) -> tuple[object, ...]:
    if isinstance(node, (ir.If, ir.IfExp, ir.While)):
        return (node.test,)
    if isinstance(node, ir.BoolOp):
        return (node.right,) if isinstance(node.left, ir.BoolOp) else (node.left, node.right)
    if isinstance(node, ir.Unary) and node.op == "not":
        return (node.value,)
    return node.args if isinstance(node, ir.Call) and called_name(node) in ("any", "all") else ()


def _asks(test: object) -> bool:
    return any(isinstance(node, ir.Attr) and node.name == "requires_grad" for node in nodes(test))
