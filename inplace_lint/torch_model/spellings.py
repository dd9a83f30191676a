"""Spellings of writes: the names, keywords and arguments by which code may write memory in place.

One answer to "does this write?" for the two who ask before anything is interpreted: the screen, on Python's own trees
(`screen/survey.py`), and the choice of paths, on `ir` (`interpret/state/facts.py`). They only walk; what they ask for
each form is here, and the op table says what ops and layers of PyTorch write:

- `x.mul_(2)`, `init.normal(x)`, `F.batch_norm(x, mean, var)`: `writes_by_name`; `relu_(x)`: `is_spelled_in_place`
- `F.relu(x, inplace=True)`, `out=y`: `asks_to_write`; `F.relu(x, True)`: `positions`
- `getattr(x, "add_")`: `names_a_writer`
- `layer.inplace = True`: `is_inplace_option`; items, `.data` and `+=` have no names to ask for
- `x.clamp(0, 1)` as a statement: `out_of_place_methods`

What the screen does not see is never run, while paths come to most writes by themselves. So the screen alone also asks
for the words of NumPy (`ARRAY_WRITERS`) and of modes (`MODES`) in files that speak of these, and for names that are put
together. `tests/test_screen.py` holds both against each other, and against the table.
"""

from __future__ import annotations

from functools import cache

from inplace_lint.torch_model.op_names import base_name, twin_of
from inplace_lint.torch_model.op_table import shipped

# Other keywords of ops than `inplace` that ask for a write; that of embeddings scales their weights.
_KEYWORDS = frozenset({"out", "max_norm"})
# What ops also take by position.
_BY_POSITION = ("inplace", "max_norm")

# Methods and functions, no ops of the table, that write, or forbid writes.
_OTHERS = frozenset("step backward load_state_dict inference_mode mark_dirty __setitem__ setitem".split())
# They end as in-place ops do, and change no memory.
FLAGS = frozenset({"requires_grad_", "share_memory_"})

# Where `getattr` may find an op that writes.
_PLACES = ("torch.Tensor", "torch", "torch.nn.functional", "torch.nn.init")

# Containers, queues and loggers have methods of these names, too, which are called for what they do.
_OF_OTHERS = frozenset({"add", "put", "log"})

# Functions of NumPy that write their first argument, and methods of arrays that write the array.
ARRAY_FUNCTIONS = frozenset(
    "copyto put place putmask fill_diagonal put_along_axis add.at subtract.at multiply.at divide.at maximum.at "
    "minimum.at random.shuffle".split()
)
ARRAY_METHODS = frozenset("fill sort partition put resize itemset".split())
# How calls of them end, and of what may be asked to write; that matters where a file speaks of NumPy.
ARRAY_WRITERS = ARRAY_METHODS | {base_name(name) for name in ARRAY_FUNCTIONS} | {"nan_to_num"}

# Layers that write their statistics in training; that matters where the mode is switched.
STATISTICS = ("BatchNorm", "InstanceNorm")
MODES = frozenset({"eval", "train", "training"})


def is_spelled_in_place(name: str) -> bool:
    """Whether a name ends as those of in-place ops do; of private names, only those of ops on lists count."""
    if name[-1:] != "_" or name[-2:] == "__" or name in FLAGS:
        return False
    return name[:1] != "_" or name[:9] == "_foreach_"


def is_writer(name: str) -> bool:
    """Whether a function or method of this name writes, or looks so."""
    return is_spelled_in_place(name) or name in writers()


def writes_by_name(module: str, name: str) -> bool:
    """Whether a method of this name writes, or a function of a module whose name ends so, or looks so."""
    return is_writer(name) or is_old_initializer(module, name) or updates_statistics(module, name)


def is_inplace_option(name: str) -> bool:
    """Whether a parameter or attribute goes by the name of what has functions and layers write their input."""
    return "inplace" in name or "in_place" in name


def asks_to_write(keyword: str | None) -> bool:
    """Whether a keyword, if that is one, asks for a write."""
    return keyword is not None and (keyword in _KEYWORDS or is_inplace_option(keyword))


def names_a_writer(text: str) -> bool:
    """Whether a string is the name of an op that writes: `getattr` may find it by that."""
    return text[-1:] == "_" and is_writer(text) and any(shipped().knows(f"{place}.{text}") for place in _PLACES)


@cache
def writers() -> frozenset[str]:
    """Functions and methods that write, or forbid writes, without an underscore at the end of their names."""
    special = {name for name in _always_writing("torch.Tensor.") if name.startswith("__")}
    operators = {name.strip("_") for name in special}  # as the module `operator` has them
    return frozenset(_OTHERS | special | operators | _always_writing("torch.nn.functional."))


def updates_statistics(module: str, name: str) -> bool:
    """Whether a function writes running statistics that it is given; `training` decides."""
    return name == "batch_norm" and module in ("F", "functional")


def is_old_initializer(module: str, name: str) -> bool:
    """Whether a function goes by one of the old names in `torch.nn.init`."""
    return module == "init" and name in initializers()


@cache
def initializers() -> frozenset[str]:
    """The old names in `torch.nn.init`."""
    return frozenset(_always_writing("torch.nn.init."))


def is_named_as_initializer(name: str) -> bool:
    """Whether a function goes by a name like those in `torch.nn.init`: `trunc_normal_tf_`, `lecun_normal_`."""
    return name[-1:] == "_" and not _distributions().isdisjoint(name.split("_"))


@cache
def _distributions() -> frozenset[str]:
    """The last words of the names in `torch.nn.init`: `normal`, `zeros`; and `init` itself."""
    names = (name for name in shipped().names() if name.startswith("torch.nn.init."))
    return frozenset(twin_of(base_name(name)).rpartition("_")[2] for name in names if name[-1:] == "_") | {"init"}


@cache
def positions() -> dict[str, int]:
    """Behind how many positional arguments functions and layers take `inplace` or `max_norm`."""
    table = shipped()
    found: dict[str, int] = {}
    for name in table.unmarked_writers():
        for row in table.overloads(name):
            found |= _position(name, [param.name for param in row.params])
    for name in table.module_names():
        spec = table.module(name)
        found |= _position(name, [word for word, _ in spec.init] if spec is not None else [])
    return found


@cache
def out_of_place_methods() -> frozenset[str]:
    """Methods whose results are thrown away by who believes that they work in place."""
    names = (name for name in shipped().names() if name.startswith("torch.Tensor."))
    twins = {name.rpartition(".")[2] for name in names if shipped().knows(f"{name}_")}
    return frozenset(twins | {"to"}) - _OF_OTHERS


def _always_writing(place: str) -> set[str]:
    """The ops of a place, not marked by their names, that write without being asked."""
    table = shipped()
    names = [name for name in table.unmarked_writers() if name.startswith(place)]
    return {name.rpartition(".")[2] for name in names if not _position(name, _parameters(name))}


def _parameters(name: str) -> list[str]:
    return [param.name for row in shipped().overloads(name) for param in row.params]


def _position(name: str, parameters: list[str]) -> dict[str, int]:
    asking = [index for index, parameter in enumerate(parameters) if parameter in _BY_POSITION]
    return {name.rpartition(".")[2]: asking[0]} if asking else {}


# What of `torch.nn` has no `forward` of its own.
_WITHOUT_FORWARD = frozenset({"Module", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"})


def has_forward(base: str) -> bool:
    """Whether a class of PyTorch is a layer that defines what calling it does."""
    return base.startswith("torch.nn.") and base.rpartition(".")[2] not in _WITHOUT_FORWARD
