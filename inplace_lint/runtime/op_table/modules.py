"""The rows of the modules: what they own, and what calling them does."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import torch
from torch import nn

from inplace_lint.runtime.op_table.build import SOME, SWITCHES, Built, Given, decisive, explained, p_switch
from inplace_lint.runtime.op_table.fit import Fitted
from inplace_lint.runtime.op_table.module_samples import ModuleSample, module_samples
from inplace_lint.runtime.op_table.observe import NESTED, Call
from inplace_lint.runtime.op_table.probe import as_call, probe
from inplace_lint.runtime.op_table.schema import Overload, python_param, refined
from inplace_lint.torch_model.effects import COMPUTED, REQUIRED, Effects, ModuleSpec

# they run other modules, which is for the interpreter to do; or are no more than a base class
_LEFT_OUT = frozenset(
    """Module Sequential ModuleList ModuleDict ParameterList ParameterDict Container DataParallel RNNBase RNNCellBase
    SyncBatchNorm""".split()
)
_CONSTANT = (bool, int, float, str, type(None))


def public_modules() -> dict[str, type[nn.Module]]:
    """Qualified name to class."""
    classes = {name: getattr(nn, name) for name in dir(nn) if name not in _LEFT_OUT}
    return {
        f"torch.nn.{name}": cls for name, cls in classes.items() if inspect.isclass(cls) and issubclass(cls, nn.Module)
    }


def build_module(cls: type[nn.Module], run: bool = True) -> tuple[ModuleSpec, Built]:
    """The row of one class; without `run` by signature alone."""
    samples = module_samples(cls) if run else []
    parameters = list(inspect.signature(cls.forward).parameters.values())[1:]
    overload = refined(Overload(tuple(map(python_param, parameters))), [s.call for s in samples])
    init = _init(cls)
    switches = {name: SWITCHES[name] for name, _ in init if name in SWITCHES} | {"training": (False, True)}
    # the `p` of a dropout, not that of a norm
    switches |= p_switch([name for name, default in init if default == SOME], switches)
    switches |= {"max_norm": (None, SOME)} if "max_norm" in dict(init) else {}
    found: dict[Given, Fitted] = {}
    for values in product(*switches.values()):
        given = dict(zip(switches, values, strict=True))
        fitted = explained(overload, probe(_calls(cls, overload, samples, given), len(samples)))
        found[tuple(given.items())] = replace(fitted, effects=_own(fitted.effects))
    built = Built()
    for constants, fitted in decisive(found).items():
        built.rows.append(replace(fitted.effects, given=constants))
        built.loose += fitted.loose
    names, buffers = _owned_names(cls, samples)
    return ModuleSpec(init, names, buffers, tuple(built.rows)), built


def _init(cls: type[nn.Module]) -> tuple[tuple[str, object], ...]:
    found: dict[str, object] = {}
    for base in (cls, *cls.__mro__[1:]):
        for parameter in inspect.signature(base).parameters.values():
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                found.setdefault(parameter.name, _default(parameter))
        if found or base is nn.Module:
            break
    if issubclass(cls, nn.RNNBase):
        found.pop("mode", None)  # each class passes its own
    return tuple(found.items())


def _default(parameter: inspect.Parameter) -> object:
    if parameter.default is parameter.empty:
        return REQUIRED
    value = parameter.default
    if isinstance(value, tuple) and all(isinstance(v, _CONSTANT) for v in value):
        return list(value)
    return value if isinstance(value, _CONSTANT) else COMPUTED


def _make(cls: type[nn.Module], sample: ModuleSample, given: Mapping[str, object]) -> nn.Module | None:
    options = {name: value for name, value in given.items() if name != "training"}
    try:
        names = [name for name, _ in _init(cls)]
        placed = {**dict(zip(names, sample.init.args, strict=False)), **sample.init.kwargs}
        if len(sample.init.args) > len(names):
            module = cls(*sample.init.args, **{**sample.init.kwargs, **options})
        else:
            module = cls(**{**placed, **options})
        module.train(bool(given.get("training", True)))
        with torch.no_grad():
            module(*sample.call.args, **sample.call.kwargs)  # lazy modules get their parameters now
    except Exception:  # a sample that needs another device or library
        return None
    return module


def _calls(
    cls: type[nn.Module], overload: Overload, samples: Sequence[ModuleSample], given: Mapping[str, object]
) -> Iterator[Call]:
    for sample in samples:
        module = _make(cls, sample, given)
        call = None if module is None else as_call(module, overload.params, sample.call)
        if module is not None and call is not None:
            yield replace(call, owned=tuple(_owned(module)))


def _owned(module: nn.Module) -> Iterator[tuple[str, torch.Tensor]]:
    for name, tensor in [*module.named_parameters(), *module.named_buffers()]:
        yield (NESTED if "." in name else name), tensor


def _own(effects: Effects) -> Effects:
    """Says nothing of tensors that belong to a module inside: that one has a row of its own."""

    def always(when: Iterable[str]) -> tuple[str, ...]:
        return () if NESTED in when else tuple(when)

    saves = tuple(replace(s, when=always(s.when)) for s in effects.saves if s.what != NESTED)
    writes = tuple(w for w in effects.writes if w != NESTED)
    return replace(effects, saves=saves, writes=writes)


def _owned_names(cls: type[nn.Module], samples: Sequence[ModuleSample]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    for sample in samples:
        module = _make(cls, sample, {})
        if module is not None:
            return (
                tuple(name for name, p in module._parameters.items() if p is not None),
                tuple(name for name, b in module._buffers.items() if b is not None),
            )
    return (), ()
