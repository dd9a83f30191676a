"""Layers of a class that is not known, or takes no such option, which the program asks to write their input.

`act_layer(inplace=True)`: whoever writes this counts on a class that can. `nn.ReLU` stands for it: what it writes is
what any of them writes, and it keeps the least for backward.
"""

from __future__ import annotations

import re

from inplace_lint.interpret.state.run import Run
from inplace_lint.interpret.state.values import Arguments, Instance, Ref, resolve
from inplace_lint.source import ir
from inplace_lint.torch_model.effects import ModuleSpec
from inplace_lint.torch_model.events import Write
from inplace_lint.torch_model.spellings import is_inplace_option
from inplace_lint.torch_model.tensor import Assumption, Tensor

STANDS_IN = "torch.nn.ReLU"


def is_asked(arguments: Arguments) -> bool:
    """Whether a call that constructs a layer says `inplace=True`, and passes no tensor to write."""
    options = [each for name, each in arguments.keywords.items() if is_inplace_option(name)]
    asked = any(resolve(each.ref.value) is True for each in options)
    return asked and not any(isinstance(resolve(each.ref.value), Tensor) for each in arguments.all())


_LAYERS = re.compile(
    r"(?<![a-z])act(s|ivations?)?(?![a-z])|relu|elu|swish|mish|sigmoid|non_?lin|drop(out)?(?![a-z])",
    re.IGNORECASE,
)


def names_layer(label: str) -> bool:
    """Whether a class goes by the name of an activation or dropout; a whole network need not write what it is given."""
    return _LAYERS.search(label) is not None


def takes_option(spec: ModuleSpec | None) -> bool:
    """Whether a class of `torch.nn` can be asked to write its input; one that is not described may be."""
    return spec is None or any(is_inplace_option(name) for name, _ in spec.init)


def asked_layer(run: Run, label: str, node: ir.Node) -> Instance:
    """A layer that writes its input, under the name by which the program calls its class."""
    name = label.rpartition(".")[2]
    named = name if name.isidentifier() else "the layer"
    layer = Instance(STANDS_IN, key=run.key(node), label=named, built=run.site(node), stands_in=True)
    layer.held["inplace"] = Ref(True)
    return layer


def name_of(layer: Instance, name: str) -> str:
    """What the op of a layer is called, which is of the class of that name or stands for another."""
    return layer.label if layer.stands_in else name


def note_supposed(run: Run, layer: Instance, write: Write) -> None:
    """A write rests on the class, which can do what it is asked for."""
    write.alike = (*write.alike, Assumption(f"`{layer.label}`", "can write in place"))
    run.torch.trace.supposes = True
