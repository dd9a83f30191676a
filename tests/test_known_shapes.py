"""Whatever is asked of a known shape, in whatever wrong way, is no failure of the linter."""

import pytest

from tests.linted import linted

ASKED = [
    "x.shape[::0]",
    "x.shape[-5], x.shape[True], x.shape['a'], x.shape[None], x.shape[...], x.shape[1:2, 0]",
    "x.view(0, -1), x.view(-1, -1), x.view(-1, 7), x.view(True, -1), x.reshape([]), x.reshape(()), x.view(-1, n)",
    "x.size(True), x.size('a'), x.size(None), x.dim(1), x.numel(2)",
    "torch.tensor([[1, [2.0]], 3, None, 'a', [], {}]), torch.tensor([1] * 5000), torch.tensor({1, 2.0})",
    "hasattr(), hasattr(1), hasattr(1, 2), hasattr(None, 'x'), hasattr((1,), n=3)",
    "torch.nn.modules.conv._ConvNd()(1), torch.nn.modules.loss._Loss(1, 2, 3, 4)(x)",
]


@pytest.mark.parametrize("asked", ASKED)
def test_odd_questions(asked):
    text = f"import torch\n\n\ndef f(n):\n    x = torch.rand(2, 3)\n    x.add_(1)\n    return {asked}\n"
    assert [each.code for each in linted(text.encode(), "odd.py")] == []
