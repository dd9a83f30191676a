"""The op table against the installed PyTorch."""

from __future__ import annotations

import operator
import os
import re
import sys
import zlib
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from torch_oracle import seed  # noqa: E402

from inplace_lint.runtime.op_table.__main__ import TARGET, compare  # noqa: E402
from inplace_lint.runtime.op_table.binding import bind  # noqa: E402
from inplace_lint.runtime.op_table.observe import Call, observe  # noqa: E402
from inplace_lint.runtime.op_table.table import generate  # noqa: E402
from inplace_lint.torch_model.effects import KINDS, Effects  # noqa: E402
from inplace_lint.torch_model.op_table import read_row, table  # noqa: E402

MANUAL = tomllib.loads((files("inplace_lint.torch_model") / "manual.toml").read_text("utf-8"))
ALL = bool(os.environ.get("INPLACE_LINT_WHOLE_TABLE"))


def sampled(name: str) -> bool:
    """A twentieth of the names, the same ones every time."""
    return ALL or zlib.crc32(name.encode()) % 20 == 0


needs_version = pytest.mark.skipif(
    torch.__version__.partition("+")[0] != table().torch_version, reason="made from another version of PyTorch"
)


@needs_version
def test_the_table_is_what_the_installed_torch_gives() -> None:
    new = generate(sampled).text()
    names = {line.partition(":")[0] for line in new.splitlines() if line.startswith('"')}
    old = [line for line in TARGET.read_text("utf-8").splitlines() if line.partition(":")[0] in names]
    kept = [line for line in new.splitlines() if line.startswith('"')]
    assert compare("\n".join(line.rstrip(",") for line in old), "\n".join(line.rstrip(",") for line in kept)) == []


def rows() -> Iterator[tuple[str, Effects, tuple[str, ...]]]:
    for name in table().names():
        for effects in table().overloads(name):
            yield name, effects, ()
    for name in table().module_names():
        spec = table().module(name)
        assert spec is not None
        for effects in spec.forward:
            yield name, effects, ("module",)


def test_every_row_names_what_exists() -> None:
    for name, effects, module in rows():
        results = {"result", *(f"result{i}" for i in range(len(effects.outputs)))}
        if effects.outputs[0].many:
            results = {f"result{i}" for i in range(20)} | {"result"}
        own = {p.name for p in effects.params}
        # a module's own tensors differ with its options (`bias_k`), so they are only spelled here
        known = own | results | {"out", "others"}
        mentioned = {s.what for s in effects.saves} | {w for s in effects.saves for w in s.when} | set(effects.writes)
        unknown = {m for m in mentioned - known if not (module and re.fullmatch(r"\w+", m))}
        assert not unknown, (name, unknown)
        assert all(o.of in own for o in effects.outputs if o.of is not None), name
        assert len(own) == len(effects.params), name
        assert set(effects.unchecked) <= own | {m for m in mentioned if module}, name
        assert {len(effects.dtypes), len(effects.fields)} <= {0, len(effects.outputs)}, name
        assert set(effects.dtypes) <= {None, *KINDS}, name


def test_given_constants_belong_to_a_parameter() -> None:
    for name, effects, module in rows():
        spec = table().module(name) if module else None
        options = {"training", *(n for n, _ in spec.init)} if spec else {p.name for p in effects.params}
        assert {n for n, _ in effects.given} <= options, name


def test_manual_rows_have_a_reason() -> None:
    for name, entry in MANUAL["ops"].items():
        for row in entry if isinstance(entry, list) else [entry]:
            assert row["reason"], name
            assert read_row(row).source == "manual"


