"""Executes loops: of those that are long, or of unknown length, a few turns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from inplace_lint.interpret.python import counters, generators, iteration
from inplace_lint.interpret.python.moved_rows import note_moved_rows
from inplace_lint.interpret.state.conditions import truth
from inplace_lint.interpret.state.run import USUAL_TURNS, Jumped, Run
from inplace_lint.interpret.state.values import List, Native, Ref, resolve
from inplace_lint.source import ir


def execute_while(run: Run, node: ir.While) -> None:
    """Run a `while` for a few turns; if it counts them, the later ones stand for any that follow."""
    later = run.later
    try:
        _while(run, node)
    finally:
        run.later = later


def _while(run: Run, node: ir.While) -> None:
    for turn in range(_turns(run, node)):
        if turn >= USUAL_TURNS and iteration.is_short_of_steps(run):
            break
        run.torch.statement = run.torch.tick()  # The test stands for itself in each turn.
        if not truth(run, run.evaluate(node.test).value, node.test):
            break
        if turn:
            _go_on(run, node, turn)
        if _body(run, node.body):
            return
    run.execute_block(node.orelse)


def _turns(run: Run, loop: ir.For | ir.While) -> int:
    """How many turns of a loop are followed that has more, or nobody knows how many."""
    return max(run.turns, counters.FOLLOWED) if counters.asked(run, loop) else run.turns


def _go_on(run: Run, loop: ir.For | ir.While, turn: int) -> None:
    """Begin a turn that stands for all that may follow."""
    run.later = True
    counters.go_on(run, loop, turn)


@contextmanager
def _so_often(run: Run, turns: int) -> Iterator[None]:
    before, run.turns = run.turns, turns
    try:
        yield
    finally:
        run.turns = before


def _body(run: Run, body: tuple[ir.Stmt, ...]) -> bool:
    """Run a loop body once; whether it was left by `break`."""
    try:
        run.execute_block(body)
    except Jumped as jump:
        return jump.kind == "break"
    return False


def execute_for(run: Run, node: ir.For) -> None:
    """Run a `for` over what there is of what it iterates over."""
    began = run.torch.clock
    outer, last, later = len(run.shortened), run.last_turn, run.later
    try:
        _looped(run, node)
    finally:
        del run.shortened[outer:]
        run.last_turn, run.later = last, later
    note_moved_rows(run, node, began)


def _looped(run: Run, node: ir.For) -> None:
    numbered = node.iter.args if isinstance(node.iter, ir.Call) and _is_enumerated(node) else ()
    inner = numbered[0].value if len(numbered) == 1 and not numbered[0].star else node.iter
    with _so_often(run, _turns(run, node)):
        source = generators.taken(run, inner)
    generator = resolve(source.value)
    if isinstance(generator, Native) and generator.around is not None:
        _in_turn(run, node, generator.around, inner is not node.iter)
        return
    with _so_often(run, _turns(run, node)):
        if inner is not node.iter:
            source = run.call_builtin("enumerate", run.passing(node.iter, source), node.iter)
        items = display = run.elements(source, node.iter)
    if items.open:
        run.shortened.append(run.torch.clock)
    if items.open and items.items:
        given = items.items[: counters.FOLLOWED] if counters.asked(run, node) else items.items
        items = List("list", given + given[-1:] * (iteration.rotated(node) + 1 - len(given)), True)
    for turn, item in enumerate(iteration.bounded(run, items), start=1):
        run.last_turn = turn == len(items.items)
        if isinstance(node.iter, ir.Sequence):
            item = iteration.unwrapped(item, display)
        iteration.assign(run, node.target, item, in_loop=True)
        if items.open and turn > 1:
            _go_on(run, node, turn)
        if _body(run, node.body):
            return
    run.execute_block(node.orelse)


def _in_turn(run: Run, node: ir.For, around: Callable[[Callable[[Ref], None]], None], numbered: bool) -> None:
    """Run the body of a loop wherever a generator yields."""
    taken: list[Ref] = []
    outer, turns = len(run.shortened), run.turns

    def turn(ref: Ref) -> None:
        item = Ref(List("tuple", [Ref(len(taken)), ref])) if numbered else ref
        taken.append(ref)
        iteration.assign(run, node.target, item, in_loop=True)
        if len(taken) > 1 and len(run.shortened) > outer:
            _go_on(run, node, len(taken))
        with _so_often(run, turns):
            left = _body(run, node.body)
        if left or (len(taken) >= USUAL_TURNS and iteration.is_short_of_steps(run)):
            raise Jumped("break")

    try:
        with _so_often(run, _turns(run, node)):
            around(turn)
        for _ in range(iteration.rotated(node) + 1 - len(taken)) if taken else ():
            turn(taken[-1])
    except Jumped:
        return
    run.execute_block(node.orelse)


def _is_enumerated(node: ir.For) -> bool:
    return isinstance(node.iter, ir.Call) and isinstance(node.iter.func, ir.Name) and node.iter.func.id == "enumerate"
