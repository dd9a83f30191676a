"""Path exploration: a path is the list of choices made at unknown conditions, and is replayed from it.

The interpreter runs straight on with plain mutable state. Where a condition is unknown it asks
the oracle. Other paths are explored by running the entry point again with another list of
choices: those first that lead to where something may be written and no path has been yet; then
those that differ least from the first path.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from inplace_lint.effort import STEP, Effort, OutOfEffort, unlimited
from inplace_lint.interpret.state.branches import Branch, gives_directly, gives_one_of, may_write
from inplace_lint.interpret.state.keys import IsInstance, Key
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Storage

# So many steps in the stub of a library, or in the making of an object to run a method on, count as one.
_STEPS_ELSEWHERE = 4
# So many paths are run of each entry point once a third of the effort is spent.
_PATHS_WHEN_LOW = 3
# An entry point gets so many times its steps for paths that lead where writes are and no path has been.
_MORE_FOR_WRITES = 4


# So many more choices in a loop make far more paths than are followed.
_MOST_CHOICES = 8
# So many steps are taken to make up an object; what it has not got by then is unknown.
_MOST_PREPARATIONS = 8_000


class OutOfSteps(OutOfEffort):
    """A path has used up its steps."""


class Unprepared(Exception):
    """Making up an object has used up its steps."""


@dataclass(slots=True)
class Oracle:
    """Answers for one path: those of `prefix` first, then the first alternative.

    Args:
        preparing: the object that a method is run on is being made up.
        prepared: which choices were made for that.
        place: the statement that is executed.
        places: where each choice was made.
        giving: the assignment of the constructor that is being run, and how deep it stands, while an object is made up.
        givers: that, for each choice.
        kinds: by what identifies a value, the classes of which it is an instance on this path.
        asked: how often it was asked what nobody knows.
        decider: which choice answered what was asked last; None if nothing was since a test began.
        entered: the branches behind unknown tests that were entered.
        passed: those that were not, each with the choice that would lead there.
        options: the choices whether an option has its default.
        pressing: those of them by which a function that writes would be chosen.
        wanted: the attributes that the synthesised object lacks and was asked for, or that keep the path from a write.
        through: by memory, the attributes of that object which were called with it, or have given it.
        silent: it gives the first alternative, and remembers nothing: whatever is asked makes no paths.
        short: loops over numbers are run for a few turns only.
        shortens: there is one that would take more.
        spares: how much of the effort such a path leaves to shorter ones.
        enough: so many steps such a path may take, if others wait.
        effort: what the file may still cost.
        alike: ops of which it is open whether they copy do not.
        turns: whether something depends on that.
        alone: calls are followed only so far, and no argument has its default.
    """

    prefix: tuple[int, ...] = ()
    preparing: bool = False
    prepared: set[int] = field(default_factory=set)
    place: object = None
    places: list[object] = field(default_factory=list)
    giving: tuple[ir.Assign, int] | None = None
    givers: list[object] = field(default_factory=list)
    taken: list[tuple[int, int]] = field(default_factory=list)
    remembered: dict[Hashable, tuple[bool, int]] = field(default_factory=dict)
    kinds: dict[object, set[object]] = field(default_factory=dict)
    asked: int = 0
    decider: int | None = None
    entered: set[Branch] = field(default_factory=set)
    passed: list[tuple[int, Branch]] = field(default_factory=list)
    options: set[int] = field(default_factory=set)
    pressing: set[int] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    through: dict[Storage, set[str]] = field(default_factory=dict)
    silent: bool = False
    steps: int = 0
    preparations: int = 0
    most_steps: int = 20_000
    short: bool = False
    shortens: bool = False
    spares: int = 0
    enough: int = 0
    effort: Effort = field(default_factory=unlimited)
    alike: bool = False
    turns: bool = False
    alone: bool = False

    def choose(self, alternatives: int) -> int:
        """One of `alternatives`, numbered from 0.

        What turned out to be a tensor since the prefix was noted can lead another way, to fewer alternatives.
        """
        self.asked += 1
        if self.silent:
            return 0
        index = len(self.taken)
        choice = self.prefix[index] if index < len(self.prefix) else 0
        choice = choice if choice < alternatives else 0
        self.taken.append((choice, alternatives))
        self.places.append(self.place)
        self.givers.append(self.giving[0] if self.preparing and self.giving is not None else None)
        if self.preparing:
            self.prepared.add(index)
        return choice

    def truth(self, key: Hashable, likely: bool = True) -> bool:
        """Whether an unknown condition holds; the same answer for the same key."""
        if self.silent and key not in self.remembered:
            self.asked += 1
            return likely
        if key not in self.remembered:
            index = len(self.taken)
            self.remembered[key] = (likely if self.choose(2) == 0 else not likely), index
            made = key.made if isinstance(key, Key) else None
            if isinstance(made, IsInstance) and self.remembered[key][0]:
                self.kinds.setdefault(made.of, set()).add(made.classes)
        answer, self.decider = self.remembered[key]
        return answer

    def option(self, key: Hashable, usual: bool) -> bool:
        """What a test of an option gives: what it usually gives, but for paths that go where that does not lead."""
        if self.silent and key not in self.remembered:
            self.asked += 1
            return usual
        if key not in self.remembered:
            self.options.add(len(self.taken))
        return self.truth(key, usual)

    def press(self, key: Hashable) -> None:
        """The other answer about an option is worth a path."""
        if key in self.remembered:
            self.pressing.add(self.remembered[key][1])

    def answer_alike(self, key: Hashable, other: Hashable) -> None:
        """Answer to one key what another one was answered to."""
        if other in self.remembered:
            self.remembered.setdefault(key, self.remembered[other])

    @property
    def chosen_at(self) -> frozenset[object]:
        """The statements where the path rests on choices; that options have their defaults is none."""
        chosen = (at for at, (choice, _) in enumerate(self.taken) if choice or at not in self.options)
        return frozenset(self.places[at] for at in chosen)

    def note_assignment(self, statement: ir.Assign, depth: int) -> None:
        """Note that a constructor comes to an assignment: what is chosen until the next one, it gives the object."""
        if not isinstance(statement.targets[0], ir.Attr):
            return
        if self.giving is None or depth <= self.giving[1]:
            self.giving = statement, depth

    def begin_test(self) -> None:
        """Forget which choice decided the last test."""
        self.decider = None

    def enter(self, branch: Branch, decider: int) -> None:
        """Note where a test has led that a choice decided."""
        self.entered.add(branch)
        self.passed.append((decider, branch.other))

    def anew(self) -> Oracle:
        """One that answers as this one has, for the same path."""
        choices = tuple([choice for choice, _ in self.taken])
        most, effort = self.most_steps, self.effort
        return Oracle(choices, most_steps=most, short=self.short, effort=effort, alike=self.alike, alone=self.alone)

    def repeat(self, other: Oracle) -> None:
        """Take over what another oracle has noted on the same path."""
        self.taken, self.steps = other.taken, other.steps
        self.prepared, self.places, self.givers = other.prepared, other.places, other.givers
        self.entered, self.passed, self.shortens = other.entered, other.passed, other.shortens
        self.options, self.pressing, self.wanted = other.options, other.pressing, other.wanted

    def step(self) -> None:
        """Count a step. Raises OutOfSteps at the bound of the path, OutOfEffort at that of the file, Unprepared."""
        self.effort.spend(STEP)
        if self.preparing:
            self.preparations += 1
            if self.preparations > _MOST_PREPARATIONS:
                raise Unprepared
            if self.preparations % _STEPS_ELSEWHERE:  # they are not the path's own
                return
        self.steps += 1
        if self.steps > self.most_steps or (self.shortens and self.effort.left < self.spares):
            raise OutOfSteps

    def expect(self, steps: int, choices: int) -> None:
        """Give a path up that would take so many more steps, or choices, where a shorter one would do.

        Raises OutOfSteps.
        """
        too_many = self.steps + steps >= self.enough or choices > _MOST_CHOICES
        if self.shortens and self.spares and too_many:
            raise OutOfSteps

    def discount(self, steps: int, preparations: int | None = None) -> None:
        """Count what came after so many steps as few: in a stub, or at the top of a file, it tells little of a path.

        Args:
            preparations: so many of them there were before; None if they count.
        """
        self.steps = steps + (self.steps - steps) // _STEPS_ELSEWHERE
        if preparations is not None:
            self.preparations = preparations + (self.preparations - preparations) // _STEPS_ELSEWHERE


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
                branch not in self.entered and (self._leads(branch, near) or gives_one_of(branch, self.wanted))
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
        while self.paths < most_paths and not self.effort.is_running_low:
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
        for index in range(begin, len(choices)):
            queue = self.options if index in oracle.options else self.waiting if index in telling else self.others
            branches = tuple(passed.get(index, ()))
            places = (oracle.places[index], oracle.givers[index]) if index in oracle.options else ()
            presses = index in oracle.pressing
            others = range(1, oracle.taken[index][1])
            queue.extend(_Fork(choices, index, other, branches, places, pressing=presses) for other in others)


def _telling(oracle: Oracle) -> set[int]:
    """The choices that tell paths apart best: at each statement the first one, and the last."""
    foreign = oracle.prepared | oracle.options
    own = [index for index in range(len(oracle.taken)) if index not in foreign]
    last = {oracle.places[index]: index for index in own}
    first = {oracle.places[index]: index for index in reversed(own)}
    return {*first.values(), *last.values()}
