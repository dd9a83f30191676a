"""Habits about names: what a parameter, function or class very likely is, by its name."""

from __future__ import annotations

import re

from inplace_lint.interpret.state.keys import Key, Parameter
from inplace_lint.judgement.reason import silent, suspect
from inplace_lint.source import ir
from inplace_lint.source.syntax import is_initializer
from inplace_lint.torch_model.labels import last_name

DATA_NAME = silent(
    "data-name",
    "what goes by a name like `target`, `mask` or `labels` is data, and requires no grad",
    """
    import torch


    def doubled(target):
        y = torch.sigmoid(target)
        y.mul_(2)
        return y
    """,
)
DATA_SET = silent(
    "data-set",
    "what an object of a class derived from `Dataset` keeps is data, wherever it has that from",
    """
    import torch
    from torch.utils.data import Dataset


    class Rows(Dataset):
        def __init__(self, file):
            self.read(file)
            self.measure(self.rows[:10])
            self.rows = self.rows / self.std

        def measure(self, rows: torch.Tensor):
            self.std = torch.var(rows, 0).sqrt()
            self.std[self.std == 0] = 1

        def __getitem__(self, index):
            return self.rows[index]
    """,
)
FILE_READER = silent(
    "file-reader",
    "what a function called `load`, `read_image` or the like gives for a `filename` or `path` is data",
    """
    import torch


    class Loader:
        def load(self, filename):
            raise NotImplementedError

        def scores(self, filename):
            scores = torch.sigmoid(self.load(filename))
            scores.mul_(100)
            return scores
    """,
)
COUNTER_NAME = suspect(
    "counter-name",
    "alias",
    "a parameter named `i` or `j` is a whole number, so indexing by it gives a view",
    """
    import torch


    def moved(i):
        points = torch.rand(3, 2)
        start = points[i]
        points[i] += 1
        return points - start


    result = moved(0)
    """,
)
FINISHED_BY_NAME = silent(
    "finished-by-name",
    "a constructor calls `init_weights`, `apply` and the like to give parameters their first values",
    """
    import torch
    from torch import nn


    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.ones(3)
            self.start = [self.scale]
            self.reset_parameters()

        def reset_parameters(self):
            scale = self.scale.sqrt_()
            self.limit = scale.sum()

        def forward(self, x):
            return self.start[0] * x
    """,
)

OWN_CLASS = silent(
    "own-class",
    "the `self` of a function outside of any class is an object of a class of its own, which autograd does not know",
    """
    import torch


    def smoothed(self):
        y = self.clone()
        first, rest = y.split([1, 2])
        return first.mul_(2), rest
    """,
)
SETTING = silent(
    "setting",
    "what an object called a configuration has was written down, and requires no grad",
    """
    import torch


    def refined(x, cfg):
        y = cfg.functions.start
        z = y.square()
        y.mul_(2)
        return z * x
    """,
)


NAMESPACE = silent(
    "namespace-name",
    "what goes by a name like `linalg` or `fft` is a module of functions, and no tensor",
    """
    import torch


    def completed(backend, rows):
        unitary, rest = backend.linalg.qr(rows)
        unitary *= backend.sign(rest)
        return unitary
    """,
)


def names_namespace(label: str) -> bool:
    """Whether a name says that it stands for a module of functions."""
    return NAMESPACE.on and last_name(label) in ("linalg", "fft", "functional", "special")


def is_self_of_function(key: Key, label: str) -> bool:
    """Whether it is what a function that stands in no class is given as `self`."""
    return OWN_CLASS.on and label == "self" and isinstance(key.made, Parameter)


def names_setting(label: str) -> bool:
    """Whether a name says that it stands for what a configuration has: `cfg.start`, `TrainConfig.rates.first`."""
    if not SETTING.on or ("onfig" not in label and "cfg" not in label):
        return False
    return any(word.lower().endswith(("config", "cfg")) for word in label.split(".")[:-1])


