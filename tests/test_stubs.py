"""Stubs do what the libraries do that they stand for: values, and what shares memory with what."""

from __future__ import annotations

import argparse
import functools
import importlib.util
import itertools
import operator
import weakref
from collections.abc import Callable
from typing import Any

import pytest

from inplace_lint.torch_model.stubs import shipped
from tests.running_stubs import ours

torch = pytest.importorskip("torch")
einops = pytest.importorskip("einops")


def _parsed(module: Any, words: list[str]) -> dict[str, Any]:
    parser = module.ArgumentParser(description="x")
    parser.add_argument("files", nargs="*")
    parser.add_argument("-r", "--learning-rate", type=float, default=0.5)
    parser.add_argument("-n", default=3)
    parser.add_argument("--name", dest="called", default="net")
    group = parser.add_argument_group("switches")
    group.add_argument("--fast", action="store_true")
    group.add_mutually_exclusive_group().add_argument("--no-grad", action="store_false")
    group.add_argument("--bare")
    parser.set_defaults(n=4)
    return vars(parser.parse_args(words))


@pytest.mark.parametrize("words", [[], ["--fast"], ["--learning-rate=0.1", "--name", "other"], ["--bare", "1"]])
def test_argparse_knows_the_defaults_of_what_is_not_said(words: list[str]) -> None:
    real, told = _parsed(argparse, words), _parsed(ours("argparse"), words)
    assert told
    assert told.items() <= real.items()
    assert len(told) + sum(word.startswith("--") for word in words) == len(real) - 1  # of `files` nothing is known


def _totals(module: Any, *arguments: Any) -> list[Any]:
    return [each.clone() for each in module.accumulate([torch.ones(2), torch.ones(2), torch.ones(2)], *arguments)]


@pytest.mark.parametrize("arguments", [(), (operator.mul,), (operator.iadd,)])
def test_accumulate_gives_the_totals_so_far(arguments: tuple[Any, ...]) -> None:
    real, stub = _totals(itertools, *arguments), _totals(ours("itertools"), *arguments)
    assert torch.equal(torch.stack(real), torch.stack(stub))


def test_accumulate_makes_one_tensor_of_all_if_its_function_does() -> None:
    for module in (itertools, ours("itertools")):
        parts = [torch.ones(2), torch.ones(2)]
        assert [each is parts[0] for each in module.accumulate(parts, operator.iadd)] == [True, True]


@pytest.mark.parametrize("name", "add sub mul truediv matmul pow neg abs iadd isub imul itruediv ipow".split())
def test_operators_do_what_they_stand_for(name: str) -> None:
    found = []
    for module in (operator, ours("operator")):
        x, others = torch.tensor([-1.0, 2.0]), () if name in ("neg", "abs") else (torch.tensor([2.0, 3.0]),)
        made = getattr(module, name)(x, *others)
        found.append((made.tolist(), made is x, x.tolist()))
    assert found[0] == found[1]


def test_operators_take_items() -> None:
    for module in (operator, ours("operator")):
        x = torch.ones(2)
        module.setitem(x, 0, module.getitem(x, 1) + 1)
        assert x.tolist() == [2, 1]


def test_chain_and_reduce_pass_on_the_very_elements() -> None:
    x, y, z = torch.ones(2), torch.ones(2), torch.ones(2)
    for module in (itertools, ours("itertools")):
        assert [id(each) for each in module.chain([x, y], (z,))] == [id(x), id(y), id(z)]
    for other in (functools, ours("functools")):
        assert other.reduce(lambda total, _: total, [x, y]) is x
        assert other.reduce(operator.add, [1, 2], 3) == 6
        assert other.reduce(operator.iadd, [x, y]) is x


def test_weak_references_lead_to_the_very_object() -> None:
    x = torch.ones(2)
    for module in (weakref, ours("weakref")):
        assert module.ref(x)() is x
        module.proxy(x).add_(1)
    assert x.tolist() == [3, 3]


@pytest.mark.parametrize(
    "called",
    [
        lambda module, x, y: module.chain.from_iterable([[x], [y]]),
        lambda module, x, y: module.starmap(torch.add, [(x, y), (y, y)]),
        lambda module, x, y: module.islice([x, y, x], 1, None),
        lambda module, x, y: module.filterfalse(lambda each: each is x, [x, y]),
        lambda module, x, y: module.filterfalse(None, [0, x[0], 0]),
        lambda module, x, y: module.takewhile(lambda each: each is x, [x, y, x]),
        lambda module, x, y: (each for row in module.zip_longest([x, y], [y], fillvalue=x) for each in row),
        lambda module, x, y: (each for row in module.pairwise([x, y, x]) for each in row),
        lambda module, x, y: (each for row in module.product([x, y], repeat=2) for each in row),
        lambda module, x, y: (each for row in module.product([x, y], [y]) for each in row),
    ],
)
def test_itertools_give_what_they_are_given(called: Callable[[Any, Any, Any], Any]) -> None:
    x, y = torch.ones(2), torch.zeros(2)
    real, stub = (list(called(module, x, y)) for module in (itertools, ours("itertools")))
    assert all(a is b or (isinstance(a, torch.Tensor) and torch.equal(a, b)) for a, b in zip(real, stub, strict=True))


