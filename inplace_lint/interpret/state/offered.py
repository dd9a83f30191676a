"""Which class of a file an object is of that callers bring: the one that offers all that is used of the object.

`env.reset()` and `env.step(actions)` are methods of the one class `Environment`, `disc(x)` calls a `Discriminator`.
"""

from __future__ import annotations

from collections.abc import Iterable

from inplace_lint.interpret.state.asked import mentioned_in, model_makers, objects_called, offered_by, uses_others
from inplace_lint.interpret.state.classes import library_bases
from inplace_lint.interpret.state.names import global_ref
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Function, resolve
from inplace_lint.source import ir
from inplace_lint.source.class_names import WALKS, is_named_for, names_environment, names_model

# Names that objects of many kinds offer.
_USUAL = frozenset(
    "step update reset forward train eval backward append add get close save load items keys values name device "
    "config args parameters named_parameters state_dict load_state_dict to cpu cuda size shape dtype weight bias "
    "data grad modules named_modules children training zero_grad requires_grad_ copy index count".split()
)
_OF_MODULES = frozenset(
    "forward train eval parameters named_parameters state_dict load_state_dict to cpu cuda modules named_modules "
    "children named_children buffers named_buffers training zero_grad requires_grad_ apply half float double "
    "get_submodule get_parameter register_forward_hook register_forward_pre_hook".split()
)
_OF_ENVIRONMENTS = frozenset({"reset", "step"})
# A package that gives so many names is a library, where a name tells little.
_MOST_GIVEN = 24
# So many arguments are not passed to just anything.
_MANY = 3


def class_for(run: Run, module: ModuleFile, name: str, used: Iterable[str]) -> Class | None:
    """The class of a file whose objects a variable very likely holds; None if none, or several, come in question.

    Args:
        name: of the variable or attribute.
        used: the names behind a dot that are used of it, and `(n)` if it is called with so many arguments.
    """
    used = frozenset(used)
    if not used:
        return None
    fitting = [cls for cls in _classes(run, module) if fits(cls, used)]
    if fitting or all(each[0] == "(" or each in _USUAL or each in _OF_MODULES for each in used):
        return _chosen(run, fitting, module, name, used)
    home = module.program.find("", 1, module.path)
    given = _given_by_package(run, home, name) if home is not None and home is not module else ()
    return _chosen(run, [cls for cls in given if fits(cls, used)], module, name, used)


def _chosen(run: Run, fitting: list[Class], module: ModuleFile, name: str, used: frozenset[str]) -> Class | None:
    """The class of which an object very likely is, among some that have what is used of it.

    What a method uses tells nothing of its own class: a model is made of layers, and a layer has the same arguments.
    """
    others = [cls for cls in fitting if cls is not run.frame.self_class]
    chosen = _named(fitting, module, name) or [cls for cls in others if _is_telling(offered_by(cls, used), used)]
    chosen = chosen or _environments(fitting, name)
    if not chosen and names_model(name):
        chosen = _models([cls for cls in fitting if not _is_made_of(cls, name)], used)
    if len(chosen) > 1:
        named = frozenset(each for each in used if each[0] != "(")
        standing = [cls for cls in chosen if uses_others(cls, named)]  # each stands for many of them
        alike = chosen[:1] if all(map(_is_module, chosen)) and _is_of_one_family(chosen, named - _USUAL) else []
        chosen = standing or alike
    return chosen[0] if len(chosen) == 1 else None


def _given_by_package(run: Run, home: ModuleFile, name: str) -> list[Class]:
    """The classes of its files that a package gives to its users, and for which a variable may be named."""
    imported = [
        key
        for key, statement in home.bindings.items()
        if isinstance(statement, ir.ImportFrom) and statement.level and key[:1].isupper()
    ]
    if len(imported) > _MOST_GIVEN:
        return []
    likely = [key for key in imported if names_model(name) or is_named_for(name, key)]
    refs = (global_ref(run, home, key) for key in likely)
    return [value for ref in refs if ref is not None and isinstance(value := resolve(ref.value), Class)]


def _named(fitting: list[Class], module: ModuleFile, name: str) -> list[Class]:
    """The classes for which a variable is named, or the one whose objects the file gives to such a variable."""
    alike = [cls for cls in fitting if is_named_for(name, cls.code.name)]
    if alike or not fitting:
        return alike
    made = objects_called(module, name)
    return [cls for cls in fitting if made == {cls.code.name}]


def _environments(fitting: list[Class], name: str) -> list[Class]:
    """The classes among some in which agents act, if a variable is called so."""
    found = [cls for cls in fitting if names_environment(name)]
    return [cls for cls in found if offered_by(cls, _OF_ENVIRONMENTS) == _OF_ENVIRONMENTS]


