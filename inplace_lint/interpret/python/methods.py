"""Calls of methods that no function of the program defines: of tensors, containers, texts, and of unknowns."""

from __future__ import annotations

from collections.abc import Hashable

from inplace_lint.interpret.python import mappings, plain, unknown_items
from inplace_lint.interpret.python.attributes import set_on_instance
from inplace_lint.interpret.python.comparisons import compare
from inplace_lint.interpret.python.containers import DICT_METHODS, LIST_METHODS, inherited, reached_from
from inplace_lint.interpret.python.tensor_attributes import METADATA, TRANSPOSES
from inplace_lint.interpret.state import parts
from inplace_lint.interpret.state.classes import class_member, library_bases
from inplace_lint.interpret.state.keys import Converted, Count, Derived, Query
from inplace_lint.interpret.state.naming import is_self_of_function, names_namespace
from inplace_lint.interpret.state.program import ModuleFile
from inplace_lint.interpret.state.run import Raised, Run
from inplace_lint.interpret.state.values import (
    Arguments,
    Builtin,
    Class,
    Dict,
    Function,
    Instance,
    Library,
    List,
    Native,
    Passed,
    Ref,
    Super,
    Unknown,
    Value,
    identity,
    resolve,
)
from inplace_lint.interpret.torch import (
    called_attributes,
    custom_functions,
    module_tree,
    modules,
    numpy,
    optimizers,
    own_tensors,
    tensor_methods,
    training,
    unseen_models,
)
from inplace_lint.interpret.torch.ops import known, unknown_call
from inplace_lint.interpret.torch.overloads import takes
from inplace_lint.interpret.torch.results import METHOD, dtype_named
from inplace_lint.source import ir
from inplace_lint.torch_model.modes import UNCHANGED, switch
from inplace_lint.torch_model.tensor import Tensor

# Methods of tensors that other objects have, too: no evidence of a tensor. No table tells what all objects have.
_NUMPY_AND_OTHERS = frozenset(
    "all any argmax argmin argsort byteswap choose clip compress conj copy cumprod cumsum data diagonal dot dump dumps "
    "fill flags flatten getfield imag item itemsize max mean min nbytes ndim nonzero partition prod put ravel real "
    "repeat reshape resize round searchsorted setfield setflags shape size sort squeeze std strides sum swapaxes take "
    "tobytes tofile tolist trace transpose var view clear count extend index insert pop remove reverse append update "
    "get items keys values add discard difference union to cuda cpu float double half bfloat16 type apply_ apply "
    "requires_grad_ train eval zero_grad parameters abs add sub div mul where map filter replace split join format "
    "ne eq lt gt le ge and or not is_shared log log_prob sample expand rsample entropy backward step name names "
    "numpy is_cuda device dtype T grad share_memory_ register_hook int long bool char short rename align_to "
    "detach unfold unflatten xor pow exp sqrt rank median mode quantile diff equals isna fillna multiply maximum "
    "minimum scatter".split()
)


# Methods of objects out of view that give no gradient, and those that run backward on their argument.
_DETACHING = frozenset("detach item numpy tolist sample argmax argmin long int bool data size dim".split())
_COMPARING = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BACKWARDS = frozenset({"backward", "manual_backward"})
_DRAWING = frozenset({"choice", "choices", "sample"})

# What an object that nobody knows may be, tells no op: the next three go by what people call methods.
_CONVERTING = frozenset("to type float double half bfloat16 int long bool cuda cpu".split())
# Numbers have none of these, and what has them gives its like.
_COMPUTING = frozenset(
    "abs amax amin clamp cumsum exp log_softmax masked_fill mean norm pow relu rsqrt sigmoid softmax sqrt square std "
    "sum tanh var".split()
)
# Methods of tensors, and of arrays, that give a view; what can be detached is a tensor, or made of tensors.
_VIEWING = frozenset("view reshape flatten ravel squeeze unsqueeze transpose permute swapaxes expand detach".split())

_OF_TEXT = frozenset(
    "lower upper strip lstrip rstrip format split rsplit splitlines replace startswith endswith removeprefix "
    "removesuffix title capitalize join isalnum isalpha isdecimal isdigit isidentifier islower isnumeric "
    "isspace istitle isupper find rfind index count partition rpartition zfill ljust rjust center swapcase "
    "casefold".split()
)


