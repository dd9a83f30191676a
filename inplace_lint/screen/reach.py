"""What the definitions of a program reach: by name, through calls, variables, classes and imports.

It errs on the side of reaching too much: an attribute may be any method of that name that the file can see.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Literal, NamedTuple

from inplace_lint.phases import within
from inplace_lint.screen.meanings import Meanings
from inplace_lint.screen.members import all_beside, is_left_open, is_special, members_named, methods_of, switches
from inplace_lint.screen.of_callers import CALLED, called_of_callers
from inplace_lint.screen.outline import Definition, Outline, keeps_weights
from inplace_lint.source.installed import folder_of
from inplace_lint.torch_model.stubs import DRIVER

_LOADING = frozenset({"load_state_dict", "load_state", "set_state_dict", "set_state"})

# How many calls deep a write in another file is looked for.
MOST_BEYOND = 2
# So many steps away counts what makes objects ready in other files: it very likely writes what nobody has used yet.
_STEPS_TO_UNLIKELY = 100


class Distance(NamedTuple):
    """How far a definition is away from a write; in another file, it is farther away than anything in its own."""

    elsewhere: bool
    steps: int

    @property
    def of_caller(self) -> Distance:
        """The distance of who calls the definition, if nothing else is nearer."""
        return Distance(self.elsewhere, self.steps + 1)


HERE = Distance(False, 0)
"""The definition itself writes."""

# The modes of the call graph. `named`: direct calls. `calling`: any object that the definition mentions may be called,
# too. `making`: a constructor; what it writes belongs to the objects that it makes.
Mode = Literal["named", "calling", "making"]
Node = tuple[Definition, Mode]


@dataclass(slots=True)
class Reach:
    """What the definitions of a program reach.

    Args:
        meanings: what names stand for.
        settled: definitions of the file that is checked whose writes are known to be seen by nobody else.
        beyond: for each file, what its definitions run of other files.
        wholly: files of which anything may matter for what was asked last.

    It remembers which definitions reach a write that their callers may see.
    """

    meanings: Meanings
    settled: frozenset[Definition] = frozenset()
    beyond: dict[Outline, set[Node]] = field(default_factory=dict)
    wholly: set[str] = field(default_factory=set)
    _known: dict[Node, Distance | None] = field(default_factory=dict)
    _beyond: dict[tuple[Node, int, bool], bool] = field(default_factory=dict)
    _lineages: dict[Definition, list[Definition]] = field(default_factory=dict)
    _inheriting: dict[Outline, list[Definition]] = field(default_factory=dict)
    _calling: dict[Outline, set[Definition]] = field(default_factory=dict)
    _makes: dict[Definition, list[Definition]] = field(default_factory=dict)
    _parts: dict[Definition, list[Definition]] = field(default_factory=dict)
    _made: dict[Outline, dict[str, list[Definition]]] = field(default_factory=dict)
    _made_with: dict[Outline, dict[str, list[Definition]]] = field(default_factory=dict)
    _runs: dict[Node, list[Node]] = field(default_factory=dict)

    def writes(self, start: Definition) -> bool:
        """Whether a definition may write in place, itself or, what it can see, through what it runs."""
        return start.writes or self.distance(start) is not None

    def distance(self, start: Definition) -> Distance | None:
        """How far a definition is away from a write that its callers may see; None if it reaches none."""
        return self._distance((start, "named"))

    def _distance(self, start: Node) -> Distance | None:
        if start not in self._known:
            with within("reach"):
                self._explore(start)
        return self._known[start]

    def _explore(self, start: Node) -> None:
        """Find out for a definition, and all that it reaches within its file."""
        home = start[0].outline
        callers: dict[Node, list[Node]] = defaultdict(list)
        order, met = [start], {start}
        nearest: dict[Node, Distance] = {}
        beyond = self.beyond.setdefault(home, set())
        for current in order:  # grows
            found = [HERE] if writes_outside(current, self.settled) else []
            for target in self.runs(current):
                if target[0].outline is not home:
                    beyond.add(target)
                    if self.writes_beyond(target, MOST_BEYOND, False):
                        found.append(Distance(True, 1))
                    elif self.writes_beyond(target, MOST_BEYOND, True):
                        found.append(Distance(True, _STEPS_TO_UNLIKELY))
                elif target in self._known:
                    known = self._known[target]
                    found += [known.of_caller] if known is not None else []
                else:
                    callers[target].append(current)
                    if target not in met:
                        met.add(target)
                        order.append(target)
            if found:
                nearest[current] = min(found)
        waiting = [(distance, index) for index, node in enumerate(order) if (distance := nearest.get(node)) is not None]
        heapify(waiting)
        place = {node: index for index, node in enumerate(order)}
        self._known.update((node, None) for node in order)
        while waiting:
            distance, index = heappop(waiting)
            current = order[index]
            if self._known[current] is None:
                self._known[current] = distance
                further = distance.of_caller
                for caller in callers[current]:
                    if caller not in nearest or further < nearest[caller]:
                        nearest[caller] = further
                        heappush(waiting, (further, place[caller]))

    def writes_beyond(self, node: Node, most: int, prepares: bool) -> bool:
        """Whether a definition of another file writes, or runs one that does, at most so many steps away.

        Args:
            prepares: even if it is there to make an object ready: that very likely writes what nobody has used yet.
        """
        if node[0].prepares and not prepares:
            return False
        key = node, most, prepares
        if key not in self._beyond:
            self._beyond[key] = False  # a circle says nothing new
            self._beyond[key] = writes_outside(node) or (
                most > 0 and any(self.writes_beyond(target, most - 1, prepares) for target in self.runs(node))
            )
        return self._beyond[key]

    def classes_of(self, home: Outline) -> list[Definition]:
        """The classes of a file of whose bases it was asked."""
        return self._inheriting.get(home, [])

    def runs(self, node: Node) -> list[Node]:
        """What a definition may run, as far as it matters in its mode."""
        if node not in self._runs:
            self._runs[node] = self._run_by(*node)
        return self._runs[node]

    def _run_by(self, definition: Definition, mode: Mode) -> list[Node]:
        if definition.prepares and mode == "calling":
            mode = "making"
        elif mode == "named" and not definition.prepares and self._calls_objects(definition):
            mode = "calling"
        targets = dict.fromkeys(self._mentioned(definition, mode))
        if mode == "named":
            return [(target, mode) for target in targets if not _inherits(definition, target)]
        return [(target, _mode_of(definition, target) if mode == "making" else mode) for target in targets]

    def forget(self) -> None:
        """Let go of what takes much memory."""
        self._runs.clear()

    def _calls_objects(self, definition: Definition) -> bool:
        """Whether a definition calls objects that it knows of, itself or through what it calls by name."""
        return definition in self.calls_objects_in(definition.outline)

    def calls_objects_in(self, outline: Outline) -> set[Definition]:
        """The definitions of a file that call objects which they know of, or call such definitions by name."""
        if outline not in self._calling:
            self._calling[outline] = self._callers_of_objects(outline)
        return self._calling[outline]

    def _callers_of_objects(self, outline: Outline) -> set[Definition]:
        callers: dict[Definition, list[Definition]] = defaultdict(list)
        calling: list[Definition] = []
        order = list(dict.fromkeys(outline.everything()))
        met = set(order)
        for current in order:  # grows
            if self._calls_some(current):
                calling.append(current)
                continue
            for target in self._mentioned(current, "named"):
                if not target.prepares and target.outline is outline:
                    callers[target].append(current)
                    if target not in met:
                        met.add(target)
                        order.append(target)
        reached: set[Definition] = set()
        while calling:
            current = calling.pop()
            if current not in reached:
                reached.add(current)
                calling += callers[current]
        return reached

    def _calls_some(self, definition: Definition) -> bool:
        if definition.calls_objects:
            return True
        if not definition.name and any(self._is_assigned(definition.outline, name) for name in definition.calls):
            return True
        methods = definition.outline.methods
        family = self.lineage(definition.owner) if definition.owner is not None else []
        return any(
            name not in methods and not any(name in each.members for each in family) for name in definition.called
        )

    def _is_assigned(self, outline: Outline, name: str) -> bool:
        """Whether a top-level name is that of a variable: loose statements bind it."""
        return any(not each.name for each in outline.globals.get(name, ()))

    def _mentioned(self, definition: Definition, mode: Mode) -> list[Definition]:
        outline, attributes = definition.outline, definition.attributes
        found = self._special(definition, mode)
        for name in definition.ran if mode == "named" else definition.names:
            for meant in self.meanings.of(outline, name):
                if isinstance(meant, Definition):
                    found.append(meant)
                    if meant.outline is not outline:
                        for made in self._made_by(meant):
                            found += members_named(made, attributes)
                    if meant.members or meant.bases:
                        found += self._used(meant, definition, mode)
                    found += self.meanings.registered(outline, meant.outline)
                else:
                    found += self._within(meant, attributes)
        found += [each for name in definition.decorators for each in outline.globals.get(name, ())]
        found += called_of_callers(definition)
        found += self._unasked(definition)
        found += self._of_annotated(definition)
        methods = outline.methods
        for attribute in attributes:
            if attribute in methods and not is_special(attribute):
                found += methods[attribute]
        found += self._of_objects_made_beside(outline, attributes)
        if "eval" in attributes:
            found += [each for each in methods.get("train", ()) if switches(each)]
        for loads in _LOADING.intersection(attributes):
            found += all_beside(methods.get(loads, ()))
        if definition.owner is not None:
            found += self._of_object(definition, definition.owner)
        return found

    def _of_objects_made_beside(self, outline: Outline, attributes: Iterable[str]) -> Iterator[Definition]:
        """What attributes may be of objects of imported classes that any definition of a file makes."""
        if outline not in self._made:
            made = self._made[outline] = defaultdict(list)
            names = dict.fromkeys(name for each in outline.everything() for name in each.ran if name in outline.imports)
            for name in () if folder_of(outline.path) else names:
                classes = (each for each in self.meanings.of(outline, name) if isinstance(each, Definition))
                for cls in dict.fromkeys(base for each in classes for base in self.lineage(each)):
                    for method, members in cls.members.items():
                        made[method] += members
        return (member for name in attributes if not is_special(name) for member in self._made[outline].get(name, ()))

    def _unasked(self, definition: Definition) -> Iterator[Definition]:
        """What runs when arguments are called whose annotations name classes, and when `F.apply` is differentiated."""
        called: list[tuple[str, tuple[str, ...]]] = [(name, CALLED) for name in definition.declared]
        if "apply" in definition.attributes:
            called += [(name, ("backward",)) for name in definition.names]
        for name, methods in called:
            for meant in self.meanings.of(definition.outline, name):
                if isinstance(meant, Definition):
                    yield from members_named(meant, methods)

    def _of_annotated(self, definition: Definition) -> Iterator[Definition]:
        """What attributes may be of objects of other files that a definition is given, as annotations tell."""
        for name in definition.annotated if definition.attributes else ():
            for meant in self.meanings.of(definition.outline, name):
                if isinstance(meant, Definition) and meant.members and meant.outline is not definition.outline:
                    for each in self.lineage(meant):
                        yield from members_named(each, definition.attributes)

    def _within(self, source: Outline, attributes: Iterable[str]) -> list[Definition]:
        """What attributes of a module may be, or of the modules that it imports."""
        found: list[Definition] = []
        files = [source]
        for each in files:  # grows
            for attribute in attributes:
                if attribute in each.globals:
                    found += each.globals[attribute]
                elif attribute in each.imports:
                    meanings = self.meanings.of(each, attribute)
                    found += [meant for meant in meanings if isinstance(meant, Definition)]
                    files += [meant for meant in meanings if isinstance(meant, Outline) and meant not in files]
        return found

    def _made_by(self, definition: Definition) -> list[Definition]:
        """The classes of its own file whose objects a function, or the methods of a class, may hand out."""
        if definition not in self._makes:
            within = [member for members in definition.members.values() for member in members] or [definition]
            names = dict.fromkeys(name for each in within if not each.prepares for name in each.ran)
            bound = (each for name in names for each in definition.outline.globals.get(name, ()))
            self._makes[definition] = [each for each in bound if each.members and each is not definition]
        return self._makes[definition]

    def _used(self, cls: Definition, definition: Definition, mode: Mode) -> list[Definition]:
        """What using a class runs: what objects do unasked, and methods by name."""
        found: list[Definition] = []
        if mode == "calling":
            for members in cls.members.values():  # others may call any method of its objects
                found += [member for member in members if member.outside]
        for each in self.lineage(cls):
            if each.outline is definition.outline or each is cls:
                found += self._special(each, mode)
            found += members_named(each, definition.attributes)
        return found

    def _of_object(self, method: Definition, cls: Definition) -> list[Definition]:
        """What a method finds on its object, which its constructor has made.

        Constructors that other files define are taken to make new objects, and to write no others.
        """
        found: list[Definition] = []
        for each in self.lineage(cls):
            if "self" in method.calls:
                found += [member for name in CALLED for member in each.members.get(name, ())]
            if each.outline is cls.outline:
                found += each.members.get("", ())
                found += each.members.get("__init__", ())
                found += members_named(each, method.attributes)
            else:
                inherited = [member for member in members_named(each, method.attributes) if member.name != "__init__"]
                found += inherited
                for member in inherited:  # which calls what the class itself defines
                    found += members_named(cls, member.attributes)
            for part in self._parts_of(each):
                found += members_named(part, method.attributes)
        if not all(name in cls.members for name in method.called):
            found += self._called_of_passed(cls)
        return found

    def _called_of_passed(self, cls: Definition) -> list[Definition]:
        """What runs when objects are called of classes that a function names beside a class: it may pass them to it."""
        outline = cls.outline
        if outline not in self._made_with:
            passed = self._made_with[outline] = defaultdict(list)
            for maker in outline.everything():
                own = [each for each in maker.ran if each in outline.globals] if maker.name else []
                made = [each for name in own for each in outline.globals[name] if each.members or each.bases]
                meant = [each for name in maker.ran for each in self.meanings.of(outline, name)] if made else []
                called = [member for each in meant if isinstance(each, Definition) for member in self._called_of(each)]
                for each in made if len(made) <= _MOST_MADE else ():
                    passed[each.name] += [member for member in called if member.owner is not each]
        return self._made_with[outline].get(cls.name, [])

    def _called_of(self, cls: Definition) -> list[Definition]:
        return [member for each in self.lineage(cls) for member in members_named(each, CALLED)] if cls.members else []

    def _parts_of(self, cls: Definition) -> list[Definition]:
        """The classes of other files, with their bases, that a class makes its parts of, or is given for them."""
        if cls not in self._parts:
            made = cls.members.get("__init__", ())
            named = [name for each in made for name in (*each.names, *each.annotated)]
            meant = [each for name in dict.fromkeys(named) for each in self.meanings.of(cls.outline, name)]
            others = [each for each in meant if isinstance(each, Definition) and each.outline is not cls.outline]
            self._parts[cls] = [base for each in others if each.members for base in self.lineage(each)]
        return self._parts[cls]

    def _special(self, cls: Definition, mode: Mode) -> list[Definition]:
        """What an object of a class runs without being asked by name."""
        found: list[Definition] = []
        for name, members in cls.members.items():
            if not name or (is_special(name) and (mode != "named" or name not in CALLED)):
                found += members
        return found

    def lineage(self, cls: Definition) -> list[Definition]:
        """A class of the program and its bases of the program."""
        if cls not in self._lineages:
            found = self._lineages[cls] = [cls]
            self._inheriting.setdefault(cls.outline, []).append(cls)
            for base in cls.bases:
                for each in self.meanings.of_base(cls.outline, base):
                    found += [known for known in self.lineage(each) if known not in found][:_MOST_BASES]
        return self._lineages[cls]

    def drivers(self, cls: Definition) -> list[Definition]:
        """What drives the objects of a class, if a base has that, and it may write itself or keeps weights."""
        family = self.lineage(cls)
        drivers = [driver for each in family for driver in each.members.get(DRIVER, ())]
        if not drivers and "__init__" in cls.members and "__getitem__" not in cls.members:  # perhaps a data set
            drivers = [items for each in family[1:] for items in each.members.get("__getitem__", ())][:1]
        if not drivers:
            drivers = self._templates(cls)
        if drivers:
            self.wholly.update(each.outline.path for each in family)
        own = (each for each in family if DRIVER not in each.members) if drivers else ()
        acting = (keeps_weights(each) or any(map(self._acts, methods_of(each))) for each in own)
        return drivers if any(acting) else []

    def _templates(self, cls: Definition) -> list[Definition]:
        """The inherited methods that write, and call what bases leave to a class: `train_step` calls its `loss`."""
        bases = self.lineage(cls)[1:]
        own = {name for name in cls.members if name and name[:2] != "__"} if bases else set()
        own -= {each.name for base in bases for each in methods_of(base) if not is_left_open(each)}
        above = (method for base in bases if own for method in methods_of(base))
        return [each for each in above if each.name[:2] != "__" and own & set(each.called) and self.writes(each)]

    def _acts(self, method: Definition) -> bool:
        """Whether a method may write, or a constructor makes what writes when it is called."""
        return self.writes(method) or (method.prepares and self._distance((method, "making")) is not None)


# A function that makes objects of more classes tells little of what it passes to each.
_MOST_MADE = 8

# So many classes are looked into for what an object inherits through one of its bases.
_MOST_BASES = 50


def writes_outside(node: Node, settled: frozenset[Definition] = frozenset()) -> bool:
    """Whether callers may see a write."""
    definition, mode = node
    if mode != "named" and definition.makes:
        return True
    return definition.outside and mode != "making" and definition not in settled


def _inherits(maker: Definition, target: Definition) -> bool:
    """Whether a constructor has this from a class of another file: that makes new objects, and writes no others."""
    if not maker.prepares or target.outline is maker.outline:
        return False
    if target.owner is None:
        return target.name not in maker.ran and target.name not in maker.called
    return target.name not in maker.ran and target.owner.name not in maker.ran


def _mode_of(maker: Definition, target: Definition) -> Mode:
    """How a constructor runs something, for what it writes: what it only names is kept to be called: `self.f = f`."""
    if target.name in maker.names and target.name not in maker.ran:
        return "named"
    if target.owner is not None and target.name in maker.attributes and target.name not in maker.called:
        return "named"
    return "calling" if target.name in CALLED else "making"
