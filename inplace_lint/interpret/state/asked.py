"""What the analysis of one file asks of the syntax of others, beside the functions that it runs.

As long as the answer stays the same, it need not be done again (`screen/questions.py` says what a question is).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from inplace_lint.interpret.state.annotation import Annotation, declared_in, spelled_out
from inplace_lint.interpret.state.facts import REGISTERING, facts, given_attributes, makes_model, writers
from inplace_lint.interpret.state.program import LENGTH, ModuleFile, Program
from inplace_lint.interpret.state.supplied import Supplied, supplied_in
from inplace_lint.interpret.state.top_statements import flat
from inplace_lint.interpret.state.values import Class, Function, resolve
from inplace_lint.interpret.state.whole_attributes import parameters_given, wholes_given
from inplace_lint.source import ir
from inplace_lint.source.part_names import QUESTION
from inplace_lint.source.place import Site
from inplace_lint.source.walk import nodes

_OFFERS, _RENEWS, _USES = f"{QUESTION}offers", f"{QUESTION}renews", f"{QUESTION}uses"
_REGISTERS, _GIVEN, _WRITERS = f"{QUESTION}registers", f"{QUESTION}given", f"{QUESTION}writers"
_CHANGES, _WHOLES, _DECLARES = f"{QUESTION}changes", f"{QUESTION}wholes", f"{QUESTION}declares"
_MAKERS, _SUPPLIES, _CALLERS = f"{QUESTION}makers", f"{QUESTION}supplies", f"{QUESTION}callers"
_CALLED, _MENTIONS, _USES_OTHERS = f"{QUESTION}called", f"{QUESTION}mentions", f"{QUESTION}uses_others"
_ASSIGNS, _SETS = f"{QUESTION}assigns", f"{QUESTION}sets"

# How functions are called that put something into a container.
_KEEPING = ("append", "add", "insert", "update", "setdefault", "extend", "regist", "put")
# Words in the names of methods that begin anew.
_STARTING_OVER = ("init", "reset", "clear", "set_")


@dataclass(frozen=True, slots=True)
class Changed:
    """The attributes of a class that its methods assign, change by what they are, and assign items of."""

    assigned: frozenset[str]
    counted: frozenset[str]
    filled: frozenset[str]


def offered_by(cls: Class, among: frozenset[str]) -> frozenset[str]:
    """Those among some names that a class, or a base of it in the program, defines, or gives values."""
    for base in cls.lineage:
        _ask_of_class(base, f"{_OFFERS} {base.code.name}", among)
    return frozenset().union(*(_offers(base.module, base.code) & among for base in cls.lineage))


def may_set(cls: Class, name: str) -> bool:
    """Whether a method of a class or its bases may give its object an attribute, unless somebody sets a property."""
    for base in cls.lineage:
        _ask_of_class(base, f"{_SETS} {base.code.name} {name}")
    return any(_sets(base.code, name) for base in cls.lineage)


def renewed_by(cls: Class, names: frozenset[str], but: ir.Function) -> set[str]:
    """Those among some attributes that methods of a class or its bases assign, but for one; not to start over."""
    found: set[str] = set()
    for base in cls.lineage:
        _ask_of_class(base, f"{_RENEWS} {base.code.name}", names)
        for ref in base.frame.variables.values():
            method = resolve(ref.value)
            if isinstance(method, Function) and method.code is not but and _keeps_on(method.code):
                if method.owner is not base:
                    method.module.program.look_into(method.module, method.code)
                found |= facts(method.code).assigned & names
    return found


def changed_by(cls: Class, names: frozenset[str]) -> Changed:
    """Those among some attributes that methods of a class or its bases give other values, but for its constructor."""
    for base in cls.lineage:
        _ask_of_class(base, f"{_CHANGES} {base.code.name}", names)
    found = [_changed(base.code, names) for base in cls.lineage]
    return Changed(
        frozenset().union(*(each.assigned for each in found)),
        frozenset().union(*(each.counted for each in found)),
        frozenset().union(*(each.filled for each in found)),
    )


def holds_whole_numbers(cls: Class, name: str) -> bool:
    """Whether all methods of a class and its bases that assign an attribute give it tensors that are asked to be whole.

    Where none has done so yet, whoever else does will give it the like.
    """
    for base in cls.lineage:
        _ask_of_class(base, f"{_WHOLES} {base.code.name} {name}")
    given: list[bool] = []
    for base in cls.lineage:
        for ref in base.frame.variables.values():
            if isinstance(ref.value, Function):
                if ref.value.owner is not base:
                    ref.value.module.program.look_into(ref.value.module, ref.value.code)
                given += wholes_given(ref.value.code, name)
    return bool(given) and all(given)


def parameter_made(cls: Class, name: str) -> Site | None:
    """Where a class or a base of it makes an attribute, if that is a parameter wherever a method gives it a value."""
    for base in cls.lineage:
        _ask_of_class(base, f"{_WHOLES} {base.code.name} {name}")
    made: list[Site | None] = []
    for base in cls.lineage:
        for ref in base.frame.variables.values():
            if isinstance(ref.value, Function) and ref.value.owner is base:
                path = base.module.path
                found = parameters_given(ref.value.code, name)
                made += [Site(path, each.span) if each is not None else None for each in found]
    return made[0] if made and None not in made else None


def gives_under_any_name(cls: Class) -> bool:
    """Whether a method of a class or its bases may give its object attributes whose names nobody sees."""
    for base in cls.lineage:
        for ref in base.frame.variables.values():
            if isinstance(ref.value, Function):
                ref.value.module.program.look_into(ref.value.module, ref.value.code)
                known = facts(ref.value.code)
                if any(name in _UNDER_ANY_NAME for name, _ in known.calls) or "__dict__" in known.used.get("self", ()):
                    return True
    return False


_UNDER_ANY_NAME = frozenset("setattr __setattr__ register_parameter register_buffer register_module add_module".split())


def declared_to_be(cls: Class, name: str) -> Annotation | None:
    """What a class, or a base of it, declares an attribute to be."""
    for base in cls.lineage:
        _ask_of_class(base, f"{_DECLARES} {base.code.name} {name}")
        for each in declared_in(base.code, base.module, name):
            return each
    return None


def used_in(cls: Class, spelled: str) -> frozenset[str]:
    """What the methods of a class use of what they spell like that."""
    _ask_of_class(cls, f"{_USES} {cls.code.name} {spelled}")
    return _used(cls.code, spelled)


def mentioned_in(cls: Class, names: frozenset[str]) -> frozenset[str]:
    """Those among some variables that the methods of a class mention."""
    _ask_of_class(cls, f"{_MENTIONS} {cls.code.name}", names)
    mentioned = (facts(code).mentions & names for code in _methods_and_assigned(cls))
    return frozenset().union(*mentioned)


def uses_others(cls: Class, used: frozenset[str]) -> bool:
    """Whether the methods of a class use of other objects all of some names, and there are any."""
    _ask_of_class(cls, f"{_USES_OTHERS} {cls.code.name}", used)
    return bool(used) and _used_of_others(_methods_and_assigned(cls), used) == used


def _methods_and_assigned(cls: Class) -> Iterator[ir.Function]:
    """The methods that stand in a class, and the other functions that it has as methods, which are read."""
    standing = set(_methods(cls.code))
    for ref in cls.frame.variables.values():
        method = resolve(ref.value)
        if isinstance(method, Function):
            if method.code not in standing:
                method.module.program.look_into(method.module, method.code)
            yield method.code


def callers_in(cls: Class, name: str) -> frozenset[str]:
    """The methods of a class that call a method of the same object, but for those that Python calls."""
    _ask_of_class(cls, f"{_CALLERS} {cls.code.name} {name}")
    return _callers(cls.code, name)


def _callers(code: ir.ClassDef, name: str) -> frozenset[str]:
    methods = (each for each in _methods(code) if each.params and not each.name.startswith("__"))
    return frozenset(
        each.name
        for each in methods
        if any(use[0] == "(" for use in facts(each).used.get(f"{each.params[0].name}.{name}", ()))
    )


def supplied_to(cls: Class, method: ir.Function, param: ir.Param) -> Supplied | None:
    """What the file of a class supplies for an argument of its constructor where it makes objects of it."""
    place = _place(method, param)
    _ask_of_class(cls, f"{_SUPPLIES} {cls.code.name} {param.name} {place}")
    return supplied_in(cls.module, cls.code, param.name, place)


def may_register(function: Function) -> bool:
    """Whether a decorator may put what it decorates into a container."""
    _ask_of_function(function, _REGISTERS)
    return _registers(function.code)


def assigns_attributes(function: Function) -> bool:
    """Whether a function gives attributes of objects values."""
    _ask_of_function(function, _ASSIGNS)
    return bool(facts(function.code).assigned)


def _ask_of_function(function: Function, kind: str) -> None:
    module, name = function.module, function.code.name
    name = f"{function.owner.code.name}.{name}" if function.owner is not None else name
    if function.code in _functions_named(module, name):
        module.program.asked.add((module.path, f"{kind} {name}"))
    else:
        module.program.look_into(module, function.code)


def given_in(module: ModuleFile, name: str) -> int:
    """How often an attribute gets another value than None in a file."""
    module.program.asked.add((module.path, f"{_GIVEN} {name}"))
    return module.program.given(module)[name]


def model_makers(module: ModuleFile) -> list[str]:
    """The names in a file of functions that make a model without arguments."""
    module.program.asked.add((module.path, _MAKERS))
    return _model_makers(module)


def objects_called(module: ModuleFile, name: str) -> frozenset[str]:
    """The classes whose objects a file makes, and gives to a variable of that name."""
    module.program.asked.add((module.path, f"{_CALLED} {name}"))
    return _objects(module).get(name, frozenset())


def writers_of(module: ModuleFile) -> frozenset[str]:
    """The names of the functions of a file that may write in place."""
    module.program.asked.add((module.path, _WRITERS))
    return writers(module)


def answers(program: Program, path: str, questions: Iterable[str]) -> dict[str, str]:
    """The answers to questions about a file; none to those of others."""
    each = tuple(questions)
    asked = [question for question in each if question.split(" ")[0] in _ANSWERS]
    module = program.known(path) if asked else None
    found = {question: _answer(module, question) for question in asked} if module is not None else {}
    lengths = [question for question in each if question.split(" ")[0] == LENGTH]
    return {**found, **{question: _length(program.length(path), question) for question in lengths}}


_OF_CLASSES = (
    _OFFERS,
    _RENEWS,
    _USES,
    _CHANGES,
    _SUPPLIES,
    _CALLERS,
    _WHOLES,
    _DECLARES,
    _MENTIONS,
    _USES_OTHERS,
    _SETS,
)
_ANSWERS = frozenset((*_OF_CLASSES, _REGISTERS, _ASSIGNS, _GIVEN, _WRITERS, _MAKERS, _CALLED))


def _length(lines: int, question: str) -> str:
    _, *most = question.split(" ")
    return str(lines > int(most[0])) if most else str(lines)


def _answer(module: ModuleFile, question: str) -> str:
    kind, *rest = question.split(" ")
    if kind == _WRITERS:
        return " ".join(sorted(writers(module)))
    if kind == _MAKERS:
        return " ".join(_model_makers(module))
    if kind == _CALLED:
        return " ".join(sorted(_objects(module).get(rest[0], ())))
    if kind == _GIVEN:
        return str(module.program.given(module)[rest[0]])
    if kind == _REGISTERS:
        return " ".join(str(_registers(each)) for each in _functions_named(module, rest[0]))
    if kind == _ASSIGNS:
        return " ".join(str(bool(facts(each).assigned)) for each in _functions_named(module, rest[0]))
    code = _class(module, rest[0])
    return _answer_about(code, module, kind, rest) if code is not None else "gone"


def _answer_about(code: ir.ClassDef, module: ModuleFile, kind: str, rest: list[str]) -> str:
    """The answer to a question about a class."""
    if kind == _OFFERS:
        return " ".join(sorted(_offers(module, code).intersection(rest[1:])))
    if kind == _CHANGES:
        changed = _changed(code, frozenset(rest[1:]))
        return "|".join(" ".join(sorted(each)) for each in (changed.assigned, changed.counted, changed.filled))
    if kind == _WHOLES:
        return repr([(each.name, wholes_given(each, rest[1]), _made_as(each, rest[1])) for each in _methods(code)])
    if kind == _DECLARES:
        return " ".join(map(spelled_out, declared_in(code, module, rest[1])))
    if kind == _SUPPLIES:
        return str(supplied_in(module, code, rest[1], int(rest[2])))
    if kind == _MENTIONS:
        asked = frozenset(rest[1:])
        return " ".join(sorted(frozenset().union(*(facts(each).mentions & asked for each in _methods(code)))))
    if kind == _SETS:
        return str(_sets(code, rest[1]))
    if kind == _USES_OTHERS:
        return " ".join(sorted(_used_of_others(_methods(code), frozenset(rest[1:]))))
    if kind == _CALLERS:
        return " ".join(sorted(_callers(code, rest[1])))
    if kind == _USES:
        return " ".join(sorted(_used(code, rest[1])))
    renewing = [each for each in _methods(code) if _keeps_on(each)]
    return " ".join(f"{each.name}:{','.join(sorted(facts(each).assigned.intersection(rest[1:])))}" for each in renewing)


def _made_as(code: ir.Function, name: str) -> list[bool]:
    """For each value that a method gives an attribute, whether it is a parameter."""
    return [each is not None for each in parameters_given(code, name)]


def _ask_of_class(cls: Class, question: str, names: Iterable[str] = ()) -> None:
    module = cls.module
    if module.library:
        return
    if _class(module, cls.code.name) is cls.code:
        module.program.asked.add((module.path, " ".join((question, *sorted(names)))))
    else:
        module.program.look_into(module, None)


def _class(module: ModuleFile, name: str) -> ir.ClassDef | None:
    found = module.bindings.get(name)
    return found if isinstance(found, ir.ClassDef) else None


def _functions_named(module: ModuleFile, name: str) -> list[ir.Function]:
    """The functions of a file, or the methods of a class `C.f`, of that name."""
    owner, _, own = name.rpartition(".")
    code = _class(module, owner) if owner else None
    body = flat(module.code.body) if not owner else code.body if code is not None else ()
    return [each.function for each in body if isinstance(each, ir.FunctionDef) and each.function.name == own]


def _model_makers(module: ModuleFile) -> list[str]:
    functions = ((key, each) for key, each in module.bindings.items() if isinstance(each, ir.FunctionDef))
    return [key for key, each in functions if makes_model(each.function)]


def _objects(module: ModuleFile) -> Mapping[str, frozenset[str]]:
    """By the name of a variable, what is called to make what it is given."""
    if module.called is None:
        found: dict[str, set[str]] = {}
        for node in nodes(module.code.body):
            if isinstance(node, ir.Assign) and isinstance(node.value, ir.Call) and isinstance(node.value.func, ir.Name):
                for target in node.targets:
                    if isinstance(target, ir.Name):
                        found.setdefault(target.id, set()).add(node.value.func.id)
        module.called = {name: frozenset(called) for name, called in found.items()}
    return module.called


def _methods(code: ir.ClassDef) -> Iterator[ir.Function]:
    return (each.function for each in code.body if isinstance(each, ir.FunctionDef))


def _registered(code: ir.Function) -> Iterator[str]:
    """The names under which a function registers buffers, parameters or modules."""
    if any(name in REGISTERING for name, _ in facts(code).calls):
        for node in nodes(code.body):
            if isinstance(node, ir.Call):
                yield from given_attributes(node)


def _offers(module: ModuleFile, code: ir.ClassDef) -> frozenset[str]:
    """The attributes and methods that the body of a class defines, and those that its methods assign or register."""
    if code not in module.offers:
        found: set[str] = set()
        for statement in code.body:
            if isinstance(statement, ir.FunctionDef):
                found.add(statement.function.name)
                found.update(facts(statement.function).assigned)
                found.update(_registered(statement.function))
            elif isinstance(statement, (ir.Declare, ir.Assign)):
                targets = (statement.target,) if isinstance(statement, ir.Declare) else statement.targets
                found.update(target.id for target in targets if isinstance(target, ir.Name))
        module.offers[code] = frozenset(found)
    return module.offers[code]


def _sets(code: ir.ClassDef, name: str) -> bool:
    return any(
        name in facts(each).assigned or name in set(_registered(each))
        for each in _methods(code)
        if not any(isinstance(decorator, ir.Attr) and decorator.name == "setter" for decorator in each.decorators)
    )


def _used(code: ir.ClassDef, spelled: str) -> frozenset[str]:
    return frozenset().union(*(facts(each).used.get(spelled, frozenset()) for each in _methods(code)))


def _used_of_others(methods: Iterable[ir.Function], among: frozenset[str]) -> frozenset[str]:
    """Those among some names that methods use of other objects than their own."""
    found: set[str] = set()
    for code in methods:
        itself = code.params[0].name if code.params else ""
        if itself:
            found.update(*(names & among for base, names in facts(code).used.items() if base != itself))
    return frozenset(found)


def _place(method: ir.Function, param: ir.Param) -> int:
    """At which position an argument is passed beside the object itself; -1 if only by its name."""
    return method.params.index(param) - 1 if param.kind == "positional" else -1


def _changed(code: ir.ClassDef, names: frozenset[str]) -> Changed:
    told = [facts(each) for each in _methods(code) if each.name != "__init__"]
    assigned: frozenset[str] = frozenset().union(*(each.assigned for each in told))
    counted: frozenset[str] = frozenset().union(*(each.counted for each in told))
    filled: frozenset[str] = frozenset().union(*(each.filled for each in told))
    return Changed(assigned & names, counted & names, filled & names)


def _registers(code: ir.Function) -> bool:
    told = facts(code)
    names = (name for name, _ in told.calls if "hook" not in name)
    return told.fills or any(word in name for name in names for word in _KEEPING)


def _keeps_on(code: ir.Function) -> bool:
    return not any(word in code.name for word in _STARTING_OVER)
