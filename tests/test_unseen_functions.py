"""What functions out of view make of what they are given, and what masks and names are that nobody has seen."""

import pytest
from linted import linted

from inplace_lint import Config, lint_source

FREEZES = """
import torch
from torch import nn

from elsewhere import NAME


def load(weight):
    net = nn.Linear(2, 2)
    NAME(netARGUMENTS)
    net.weight.copy_(weight)
    return net
"""


@pytest.mark.parametrize(
    ("name", "arguments", "codes"),
    [
        ("freeze", "", []),
        ("quantize_", ", weight", []),
        ("freeze_parameters", "", []),
        ("set_requires_grad", ", False", []),
        ("set_requires_grad", ", True", ["IPL101"]),
        ("freeze_first", "", ["IPL101"]),
        ("unfreeze", "", ["IPL101"]),
        ("describe", "", ["IPL101"]),
    ],
)
def test_freezing(name: str, arguments: str, codes: list[str]) -> None:
    assert _codes(FREEZES.replace("NAME", name).replace("ARGUMENTS", arguments)) == codes


SOLVES = """
import torch
from elsewhere import CALLEE


def squares(x: torch.Tensor):
    found = CALLED(GIVEN)
    grown = found.exp()
    grown.mul_(2)
    return grown
"""


@pytest.mark.parametrize(
    ("callee", "called", "given", "codes"),
    [
        ("solve", "solve", "x.detach().clone()", []),
        ("solve", "torch.nested.to_padded_tensor", "x.detach(), 0.0", []),
        ("solve", "solve", "x", ["IPL202"]),
        ("Solver", "Solver()", "x.detach().clone()", ["IPL202"]),
        ("network", "network", "x.detach().clone()", ["IPL202"]),
    ],
)
def test_what_is_computed_of_data_is_data(callee: str, called: str, given: str, codes: list[str]) -> None:
    text = SOLVES.replace("CALLEE", callee).replace("CALLED", called).replace("GIVEN", given)
    assert _codes(text) == codes


TAKES = """
import torch


def taken(x: torch.Tensor, a, b):
    grown = x.exp()
    part = grown[PLACES]
    part.mul_(2)
    return grown.sum() + part.sum()
"""


@pytest.mark.parametrize(
    ("places", "codes"),
    [("~a", []), ("a & b", []), ("a | ~b", []), ("a > 0", []), ("-1", ["IPL202"]), ("2", ["IPL202"])],
)
def test_what_a_mask_takes_is_a_copy(places: str, codes: list[str]) -> None:
    assert _codes(TAKES.replace("PLACES", places)) == codes


BLANKS = """
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(size, size) for _ in range(3)])

    def forward(self, x, MASK=None):
        if MASK is not None:
            x[MASK] = VALUE
        for layer in self.layers:
            x = layer(x)
        return x


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.encoder = Encoder(size)
        self.first = nn.Linear(size, size)

    def forward(self, source, MASK):
        features = self.first(source)
        return self.encoder(features, MASK), features
"""


@pytest.mark.parametrize(
    ("mask", "value", "codes"),
    [
        ("padding_mask", "0", []),
        ("pad_mask", "0", []),
        ("drop_mask", "0", ["IPL302"]),
        ("padding_mask", "x.mean()", ["IPL302"]),
    ],
)
def test_padding_is_blanked(mask: str, value: str, codes: list[str]) -> None:
    assert _codes(BLANKS.replace("MASK", mask).replace("VALUE", value)) == codes


KEEPS = """
import torch


class Memory:
    def __init__(self):
        self.parts = {}

    def create(self, name: str, size: int):
        setattr(self, f"_{name}", torch.zeros(size))
        whole = getattr(self, f"_{name}")
        self.parts[name] = whole.view(-1)
        whole.CHANGE

    def read(self, name):
        return self.parts[name]
"""


@pytest.mark.parametrize(("change", "codes"), [("fill_(1)", []), ("copy_(torch.rand(3)).cumsum_(0)", ["IPL304"])])
def test_a_part_is_kept_before_there_are_values(change: str, codes: list[str]) -> None:
    assert _codes(KEEPS.replace("CHANGE", change)) == codes


