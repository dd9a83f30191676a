"""The programs that are read in place of attention and transformers compute, save and keep what PyTorch's own do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.running_stubs import ours

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

LONG, WIDE = (3, 2, 4), (5, 2, 4)
SAME, OTHER = ["a", "a", "a"], ["a", "b", "b"]
NO_DROPOUT = {"dropout": 0.0}
LAYER = {"d_model": 4, "nhead": 2, "dim_feedforward": 6, **NO_DROPOUT}
CAUSAL, PADDED = nn.Transformer.generate_square_subsequent_mask(3), torch.tensor([[False, True, False]] * 2)

# How it is made, which tensors it is given, and its other arguments.
MADE: dict[str, tuple[Callable[[Any], Any], list[str], dict[str, Any]]] = {
    "attention": (lambda of: of.MultiheadAttention(4, 2), SAME, {}),
    "attention to another": (lambda of: of.MultiheadAttention(4, 2), OTHER, {}),
    "attention of each head": (lambda of: of.MultiheadAttention(4, 2), SAME, {"average_attn_weights": False}),
    "attention without weights": (lambda of: of.MultiheadAttention(4, 2), OTHER, {"need_weights": False}),
    "attention, batch first": (lambda of: of.MultiheadAttention(4, 2, batch_first=True), ["a", "a", "a"], {}),
    "attention of sizes": (lambda of: of.MultiheadAttention(4, 2, kdim=3, vdim=6), ["a", "c", "d"], {}),
    "attention without bias": (lambda of: of.MultiheadAttention(4, 2, bias=False), SAME, {}),
    "attention with more": (
        lambda of: of.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True),
        SAME,
        {"attn_mask": CAUSAL},
    ),
    "attention, masked": (lambda of: of.MultiheadAttention(4, 2), SAME, {"attn_mask": CAUSAL < 0}),
    "attention, masked by head": (lambda of: of.MultiheadAttention(4, 2), SAME, {"attn_mask": torch.zeros(4, 3, 3)}),
    "attention, padded": (lambda of: of.MultiheadAttention(4, 2), SAME, {"key_padding_mask": PADDED}),
    "attention of one": (lambda of: of.MultiheadAttention(4, 2), ["e", "e", "e"], {}),
    "encoder layer": (lambda of: of.TransformerEncoderLayer(**LAYER), ["a"], {"src_mask": CAUSAL}),
    "encoder layer, norm first": (lambda of: of.TransformerEncoderLayer(**LAYER, norm_first=True), ["a"], {}),
    "encoder layer, batch first": (
        lambda of: of.TransformerEncoderLayer(**LAYER, batch_first=True, activation="gelu"),
        ["a"],
        {},
    ),
    "decoder layer": (lambda of: of.TransformerDecoderLayer(**LAYER), ["a", "b"], {"tgt_mask": CAUSAL}),
    "decoder layer, norm first": (lambda of: of.TransformerDecoderLayer(**LAYER, norm_first=True), ["a", "b"], {}),
    "encoder": (
        lambda of: of.TransformerEncoder(of.TransformerEncoderLayer(**LAYER), 2, nn.LayerNorm(4)),
        ["a"],
        {"src_key_padding_mask": PADDED},
    ),
    "decoder": (lambda of: of.TransformerDecoder(of.TransformerDecoderLayer(**LAYER), 2), ["a", "b"], {}),
    "transformer": (
        lambda of: of.Transformer(**LAYER, num_encoder_layers=1, num_decoder_layers=1),
        ["b", "a"],
        {"tgt_mask": CAUSAL},
    ),
}


class _Programs:
    """The programs under the names that `torch.nn` has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        attention, transformer = ours("torch.nn.modules.activation"), ours("torch.nn.modules.transformer")
        monkeypatch.setattr(transformer, "MultiheadAttention", attention.MultiheadAttention)
        self.__dict__.update(vars(transformer))


def _tensors() -> dict[str, Any]:
    torch.manual_seed(1)
    sizes = {"a": LONG, "b": WIDE, "c": (5, 2, 3), "d": (5, 2, 6), "e": (3, 4)}
    return {name: torch.rand(size, requires_grad=True) for name, size in sizes.items()}


def _passed(net: Any, given: list[str], options: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    tensors = _tensors()
    results = net(*(tensors[name] for name in given), **options)
    return {**tensors, **dict(net.named_parameters())}, [each for each in _listed(results) if each is not None]


def _listed(results: Any) -> list[Any]:
    return list(results) if isinstance(results, tuple) else [results]


def _breaking(net: Any, given: list[str], options: dict[str, Any]) -> list[str]:
    """The inputs, parameters and results that a backward pass needs unchanged."""
    found = []
    tensors, results = _passed(net, given, options)
    loss, every = results[0].sum(), {**tensors, **{f"result {n}": each for n, each in enumerate(results)}}
    for name, tensor in every.items():
        before = tensor._version
        torch.autograd.graph.increment_version(tensor)
        try:
            loss.backward(retain_graph=True)
        except RuntimeError as error:
            found += [name] if "inplace operation" in str(error) else [str(error)]
        torch._C._autograd._unsafe_set_version_counter((tensor,), (before,))
    return found


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("name", MADE)
def test_a_program_of_attention_is_as_the_real_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, given, options = MADE[name]
    real, told = make(nn), make(_Programs(monkeypatch))
    assert {key: each.shape for key, each in real.state_dict().items()} == {
        key: each.shape for key, each in told.state_dict().items()
    }
    assert [key for key, _ in real.named_modules()] == [key for key, _ in told.named_modules()]
    told.load_state_dict(real.state_dict())
    found = []
    for net in (real, told):
        tensors, results = _passed(net, given, options)
        sum(each.square().sum() for each in results).backward()
        found.append([*results, *(each.grad for each in tensors.values() if each.grad is not None)])
    assert len(found[0]) == len(found[1])
    assert all(torch.allclose(a, b, atol=1e-5) for a, b in zip(*found, strict=True))
    assert _breaking(told, given, options) == _breaking(real, given, options)
