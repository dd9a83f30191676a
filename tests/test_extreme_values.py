"""Numbers and strings that nobody foresees are computed with, or left unknown; nothing breaks."""

from __future__ import annotations

import re
from inspect import cleandoc

import pytest

from inplace_lint import lint_source

VALUES = (
    "nan -inf 1e400 0 -1 10**400 9223372036854775808 -9223372036854775809 '\\ud800' None () {} "
    f"0x{'f' * 5000} '{'9' * 5000}'"
).split(" ")

HEAD = """
import functools, itertools, math, os, random
import einops
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
nan, inf = float('nan'), float('inf')
"""

EXPRESSIONS = {
    "ranges": """
        range(N) | range(0, 10, N) | range(N, 10) | range(N)[N] | len(range(N)) | N in range(3) | list(range(N))
        slice(N) | slice(1, N).indices(N) | itertools.repeat(1, N) | list(itertools.islice([1, 2], N))""",
    "subscripts": """
        [1, 2][N] | [1, 2][N:] | [1, 2][:N] | [1, 2][::N] | (1, 2)[N] | 'ab'[N] | 'ab'[N:N:N] | {'a': 1}[N]
        {'a': 1}.get(N) | {'a': 1}.pop(N, None) | {N: 1}""",
    "lists": """
        [0].insert(N, x) | [0].pop(N) | [0].index(N) | [0].index(0, N) | [0].remove(N) | [0].extend(N) | [0].count(N)
        [0] * N | (0,) * N | sum([N, 1]) | min(N, 1) | max([N]) | sorted([N, 1]) | enumerate([1], N) | zip([1], N)""",
    "arithmetic": """
        N + N | N - 1 | N * 2 | N / 2 | N // 2 | N % 2 | 2 % N | 2 / N | 2 // N | 2 ** N | N ** 2 | N ** -1 | N ** 0.5
        1 << N | 1 >> N | N << 2 | ~N | -N | +N | not N | N & 3 | N | 3 | N ^ 3 | N < N | N == 2""",
    "functions": """
        pow(2, N) | pow(2, N, N) | pow(N, -1, 7) | divmod(N, 2) | divmod(2, N) | abs(N) | int(N) | float(N) | bool(N)
        str(N) | repr(N) | complex(N) | int(N, 16) | int('12', N) | round(N) | round(1.5, N) | round(N, 2) | hex(N)
        chr(N) | ord(N) | hash(N) | len(N) | list(N) | dict(N) | bytes(N) | isinstance(x, N) | getattr(x, N)""",
    "mathematics": """
        math.sqrt(N) | math.floor(N) | math.ceil(N) | math.log(N) | math.log2(N) | math.prod([N, 2]) | math.isqrt(N)
        math.factorial(N) | math.comb(N, 2) | math.gcd(N, 2) | math.pow(N, N) | math.exp(N) | random.randint(0, N)""",
    "formats": """
        f'{N:>10}' | f'{1:{N}}' | '{}'.format(N) | '{:d}'.format(N) | format(N, 'd') | '%d' % N | '%s' % (N,)
        '%c' % N | '%.3f' % N | '%x' % N | '%*d' % (N, 1)""",
    "strings": """
        'ab' * N | 'ab'.center(N) | 'ab'.ljust(N, '-') | 'ab'.zfill(N) | 'ab'.replace('a', 'b', N) | 'ab'.split('b', N)
        'a b'.rsplit(None, N) | 'ab'.find('a', N) | 'ab'.startswith('a', N) | 'ab'.startswith(N) | 'ab'.count('a', N)
        'ab'.join(N) | 'ab'.strip(N) | 'ab'.expandtabs(N) | 'ab'.encode(N) | 'ab'.translate(N)
        (5).to_bytes(N, 'big')""",
    "tensors": """
        torch.zeros(N) | torch.zeros(2, N) | torch.full((2,), N) | torch.arange(N) | torch.arange(0, 10, N)
        torch.linspace(0, 1, N) | torch.eye(N) | torch.tensor([N]) | torch.empty((N, 2)) | x + N | x ** N | N * x
        x.size(N) | x.shape[N] | x.stride(N) | x.sum(N) | x.sum(dim=(N, 0)) | x.topk(N) | x.fill_(N) | x.pow(N)""",
    "views": """
        x[N] | x[N:] | x[:, N] | x[..., ::N] | x[N, N] | x[[N]] | x.view(N) | x.view(-1, N) | x.view(N, N)
        x.reshape(N) | x.expand(N) | x.expand(N, -1) | x.repeat(N) | x.roll(N, N) | x.narrow(0, N, 1)
        x.narrow(N, 0, N) | x.unfold(0, N, 1) | x.unfold(N, 2, N) | x.transpose(0, N) | x.permute(N, 0)
        x.select(N, 0) | x.select(0, N) | x.squeeze(N) | x.unsqueeze(N) | x.flatten(N) | x.unflatten(0, (N, -1))
        x.movedim(0, N) | x.diagonal(N) | x.as_strided((N,), (N,))""",
    "pieces": """
        x.chunk(N) | x.chunk(2, N) | x.split(N) | x.split([N, 1]) | x.split(1, N) | torch.split(x, N, dim=N)
        torch.tensor_split(x, N) | x.unbind(N) | torch.stack([x, x], N) | torch.cat([x, x], dim=N)""",
    "modules": """
        nn.Linear(N, 2) | nn.Conv2d(1, N, 3) | nn.Embedding(N, N) | nn.ReLU(inplace=N) | nn.Dropout(N)(x)
        nn.ModuleList([nn.ReLU()] * N) | nn.Sequential(nn.ReLU())[N] | nn.ModuleList([nn.ReLU()])[N:]
        nn.ModuleList([nn.ReLU()]).insert(N, nn.ReLU()) | nn.ModuleList([nn.ReLU()]).pop(N) | F.pad(x, (N, 1))
        F.dropout(x, N, True, True) | F.one_hot(x, N) | einops.rearrange(x, N) | einops.repeat(x, 'a -> a c', c=N)
        np.zeros(N) | np.ones(3)[N] | np.arange(N) | np.array([N]).reshape(N)""",
}


@pytest.mark.parametrize("group", EXPRESSIONS)
def test_extreme_values(group: str) -> None:
    expressions = cleandoc(EXPRESSIONS[group]).replace("\n", " | ").split(" | ")
    text = HEAD
    for index, expression in enumerate(expressions):
        for number, value in enumerate(VALUES):
            written = f"v{number}" if expression.startswith("f'") else f"({value})"
            spelled = re.sub(r"\bN\b", lambda _, written=written: written, expression)
            text += f"def f{index}_{number}(x, v{number}={value}):\n    y = {spelled}\n    return x.add_(1)\n"
    assert not [each for each in lint_source(text) if each.code.startswith("IPL9")]


def test_ranges_that_are_longer_than_len_can_tell() -> None:
    text = (
        "import torch\nfor i in range(9223372036854775808):\n    x = torch.ones(2, requires_grad=True)\n    x.add_(1)\n"
    )
    assert [each.code for each in lint_source(text)] == ["IPL101"]