def _leaves(module: Any) -> list[Any]:
    x, y = torch.ones(2), torch.zeros(2)
    nest = {"a": x, "b": [y, (x, 3)], "c": None}
    doubled = module.tree_map(lambda leaf: leaf if leaf is None else leaf * 2, nest)
    summed = module.tree_map(lambda a, b: a if a is None else a + b, nest, doubled)
    leaves, told = module.tree_flatten(nest)
    found = [doubled, summed, module.tree_unflatten([1, 2, 3, 4, 5], told), list(module.tree_iter(nest))]
    found += [module.tree_map_only(int, lambda leaf: leaf + 1, nest), module.tree_leaves(doubled)]
    found += [[id(leaf) == id(whole) for leaf, whole in zip(leaves[:3], (x, y, x), strict=True)], leaves]
    found += [
        module.tree_map_(lambda leaf: leaf, nest) is nest,
        module.tree_map(id, nest, is_leaf=lambda _: True) != {},
    ]
    module.tree_map_only_(torch.Tensor, lambda leaf: leaf.add_(1), nest)
    return [*found, x, y]


def test_functions_are_called_for_the_leaves_of_a_nest() -> None:
    real, stub = _leaves(torch.utils._pytree), _leaves(ours("torch.utils._pytree"))
    assert str(real) == str(stub)


def test_none_is_no_leaf_for_optree_unless_told_so() -> None:
    optree, nest = ours("optree"), {"a": torch.ones(2), "b": [None, 3]}
    leaves, told = optree.tree_flatten(nest)
    assert leaves == [nest["a"], 3]
    assert optree.tree_unflatten(told, [1, 2]) == {"a": 1, "b": [None, 2]}
    assert optree.tree_map(type, nest, none_is_leaf=True)["b"] == [type(None), int]
    assert list(optree.tree_iter(nest, none_is_leaf=True)) == [nest["a"], None, 3]
    assert optree.tree_map_(lambda leaf: leaf, nest) is nest


def _vectors(module: Any) -> list[Any]:
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 2)
    flat = module.parameters_to_vector(net.parameters())
    kept = flat.detach().clone()
    flat.sum().backward()
    module.vector_to_parameters(kept, net.parameters())
    with torch.no_grad():
        net.weight.mul_(2)
    return [flat, kept, net.weight.grad, net.weight, net.bias, net.weight.requires_grad]


def test_parameters_are_copied_into_a_vector_and_become_parts_of_one() -> None:
    real, stub = _vectors(torch.nn.utils), _vectors(ours("torch.nn.utils.convert_parameters"))
    assert all(torch.equal(a, b) for a, b in zip(real[:-1], stub[:-1], strict=True))
    assert real[-1] is stub[-1] is True


class _Doubled(torch.nn.Module):
    def forward(self, weight: Any) -> Any:
        return weight * 2


def _parametrized(module: Any, written: str) -> list[Any]:
    torch.manual_seed(0)
    net = torch.nn.Linear(3, 3)
    doubled = module.register_parametrization(net, "weight", _Doubled())
    assert module.register_parametrization(net, "weight", torch.nn.Softmax(1)) is doubled is net
    weight, original = net.weight, net.parametrizations.weight.original
    loss = net(torch.ones(3)).sum() + weight.exp().sum()
    {"original": original, "asked before": weight, "asked now": net.weight, "": torch.ones(1)}[written].data.mul_(2)
    loss.backward()
    return [net.weight, weight, original.grad, [name for name, _ in net.named_parameters()], type(net.weight)]


@pytest.mark.parametrize("written", ["original", "asked before", "asked now", ""])
def test_parametrizations_compute_anew_from_the_original(written: str) -> None:
    real = _parametrized(torch.nn.utils.parametrize, written)
    stub = _parametrized(ours("torch.nn.utils.parametrize"), written)
    assert all(torch.equal(a, b) for a, b in zip(real[:3], stub[:3], strict=True))
    assert real[3:] == stub[3:]


class _Samples(torch.utils.data.Dataset):  # type: ignore[type-arg]
    """Items of each kind that the default knows."""

    def __init__(self) -> None:
        self.rows = torch.arange(12.0).reshape(4, 3)

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"row": self.rows[index], "pair": (self.rows[index] * 2, [self.rows[index].numpy()])}


def _first(items: list[Any]) -> Any:
    items[0]["row"].add_(1)
    return [item["row"] for item in items]


LOADED: list[tuple[dict[str, Any], int]] = [
    ({"batch_size": 1}, 4),
    ({"batch_size": None}, 4),
    ({"batch_size": 2, "collate_fn": _first}, 2),
]


