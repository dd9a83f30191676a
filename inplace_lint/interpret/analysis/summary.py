"""Summaries: what a function does to its tensor arguments, inferred from running it as an entry point.

The words are those of `Effects`, so that a function of the program and an op are described alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from inplace_lint.effort import Effort, unlimited
from inplace_lint.interpret.analysis.entries import Entry
from inplace_lint.interpret.analysis.exploration import Exploration
from inplace_lint.interpret.analysis.following import run_to_end
from inplace_lint.interpret.engine import Interpreter
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.interpret.state.proven import Proven
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Dict, Frame, Instance, List, Ref, Unknown, Value, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import Origin
from inplace_lint.torch_model.events import Trace, Write
from inplace_lint.torch_model.graph import reachable
from inplace_lint.torch_model.machine import Machine
from inplace_lint.torch_model.tensor import Save, Storage, Tensor

MOST_PATHS = 24
MOST_STEPS = 12_000
SCOUTING_RUNS = 4

Source = Literal["detached", "unknown", "nothing"] | Origin
"""An `Origin`, or: memory of an argument without its history, nobody knows, `None`."""

_SPELLED: dict[Source, str] = {
    "alias": "alias of {}",
    "view": "view of {}",
    "views": "one of several views of {}",
    "maybe": "view or copy of {}",
    "detached": "detached view of {}",
    "value": "a value",
}


@dataclass(frozen=True, slots=True, order=True)
class Result:
    """One thing that is returned: where it comes from, or, of a tuple, list or dict, its parts."""

    origin: Source = "value"
    of: str = ""
    parts: tuple[Result, ...] | None = None

    def spelled(self) -> str:
        """In words."""
        if self.parts is None:
            return _SPELLED.get(self.origin, self.origin).format(self.of)
        if len(self.parts) > 1 and len(set(self.parts)) == 1 and self.parts[0].origin == "views":
            return f"several views of {self.parts[0].of}"
        return f"({', '.join(part.spelled() for part in self.parts)})"


@dataclass(frozen=True, slots=True)
class Summary:
    """The effect of a function, all its paths together.

    Args:
        writes: what is written: arguments, and attributes of the object of a method.
        unseen: what is written behind autograd's back (through `.data`).
        returns: what it returns, every different possibility once; none if it always raises.
        saves: what its results need for backward: of what is given to it, and `result`.
        complete: every path was run to its end.
        perhaps: of what it writes, that which is perhaps other memory.
        unrecorded: of what it writes, that which it writes while no gradients are recorded.
        kept: of what its results need, that which is surely this memory, and kept if what is given requires grad.
    """

    writes: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    returns: tuple[Result, ...] = ()
    saves: tuple[str, ...] = ()
    complete: bool = True
    perhaps: tuple[str, ...] = ()
    unrecorded: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()

    def spelled(self) -> str:
        """In words, as the comments of the tests have it."""
        clauses = [f"writes {_listed(self.writes)}"] if self.writes else []
        if self.unseen:
            clauses.append(f"writes {_listed(self.unseen)} unseen")
        clauses.append("returns " + " or ".join(result.spelled() for result in self.returns))
        if not self.returns:
            clauses[-1] = "raises"
        if self.saves:
            clauses.append(f"saves {_listed(self.saves)}")
        return ", ".join(clauses)


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


def summarize(entry: Entry) -> Summary:
    """The effect of the function of an entry point."""
    return joined(*paths_of(entry))


def paths_of(
    entry: Entry,
    prepare: Callable[[Frame], None] | None = None,
    most_paths: int = MOST_PATHS,
    effort: Effort | None = None,
) -> tuple[list[Summary], bool]:
    """The effect of a function on each of its paths, and whether these are all.

    Args:
        prepare: may change the arguments before the function runs.
        most_paths: how many paths are run.
        effort: what that may cost; None for no bound.
    """
    paths: list[Summary] = []
    given: dict[str, Tensor] = {}

    def enter(frame: Frame) -> None:
        if prepare is not None:
            prepare(frame)
        given.clear()
        given.update(given_to(frame))

    complete = every_path(
        entry, lambda run: paths.append(_of_path(run, given)), enter, most_paths=most_paths, effort=effort
    )
    return paths, complete


def joined(paths: Sequence[Summary], complete: bool = True) -> Summary:
    """The effect of several paths together."""
    return Summary(
        _union(path.writes for path in paths),
        _union(path.unseen for path in paths),
        tuple(sorted({result for path in paths for result in path.returns}, key=Result.spelled)),
        _union(path.saves for path in paths),
        complete and all(path.complete for path in paths),
    )


def every_path(
    entry: Entry,
    visit: Callable[[Run], None],
    entering: Callable[[Frame], None] | None = None,
    observe: Callable[[Run, ir.Stmt], None] | None = None,
    most_paths: int = MOST_PATHS,
    effort: Effort | None = None,
) -> bool:
    """Run an entry point on every path, and hand over each run; whether these were all.

    Args:
        entering: called with the frame of the entry point when its arguments are bound.
        observe: called after every statement.
        most_paths: how many paths are run.
        effort: what that may cost; None for no bound.
    """
    work = effort or unlimited()
    tensors: set[Hashable] = set()
    for _ in range(SCOUTING_RUNS):
        before = len(tensors)
        scouting = Oracle(most_steps=MOST_STEPS, effort=work)
        machine = Machine(Trace(entry.name, effort=work))
        run_to_end(entry, Interpreter(machine, scouting, Proven(tensors), entering=entering))
        if len(tensors) == before:
            break

    def one_path(oracle: Oracle) -> None:
        machine = Machine(Trace(entry.name, effort=work))
        run = Interpreter(machine, oracle, Proven(tensors), entering=entering, observe=observe)
        run_to_end(entry, run)
        visit(run)

    exploration = Exploration(MOST_STEPS, MOST_STEPS, work)
    exploration.go_on(most_paths, one_path)
    return exploration.complete and not (exploration.waiting or exploration.others)


def _union(names: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for some in names for name in some}))


def _of_path(run: Run, given: Mapping[str, Tensor]) -> Summary:
    memory: dict[int, str] = {}
    for name, tensor in given.items():
        memory.setdefault(id(tensor.storage), name)
    events = [event for event in run.torch.trace.events if isinstance(event, Write)]
    writes = [event for event in events if not run.was_preparing(event.time)]  # what a constructor writes is no call's
    value = run.returned.value if run.returned is not None else None
    results = {id(tensor.storage): "result" for tensor in _returned(value)}
    saves = list(_saved(run, value))
    everything = {**results, **memory}
    return Summary(
        tuple(_names((write.storage for write in writes if write.counted), memory)),
        tuple(_names((write.storage for write in writes if not write.counted), memory)),
        (_result(value, given),) if run.returned is not None else (),
        tuple(_names((save.storage for save in saves), everything)),
        run.torch.trace.complete,
        _uncertain(writes, memory),
        tuple(_names((write.storage for write in writes if not write.grad_mode), memory)),
        tuple(_names(_sure(saves), everything)),
    )


def _uncertain(writes: Iterable[Write], memory: Mapping[int, str]) -> tuple[str, ...]:
    """What is only written where perhaps other memory is."""
    certain = set(_names((write.storage for write in writes if write.certain), memory))
    return tuple(name for name in _names((write.storage for write in writes), memory) if name not in certain)


def _sure(saves: Iterable[Save]) -> Iterator[Storage]:
    return (save.storage for save in saves if save.certain and save.need)


def given_to(frame: Frame) -> Iterator[tuple[str, Tensor]]:
    """The tensors that are there before the call, by name: arguments, and what the object holds."""
    seen: set[int] = set()
    for name, ref in frame.variables.items():
        yield from _held(ref.value, name, seen)


def _held(value: Value, label: str, seen: set[int]) -> Iterator[tuple[str, Tensor]]:
    value = resolve(value)
    if isinstance(value, Tensor):
        yield label, value
    elif isinstance(value, Instance) and id(value) not in seen:
        seen.add(id(value))
        for name, ref in value.attributes.items():
            yield from _held(ref.value, f"{label}.{name}", seen)
        yield from _held(value.children, label, seen)
    elif isinstance(value, List):
        for index, ref in enumerate(value.items):
            yield from _held(ref.value, f"{label}.{index}", seen)


def _names(storages: Iterable[Storage], names: Mapping[int, str]) -> Iterator[str]:
    for storage in storages:
        if id(storage) in names:
            yield names[id(storage)]


def _result(value: Value, given: Mapping[str, Tensor]) -> Result:
    value = resolve(value)
    if value is None:
        return Result("nothing")
    if isinstance(value, Tensor):
        return _tensor_result(value, given)
    if isinstance(value, (List, Dict)):
        return Result(parts=tuple(_result(ref.value, given) for ref in _refs(value)))
    return Result("unknown" if isinstance(value, Unknown) and not value.not_tensor else "value")


def _tensor_result(value: Tensor, given: Mapping[str, Tensor]) -> Result:
    for name, tensor in given.items():
        if value is tensor:
            return Result("alias", name)
    for name, tensor in given.items():
        if value.storage is tensor.storage:
            if not value.certain:
                return Result("maybe", name)
            if value.view == "base":
                return Result("detached", name)
            return Result("views" if value.view == "multi" else "view", name)
    return Result("fresh")


def _refs(value: List | Dict) -> Iterable[Ref]:
    return value.items if isinstance(value, List) else value.items.values()


def _returned(value: Value) -> Iterator[Tensor]:
    value = resolve(value)
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (List, Dict)):
        for ref in _refs(value):
            yield from _returned(ref.value)


def _saved(run: Run, value: Value) -> Iterator[Save]:
    """What the graph of the results has kept."""
    for tensor in _returned(value):
        if tensor.made_site is not None:
            for node in reachable(run.torch.edges([tensor], tensor.made_site)):
                yield from node.saves