def call_method(run: Run, builtin: Builtin, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a method that no function of the program defines."""
    receiver = builtin.receiver
    value = resolve(receiver.value)
    if isinstance(value, Unknown) and is_self_of_function(value.key, value.label):
        value.is_data = True
    elif isinstance(value, Unknown) and _is_called_as_tensor(run, builtin, value, arguments, node):
        value = run.guess(value, run.site(node))
    if isinstance(value, Tensor):
        result = tensor_methods.call(run, receiver, value, builtin.name, arguments, node)
        _guess_like(run, value, resolve(result.value))
        return result
    if builtin.name in _BACKWARDS and _runs_backward(run, value, builtin.name, arguments, node):
        return Ref(None)
    if builtin.name in _BACKWARDS:
        run.torch.out_of_view(True)
    found = _call_of_python(run, receiver, value, builtin.name, arguments, node)
    if found is not None:
        return found
    if builtin.name == "shuffle" and arguments.positional:  # of `random.Random`, of NumPy's generators
        numpy.write_to(run, "shuffle", arguments.positional[0], node)
        return Ref(None)
    if isinstance(value, Unknown):
        return _call_of_unknown(run, receiver, value, builtin.name, arguments, node)
    if is_evidence(builtin.name) and builtin.name.endswith("_"):
        called_attributes.want_tensor(run, receiver)
    return Ref(unknown_call(run, builtin.name, arguments, node))


def _is_called_as_tensor(run: Run, method: Builtin, value: Unknown, arguments: Arguments, node: ir.Node) -> bool:
    """Whether a method, as it is called, is one that tensors have, and little else."""
    if names_namespace(value.label):
        return False
    return (
        (is_evidence(method.name) and _binds(method.receiver, method.name, arguments, node))
        or _in_torch_words(method.name, arguments)
        or (method.name in _ALSO_OF_ARRAYS and _has_no_arrays(run.frame.module))
        or (method.name == "requires_grad_" and value.is_data and not _switches_off(arguments))
    )


def _switches_off(arguments: Arguments) -> bool:
    """Whether `requires_grad_` is called with `False`, as for the copy of a model: data has no gradients anyway."""
    return resolve(arguments.get(0, "requires_grad")) is False


def _guess_like(run: Run, tensor: Tensor, result: Value) -> None:
    """What a method gives is a tensor if its owner is one: what refutes that of the one refutes it of the other."""
    if tensor in run.proven.guessed and isinstance(result, Tensor):
        run.proven.guessed.setdefault(result, run.proven.guessed[tensor])


def _runs_backward(run: Run, value: Value, name: str, arguments: Arguments, node: ir.Node) -> bool:
    """Run the backward of what is no tensor, if it has one: a loss from out of view, `accelerator.backward(loss)`."""
    if isinstance(value, Unknown) and name == "backward" and value.history:
        training.backward_from(run, value.history, arguments, node)
        return True
    return training.backward_of(run, arguments, node)


def _call_of_python(
    run: Run, receiver: Ref, value: Value, name: str, arguments: Arguments, node: ir.Node
) -> Ref | None:
    """Call a method of a container, a text, an object, or a class, or one that compares; None if there is none."""
    if isinstance(value, List) and name in LIST_METHODS:
        return reached_from(receiver, LIST_METHODS[name](run, value, arguments, node))
    if isinstance(value, Dict) and name in DICT_METHODS:
        return reached_from(receiver, DICT_METHODS[name](run, value, arguments, node))
    if mappings.is_mapping(value) and (found := mappings.call_method(run, receiver, name, arguments, node)):
        return found
    if isinstance(value, Instance):
        return _call_method_of_object(run, receiver, value, name, arguments, node)
    if isinstance(value, Super):
        return _call_super(run, value, name, arguments, node)
    if isinstance(value, str) and name in _OF_TEXT:
        return plain.text_method(value, name, arguments) or Ref(run.unknown(run.key(node)))
    if isinstance(value, Class):
        return _call_of_class(run, value, name, arguments, node)
    return _as_python(run, receiver, value, name, arguments, node)


def _as_python(run: Run, receiver: Ref, value: Value, name: str, arguments: Arguments, node: ir.Node) -> Ref | None:
    """Call a method of a grad mode, or one of an unknown that is Python's own, as far as its name tells."""
    if isinstance(value, Native):
        return _call_of_mode(run, value, name)
    if not isinstance(value, Unknown):
        return None
    if name == "enter_context" and arguments.positional:  # of a `contextlib.ExitStack`
        return _entered(run, arguments.positional[0].ref, node)
    if name == "copy" and (copied := unknown_items.shallow_copy(receiver, value)) is not None:
        return Ref(copied)
    if name == "tolist" and not value.not_tensor:
        return Ref(tensor_methods.numbers(run, node))
    if name == "randrange":  # of `random.Random`
        return Ref(run.unknown(Count(run.key(node))))
    return _compared(run, receiver, name, arguments, node)


def _call_of_mode(run: Run, value: Native, name: str) -> Ref | None:
    """Enter or leave a grad mode by a call: `guard.__enter__()`; until the function ends, at the latest."""
    if name not in ("__enter__", "__exit__") or value.mode == UNCHANGED:
        return None
    switch(run.torch, value.mode if name == "__enter__" else value.mode.reversed())
    return Ref(None)


def _entered(run: Run, manager: Ref, node: ir.Node) -> Ref:
    """Enter a context that ends with the block in which this stands, or later."""
    value = resolve(manager.value)
    if isinstance(value, Native):
        switch(run.torch, value.mode)
    return run.special_method(manager, "__enter__", (), node) or Ref(run.unknown(run.key(node)))


def _call_of_class(run: Run, cls: Class, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call what a class has of PyTorch."""
    if custom_functions.is_apply(cls, name):
        return custom_functions.apply(run, cls, arguments, node)
    made = own_tensors.make_subclass(run, arguments, node) if name == "_make_subclass" else None
    return Ref(made if made is not None else run.unknown(run.key(node)))


def _call_of_unknown(run: Run, receiver: Ref, value: Unknown, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a method of what nobody knows: it may be a model, a generator of random numbers, a source of data."""
    if name == "append" and len(arguments.positional) == 1:
        parts.append(run, value, arguments.positional[0].ref, node)
    elif name not in _READING:
        parts.forget(value)
    if (of_model := unseen_models.method(run, value, name)) is not None:
        return of_model(run, receiver, value, arguments, node)
    drawn = resolve(arguments.positional[0].ref.value) if arguments.positional else None
    if name in _DRAWING and isinstance(drawn, List):  # of `random.Random`
        return run.call_library(f"random.{name}", arguments, node)
    if value.history and name not in _DETACHING:
        itself = Passed(receiver, node, value.label, run.torch.clock)
        arguments = Arguments([itself, *arguments.positional], arguments.keywords, arguments.open)
    of_data = value.is_data or name in ("detach", "numpy") or _gives_whole_numbers(name, arguments)
    called = f"{value.label}.{name}" if value.label else name
    result = unknown_call(run, called, arguments, node, of_data)
    if value.annotation is not None and isinstance(result, Unknown):
        result.annotation = value.annotation.view(name)
    if name in ("get", "size", "dim", "numel", "ndimension"):
        keys = tuple(identity(passed.ref.value) for passed in arguments.all())
        return Ref(run.unknown(Query(value.key, name, keys)))
    made = _made_of(name, value, run.key(node)) if isinstance(result, Unknown) else None
    if made is not None and isinstance(result, Unknown):
        return Ref(run.unknown(made, result.label, result.history, result.is_data, result.is_mapped))
    return Ref(result)


def _compared(run: Run, receiver: Ref, name: str, arguments: Arguments, node: ir.Node) -> Ref | None:
    """What the method of a comparison gives: the same as its operator; `labels.ne(-100)` is `labels != -100`."""
    if name not in _COMPARING or not isinstance(node, ir.Call) or not isinstance(node.func, ir.Attr):
        return None
    if len(node.args) != 1:
        return None
    other, left, right = Ref(arguments.get(0, "other")), node.func.value, node.args[0].value
    return Ref(compare(run, _COMPARING[name], receiver, other, node, left, right))


def _gives_whole_numbers(name: str, arguments: Arguments) -> bool:
    """Whether a tensor is asked for whole numbers, which have no gradient: `ids.long()`, `ids.to(torch.int64)`."""
    if tensor_methods.converts_to_whole_numbers(name):
        return not (arguments.positional or arguments.keywords)
    given = [resolve(passed.ref.value) for passed in arguments.all()] if name in ("to", "type", "view") else []
    named = (dtype_named(value.name) for value in given if isinstance(value, Library))
    return any(dtype is not None and dtype[0] in ("int", "bool") for dtype in named)


def _made_of(name: str, of: Unknown, place: Hashable) -> Converted | Derived | None:
    """What a method gives that is a tensor only if its object is one."""
    if is_self_of_function(of.key, of.label):
        return None
    if name in _CONVERTING:
        return Converted(of.key, place)
    return Derived(of.key, place) if name in _VIEWING or name in _COMPUTING else None


# Methods that give the object no other attributes or items.
_READING = frozenset(
    "forward train eval zero_grad to cuda cpu children modules named_modules buffers named_buffers apply "
    "parameters named_parameters state_dict requires_grad_ "
    "get size dim numel ndimension keys values items copy".split()
)


def has_method(instance: Instance, name: str) -> bool:
    """Whether an object has a method from a library class, and it is understood."""
    return modules.has_method(instance, name) or name in inherited(instance)


def _call_method_of_object(
    run: Run, ref: Ref, instance: Instance, name: str, arguments: Arguments, node: ir.Node
) -> Ref:
    if name in (methods := inherited(instance)):
        return reached_from(ref, methods[name](run, instance.children, arguments, node))
    if name == "_replace" and isinstance(instance.cls, Class):  # of a named tuple that is made up
        of = Passed(ref, node, instance.label, run.torch.clock)
        return run.call_library("dataclasses.replace", Arguments([of], arguments.keywords, arguments.open), node)
    return modules.call_method(run, ref, instance, name, arguments, node)


def _call_super(run: Run, value: Super, name: str, arguments: Arguments, node: ir.Node) -> Ref:
    """Call a method of a library base through `super()`."""
    receiver = resolve(value.receiver.value)
    if name == "__new__" and isinstance(receiver, Class) and "builtins.tuple" in library_bases(receiver):
        return run.call_builtin("tuple.__new__", arguments, node)
    if isinstance(receiver, Instance):
        if name == "__init__" and optimizers.is_optimizer(receiver):
            optimizers.remember_parameters(run, receiver, arguments, node)
            return Ref(None)
        if name == "__init__":
            modules.initialize(run, receiver, module_tree.bases_of(receiver), arguments, node)
            return Ref(None)
        if name == "forward":
            return modules.library_forward(run, value.receiver, receiver, arguments, node)
        if name == "__call__":
            return modules.forward(run, value.receiver, receiver, arguments, node)
        if name == "__setattr__" and len(arguments.positional) > 1:
            attribute = resolve(arguments.positional[0].ref.value)
            if isinstance(attribute, str):
                set_on_instance(run, value.receiver, receiver, attribute, arguments.positional[1].ref, node)
            return Ref(None)
        if has_method(receiver, name):
            return _call_method_of_object(run, value.receiver, receiver, name, arguments, node)
        if name in ("__getattr__", "__getattribute__"):
            raises = name == "__getattr__" and run.catching > 0 and not receiver.guess
            return _looked_up(run, receiver, resolve(arguments.get(0, "name")), node, raises)
    return Ref(unknown_call(run, name, arguments, node))


def _looked_up(run: Run, instance: Instance, name: Value, node: ir.Node, raises: bool) -> Ref:
    """What Python looks up for an attribute. Raises Raised, if it may, where nothing in view gives the object one."""
    if not isinstance(name, str):
        return Ref(run.unknown(run.key(node)))
    member = class_member(run, instance.cls, name) if isinstance(instance.cls, Class) else None
    found = instance.attribute(name) or member or module_tree.child_called(instance, name)
    if found is None and raises:
        raise Raised
    return Ref(run.unknown(run.key(node))) if found is None or isinstance(found.value, Function) else found


def is_foreign(name: str) -> bool:
    """Whether no tensor has an attribute of this name, unless somebody has given it one."""
    if name.startswith(("_", "is_")) or "grad" in name or known(METHOD + name):
        return False
    return not any(name in names for names in (METADATA, TRANSPOSES, _NUMPY_AND_OTHERS))


def is_evidence(name: str) -> bool:
    """Whether only a tensor has a method of this name."""
    return name not in _NUMPY_AND_OTHERS and not name.startswith("__") and known(METHOD + name)


def _binds(receiver: Ref, name: str, arguments: Arguments, node: ir.Node) -> bool:
    """Whether the method of tensors takes these arguments."""
    itself = Passed(receiver, node, "", 0)
    return takes(METHOD + name, Arguments([itself, *arguments.positional], arguments.keywords, arguments.open))


def _in_torch_words(name: str, arguments: Arguments) -> bool:
    """Whether the arguments of a method are spelled as only PyTorch does: NumPy says `axis` and `keepdims`."""
    dim = arguments.keywords.get("dim")
    told = "keepdim" in arguments.keywords or (dim is not None and isinstance(resolve(dim.ref.value), int))
    return told and known(METHOD + name)


# Of these, arrays and tensors have as good as the same: which of the two a file means, its imports tell.
_ALSO_OF_ARRAYS = frozenset(
    "argmax argmin argsort cumprod cumsum diagonal flatten max mean min prod ravel reshape squeeze std sum swapaxes "
    "transpose trace var exp sqrt pow abs quantile median".split()
)
_ARRAY_LIBRARIES = frozenset("numpy pandas jax tensorflow cupy xarray polars sklearn scipy dask mxnet paddle".split())


def _has_no_arrays(module: ModuleFile) -> bool:
    """Whether a file imports PyTorch, and no other library of arrays."""
    roots = {
        each.module.partition(".")[0]
        for each in module.bindings.values()
        if isinstance(each, (ir.Import, ir.ImportFrom))
    }
    return "torch" in roots and not roots & _ARRAY_LIBRARIES


# What makes a longer string is not worth its memory.
_LONGEST_RESULT = 1_000_000
