"""Which paths of an entry point are run: first those that lead to where a write may be and no path has been."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from inplace_lint.effort import Effort, OutOfEffort, unlimited
from inplace_lint.interpret.state.branches import Branch, binds_one_of, gives_directly, gives_one_of, may_write
from inplace_lint.interpret.state.oracle import Oracle
from inplace_lint.source import ir

# So many paths are run of each entry point once a third of the effort is spent.
_PATHS_WHEN_LOW = 3
# An entry point gets so many times its steps for paths that lead where writes are and no path has been.
_MORE_FOR_WRITES = 4


@dataclass(frozen=True, slots=True)
class _Fork:
    """A path that parts from one that was run: as that one up to a choice, then another alternative.

    Args:
        choices: those of the path that was run; all its forks share them.
        index: the choice.
        other: the alternative.
        branches: those that it enters.
        places: the statement that asks, if it asks for an option, and that of the constructor which it asks for.
        only: all other choices stay as they were.
        pressing: it gives an option by which a function that writes is chosen.
    """

    choices: Sequence[int]
    index: int
    other: int
    branches: tuple[Branch, ...]
    places: tuple[object, ...] = ()
    only: bool = False
    pressing: bool = False

    def prefix(self) -> tuple[int, ...]:
        """The choices that lead there."""
        if self.index == 0 and not self.other and not self.only:
            return ()
        return (*self.choices[: self.index], self.other, *(self.choices[self.index + 1 :] if self.only else ()))


_START = _Fork((), 0, 0, ())


@dataclass(slots=True)
class Exploration:
    """The paths of one entry point: those that were run, and those that wait.

    Args:
        most_steps: after how many steps no other path is begun.
        most_of_path: how many steps one path may take.
        effort: what the file may still cost.
        complete: no path was cut short.
        short: the paths run loops over numbers for a few turns only.
        entered: the branches behind unknown tests that some path has entered.
        leads: whether a branch leads to where paths should go.
        known: what `leads` has said.
        waiting: the paths to run.
        others: the low-priority queue: paths whose last choice was made in a synthesised constructor, or in a middle
            turn of a loop.
        options: those on which an option is given. They run only if that leads to where paths should go.
        wanted: the attributes that another synthesised object should have.
        decisive: the variables that should have other values.
        home: the function of the entry point.
        alone: it is run without what is around it.
    """

    most_steps: int
    most_of_path: int
    effort: Effort = field(default_factory=unlimited)
    paths: int = 0
    steps: int = 0
    complete: bool = True
    short: bool = False
    entered: set[Branch] = field(default_factory=set)
    leads: Callable[[Branch], bool] = may_write
    known: dict[Branch, bool] = field(default_factory=dict)
    waiting: deque[_Fork] = field(default_factory=lambda: deque([_START]))
    others: deque[_Fork] = field(default_factory=deque)
    options: deque[_Fork] = field(default_factory=deque)
    wanted: set[str] = field(default_factory=set)
    decisive: set[str] = field(default_factory=set)
    home: ir.Function | None = None
    alone: bool = False

    @property
    def is_done(self) -> bool:
        """Whether no path waits, or no step is left."""
        if self.effort.exhausted and self.paths > 0:
            return True
        if self.effort.is_running_low and self.paths >= _PATHS_WHEN_LOW:
            return True
        if self.steps < self.most_steps and (self.waiting or self.others):
            return False
        if self.steps >= _MORE_FOR_WRITES * self.most_steps or (self.paths > 0 and self.effort.is_running_low):
            return True
        return not any(
            self._leads_on(fork, near=self.steps >= self.most_steps) for queue in self._queues() for fork in queue
        )

    def _queues(self) -> tuple[deque[_Fork], ...]:
        return self.waiting, self.others, self.options

    def _leads_on(self, fork: _Fork, near: bool = False) -> bool:
        """Whether a path leads to where paths should go, and none has been; `near`: in the entry point itself."""
        return (
            fork.pressing
            or any(gives_directly(place, self.wanted) for place in fork.places)
            or any(
                branch not in self.entered
                and (
                    self._leads(branch, near)
                    or gives_one_of(branch, self.wanted)
                    or binds_one_of(branch, self.decisive)
                )
                for branch in fork.branches
            )
        )

    def _leads(self, branch: Branch, near: bool) -> bool:
        if near and branch.function is not self.home:
            return False
        known = self.known.get(branch)
        if known is None:
            known = self.known[branch] = self.leads(branch)
        return known

    def aim(self, leads: Callable[[Branch], bool]) -> None:
        """Send paths elsewhere from now on."""
        self.leads, self.known = leads, {}

    @property
    def enough(self) -> int:
        """So many steps are enough for one path, if others wait."""
        return self.most_steps // 3

    def shorten(self) -> None:
        """Begin anew with short loops, if one path has used up a third of the steps."""
        if self.steps >= self.enough and not self.short and (self.waiting or self.others):
            self.begin_short()

    def begin_short(self) -> None:
        """Begin anew with short loops."""
        self.short, self.steps, self.paths, self.complete = True, 0, 0, False
        self.waiting, self.others, self.options = deque([_START]), deque(), deque()

    def go_on(self, most_paths: int, run: Callable[[Oracle], None]) -> None:
        """Run the paths that wait until, with those before, there were `most_paths`.

        Args:
            run: runs the entry point on the path that an oracle gives.
        """
        while not self.is_done and self.paths < most_paths:
            self._follow(self._next(), run)

    def go_towards(self, leads: Callable[[Branch], bool], most_paths: int, run: Callable[[Oracle], None]) -> None:
        """Run up to so many of the paths that wait, while one leads somewhere; they count for nothing else.

        Args:
            leads: whether a branch does.
            run: runs the entry point on the path that an oracle gives.
        """
        self.aim(leads)
        paths, steps = self.paths, self.steps
        for _ in range(most_paths):
            prefix = self._leading(near=False)
            if prefix is None or self.effort.exhausted or self.steps >= _MORE_FOR_WRITES * self.most_steps:
                break
            self._follow(prefix, run)
        self.paths, self.steps = paths, steps

    def go_on_pressing(self, most_paths: int, run: Callable[[Oracle], None]) -> None:
        """Run those of the paths that wait on which an option is pressing, until there were `most_paths`.

        Args:
            run: runs the entry point on the path that an oracle gives.
        """
        most_steps = _MORE_FOR_WRITES * self.most_steps
        while self.paths < most_paths and self.steps < most_steps and not self.effort.is_running_low:
            fork = next((each for each in self.options if each.pressing), None)
            if fork is None:
                return
            self.options.remove(fork)
            self._follow(fork.prefix(), run)

    def _follow(self, prefix: tuple[int, ...], run: Callable[[Oracle], None]) -> None:
        oracle = self._oracle(prefix)
        try:
            run(oracle)
        except OutOfEffort:
            self.complete = False
        self.paths, self.steps = self.paths + 1, self.steps + oracle.steps
        self._note_others(oracle, len(prefix))
        if oracle.turns and not self.effort.exhausted:
            self._run_alike(oracle, run)

    def _oracle(self, prefix: tuple[int, ...], alike: bool = False) -> Oracle:
        most, effort = self.most_of_path, self.effort
        return Oracle(prefix, most_steps=most, short=self.short, effort=effort, alike=alike, alone=self.alone)

    def _run_alike(self, oracle: Oracle, run: Callable[[Oracle], None]) -> None:
        """Take a path once more, and suppose that what need not copy does not."""
        choices = tuple([choice for choice, _ in oracle.taken])
        twin = self._oracle(choices, alike=True)
        try:
            run(twin)
        except OutOfEffort:
            self.complete = False
        self.steps += twin.steps

    def _next(self) -> tuple[int, ...]:
        for near in (True, False):
            if (prefix := self._leading(near)) is not None:
                return prefix
        return (self.waiting or self.others).popleft().prefix()

    def _leading(self, near: bool) -> tuple[int, ...] | None:
        """The choices of a path that leads to where paths should go, which waits no longer; None if none does."""
        for queue in self._queues():
            for index, fork in enumerate(queue):
                if self._leads_on(fork, near):
                    del queue[index]
                    return fork.prefix()
        return None

    def _note_others(self, oracle: Oracle, begin: int) -> None:
        """Note the paths that part from one that was run, from its choice `begin` on."""
        self.entered |= oracle.entered
        self.wanted |= oracle.wanted
        self.decisive |= oracle.decisive
        choices = [choice for choice, _ in oracle.taken]
        telling = _telling(oracle)
        passed: dict[int, dict[Branch, None]] = {}
        for decider, branch in oracle.passed:
            passed.setdefault(decider, {})[branch] = None
        for index, noted in passed.items():
            # The path that it parted from has this choice, too, but leads elsewhere by those that come later.
            fork = _Fork(choices, index, 0 if choices[index] else 1, tuple(noted), only=True)
            if index < begin and self._leads_on(fork):
                self.others.append(fork)
        settings: list[_Fork] = []
        for index in range(begin, len(choices)):
            queue = self.options if index in oracle.options else self.waiting if index in telling else self.others
            branches = tuple(passed.get(index, ()))
            places: tuple[object, ...] = ()
            if index in oracle.options:
                places = (oracle.places[index], oracle.givers[index])
            presses = index in oracle.pressing
            others = range(1, oracle.taken[index][1])
            forks = [_Fork(choices, index, other, branches, places, pressing=presses) for other in others]
            if index in oracle.settings and queue is self.waiting:
                settings += forks
            else:
                queue.extend(forks)
        self.waiting.extendleft(reversed(settings))


def _telling(oracle: Oracle) -> set[int]:
    """The choices that tell paths apart best: at each statement the first one, and the last."""
    foreign = oracle.prepared | oracle.options
    own = [index for index in range(len(oracle.taken)) if index not in foreign]
    last = {oracle.places[index]: index for index in own}
    first = {oracle.places[index]: index for index in reversed(own)}
    return {*first.values(), *last.values()}