# what was seen on PyTorch, as `facts.md` has it: call, arguments that require grad, what is saved
FACTS = [
    ("torch.mul(a, b)", "ab", "a b"),
    ("torch.mul(a, b)", "a", "b"),
    ("torch.mul(a, b)", "b", "a"),
    ("torch.div(a, b)", "ab", "a b"),
    ("torch.div(a, b)", "a", "b"),
    ("torch.div(a, b)", "b", "a b"),
    ("torch.pow(a, 2)", "a", "a"),
    ("torch.pow(a, b)", "a", "a b result"),
    ("torch.pow(2.0, a)", "a", "a result"),
    ("torch.mul(a, 2.0)", "a", ""),
    ("torch.div(a, 2.0)", "a", ""),
    ("torch.Tensor.__rtruediv__(a, 2.0)", "a", ""),
    ("torch.add(a, b)", "ab", ""),
    ("torch.matmul(a, b)", "ab", "a b"),
    ("torch.matmul(a, b)", "a", "b"),
    ("torch.nn.functional.linear(a, b)", "a", "b"),
    ("torch.nn.functional.linear(a, b)", "b", "a"),
    ("torch.where(m, a, b)", "ab", "m"),
    ("torch.maximum(a, b)", "ab", "a b"),
    ("torch.addcmul(a, a, b)", "ab", "a b"),
    ("torch.lerp(a, b, 0.3)", "ab", ""),
    ("torch.atan2(a, b)", "ab", "a b"),
    ("torch.cdist(a, b)", "ab", "a b result"),
    ("torch.nn.functional.mse_loss(a, b)", "a", "a b"),
    *((f"torch.{op}(a)", "a", "result") for op in ("exp", "sigmoid", "tanh", "sqrt", "rsqrt", "reciprocal", "relu")),
    *((f"torch.{op}(a)", "a", "a") for op in ("abs", "log", "log1p", "sin", "square", "erf", "var", "nan_to_num")),
    *((f"torch.{op}(a)", "a", "") for op in ("neg", "sign", "round", "mean", "sum", "tril", "clone")),
    *((f"torch.{op}(a)", "a", "a result") for op in ("norm", "std", "prod", "max")),
    *(
        (f"torch.nn.functional.{op}(a)", "a", "a")
        for op in "relu6 leaky_relu elu celu selu silu gelu softplus mish hardtanh hardswish hardsigmoid".split()
    ),
    ("torch.nn.functional.threshold(a, 0.0, 0.0)", "a", "a"),
    ("torch.clamp(a, 0, 1)", "a", "a"),
    ("torch.softmax(a, -1)", "a", "result"),
    ("torch.log_softmax(a, -1)", "a", "result"),
    ("torch.nn.functional.layer_norm(a, (3,))", "a", "a"),
    ("torch.cumsum(a, 0)", "a", ""),
    ("torch.cumprod(a, 0)", "a", "a result"),
    ("torch.amax(a, 0)", "a", "a result"),
    ("torch.logsumexp(a, 0)", "a", "a result"),
    ("torch.masked_fill(a, m, 0.0)", "a", "m"),
    ("torch.gather(a, 0, i)", "a", "a i"),
    ("torch.cat([a, b])", "ab", ""),
    ("torch.nn.functional.dropout(a, 0.5)", "a", ""),
    ("torch.nn.functional.dropout(a, 0.0)", "a", ""),
    ("torch.nn.functional.dropout(a, 0.5, False)", "a", ""),
    ("torch.nn.functional.hardshrink(a)", "a", "a"),
    ("torch.Tensor.mul_(a, 2.0)", "a", ""),
    *((f"torch.Tensor.{op}_(a)", "a", "result") for op in ("relu", "sigmoid", "exp", "tanh", "sqrt", "reciprocal")),
    *((f"torch.Tensor.{op}_(a)", "a", "clone") for op in ("square", "abs", "log", "sin", "atan", "erf", "logit")),
    *((f"torch.Tensor.{op}_(a)", "a", "") for op in ("neg", "zero", "tril", "round")),
    *((f"torch.nn.functional.{op}_(a)", "a", "result") for op in ("leaky_relu", "elu", "selu", "celu", "rrelu")),
    *(
        (f"torch.nn.functional.{op}(a, inplace=True)", "a", "clone")
        for op in ("silu", "hardswish", "mish", "relu6", "hardsigmoid")
    ),
    ("torch.nn.functional.hardtanh_(a)", "a", "clone"),
    ("torch.Tensor.pow_(a, 2)", "a", "clone"),
    ("torch.Tensor.clamp_(a, 0, 1)", "a", "clone"),
    ("torch.Tensor.masked_fill_(a, m, 0.0)", "a", "m"),
    ("torch.Tensor.scatter_(a, 0, i, 1.0)", "a", "i"),
    ("torch.Tensor.copysign_(a, 1.0)", "a", "clone result"),
    ("torch.Tensor.mul_(a, b)", "ab", "b clone"),
    ("torch.Tensor.mul_(a, b)", "a", "b"),
    ("torch.Tensor.mul_(a, b)", "b", "clone"),
    ("torch.Tensor.__imul__(a, b)", "b", "clone"),
    ("torch.Tensor.div_(a, b)", "ab", "b clone"),
    ("torch.Tensor.pow_(a, b)", "ab", "b clone result"),
    ("torch.Tensor.copy_(a, b)", "ab", ""),
    ("torch.Tensor.addcmul_(a, b, b)", "ab", "b"),
    ("torch.Tensor.hypot_(a, b)", "ab", "b clone result"),
    ("torch.Tensor.atan2_(a, b)", "ab", "b clone"),
]


def tensors() -> dict[str, Any]:
    seed()
    a, b = torch.rand(3, 3) * 0.8 + 0.1, torch.rand(3, 3) * 0.8 + 0.1
    return {"a": a, "b": b, "m": a > 0.4, "i": torch.zeros(1, 3, dtype=torch.long)}


def parsed(text: str) -> tuple[str, list[Any], dict[str, Any]]:
    name, _, arguments = text.partition("(")
    args, kwargs = eval(f"(lambda *args, **kwargs: (args, kwargs))({arguments}", tensors())
    return name, list(args), kwargs


