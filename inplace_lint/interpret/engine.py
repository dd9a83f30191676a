"""The interpreter: the methods by which its parts call one another."""

from __future__ import annotations

from inplace_lint.interpret.library import functions
from inplace_lint.interpret.python import (
    attributes,
    builtins,
    calls,
    contexts,
    evaluate,
    generators,
    iteration,
    methods,
    statements,
)
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Builtin, Function, Instance, List, Native, Ref, Value
from inplace_lint.interpret.torch import modules
from inplace_lint.source import ir


class Interpreter(Run):
    """A run whose parts reach each other. It adds no state; what each method does, the function says that it calls."""

    __slots__ = ()

    def evaluate(self, node: ir.Expr) -> Ref:
        return evaluate.evaluate(self, node)

    def value_of(self, node: ir.Expr) -> Value:
        return evaluate.value_of(self, node)

    def execute(self, statement: ir.Stmt) -> None:
        statements.execute(self, statement)

    def execute_block(self, body: tuple[ir.Stmt, ...]) -> None:
        statements.execute_block(self, body)

    def call(self, function: Ref, arguments: Arguments, node: ir.Node) -> Ref:
        return calls.call(self, function, arguments, node)

    def call_function(
        self, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None = None
    ) -> Ref:
        return calls.call_function(self, function, arguments, node, receiver)

    def call_method(self, method: Builtin, arguments: Arguments, node: ir.Node) -> Ref:
        return methods.call_method(self, method, arguments, node)

    def has_method(self, instance: Instance, name: str) -> bool:
        return methods.has_method(instance, name)

    def special_method(self, receiver: Ref, name: str, extra: tuple[Ref, ...], node: ir.Node) -> Ref | None:
        return calls.special_method(self, receiver, name, extra, node)

    def call_module(self, ref: Ref, module: Instance, arguments: Arguments, node: ir.Node) -> Ref:
        return modules.forward(self, ref, module, arguments, node)

    def call_library(self, name: str, arguments: Arguments, node: ir.Node) -> Ref:
        return functions.call(self, name, arguments, node)

    def call_builtin(self, name: str, arguments: Arguments, node: ir.Node) -> Ref:
        return builtins.call_builtin(self, name, arguments, node)

    def get_attribute(self, ref: Ref, name: str, node: ir.Node) -> Ref:
        return attributes.get(self, ref, name, node)

    def set_attribute(self, base: Ref, name: str, ref: Ref, node: ir.Node) -> None:
        attributes.set(self, base, name, ref, node)

    def elements(self, ref: Ref, node: ir.Node) -> List:
        return iteration.elements(self, ref, node)

    def enter_manager(self, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None) -> Native:
        return contexts.manager(self, function, arguments, node, receiver)

    def in_turn(self, function: Function, arguments: Arguments, node: ir.Node, receiver: Ref | None) -> Native:
        return generators.in_turn(self, function, arguments, node, receiver)
