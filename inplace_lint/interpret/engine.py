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
from inplace_lint.interpret.state.values import Arguments, Builtin, Cell, Function, Instance, List, Native, Value
from inplace_lint.interpret.torch import modules
from inplace_lint.source import ir


class Interpreter(Run):
    """A run whose parts reach each other. It adds no state; what each method does, the function says that it calls."""

    __slots__ = ()

    def evaluate(self, node: ir.Expr) -> Cell:
        return evaluate.evaluate(self, node)

    def value_of(self, node: ir.Expr) -> Value:
        return evaluate.value_of(self, node)

    def execute(self, statement: ir.Stmt) -> None:
        statements.execute(self, statement)

    def execute_block(self, body: tuple[ir.Stmt, ...]) -> None:
        statements.execute_block(self, body)

    def call(self, function: Cell, arguments: Arguments, node: ir.Node) -> Cell:
        return calls.call(self, function, arguments, node)

    def call_function(
        self, function: Function, arguments: Arguments, node: ir.Node, receiver: Cell | None = None
    ) -> Cell:
        return calls.call_function(self, function, arguments, node, receiver)

    def call_method(self, method: Builtin, arguments: Arguments, node: ir.Node) -> Cell:
        return methods.call_method(self, method, arguments, node)

    def has_method(self, instance: Instance, name: str) -> bool:
        return methods.has_method(instance, name)

    def special_method(self, receiver: Cell, name: str, extra: tuple[Cell, ...], node: ir.Node) -> Cell | None:
        return calls.special_method(self, receiver, name, extra, node)

    def call_module(self, cell: Cell, module: Instance, arguments: Arguments, node: ir.Node) -> Cell:
        return modules.forward(self, cell, module, arguments, node)

    def call_library(self, name: str, arguments: Arguments, node: ir.Node) -> Cell:
        return functions.call(self, name, arguments, node)

    def call_builtin(self, name: str, arguments: Arguments, node: ir.Node) -> Cell:
        return builtins.call_builtin(self, name, arguments, node)

    def get_attribute(self, cell: Cell, name: str, node: ir.Node) -> Cell:
        return attributes.get(self, cell, name, node)

    def set_attribute(self, base: Cell, name: str, cell: Cell, node: ir.Node) -> None:
        attributes.set(self, base, name, cell, node)

    def elements(self, cell: Cell, node: ir.Node) -> List:
        return iteration.elements(self, cell, node)

    def enter_manager(self, function: Function, arguments: Arguments, node: ir.Node, receiver: Cell | None) -> Native:
        return contexts.manager(self, function, arguments, node, receiver)

    def in_turn(self, function: Function, arguments: Arguments, node: ir.Node, receiver: Cell | None) -> Native:
        return generators.in_turn(self, function, arguments, node, receiver)