def letters(args: list[Any]) -> list[str]:
    """The name in the fact of each positional argument; a list of tensors is called `ab`."""
    known = tensors()

    def letter(value: Any) -> str:
        same = [k for k, t in known.items() if isinstance(value, torch.Tensor) and t.shape == value.shape]
        return next((k for k in same if known[k].dtype == value.dtype and torch.equal(known[k], value)), "")

    return ["".join(map(letter, value)) if isinstance(value, list) else letter(value) for value in args]


def seen_in_torch(name: str, args: list[Any], kwargs: dict[str, Any], grad: str) -> set[str]:
    function: Any = torch
    for part in name.split(".")[1:]:
        function = getattr(function, part)
    names = tuple(letter or f"<{i}>" for i, letter in enumerate(letters(args)))
    required = frozenset(n for n in names if set(n) <= set(grad))
    saves = observe(Call(function, tuple(args), kwargs, names), required).saves
    return {"clone" if clone else what for what, clone in saves}


def claimed_by_table(name: str, args: list[Any], kwargs: dict[str, Any], grad: str) -> set[str]:
    effects = next(row for row in table().overloads(name) if fits(row, args, kwargs))
    positional = [p.name for p in effects.params]
    called = dict(zip(positional, letters(args), strict=False))
    required = {param for param, letter in called.items() if letter and set(letter) <= set(grad)}
    made = [s for s in effects.saves if s.what in (*called, "result") and (not s.when or required & set(s.when))]
    return {"clone" if s.clone else called.get(s.what, s.what) for s in made}


def fits(effects: Effects, args: list[Any], kwargs: dict[str, Any]) -> bool:
    bound = bind(effects.params, args, kwargs)
    defaults = {"inplace": False, "training": True, "p": 0.5}
    return bound is not None and all(bound.get(n, defaults.get(n)) == value for n, value in effects.given)


@pytest.mark.parametrize(("call", "grad", "saves"), FACTS)
def test_facts(call: str, grad: str, saves: str) -> None:
    name, args, kwargs = parsed(call)
    assert seen_in_torch(name, args, kwargs, grad) == set(saves.split()), "PyTorch"
    assert claimed_by_table(name, args, kwargs, grad) == set(saves.split()), "the table"


VIEWS = [
    ("torch.Tensor.chunk", "views", "self"),
    ("torch.Tensor.split", "views", "self"),
    ("torch.Tensor.unbind", "views", "self"),
    ("torch.tensor_split", "view", "input"),
    ("torch.hsplit", "view", "input"),
    ("torch.Tensor.view", "view", "self"),
    ("torch.Tensor.transpose", "view", "self"),
    ("torch.Tensor.detach", "view", "self"),
    *((f"torch.Tensor.{op}", "view if contiguous", "self") for op in ("reshape", "flatten", "ravel", "reshape_as")),
    ("torch.Tensor.contiguous", "alias if contiguous", "self"),
    *((f"torch.Tensor.{op}", "maybe", "self") for op in ("to", "float", "double")),
    ("torch.Tensor.relu_", "alias", "self"),
    ("torch.nn.init.normal_", "alias", "tensor"),
    ("torch.Tensor.clone", "fresh", None),
]


@pytest.mark.parametrize(("name", "origin", "of"), VIEWS)
def test_outputs(name: str, origin: str, of: str | None) -> None:
    output = table().overloads(name)[-1].outputs[0]
    assert (f"{output.origin}{' if ' if output.when else ''}{output.when}", output.of) == (origin, of)


@pytest.mark.parametrize("name", ["ReLU", "ReLU6", "SiLU", "Hardtanh", "Dropout", "ELU", "Mish", "RReLU", "Threshold"])
@pytest.mark.parametrize("inplace", [False, True])
def test_modules_write_their_input_only_if_inplace(name: str, inplace: bool) -> None:
    spec = table().module(f"torch.nn.{name}")
    assert spec is not None
    constants = {"inplace": inplace, "training": True, "p": 0.5}
    row = next(e for e in spec.forward if all(constants[n] == v for n, v in e.given))
    assert row.writes == (("input",) if inplace else ())
    assert (row.outputs[0].origin == "alias") is inplace


def test_functions_write_their_input_only_if_inplace() -> None:
    for name in table().names():
        rows = [row for row in table().overloads(name) if "inplace" in {p.name for p in row.params}]
        for row in rows:
            assert bool(row.writes) is (("inplace", True) in row.given), name
        # the last row is that of a call which leaves the options out
        assert not rows or not {n for n, _ in rows[-1].given}, name


TOTALS = [name for also in MANUAL["also"] if also.get("shape") == "total" for name in also["ops"]]


@pytest.mark.parametrize("name", TOTALS)
def test_totals_make_one_number(name: str) -> None:
    x, last = torch.rand(2, 3, 4), name.rpartition(".")[2]
    truth = x > 0.5 if last in ("all", "any") else x
    of = getattr(truth, last) if name.startswith("torch.Tensor.") else None
    made = of() if of is not None else operator.attrgetter(name.removeprefix("torch."))(torch)(truth)
    assert (made if isinstance(made, torch.Tensor) else made[0]).shape == ()