def _models(fitting: list[Class], used: frozenset[str]) -> list[Class]:
    """The modules among some classes that have what is used, or whose parts somebody walks over; of many, the whole."""
    found = [cls for cls in fitting if _is_module(cls) and offered_by(cls, used) - _USUAL]
    if not found and WALKS.isdisjoint(used):
        return []
    return found if len(found) == 1 else _whole_models(found or fitting)


def _is_of_one_family(classes: list[Class], used: frozenset[str]) -> bool:
    """Whether some classes have all that is used from the same base: one of them is as good as another."""
    common = set(classes[0].lineage[1:]).intersection(*(cls.lineage[1:] for cls in classes[1:]))
    return any(offered_by(base, used) == used for base in common)


def factory_for(run: Run, module: ModuleFile, name: str, used: Iterable[str]) -> Function | None:
    """The one function of a file that makes a model, without arguments, if somebody walks over what a variable holds.

    Where the file defines modules of its own, one of these may be meant, unless it is made of such a model.
    """
    used = frozenset(used)
    named = {each for each in used if each[0] != "("}
    if not names_model(name) or WALKS.isdisjoint(used) or not named <= _OF_MODULES:
        return None
    found = [
        value
        for key in model_makers(module)
        if (ref := global_ref(run, module, key)) is not None and isinstance(value := resolve(ref.value), Function)
    ]
    own = (cls for cls in _classes(run, module) if _is_module(cls) and not _is_made_of_model(cls))
    return found[0] if len(found) == 1 and not any(own) else None


def _is_made_of(cls: Class, name: str) -> bool:
    """Whether the constructor of a class has an argument of that name."""
    return name in _arguments(cls)


def _is_made_of_model(cls: Class) -> bool:
    """Whether the constructor of a class has an argument that goes by the name of a model."""
    return any(map(names_model, _arguments(cls)))


def _arguments(cls: Class) -> list[str]:
    """The names of the arguments of a constructor."""
    made = cls.frame.variables.get("__init__")
    return [each.name for each in made.value.code.params] if made and isinstance(made.value, Function) else []


def _is_telling(own: frozenset[str], used: frozenset[str]) -> bool:
    """Whether two names, or a call with many arguments, tell of which class an object is."""
    return len(own - _USUAL) > 1 or any(each[0] == "(" and int(each[1:-1]) >= _MANY for each in used)


def _whole_models(classes: list[Class]) -> list[Class]:
    """The modules among some classes that are no parts or bases of others."""
    found = [cls for cls in classes if _is_module(cls)]
    names = frozenset(cls.code.name for cls in found)
    within = {base.code.name for cls in found for base in cls.lineage[1:]}
    within.update(*(mentioned_in(cls, names) for cls in found))
    return [cls for cls in found if cls.code.name not in within]


def _classes(run: Run, module: ModuleFile) -> list[Class]:
    """The classes of a file of which objects are made."""
    found: list[Class] = []
    for name, statement in module.bindings.items():
        if isinstance(statement, ir.ClassDef):
            ref = global_ref(run, module, name)
            value = resolve(ref.value) if ref is not None else None
            if isinstance(value, Class):
                found.append(value)
    return found


def _is_abstract(cls: Class) -> bool:
    """Whether a class only declares what others define, or is none of objects that are passed around."""
    bases = library_bases(cls)
    return any(base.startswith(("abc.", "typing.", "enum.", "torch.autograd.")) or "Error" in base for base in bases)


def fits(cls: Class, used: Iterable[str]) -> bool:
    """Whether objects of a class are passed around, and have all that is used."""
    if _is_abstract(cls):
        return False
    used = frozenset(used)
    named = frozenset(each for each in used if each[0] != "(")
    offers = offered_by(cls, named)
    if not named - _OF_MODULES <= offers or (named - offers and not _is_module(cls)):
        return False
    return all(_takes(cls, int(each[1:-1])) for each in used - named)


def _is_module(cls: Class) -> bool:
    return any(base.startswith("torch.nn.") for base in library_bases(cls))


def _takes(cls: Class, count: int) -> bool:
    """Whether objects of a class can be called with so many arguments."""
    for name in ("forward", "__call__"):
        for base in cls.lineage:
            ref = base.frame.variables.get(name)
            if ref is not None and isinstance(ref.value, Function):
                params = ref.value.code.params[1:]
                if any(param.kind == "args" for param in params):
                    return True
                needed = [param for param in params if param.kind == "positional" and param.default is None]
                return len(needed) <= count <= len([param for param in params if param.kind == "positional"])
    return False
