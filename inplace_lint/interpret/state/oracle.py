"""What a path chooses: a path is the list of choices made at unknown conditions, and is replayed from it.

The interpreter runs straight on with plain mutable state. Where a condition is unknown it asks the oracle. Other paths
are run from the start with another list of choices (`analysis/exploration.py`).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from inplace_lint.effort import STEP, Effort, OutOfEffort, unlimited
from inplace_lint.interpret.state.branches import Branch
from inplace_lint.interpret.state.keys import IsInstance, Key
from inplace_lint.source import ir
from inplace_lint.torch_model.tensor import Storage

# So many steps in the stub of a library, or in the making of an object to run a method on, count as one.
_STEPS_ELSEWHERE = 4
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
        settings: the choices which entry of a table is meant.
        wanted: the attributes that the synthesised object lacks and was asked for, or that keep the path from a write.
        decisive: the variables whose values keep the path from a write.
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
    settings: set[int] = field(default_factory=set)
    wanted: set[str] = field(default_factory=set)
    decisive: set[str] = field(default_factory=set)
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

    def note_setting(self, key: Hashable, index: int) -> None:
        """Note that a choice is which entry of a table is meant: `key` says so wherever that is asked again."""
        if index < len(self.taken):
            self.settings.add(index)
            self.remembered.setdefault(key, (True, index))

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
        self.settings, self.decisive = other.settings, other.decisive

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
