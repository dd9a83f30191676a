"""Writes to what hooks and checkpoints keep: PyTorch's version check does not look there, the recorder does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.autograd.graph import save_on_cpu, saved_tensors_hooks
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

import inplace_lint
from inplace_lint.runtime.run import run
from inplace_lint.runtime.watch import InplaceError, InplaceWarning

Program = Callable[[], torch.Tensor]

X = torch.tensor([-1.0, 0.5, 2.0], requires_grad=True)


def of_checkpoint() -> torch.Tensor:
    def block(x: torch.Tensor) -> torch.Tensor:
        h = torch.sigmoid(x)
        h.mul_(2)
        return h.exp()

    return checkpoint(block, X, use_reentrant=False)


def of_nested_checkpoint() -> torch.Tensor:
    return checkpoint(lambda: of_checkpoint() * 2, use_reentrant=False)


def same_memory() -> saved_tensors_hooks:
    return saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor)


def of_hooks() -> torch.Tensor:
    with saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
        h = torch.tanh(X)
    h += 1
    return h


def of_hooks_that_wrap() -> torch.Tensor:
    with saved_tensors_hooks(lambda tensor: {"kept": [tensor.view(-1)]}, lambda kept: kept["kept"][0]):
        h = torch.tanh(X)
    nn.functional.relu(h, inplace=True)
    return h


def of_offload() -> torch.Tensor:
    with save_on_cpu():
        h = torch.tanh(X)
        h[0] = 5
    return h


def of_hooks_that_number() -> torch.Tensor:
    kept: list[torch.Tensor] = []
    with saved_tensors_hooks(lambda tensor: kept.append(tensor) or len(kept) - 1, lambda number: kept[number]):
        h = torch.tanh(X)
    h.add_(1)
    return h


class Packed:
    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor.detach()


def of_hooks_with_objects() -> torch.Tensor:
    with saved_tensors_hooks(Packed, lambda packed: packed.tensor):
        h = torch.tanh(X)
    h.add_(1)
    return h


def of_selective_checkpoint() -> torch.Tensor:
    def block(x: torch.Tensor) -> torch.Tensor:
        h = torch.sigmoid(x)
        h.zero_()
        return h.exp()

    contexts = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    return checkpoint(block, X, use_reentrant=False, context_fn=contexts)


def of_buffer_by_out() -> torch.Tensor:
    weight = torch.tensor([0.2, 0.4, 0.6])
    with same_memory():
        h = X * weight
    torch.sqrt(torch.full((3,), 9.0), out=weight)
    return h


@torch.library.custom_op("inplace_lint_tests::doubled", mutates_args=("tensor",))
def doubled(tensor: torch.Tensor) -> None:
    tensor.mul_(2)


def of_buffer_by_custom_op() -> torch.Tensor:
    weight = torch.tensor([0.2, 0.4, 0.6])
    with same_memory():
        h = X * weight
    doubled(weight)
    return h


def of_renormed_embedding() -> torch.Tensor:
    torch.manual_seed(0)
    embedding = nn.Embedding(3, 3, max_norm=0.5)
    out = checkpoint(lambda x: torch.tanh(x @ embedding.weight), X, use_reentrant=False)
    embedding(torch.tensor([0, 1]))
    return out


def of_argument() -> torch.Tensor:
    h = X * 1
    y = checkpoint(torch.tanh, h, use_reentrant=False)
    h.data.mul_(2)
    return y


def of_surroundings() -> torch.Tensor:
    scale = torch.full((3,), 2.0)
    y = checkpoint(lambda x: torch.tanh(x * scale) * scale, X, use_reentrant=False)
    scale.zero_()
    return y


def of_surroundings_reentrant() -> torch.Tensor:
    scale = torch.full((3,), 2.0)
    y = checkpoint(lambda x: torch.tanh(x * scale) * scale, X, use_reentrant=True)
    scale.zero_()
    return y


def of_running_mean() -> torch.Tensor:
    mean = torch.ones(3)

    def block(x: torch.Tensor) -> torch.Tensor:
        h = torch.exp(x - mean)
        mean.mul_(0.1)
        return h.sin()

    return checkpoint(block, X, use_reentrant=False)


def of_stepped_weights() -> torch.Tensor:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3), nn.Tanh())
    y = checkpoint(layers, X, use_reentrant=False)
    layers(X).sum().backward()
    torch.optim.SGD(layers.parameters(), lr=0.1).step()
    return y


WRONG = [
    of_checkpoint,
    of_nested_checkpoint,
    of_hooks,
    of_hooks_that_wrap,
    of_offload,
    of_hooks_that_number,
    of_hooks_with_objects,
    of_selective_checkpoint,
    of_buffer_by_out,
    of_buffer_by_custom_op,
    of_renormed_embedding,
    of_argument,
    of_surroundings,
    of_surroundings_reentrant,
    of_running_mean,
    of_stepped_weights,
]


def copied_by_hooks() -> torch.Tensor:
    with saved_tensors_hooks(lambda tensor: tensor.clone(), lambda tensor: tensor):
        h = torch.tanh(X)
    h += 1
    return h


def in_another_memory() -> torch.Tensor:
    with saved_tensors_hooks(lambda tensor: tensor.double().numpy(), lambda array: torch.from_numpy(array).float()):
        h = torch.tanh(X)
    h += 1
    return h


def convolution_block() -> torch.Tensor:
    torch.manual_seed(0)
    block = nn.Sequential(nn.Conv1d(1, 2, 1), nn.BatchNorm1d(2), nn.ReLU(inplace=True), nn.Dropout(0.5))
    return checkpoint(block, X.view(3, 1, 1), use_reentrant=False)


def changes_nothing() -> torch.Tensor:
    with save_on_cpu():
        return torch.relu_(torch.sigmoid(X))


def another_part() -> torch.Tensor:
    whole = torch.zeros(6)
    with save_on_cpu():
        y = X * whole[:3]
    whole[3:] = 1
    return y


def shape_alone() -> torch.Tensor:
    h = X * 1
    with save_on_cpu():
        y = nn.functional.max_pool1d(h[None, None], 2)
    h.mul_(2)
    return y


def selective() -> torch.Tensor:
    contexts = partial(create_selective_checkpoint_contexts, [torch.ops.aten.mm.default])
    weight = torch.eye(3)
    return checkpoint(lambda x: torch.tanh(x[None] @ weight).exp().add_(1), X, use_reentrant=False, context_fn=contexts)


def after_backward() -> torch.Tensor:
    with save_on_cpu():
        h = torch.tanh(X * 1)
    h.sum().backward(retain_graph=True)
    with torch.no_grad():
        h.mul_(2)
    return X.sum()


def running_statistics() -> torch.Tensor:
    torch.manual_seed(0)
    norm = nn.BatchNorm1d(1)
    return checkpoint(lambda x: norm(x).exp(), X.view(3, 1), use_reentrant=False)


def statistics_and_another_dropout() -> torch.Tensor:
    torch.manual_seed(0)
    block = nn.Sequential(nn.BatchNorm1d(1), nn.Dropout(0.5), nn.Tanh())
    return checkpoint(block, X.view(3, 1), use_reentrant=False, preserve_rng_state=False)


def calls_counted() -> torch.Tensor:
    count = torch.zeros(())

    def block(x: torch.Tensor) -> torch.Tensor:
        count.add_(1)
        return torch.exp(x) if count > 0 else x

    return checkpoint(block, X, use_reentrant=False)


def rewritten_alike() -> torch.Tensor:
    scratch = torch.zeros(3)

    def block(x: torch.Tensor) -> torch.Tensor:
        scratch.copy_(x.detach() * 2)
        return torch.exp(x * scratch)

    y = checkpoint(block, X, use_reentrant=False)
    scratch.zero_()
    return y


def read_for_nothing() -> torch.Tensor:
    noise = torch.ones(3)
    y = checkpoint(lambda x: torch.exp(x + (noise - noise)), X, use_reentrant=True)
    noise.mul_(2)
    return y


def stepped_afterwards() -> torch.Tensor:
    torch.manual_seed(0)
    layers = nn.Sequential(nn.Linear(3, 3), nn.Tanh(), nn.Linear(3, 3))
    optimizer = torch.optim.AdamW(layers.parameters(), lr=0.1)
    for _ in range(2):
        checkpoint(layers, X, use_reentrant=False).sum().backward()
        optimizer.step()
    return checkpoint(layers, X, use_reentrant=False)


RIGHT = [
    running_statistics,
    statistics_and_another_dropout,
    calls_counted,
    rewritten_alike,
    read_for_nothing,
    stepped_afterwards,
    copied_by_hooks,
    in_another_memory,
    convolution_block,
    changes_nothing,
    another_part,
    shape_alone,
    selective,
    after_backward,
]


@pytest.mark.parametrize("program", WRONG)
def test_a_write_to_what_was_packed_is_told_with_both_lines(program: Program) -> None:
    with (
        pytest.warns(InplaceWarning, match="modifies .* unseen by autograd, which backward needs unchanged"),
        inplace_lint.watch() as watching,
    ):
        program().sum().backward()
    (found,) = watching.diagnostics
    code = program.__code__ if "nested" not in program.__name__ else of_checkpoint.__code__
    rows = {found.site.span.row, *(each.site.span.row for each in found.related if "saved" in each.message)}
    assert len(rows) == 2
    assert all(code.co_firstlineno < row < code.co_firstlineno + 8 for row in rows)


@pytest.mark.parametrize("program", RIGHT)
def test_right_programs_are_silent(program: Program, recwarn: pytest.WarningsRecorder) -> None:
    with inplace_lint.watch(strict=True):
        for _ in range(2):
            program().sum().backward()
    assert not [each for each in recwarn if each.category is InplaceWarning]


@pytest.mark.parametrize("program", WRONG)
def test_strict_raises_where_backward_reads(program: Program) -> None:
    with pytest.raises(InplaceError, match=r"unseen by autograd.*IPL401") as raised, inplace_lint.watch(strict=True):
        program().sum().backward()
    if sys.version_info >= (3, 11):
        assert any("saved for backward here" in note for note in raised.value.__notes__)


def test_strict_is_an_error_of_a_run() -> None:
    ended = run(lambda: of_hooks().sum().backward(), strict=True)
    assert isinstance(ended.error, InplaceError)
    assert [each.code for each in ended.diagnostics] == ["IPL401"]
    assert not getattr(ended.error, "__notes__", ())
    assert [each.code for each in run(lambda: of_hooks().sum().backward()).diagnostics] == ["IPL401"]


def test_gradients_are_those_without_the_recorder() -> None:
    for program in (*WRONG, *RIGHT):
        gradients = []
        for watching in (False, True):
            X.grad = None
            if watching:
                with inplace_lint.watch():
                    program().sum().backward()
            else:
                program().sum().backward()
            assert X.grad is not None
            gradients.append(X.grad.clone())
        assert torch.equal(*gradients), program
    X.grad = None


def test_a_comment_allows_it(tmp_path: Path) -> None:
    file = tmp_path / "allowed.py"
    file.write_text(
        "import torch\n"
        "def train(x):\n"
        "    with torch.autograd.graph.save_on_cpu():\n"
        "        h = torch.tanh(x)\n"
        "    h += 1  # noqa: IPL401\n"
        "    h.sum().backward()\n"
    )
    names: dict[str, Callable[[torch.Tensor], None]] = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    assert run(lambda: names["train"](X), strict=True).error is None
