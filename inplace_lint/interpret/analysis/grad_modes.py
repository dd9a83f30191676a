"""Grad modes in a file: functions that are called only where no gradients are recorded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from inplace_lint.interpret.analysis.call_graph import Call, called_as, calls_in, switches_off
from inplace_lint.interpret.analysis.called_by_type import called_type, type_made_at
from inplace_lint.interpret.state.naming import names_loss
from inplace_lint.interpret.state.program import ModuleFile, Program
from inplace_lint.judgement.reason import silent
from inplace_lint.source import ir
from inplace_lint.source.part_names import QUESTION
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import last_word
from inplace_lint.source.walk import nodes

CALLED_WITHOUT_GRADIENTS = silent(
    "called-without-gradients",
    "its file, or all files that are checked, call the function or make the object that it is given only under "
    "`no_grad` or `inference_mode`",
    """
    import torch


    class Scorer:
        def scaled(self, logits):
            scores = torch.sigmoid(logits)
            scores.mul_(2)
            return scores


    def sample(policy, x):
        with torch.no_grad():
            return policy.scaled(x)
    """,
)

# Who calls methods of these names is out of view: other objects have them, too.
_OF_FRAMEWORKS = frozenset(
    "forward step update training_step validation_step test_step predict_step reset reset_parameters".split()
)

_WITHOUT = f"{QUESTION}without"

_EVALUATING = frozenset("eval evaluate evaluation val valid validate validation dev test estimate estimated".split())

# So many classes are looked at for the one that declares a method.
_MOST_BASES = 8


# Those of them that nobody but the program calls on a layer.
_NOT_OF_LAYERS = frozenset({"step", "update", "reset"})


def is_of_frameworks(name: str, owner: ir.ClassDef | None = None) -> bool:
    """Whether frameworks and other objects' owners call a method of this name, in a class that is perhaps a layer."""
    if name in _NOT_OF_LAYERS and owner is not None:
        return not any(last_word(base.value) == "Module" for base in owner.bases)
    return name in _OF_FRAMEWORKS or (name.startswith("__") and name.endswith("__") and name != "__init__")


def only_without_gradients(
    file: ModuleFile, function: ir.Function, owner: ir.ClassDef | None, kept_as: str = ""
) -> bool:
    """Whether a function is called by its file, or else by one that declares it, and only without gradients.

    Args:
        kept_as: the variable that keeps a function without a name, or a table of such.
    """
    called = _callers_of(file, kept_as or called_as(function, owner))
    if called is not None:
        return called
    if owner is None or function.name == "__init__":
        return False
    if function.name == "__call__" and (called := _callers_of(file, called_type(owner.name))) is not None:
        return called
    for base, where in _bases(file, owner):
        name = called_type(base.name) if function.name == "__call__" else function.name
        if _declares(base, function.name) and (called := _callers_of(where, name)) is not None:
            return called
    return False


def made_to_be_called_without(file: ModuleFile, function: ir.Function, site: Site) -> bool:
    """Whether a place is in a function that another one makes, of a type whose values its file calls only so."""
    made = type_made_at(function, site)
    return bool(made) and _callers_of(file, called_type(made)) is True


def _callers_of(file: ModuleFile, name: str) -> bool | None:
    """Whether a file calls something only without gradients; None if it does not call it."""
    file.program.asked.add((file.path, f"{_WITHOUT} {name}"))
    return _called_in(file).get(name)


def answers(program: Program, path: str, questions: Iterable[str]) -> dict[str, str]:
    """The answers to questions about what a file calls without gradients; none to others."""
    asked = [question for question in questions if question.split(" ")[0] == _WITHOUT]
    file = program.known(path) if asked else None
    return {each: str(_called_in(file).get(each.split(" ")[1])) for each in asked} if file is not None else {}


def _called_in(file: ModuleFile) -> Mapping[str, bool]:
    if file.without_gradients is None:
        file.without_gradients = called_without_gradients(file.code)
    return file.without_gradients


def _declares(cls: ir.ClassDef, name: str) -> bool:
    return any(isinstance(member, ir.FunctionDef) and member.function.name == name for member in cls.body)


def _bases(file: ModuleFile, cls: ir.ClassDef) -> Iterator[tuple[ir.ClassDef, ModuleFile]]:
    """The classes that a class is derived from, as far as files of the program define them."""
    todo, seen = [(cls, file)], {cls}
    while todo and len(seen) < _MOST_BASES:
        derived, where = todo.pop(0)
        for base in derived.bases:
            found = _class_named(where, base.value.id) if isinstance(base.value, ir.Name) else None
            if found is not None and found[0] not in seen:
                seen.add(found[0])
                todo.append(found)
                yield found


def _class_named(file: ModuleFile | None, name: str) -> tuple[ir.ClassDef, ModuleFile] | None:
    """What a name means in a file, through imports."""
    for _ in range(_MOST_BASES):
        statement = file.bindings.get(name) if file is not None else None
        if file is None or isinstance(statement, ir.ClassDef):
            return (statement, file) if file is not None and isinstance(statement, ir.ClassDef) else None
        if not isinstance(statement, ir.ImportFrom):
            return None
        name = next(original for original, alias in statement.names if alias == name)
        file = file.program.find(statement.module, statement.level, file.path)
    return None


_INFERRING = frozenset(
    "generate decode sample predict infer inference translate transcribe complete search rollout serve answer".split()
)


def infers_without_gradients(file: ModuleFile) -> bool:
    """Whether a function of a file is named for inference, and records no gradients."""
    functions = (node for node in nodes(file.code.body) if isinstance(node, ir.Function))
    named = [each for each in functions if not _INFERRING.isdisjoint(each.name.lower().split("_"))]
    return any(_records_nothing(each) for each in named)


def _records_nothing(function: ir.Function) -> bool:
    contexts = (context for node in nodes(function.body) if isinstance(node, ir.With) for context, _ in node.items)
    return any(map(switches_off, (*function.decorators, *contexts)))


def names_trained_loss(function: str) -> bool:
    """Whether the name of a function says that it is a loss, and none that only evaluates."""
    return names_loss(function, "") and _EVALUATING.isdisjoint(function.lower().split("_"))


def called_without_gradients(module: ir.Module) -> Mapping[str, bool]:
    """What is called in a file, and whether only under no-grad contexts, through all callers.

    A loss is made to be differentiated: who evaluates it is not the only one to call it.
    What is called through a table that a name stands for is called where an entry of that is.
    """
    by_name: dict[str, list[Call]] = {}
    for call in calls_in(module):
        if call.without or call.called != call.caller:
            by_name.setdefault(call.called, []).append(call)
    safe = {name for name in by_name if not names_trained_loss(name)}
    while lost := {name for name in safe if not all(call.without or call.caller in safe for call in by_name[name])}:
        safe -= lost
    begun: set[str] = set()  # those who only call one another are not
    while more := {
        name for name in safe - begun if any(call.without or call.caller in begun for call in by_name[name])
    }:
        begun |= more
    return {name: name in begun for name in by_name}