FETCHES = """
import torch


class Batches:
    def __init__(self, rows, size=2):
        self.rows, self.size = rows, size
        self.kept = torch.rand((size, 4))

    def __getitem__(self, i):
        rows = self.rows[i * self.size : (i + 1) * self.size]
        part = FILLED
        part[torch.stack(rows) < 0] = -1
        return part


data = Batches([torch.rand(4) - 0.5, torch.rand(4) - 0.5])
first = data[0]
"""


@pytest.mark.parametrize(
    ("filled", "codes"),
    [
        ("torch.stack(rows, out=self.kept[: len(rows)])", []),
        ("self.kept[: len(rows)].copy_(torch.stack(rows))", []),
        ("self.kept[: len(rows)].abs()", []),
        ("self.kept[: len(rows)].add_(1)", ["IPL304"]),
    ],
)
def test_a_buffer_is_filled_anew_before_it_is_changed(filled: str, codes: list[str]) -> None:
    assert _codes(FETCHES.replace("FILLED", filled)) == codes


PASSES = """
import torch


class Quantizer:
    def scaled(self, p: torch.Tensor):
        grown = p.exp()
        grown.mul_(2)
        return grown

    def quantize(self, p: torch.Tensor, q: torch.Tensor):
        return self.scaled(PASSED)
"""


@pytest.mark.parametrize(
    ("passed", "codes"),
    [
        ("p.detach()", []),
        ("p.detach().clone().abs()", []),
        ("p", ["IPL202"]),
        ("p.detach() + q", ["IPL202"]),
    ],
)
def test_a_caller_that_detaches_what_it_passes_tells_what_a_function_is_for(passed: str, codes: list[str]) -> None:
    assert _codes(PASSES.replace("PASSED", passed)) == codes


TABLES = """
import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind
        self.embed = nn.Embedding(3, 3)

    def encode(self, data, device):
        if self.kind == "tensor":
            data = data.to(device=device, non_blocking=True)
            return self.embed(data)
        return self.embed(data["tokens"].to(device))

    def forward(self, data):
        device = self.embed.weight.device
        for k in data:
            data[k] = data[k].to(device)
        return self.encode(data, device=device)
"""
RANGES = """
import torch


def load(weight, parts):
    for source, target in parts.items():
        places = [source.to_slice() if dim == target.dim else slice(None, None, None) for dim in range(weight.ndim)]
        with torch.no_grad():
            weight.data[places].copy_(target.values)
"""


POSITIONS = """
import numpy as np


def colored(image, rows, value):
    image[rows] = value
    return image


def draw(colors, merged, place, value):
    images = [np.array(colors[0]), np.array(colors[1])]
    for rows in merged:
        images[place] = colored(images[place], rows, value)
    return images[0], images[1]
"""


ARRAYS = """
import numpy as np


class Sampling:
    def __init__(self, dataset):
        self.lengths = np.cumsum(np.array(dataset.lengths))
        self.lengths[1:] = self.lengths[:-1]
        self.lengths[0] = 0

    def sample(self, places):
        return (places + self.lengths[:, None]).flatten()
"""
FILLED = """
import torch


def _out_tensor(*size, out=None):
    if out is None:
        return torch.empty(size)
    return out


def make_gaussian(*size, center=None, stdev=None, out=None, symmetric=False):
    out = _out_tensor(*size, out=out)
    if symmetric:
        out[0::2, ...].normal_()
        out[1::2, ...] = out[0::2, ...]
        out[1::2, ...] *= -1
    else:
        out.normal_()
    if stdev is not None:
        out *= stdev
        out += center
    return out


class Maker:
    def make_gaussian(self, *size, out=None, **kwargs):
        args, kwargs = self._collect(*size, out=out, **kwargs)
        return make_gaussian(*args, **kwargs)

    def _collect(self, *size, out=None, **kwargs):
        if out is not None:
            kwargs["out"] = out
        return size, kwargs


class Distribution(Maker):
    def __init__(self, mu, sigma):
        self.mu, self.sigma = mu, sigma

    def _fill(self, out):
        self.make_gaussian(out=out, center=self.mu, stdev=self.sigma)

    def sample(self, num, out=None):
        if out is None:
            out = torch.empty((num, 3))
        self._fill(out)
        return out
"""


