"""What the op table says of memory, dtypes and shapes, against the installed PyTorch: each fact is run."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("expecttest")

from inplace_lint.runtime.op_table.binding import bind  # noqa: E402
from inplace_lint.torch_model import layout, sizes  # noqa: E402
from inplace_lint.torch_model.effects import KINDS, Effects, Output  # noqa: E402
from inplace_lint.torch_model.events import Trace  # noqa: E402
from inplace_lint.torch_model.machine import Machine  # noqa: E402
from inplace_lint.torch_model.op_table import adds, again, filling, gives_value, levels, moves, shifts, table  # noqa: E402
from inplace_lint.torch_model.tensor import Tensor  # noqa: E402


def function(name: str) -> Any:
    found: Any = torch
    for part in name.split(".")[1:]:
        found = getattr(found, part)
    return found


def row(name: str, *args: Any, **kwargs: Any) -> Effects:
    """The row that stands for a call."""
    defaults = {"inplace": False, "training": True, "p": 0.5}

    def fits(effects: Effects) -> bool:
        bound = bind(effects.params, args, kwargs)
        return bound is not None and all(bound.get(n, defaults.get(n)) == value for n, value in effects.given)

    return next(filter(fits, table().overloads(name)))


def is_refused(name: str, *args: Any) -> bool:
    """Whether PyTorch refuses a call because of memory that overlaps."""
    try:
        function(name)(*args)
    except RuntimeError as error:
        return "single memory location" in str(error)
    return False


def machine() -> Machine:
    return Machine(Trace("test"))


def matrix() -> Any:
    return torch.rand(3, 3) * 0.8 + 0.1


MASK, INDEX = torch.eye(3).bool(), torch.tensor([0])


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("add_", (1.0,)),
        ("mul_", (2.0,)),
        ("relu_", ()),
        ("copy_", (torch.zeros(3, 3),)),
        ("normal_", ()),
        ("scatter_", (0, torch.zeros(1, 3, dtype=torch.long), 1.0)),
        ("masked_scatter_", (MASK, torch.zeros(9))),
        ("fill_", (1.0,)),
        ("fill_", (torch.tensor(1.0),)),
        ("zero_", ()),
        ("masked_fill_", (MASK, 0.0)),
        ("index_fill_", (0, INDEX, 0.0)),
        ("index_put_", ((INDEX,), torch.tensor(0.0))),
        ("t_", ()),
        ("squeeze_", ()),
        ("unsqueeze_", (0,)),
        ("transpose_", (0, 1)),
    ],
)
def test_ops_that_check_the_tensor_they_write(name: str, args: tuple[Any, ...]) -> None:
    expanded, name = torch.rand(1, 3).expand(3, 3), f"torch.Tensor.{name}"
    assert ("self" in row(name, expanded, *args).unchecked) is not is_refused(name, expanded, *args)


@pytest.mark.parametrize(
    "name", ["add_", "mul_", "copy_", "ldexp_", "copysign_", "lerp_", "addmm_", "atan2_", "hypot_"]
)
def test_ops_that_check_what_they_read(name: str) -> None:
    memory, name = torch.rand(4, 3), f"torch.Tensor.{name}"
    target, source = memory[1:], memory[:-1]
    args = {"lerp_": (source, 0.5), "addmm_": (source, matrix())}.get(name.rpartition(".")[2], (source,))
    told = row(name, target, *args)
    assert (told.params[1].name in told.unchecked) is not is_refused(name, target, *args)


@pytest.mark.parametrize(
    "call",
    """div(i,i) div(i,2) true_divide(i,i) floor_divide(i,i) add(i,i) mul(b,b) mul(i,f) exp(i) sqrt(b) sigmoid(i) tanh(s)
    sum(i) sum(s) prod(b) cumsum(s,0) mean(d) abs(i) neg(s) argmax(f) argmax(s) eq(i,i) isnan(f) logical_not(i)
    bitwise_and(s,s) bitwise_and(b,b) bitwise_or(s,1) atan2(i,i) logsumexp(f,0) softmax(d,0) count_nonzero(s) sign(s)
    max(s) max(f,0) topk(s,1) sort(s) nonzero(i) where(b,d,d) round(d)
    randn(3) zeros(3) ones(2) eye(3) linspace(0,1,3) hann_window(3) randint(5,(3,)) randperm(3) arange(3) std(d)
    square(i) reciprocal(i) clamp(s,0,1) floor(d) trunc(s) erf(i) lgamma(i) log1p(b)
    float_power(f,2) float_power(i,2)""".split(),
)
def test_dtypes_of_results(call: str) -> None:
    given = {"f": torch.float32, "d": torch.float64, "i": torch.int64, "s": torch.int32, "b": torch.bool}
    values = {name: torch.ones(3, 3).to(dtype) for name, dtype in given.items()}
    name = f"torch.{call.partition('(')[0]}"
    args = eval(f"(lambda *args: args)({call.partition('(')[2]}", values)
    results = function(name)(*args)
    results = results if isinstance(results, tuple) else (results,)
    tensors = [_abstract(arg) for arg in args if isinstance(arg, torch.Tensor)]
    effects = row(name, *args)
    for index, result in enumerate(results):
        kind, precision = layout.type_of_result(effects, index, tensors, {})
        dtype = str(result.dtype).removeprefix("torch.")
        assert kind in (KINDS[dtype], None)
        assert precision in (dtype, None)
        assert kind is not None or not tensors


def _abstract(tensor: Any) -> Tensor:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return machine().tensor(None, dtype=KINDS[dtype], precision=dtype)


@pytest.mark.parametrize(
    ("name", "args"),
    [
        *((f"torch.{name}", ()) for name in ("relu", "exp", "sum", "neg", "tril", "clone", "diff", "logsumexp")[:6]),
        *((f"torch.{name}", (matrix(),)) for name in ("matmul", "mm", "add", "mul", "maximum", "atan2")),
        *((f"torch.{name}", (0,)) for name in ("softmax", "log_softmax", "cumsum", "sort", "logsumexp")),
        ("torch.nn.functional.linear", (matrix(),)),
        ("torch.nn.functional.layer_norm", ([3],)),
        ("torch.addmm", (matrix(), matrix())),
        ("torch.Tensor.reshape", (9,)),
        ("torch.Tensor.contiguous", ()),
    ],
)
def test_the_order_of_dimensions_in_memory(name: str, args: tuple[Any, ...]) -> None:
    turned = matrix().t()
    result = function(name)(turned, *args)
    results = result if isinstance(result, tuple) else (result,)
    assert row(name, turned, *args).dense == all(each.is_contiguous() for each in results)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        *(
            (f"{call}", "whole")
            for call in ("view(9)", "reshape(9)", "flatten()", "unsqueeze(0)", "squeeze()", "ravel()")
        ),
        *((f"{call}", "turned") for call in ("t()", "transpose(0, 1)", "permute(1, 0)", "swapaxes(0, 1)", "adjoint()")),
        ("movedim(0, 1)", "turned"),
        ("diagonal()", "diagonal"),
        *((f"{call}", "rows") for call in ("select(0, 1)", "narrow(0, 1, 1)", "chunk(2)", "split(2)", "unbind()")),
        *((f"{call}", "expanded") for call in ("expand(2, 3, 3)", "broadcast_to((2, 3, 3))")),
        *((f"{call}", "windows") for call in ("unfold(0, 2, 1)", "as_strided((2, 2), (1, 1))")),
    ],
)
def test_what_views_show(call: str, part: str) -> None:
    x = torch.arange(9.0).view(3, 3)
    view = eval(f"x.{call}")
    view = view[0] if isinstance(view, tuple) else view
    seen = view.flatten().tolist()
    assert (seen == list(range(9))) is (part == "whole")
    assert (seen != list(range(9)) and sorted(seen) == list(range(9))) is (part == "turned")
    assert (seen == [0, 4, 8]) is (part == "diagonal")
    assert (len(set(seen)) < len(seen)) is (part in ("expanded", "windows"))
    name = f"torch.Tensor.{call.partition('(')[0]}"
    args = eval(f"(lambda *args: args)({call.partition('(')[2]}")
    assert row(name, x, *args).part == part


REFILLS = {
    "none": ["torch.empty", "torch.empty_like", "torch.Tensor.new_empty"],
    "zeros": [
        "torch.Tensor.zero_",
        "torch.zeros",
        "torch.zeros_like",
        "torch.Tensor.new_zeros",
        "torch.nn.init.zeros_",
    ],
    "ones": ["torch.ones", "torch.nn.init.ones_"],
    "constant": ["torch.Tensor.fill_", "torch.full", "torch.full_like", "torch.nn.init.constant_"],
    "drawn": [
        f"torch.Tensor.{name}_" for name in ("normal", "uniform", "bernoulli", "exponential", "random", "cauchy")
    ],
    "given": ["torch.Tensor.copy_", "torch.nn.init.eye_"],
    "": ["torch.Tensor.mul_", "torch.Tensor.relu_", "torch.Tensor.index_fill_", "torch.rand", "torch.clone"],
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in REFILLS.items() for name in names])
def test_what_memory_is_filled_with(kind: str, name: str) -> None:
    assert filling(name) == kind


@pytest.mark.parametrize("kind", ["zeros", "ones", "constant", "drawn", "given", ""])
def test_nothing_is_left_of_what_was_there(kind: str) -> None:
    arguments = {
        "fill_": (0.5,),
        "constant_": (0.5,),
        "copy_": (matrix(),),
        "mul_": (2.0,),
        "index_fill_": (0, INDEX, 1.0),
    }
    for name in REFILLS[kind]:
        if not name.endswith("_"):
            continue
        left = []
        for old, seed in ((torch.zeros(3, 3), 0), (torch.ones(3, 3), 0), (torch.zeros(3, 3), 1)):
            torch.manual_seed(seed)
            left.append(function(name)(old, *arguments.get(name.rpartition(".")[2], ())).flatten())
        assert torch.equal(left[0], left[1]) is bool(kind), name
        assert torch.equal(left[0], left[2]) is (kind != "drawn"), name
        value = {"zeros": 0.0, "ones": 1.0, "constant": 0.5}.get(kind)
        assert value is None or set(left[1].tolist()) == {value}, name


@pytest.mark.parametrize("name", ["sub", "eq", "ne", "dist", "lt", "isclose", "add", "maximum", "mul", "atan2"])
def test_ops_that_tell_how_two_tensors_differ(name: str) -> None:
    name = f"torch.{name}"
    torch.manual_seed(0)
    values = [torch.randn(5) for _ in range(3)]
    results = torch.cat([torch.as_tensor(function(name)(x, x)).flatten().double() for x in values])
    assert row(name, *values[:2]).compares == (results.unique().numel() == 1)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "remainder", "maximum", "add_", "sub_", "mul_"])
def test_ops_that_hand_the_very_gradient_on(name: str) -> None:
    x, y = torch.rand(3, requires_grad=True), torch.rand(3, requires_grad=True)
    gradient = torch.rand(3)
    made = function(f"torch.Tensor.{name}")(x.clone(), y)
    handed = torch.autograd.grad(made, (x, y), gradient, allow_unused=True)
    told = row(f"torch.Tensor.{name}", x, y)
    passed = [each is not None and each.data_ptr() == gradient.data_ptr() for each in handed]
    assert [param.name in told.passes for param in told.params[:2]] == passed
    assert adds(f"torch.Tensor.{name}") == all(passed)
    assert shifts(f"torch.Tensor.{name}") == (passed[0] and name[-1] == "_")


@pytest.mark.parametrize("name", list(filter(moves, table().names())))
def test_ops_that_give_elements_in_other_places(name: str) -> None:
    arguments = {"flip": ((0,),), "roll": (1,), "index_select": (0, torch.tensor([1, 2, 0]))}
    given = torch.rand(3, 3)
    found = function(name)(given, *arguments.get(name.rpartition(".")[2], ()))
    assert not torch.equal(found, given)
    assert torch.equal(found.flatten().sort()[0], given.flatten().sort()[0])


@pytest.mark.parametrize("name", [name for name in (*table().names(), "torch.nn.ReLU") if again(name) == "same"])
def test_ops_that_give_the_same_again(name: str) -> None:
    op = function(name)() if table().module(name) else function(name)
    x = torch.tensor([-1.6, -0.4, 0.4, 1.6], requires_grad=True)
    once = op(x.clone())
    assert not torch.equal(once, x)
    twice = op(once.clone())
    assert torch.equal(once, twice)
    (mine,), (other,) = (torch.autograd.grad(each.sum(), x, retain_graph=True) for each in (once, twice))
    assert torch.equal(mine, other)


@pytest.mark.parametrize("name", [name for name in table().names() if again(name) == "settled"])
def test_ops_that_give_the_same_again_for_the_same_arguments(name: str) -> None:
    last = name.rpartition(".")[2]
    arguments = {"clamp_": (-0.5, 1.0), "clip_": (-0.5, 1.0), "clamp_min_": (0.5,), "clamp_max_": (0.5,)}
    given = torch.tensor([[-1.6, float("nan")], [0.4, 1.6]] if last == "nan_to_num_" else [[-1.6, -0.4], [0.4, 1.6]])
    once = function(name)(given.clone(), *arguments.get(last, ()))
    assert not torch.equal(once, given)
    assert torch.equal(function(name)(once.clone(), *arguments.get(last, ())), once)


@pytest.mark.parametrize("name", list(filter(levels, (*table().names(), *table().module_names()))))
def test_ops_that_are_level_far_below_zero(name: str) -> None:
    short = name.rpartition(".")[2].lower().replace("_", "")
    dims = {"dim": 1} if "softmax" in short or short == "logsumexp" else {}
    others = (torch.tensor([1]),) if "crossentropy" in short else ()
    op = function(name)(**dims) if table().module(name) else partial(function(name), **({} if others else dims))
    given = torch.tensor([[-1e4, 0.5, 1.0]], requires_grad=True)
    made = op(given.clone(), *others)
    # The logarithm of the element itself goes on, but nobody takes it.
    (made[:, 1:] if "logsoftmax" in short else made).square().sum().backward()
    assert given.grad is not None
    assert given.grad[0, 1] != 0
    assert abs(given.grad[0, 0]) < 1e-6


@pytest.mark.parametrize("name", [name for name in table().names() if again(name) == "further"])
def test_ops_that_change_their_result_further(name: str) -> None:
    given = torch.tensor([2.5, -3.5, 4.5])
    arguments = {"masked_fill_": (given > 0, 9.0), "index_fill_": (0, torch.tensor([0]), 9.0)}
    others = {"masked_fill_": (given < 0, 9.0), "index_fill_": (0, torch.tensor([1]), 9.0)}
    last = name.rpartition(".")[2]
    once = function(name)(given.clone(), *arguments.get(last, (2,)))
    assert not torch.equal(once, given)
    assert not torch.equal(function(name)(once.clone(), *others.get(last, (2,))), once)


@pytest.mark.parametrize("name", list(filter(gives_value, table().names())))
def test_ops_that_give_another_value_each_time(name: str) -> None:
    given = torch.full((3,), 0.3)
    arguments = {"pow_": (2,), "float_power_": (2,), "atan2_": (torch.ones(3),), "cumsum_": (0,), "cumprod_": (0,)}
    others = arguments.get(name.rpartition(".")[2], ())
    given = given.double() if "float_power" in name else given
    once = function(name)(given.clone(), *others)
    assert not torch.equal(once, given)
    assert not torch.equal(function(name)(once.clone(), *others), once)


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("torch.nn.functional.linear", ()),
        ("torch.mm", ()),
        ("torch.bmm", ()),
        ("torch.mul", ()),
    ],
)
def test_views_that_are_saved(name: str, others: tuple[Any, ...]) -> None:
    shape = (1, 3, 3) if name == "torch.bmm" else (3, 3)
    x, weight = torch.rand(shape, requires_grad=True), torch.rand(shape, requires_grad=True)
    (before,) = torch.autograd.grad(function(name)(x, weight).sum(), x)
    result = function(name)(x, weight)
    weight.data = torch.zeros(shape)
    (after,) = torch.autograd.grad(result.sum(), x)
    saves = [save for save in row(name, x, weight).saves if save.what in ("weight", "mat2", "other")]
    assert [save.view for save in saves] == [torch.equal(before, after)]


@pytest.mark.parametrize(
    "call",
    """torch.arange(3) torch.arange(0,2,0.5) torch.randperm(4) torch.linspace(0,1,3) torch.logspace(0,1,3)
    torch.ravel(torch.tensor(2)) torch.ravel(torch.ones(2,3).t()) torch.nonzero(torch.ones(2,3))
    torch.nonzero(torch.tensor(1)) torch.argwhere(torch.ones(3))
    torch.eye(3)""".split(),
)
def test_results_have_the_dimensions_that_are_told(call: str) -> None:
    name = call.partition("(")[0]
    args = eval(f"(lambda *args: args)({call.partition('(')[2]}")
    told = sizes.result(row(name, *args).shape, [])
    assert told is not None
    assert len(told) == eval(call).dim()


@pytest.mark.parametrize("name", ["add", "mul", "where", "softmax", "lerp", "relu", "cumsum"])
def test_results_have_the_shape_that_the_operands_have_together(name: str) -> None:
    a, b = torch.rand(3, 1), torch.rand(4)
    args = {"where": (b > 0.5, a, b), "softmax": (a, 0), "cumsum": (a, 0), "relu": (a,), "lerp": (a, b, 0.5)}
    given = args.get(name, (a, b))
    told = sizes.result(row(f"torch.{name}", *given).shape, [tuple(t.shape) for t in given if hasattr(t, "shape")])
    assert told == tuple(function(f"torch.{name}")(*given).shape)


@pytest.mark.parametrize("name", ["torch.Tensor.reshape", "torch.Tensor.contiguous", "torch.Tensor.ravel"])
def test_copies_are_made_where_memory_has_gaps(name: str) -> None:
    args = ((9,),) if name.endswith("reshape") else ()
    for x in (matrix(), matrix().t()):
        shares = function(name)(x, *args).untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
        abstract = machine().tensor(None, contiguous=x.is_contiguous())
        effects = row(name, x, *args)
        assert layout.is_copied(effects, effects.outputs[0], abstract) is not shares


def test_the_parts_of_an_index_are_one_memory() -> None:
    rows, columns = torch.where(MASK)
    assert rows.untyped_storage().data_ptr() == columns.untyped_storage().data_ptr()
    assert row("torch.where", MASK).outputs == (Output("parts", many=True),)


@pytest.mark.parametrize(
    "call",
    "max(x,0) topk(x,1) sort(x) aminmax(x) frexp(x) linalg.eigh(x) linalg.qr(x) linalg.slogdet(x) svd(x)".split(),
)
def test_the_names_of_results(call: str) -> None:
    name, x = f"torch.{call.partition('(')[0]}", matrix()
    args = eval(f"(lambda *args: args)({call.partition('(')[2]}", {"x": x})
    result, fields = function(name)(*args), row(name, *args).fields
    assert len(fields) == len(result)
    assert all(getattr(result, field) is part for field, part in zip(fields, result, strict=True))
