"""The programs that are read in place of PyTorch's own Python write, keep and save what that does."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from tests.running_stubs import ours

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402
from torch.nn.utils import parametrizations, prune  # noqa: E402
from torch.optim import swa_utils  # noqa: E402

Make = Callable[[Any], Any]


def _tensors(net: Any) -> dict[str, Any]:
    return dict([*net.named_parameters(), *net.named_buffers()])


def _written_by_a_pass(net: Any) -> list[str]:
    """Which parameters and buffers two forward passes write; both can be differentiated."""
    before = {name: tensor._version for name, tensor in _tensors(net).items()}
    (net(torch.ones(2, 4)).sum() + net(torch.ones(2, 4) * 2).sum()).backward()
    return [name for name, tensor in _tensors(net).items() if tensor._version != before[name]]


def _breaks(make: Make, module: Any, name: str) -> bool:
    """Whether backward raises when a parameter or buffer was written after the forward pass."""
    net = make(module)
    loss = net(torch.ones(2, 4, requires_grad=True)).sum()
    with torch.no_grad():
        _tensors(net)[name].mul_(1)
    try:
        loss.backward()
    except RuntimeError as error:
        return "inplace operation" in str(error)
    return False


def _effects(make: Make, module: Any) -> list[Any]:
    torch.manual_seed(0)
    trained, used = make(module), make(module).eval()
    names = sorted(_tensors(trained))
    with_gradients = sorted(name for name, _ in trained.named_parameters())
    breaking = [name for name in names if _breaks(make, module, name)]
    return [names, with_gradients, breaking, _written_by_a_pass(trained), _written_by_a_pass(used)]


def _pruned_twice(module: Any) -> Any:
    net = module.l1_unstructured(nn.Linear(4, 4), "weight", 0.5)
    return module.custom_from_mask(net, "weight", torch.ones(4, 4))


def _pruned_globally(module: Any) -> Any:
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))
    module.global_unstructured([(each, "weight") for each in net], pruning_method=prune.L1Unstructured, amount=0.5)
    return net


MADE: dict[str, tuple[Any, str, Make]] = {
    "weight_norm": (nn.utils, "torch.nn.utils", lambda of: of.weight_norm(nn.Linear(4, 4))),
    "remove_weight_norm": (
        nn.utils,
        "torch.nn.utils",
        lambda of: of.remove_weight_norm(of.weight_norm(nn.Linear(4, 4))),
    ),
    "spectral_norm": (nn.utils, "torch.nn.utils", lambda of: of.spectral_norm(nn.Linear(4, 4))),
    "remove_spectral_norm": (
        nn.utils,
        "torch.nn.utils",
        lambda of: of.remove_spectral_norm(of.spectral_norm(nn.Linear(4, 4))),
    ),
    "prune twice": (prune, "torch.nn.utils.prune", _pruned_twice),
    "prune globally": (prune, "torch.nn.utils.prune", _pruned_globally),
    "prune and remove": (
        prune,
        "torch.nn.utils.prune",
        lambda of: of.remove(of.identity(nn.Linear(4, 4), "weight"), "weight"),
    ),
    "parametrized weight_norm": (
        parametrizations,
        "torch.nn.utils.parametrizations",
        lambda of: of.weight_norm(nn.Linear(4, 4)),
    ),
    "parametrized spectral_norm": (
        parametrizations,
        "torch.nn.utils.parametrizations",
        lambda of: of.spectral_norm(nn.Linear(4, 4)),
    ),
}


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("name", MADE)
def test_norms_and_masks_of_weights_write_and_save_the_same(name: str) -> None:
    real, module, make = MADE[name]
    assert _effects(make, ours(module)) == _effects(make, real)


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("module", ["torch.nn.utils", "torch.nn.utils.parametrizations"])
def test_weight_norm_computes_the_same(module: str) -> None:
    found = []
    for of in (nn.utils if module == "torch.nn.utils" else parametrizations, ours(module)):
        torch.manual_seed(0)
        net = of.weight_norm(nn.Linear(4, 4))
        loss = net(torch.ones(2, 4)).exp().sum()
        loss.backward()
        found.append([loss, *(parameter.grad for parameter in net.parameters())])
    assert all(torch.allclose(real, stub) for real, stub in zip(*found, strict=True))


class _Split(nn.Module):
    def forward(self, a: Any, b: Any) -> Any:
        return a * b

    def right_inverse(self, weight: Any) -> Any:
        return weight, torch.ones_like(weight)


def test_a_parametrization_of_several_tensors_has_each_as_a_parameter() -> None:
    found = []
    for of in (nn.utils.parametrize, ours("torch.nn.utils.parametrize")):
        net = of.register_parametrization(nn.Linear(4, 4), "weight", _Split())
        found.append([sorted(_tensors(net)), _breaks(lambda _, net=net: net, of, "parametrizations.weight.original0")])
    assert found[0] == found[1]
    assert found[0][1]


def _averaged(module: Any, options: dict[str, Any], turns: Any = None) -> list[Any]:
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    average = module.AveragedModel(net, **options)
    loss = average(torch.rand(4, 3, requires_grad=True)).sum()
    for _ in range(3):
        with torch.no_grad():
            net[0].weight.add_(1)
            net[1].running_mean.add_(1)
        average.update_parameters(net)
    try:
        loss.backward()
        raised = False
    except RuntimeError:
        raised = True
    return [*average.state_dict().values(), *net.state_dict().values(), torch.tensor(raised)]


AVERAGES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "plain": lambda of: {},
    "average": lambda of: {"avg_fn": of.get_ema_avg_fn(0.5)},
    "several at once": lambda of: {"multi_avg_fn": of.get_ema_multi_avg_fn(0.5)},
    "buffers": lambda of: {"use_buffers": True, "avg_fn": of.get_ema_avg_fn(0.5)},
}


@pytest.mark.parametrize("name", AVERAGES)
def test_an_averaged_model_writes_its_own_copy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stub, answers = ours("torch.optim.swa_utils"), iter([True, False, False])
    monkeypatch.setattr(stub, "perhaps", lambda: next(answers))
    real, told = _averaged(swa_utils, AVERAGES[name](swa_utils)), _averaged(stub, AVERAGES[name](stub))
    assert all(torch.allclose(a.float(), b.float()) for a, b in zip(real, told, strict=True))


def test_new_statistics_of_batch_norm_are_written() -> None:
    found = []
    for of in (swa_utils, ours("torch.optim.swa_utils")):
        net = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)).eval()
        before = {name: (tensor, tensor._version) for name, tensor in _tensors(net).items()}
        kept = deepcopy(net.state_dict())
        of.update_bn([torch.rand(4, 3), [torch.rand(4, 3)]], net)
        written = [name for name, (tensor, version) in before.items() if tensor._version != version]
        changed = [name for name, tensor in net.state_dict().items() if not torch.equal(tensor, kept[name])]
        found.append([[name for name in written if "num_batches" not in name], changed, net.training])
    assert found[0] == found[1]