@pytest.mark.parametrize(
    "program",
    [TABLES, RANGES, POSITIONS, ARRAYS, FILLED],
    ids=["table", "ranges", "positions", "arrays", "filled"],
)
def test_what_is_indexed_is_no_copy_and_no_mask(program: str) -> None:
    assert _codes(program) == []


SUMS = """
import torch
from torch import nn


class Calibrated(nn.Module):
    def __init__(self, offset):
        super().__init__()
        self.register_buffer("offset", offset)
        self.hidden = nn.Linear(3, 3)

    def forward(self, readings):
        squares = torch.exp(readings)
        squares CHANGE
        return self.hidden(squares)

    def scaled(self, readings):
        readings CHANGE
        return self.hidden(readings)
"""


@pytest.mark.parametrize("change", ["-= 2", "-= self.offset", "*= 0.5", "/= self.offset"])
def test_what_proves_to_be_a_tensor_was_one_before_it_was_added_to(change: str) -> None:
    found = lint_source(SUMS.replace("CHANGE", change), "program.py", Config(select=("IPL305",)))
    assert [(each.code, each.site.span.row) for each in found] == [("IPL305", 18)]


def _codes(text: str) -> list[str]:
    found = linted(text.encode(), "program.py")
    return [each.code for each in found if each.severity != "info"]


TAUGHT = """
import torch
import torch.nn.functional as F
from torch import nn


class Taught(nn.Module):
    def __init__(self, teacher, unknown):
        super().__init__()
        self.teacher = teacher
        self.unknown = unknown

    def forward(self, scores, sources):
        taught = self.teacher.predict(sources)
        taught = F.log_softmax(MADE, dim=-1)
        taught[:, self.unknown] = -50
        return F.kl_div(scores, taught, log_target=True)
"""


@pytest.mark.parametrize(
    ("made", "codes"),
    [
        ("taught", ["IPL202"]),
        ("torch.as_tensor(taught)", []),
        ("torch.asarray(taught, device=scores.device).float()", []),
        ("torch.from_numpy(taught)", []),
        ("scores.log()", ["IPL202"]),
    ],
)
def test_a_result_of_which_a_tensor_is_made_has_no_history(made: str, codes: list[str]) -> None:
    assert _codes(TAUGHT.replace("MADE", made)) == codes


LOST = """
import torch
from torch import nn


class Contact(nn.Module):
    def __init__(self, part):
        super().__init__()
        self.part = part

    def prepare(self, x):
        x.LOST
        return self.part(x)
"""


@pytest.mark.parametrize(
    ("lost", "codes"),
    [
        ("squeeze(0)", ["IPL308"]),
        ("clamp(0, 1)", ["IPL308"]),
        ("clamp_(0, 1).mul(2)", ["IPL308"]),
        ("clip()", []),  # PyTorch's takes a bound
        ("masked_fill('red')", []),  # and this one a mask and a value
        ("copy_(torch.ones(2)).to(torch.int)", []),
    ],
)
def test_what_tensors_do_not_take_is_called_of_another_object(lost: str, codes: list[str]) -> None:
    assert _codes(LOST.replace("LOST", lost)) == codes


MARKED = """
from torch import nn


class Marked(nn.Module):
    def forward(self, inputs, labels):
        changed = inputs.clone()
        mask = MASK
        changed[mask] = self.other(inputs)[mask]
        marks = mask.long()
        marks[:, 0] = 0
        return self.network(changed, marks)
"""


@pytest.mark.parametrize(
    ("mask", "codes"),
    [
        ("labels.ne(-100)", []),
        ("labels != -100", []),
        ("labels.ge(self.least)", []),
        ("self.chosen(labels)", []),
    ],
)
def test_a_comparison_gives_truth_values_of_which_other_numbers_are_copies(mask: str, codes: list[str]) -> None:
    assert _codes(MARKED.replace("MASK", mask)) == codes