@pytest.mark.parametrize(("options", "count"), LOADED, ids=["one", "items", "a function"])
def test_batches_share_memory_with_the_data_set_where_they_do(
    options: dict[str, Any], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def loaded(module: Any) -> list[Any]:
        data, found = _Samples(), []
        for batch in module.DataLoader(data, **options):
            leaves, _ = torch.utils._pytree.tree_flatten(batch)
            found += [torch.as_tensor(leaf) for leaf in leaves]
            for tensor in found:
                tensor.mul_(3)
        return [*found, data.rows]

    stub = ours("torch.utils.data")
    monkeypatch.setattr(stub, "unknown", lambda: count)
    for real, told in zip(loaded(torch.utils.data), loaded(stub), strict=True):
        assert torch.equal(real, told)


ARRANGED: list[tuple[str, dict[str, int]]] = [
    ("a b c -> c a b", {}),
    ("a b (c d) -> a d b c", {"d": 2}),
    ("a b c -> a b c ()", {}),
    ("... c -> c ...", {}),
]
REPEATED: list[tuple[str, dict[str, int]]] = [("a b c -> a n b c", {"n": 3}), ("a b c -> a n b c", {"n": 1})]


@pytest.mark.parametrize(("pattern", "sizes"), ARRANGED)
def test_patterns_that_split_and_permute_give_views(pattern: str, sizes: dict[str, int]) -> None:
    for module in (einops, ours("einops")):
        x = torch.arange(24.0).reshape(2, 3, 4)
        assert module.rearrange(x, pattern, **sizes).data_ptr() == x.data_ptr()
        layers = importlib.import_module("einops.layers.torch") if module is einops else ours("einops.layers.torch")
        assert layers.Rearrange(pattern, **sizes)(x).data_ptr() == x.data_ptr()


@pytest.mark.parametrize(("pattern", "sizes"), REPEATED)
def test_a_new_axis_is_expanded(pattern: str, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch) -> None:
    x = torch.arange(24.0).reshape(2, 3, 4)
    made = einops.repeat(x, pattern, **sizes)
    stub, told = ours("einops"), []

    def view_of(tensor: torch.Tensor, expanded: bool, whole: bool) -> torch.Tensor:
        told.append((expanded, whole))
        return tensor.view_as(tensor)

    monkeypatch.setattr(stub, "view_of", view_of)
    assert stub.repeat(x, pattern, **sizes).data_ptr() == made.data_ptr() == x.data_ptr()
    assert told == [(0 in made.stride(), True)]


@pytest.mark.parametrize("pattern", ["a b c -> (c a) b", "a b c -> c (b a)"])
def test_axes_that_are_merged_out_of_order_are_copied(pattern: str) -> None:
    for module in (einops, ours("einops")):
        x = torch.arange(24.0).reshape(2, 3, 4)
        assert module.rearrange(x, pattern).data_ptr() != x.data_ptr()


@pytest.mark.parametrize("reduction", ["mean", "sum", "max", "min", "prod"])
def test_reductions_save_what_they_need(reduction: str) -> None:
    assert _raises(lambda x: einops.reduce(x, "a b c -> a b", reduction)) == _raises(
        lambda x: ours("einops").reduce(x, "a b c -> a b", reduction)
    )


def test_einsum_and_pack_save_and_copy() -> None:
    for module in (einops, ours("einops")):
        x = torch.ones(2, 3)
        packed, _ = module.pack([x, x], "* b")
        assert packed.shape == (4, 3)
        assert packed.data_ptr() != x.data_ptr()
        assert not _raises(lambda x, of=module: of.pack([x, x], "a * c")[0])
        assert _raises(lambda x, of=module: of.einsum(x, x, "a b c, a b c -> a"))
        whole = torch.ones(2, 2)
        parts = module.unpack(whole, [(1,), (1,)], "a *")
        assert len(parts) == 2
        assert parts[0].data_ptr() == whole.data_ptr()


def _raises(op: Callable[[Any], Any]) -> bool:
    """Whether backward raises when the tensor that an op was given is written."""
    leaf = torch.rand(2, 3, 4, requires_grad=True)
    x = leaf * 1
    y = op(x)
    x.mul_(2)
    try:
        y.sum().backward()
    except RuntimeError as error:
        return "inplace operation" in str(error)
    return False


def test_a_package_stands_for_its_modules_too() -> None:
    assert shipped().of("torch.distributions.normal") is shipped().of("torch.distributions")
    assert shipped().of("torch.distributions.normal.Normal.rsample") is shipped().of("torch.distributions")
    assert shipped().of("argparse.more") is None
    assert shipped().of("torch") is None


def test_a_scaler_gives_another_loss_and_steps_the_optimizer() -> None:
    for module in (torch.amp, ours("torch.amp")):
        x = torch.ones(3, requires_grad=True)
        optimizer, scaler = torch.optim.SGD([x], lr=0.5), module.GradScaler("cpu", init_scale=1.0)
        loss = x.exp().sum()
        scaled = scaler.scale(loss)
        assert scaled.data_ptr() != loss.data_ptr()
        scaled.backward()
        scaler.step(optimizer)
        scaler.update()
        assert torch.allclose(x, 1 - 0.5 * torch.ones(3).exp())
