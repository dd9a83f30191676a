"""Libraries that are written as programs do what PyTorch's own do: values, gradients, what they keep and save."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pytest

from tests.running_stubs import ours

torch = pytest.importorskip("torch")

POSITIVE, REAL, ROWS, CHANCES, WHOLE = "positive", "real", "rows", "chances", "whole"

# What each is made of, and what its samples are.
MADE_OF: dict[str, tuple[dict[str, str], str]] = {
    "Normal": ({"loc": REAL, "scale": POSITIVE}, REAL),
    "LogNormal": ({"loc": REAL, "scale": POSITIVE}, POSITIVE),
    "Laplace": ({"loc": REAL, "scale": POSITIVE}, REAL),
    "Uniform": ({"low": REAL, "high": "above"}, "between"),
    "Exponential": ({"rate": POSITIVE}, POSITIVE),
    "Poisson": ({"rate": POSITIVE}, "counts"),
    "Gamma": ({"concentration": POSITIVE, "rate": POSITIVE}, POSITIVE),
    "Dirichlet": ({"concentration": POSITIVE}, CHANCES),
    "Beta": ({"concentration1": POSITIVE, "concentration0": POSITIVE}, "chance"),
    "Bernoulli": ({"logits": REAL}, "coins"),
    "Categorical": ({"logits": REAL}, WHOLE),
    "OneHotCategorical": ({"logits": REAL}, "one_hot"),
    "OneHotCategoricalStraightThrough": ({"probs": CHANCES}, "one_hot"),
    "MultivariateNormal": ({"loc": REAL, "scale_tril": "triangle"}, REAL),
}
BY_CHANCES = {"Bernoulli": ({"probs": "chance"}, "coins"), "Categorical": ({"probs": CHANCES}, WHOLE)}
METHODS = ("log_prob", "rsample", "sample", "entropy", "mean", "stddev", "variance", "probs", "logits")


def drawn(kind: str) -> Any:
    torch.manual_seed(len(kind))
    base = torch.rand(4, 3) * 0.5 + 0.25
    made = {
        POSITIVE: lambda: base + 0.2,
        REAL: lambda: base,
        "above": lambda: base + 2,
        "between": lambda: base + 0.6,
        "counts": lambda: torch.randint(0, 4, (4, 3)).float(),
        CHANCES: lambda: base / base.sum(-1, keepdim=True),
        "chance": lambda: base,
        "coins": lambda: (base > 0.5).float(),
        WHOLE: lambda: torch.tensor([0, 2, 1, 0]),
        "one_hot": lambda: torch.eye(3)[torch.tensor([0, 2, 1, 0])],
        "triangle": lambda: torch.eye(3) + 0.1 * torch.ones(3, 3).tril(),
    }
    return made[kind]()


OURS = ours("torch.distributions")


def examples() -> Iterator[tuple[str, dict[str, str], str, str]]:
    for table in (MADE_OF, BY_CHANCES):
        for name, (given, sample) in table.items():
            for method in METHODS:
                member = inspect.getattr_static(getattr(OURS, name), method, None)
                if member is not None:
                    yield name, given, sample, method


def outcome(
    module: Any, name: str, kinds: dict[str, str], sample: str, method: str, written_to: str | None, early: bool
) -> list[Any]:
    """Values and gradients, or the errors, when one tensor is written after the method has run, or before it."""
    leaves = {key: drawn(kind).requires_grad_() for key, kind in kinds.items()}
    given = {key: leaf * 1 for key, leaf in leaves.items()}
    value = drawn(sample)
    if value.is_floating_point():
        leaves["value"] = value.requires_grad_()
        value = value * 1
    everything = {**given, "value": value}
    torch.manual_seed(7)
    try:
        made = getattr(module, name)(**given)
        if early and written_to is not None:
            everything[written_to].mul_(1 if written_to == "value" else 1.01)
        found = getattr(made, method)
        result = found(value) if method == "log_prob" else found() if callable(found) else found
        kept = result.detach().clone()
        if not early and written_to is not None:
            (result if written_to == "result" else everything[written_to]).mul_(1)
        if result.requires_grad:
            result.sum().backward()
    except RuntimeError as error:
        return ["inplace operation" in str(error) or str(error)]
    return [kept, *(leaf.grad for leaf in leaves.values())]


def close(one: list[Any], other: list[Any]) -> bool:
    def same(a: Any, b: Any) -> bool:
        if not isinstance(a, torch.Tensor) or not isinstance(b, torch.Tensor):
            return bool(a == b) if not isinstance(a, torch.Tensor) and not isinstance(b, torch.Tensor) else False
        return a.shape == b.shape and torch.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True)

    return len(one) == len(other) and all(map(same, one, other))


@pytest.mark.parametrize(("name", "kinds", "sample", "method"), list(examples()))
def test_written_distribution_is_as_the_real_one(name: str, kinds: dict[str, str], sample: str, method: str) -> None:
    places = [None, *kinds, "value", "result"]
    for early in (False, True):
        for place in places if not early else places[:-1]:
            ran = [outcome(of, name, kinds, sample, method, place, early) for of in (OURS, torch.distributions)]
            assert close(*ran), (place, early)
