"""Unknown values of which an annotation tells what they are, or what their elements, items and attributes are."""

from __future__ import annotations

from inplace_lint.interpret.python.annotations import annotated_kind, declared_array
from inplace_lint.interpret.state.annotation import Annotation, annotation_of
from inplace_lint.interpret.state.asked import declared_to_be
from inplace_lint.interpret.state.names import dotted
from inplace_lint.interpret.state.plain_data import take_for_data
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Class, Library, Ref, Unknown, Value, resolve
from inplace_lint.interpret.torch.unseen_layers import take_for_parameter
from inplace_lint.source import ir
from inplace_lint.source.place import Site
from inplace_lint.source.spelling import last_word


def annotate(run: Run, ref: Ref, told: Annotation | None, site: Site) -> Ref:
    """Note what an annotation tells of a value, if that is unknown."""
    value = ref.value
    if told is None or not isinstance(value, Unknown) or value.annotation is not None:
        return ref
    value.annotation = told
    note_container(run, value)
    if told.name in ("int", "float", "str", "bool"):
        value.not_tensor, value.is_whole = True, told.name == "int"
    elif told.name == "Parameter":
        take_for_parameter(run, value, site)
    elif told.name == "Tensor" and value.tensor is None:
        run.promote(value, site)
    return ref


def note_container(run: Run, value: Unknown) -> None:
    """Note that an unknown value is no tensor, if it is declared to be a container."""
    if value.annotation is not None and value.annotation.is_container and value.tensor is None:
        value.not_tensor = True
        run.proven.rule_out(value.key)


def note_declared(run: Run, value: Value, param: ir.Param, module: ModuleFile) -> None:
    """Note what the parameter that an unknown value is given for is declared to be: a number, an array, an object."""
    if param.annotation is None or not isinstance(value, Unknown):
        return
    if declared_array(param.annotation):
        value.is_data = True
        take_for_data(resolve(value))
        run.proven.data(value.key)
    if value.tensor is not None:
        return
    kind = annotated_kind(param.annotation, module)
    if kind in ("int", "float"):
        value.not_tensor, value.is_whole = True, value.is_whole or kind == "int"
    elif kind == "other" and value.annotation is None:
        value.annotation = annotation_of(param.annotation, module)
        note_container(run, value)
    elif (told := annotation_of(param.annotation, module)) is not None and told.name == "Parameter":
        take_for_parameter(run, value, Site(module.path, param.span))


def note_asserted(run: Run, node: ir.Assert) -> None:
    """Assertions are taken to hold; they are not run. What is asserted to be an array has no history."""
    test = node.test
    if isinstance(test, ir.Call) and len(test.args) == 2 and last_word(test.args[1].value) == "ndarray":
        take_for_data(resolve(run.evaluate(test.args[0].value).value))


def class_named(run: Run, told: Annotation | None) -> Class | None:
    """The class of the program that an annotation names."""
    cls = _named(run, told)
    return cls if isinstance(cls, Class) else None


def layer_named(run: Run, told: Annotation | None) -> str:
    """The class of `torch.nn` that an annotation names; empty if it names another one."""
    cls = _named(run, told)
    return cls.name if isinstance(cls, Library) and cls.name.startswith("torch.nn.") else ""


def _named(run: Run, told: Annotation | None) -> Value:
    """What the name of an annotation, with the modules before it, stands for; None if nothing tells."""
    if told is None or not told.name:
        return None
    return dotted(run, told.module, f"{told.prefix}.{told.name}".removeprefix("."))


def declares_other_object(run: Run, cls: Class, name: str) -> bool:
    """Whether a class declares that an attribute holds an object of some class, and no tensor."""
    told = field(cls, name)
    named = _named(run, told) if told is not None and not told.parts else None
    of_library = isinstance(named, Library) and not named.name.startswith(("torch.", "numpy.", "typing."))
    return isinstance(named, Class) or (of_library and _is_capitalized(told.name if told is not None else ""))


def _is_capitalized(name: str) -> bool:
    """Whether a name is that of a class by convention, and of one that is no tensor."""
    return name[:1].isupper() and not any(word in name for word in ("Tensor", "Array"))


def attribute(run: Run, told: Annotation | None, name: str) -> Annotation | None:
    """What an attribute of such a value is declared to be: by all classes of a union, or by none."""
    if told is None or told.name != "Union":
        return field(class_named(run, told), name)
    declared = [attribute(run, part, name) for part in told.parts if part.name != "None"]
    names = {each.name if each is not None else "" for each in declared}
    return declared[0] if len(names) == 1 else None


def field(cls: Class | None, name: str) -> Annotation | None:
    """What a class declares an attribute to be."""
    return declared_to_be(cls, name) if cls is not None else None