# By the conventions of PyTorch's own signatures, and of those for graphs and diffusion, what goes by these names, or
# ends in one, is data.
_DATA = frozenset(
    "target targets label labels y y_true gt ground_truth mask masks index indices idx ids lens lengths grad grads "
    "gradient gradients workspace scratch batch reward rewards done dones terminated ptr rowptr colptr times timestep "
    "timesteps detached rois anchors priors masses betas sigmas baseline baselines returns dt size sizes".split()
)
# Unrolled optimizers learn these.
_LEARNED = ("step_size", "step_sizes")
_TRUTH = re.compile(r"(^|\W)(gt|ground_?truth)s?_")


def names_data(label: str, first: bool = False) -> bool:
    """Whether a name says that it stands for data, or for what was loaded or detached.

    `first`: no other parameter, or variable that is bound with it, stands before it. A `y` there is what a function
    maps or has computed, and no target.
    """
    name = last_name(label)
    return (DATA_NAME.on and not (first and label == "y") and not name.endswith(_LEARNED)) and (
        name in _DATA
        or name.rpartition("_")[2] in _DATA
        or name.startswith(("loaded_", "detached_"))
        or _TRUTH.search(label) is not None
    )


def is_first(function: ir.Function, param: ir.Param) -> bool:
    """Whether a parameter is the first one of a function, but for the object of a method."""
    params = function.params[1:] if function.params[0].name in ("self", "cls") else function.params
    return bool(params) and params[0] is param


def names_loss(function: str, owner: str) -> bool:
    """Whether a class, or a function outside of classes, says that it is a loss: what it is given requires grad."""
    return (owner or function).lower().endswith("loss")


_READER = re.compile(r"_*(load|read)(_(image|audio|video|wav|waveform|array|file)s?)?")
_FILE = re.compile(r"(file_?)?(name|path)|f?path|file|fname|(image|audio|video|wav)_?(file|path)")


def names_reader(function: ir.Function) -> bool:
    """Whether a function says that it reads a file: what it gives has no history."""
    files = any(_FILE.fullmatch(param.name) for param in function.params)
    return FILE_READER.on and files and _READER.fullmatch(function.name) is not None


_MEASURE = re.compile(r"(^|_)(metrics?|accuracy|log|logs|plot|visuali[sz]e|show|report|summari[sz]e|monitor)(_|$)")
_MEASURE_CLASS = re.compile("Metric|Meter$|Accuracy|Logger|Plotter|Visuali[sz]er|Evaluator")


def names_measure(function: str, owner: str) -> bool:
    """Whether names say that a function looks at what it is given: it measures, logs or shows it."""
    return _MEASURE.search(function) is not None or _MEASURE_CLASS.search(owner) is not None


# What metrics have accumulated, they are asked for by `compute`.
_GETTER = re.compile(r"_*(get|fetch|peek|current|latest|last)(_.*)?|compute")


def names_getter(function: str) -> bool:
    """Whether a function says that it only gives what is there."""
    return _GETTER.fullmatch(function) is not None


def names_counter(param: str) -> bool:
    """Whether nobody calls a tensor so."""
    return COUNTER_NAME.on and param in ("i", "j")


def names_finisher(method: str) -> bool:
    """Whether a method fills the parameters of an object that has been made; its other methods never see another."""
    if not FINISHED_BY_NAME.on:
        return False
    fills = is_initializer(method) and method.endswith(("_weights", "_parameters"))
    return fills or method in ("apply", "post_init")


def named(label: str) -> str:
    """How a message calls a tensor."""
    return f"`{label}`" if label else "the tensor"


# Flags that are true where nobody trains.
_EVALUATION = frozenset(
    f"{prefix}{word}{suffix}"
    for word in ("eval", "evaluating", "evaluation", "inference", "infer", "predict", "predicting", "test", "testing")
    for prefix, suffix in (("is_", ""), ("", "_mode"), ("in_", "_mode"), ("for_", ""))
) | {"evaluating", "predicting", "testing", "inference"}


def names_evaluation(flag: str) -> bool:
    """Whether a flag tells that nobody trains: `if inference:`."""
    return last_name(flag) in _EVALUATION


# What a number is called that may be any from 0 to 1.
_RATES = frozenset({"drop", "dropout", "rate", "prob", "probability"})


def names_rate(name: str) -> bool:
    """Whether a number is a rate, also if it is written as an integer: `dropout_rate=0`."""
    return not _RATES.isdisjoint(name.lower().split("_"))
