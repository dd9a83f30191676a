"""What classes, and objects of callers, tell of their attributes, arguments and results."""

from __future__ import annotations

from textwrap import dedent

import pytest
import torch

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config


def _codes(text: str) -> set[str]:
    found = lint_source(dedent(text), "told.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


COPIED = """
    import torch
    class Tracker:
        def reset(self):
            self._area = None
        def track(self, model, data):
            if self._area is None:
                self._area = data.test_data.clone()
                self._area.votes = torch.zeros(self._area.{what}.shape[0])
                self._area.to(model.device)
            return 1
"""


def test_a_copy_with_attributes_of_its_own_is_no_tensor_on_any_path() -> None:
    assert _codes(COPIED.format(what="T")) == {"IPL308"}
    assert _codes(COPIED.format(what="positions")) == set()


PARTS = """
    import torch
    def shuffled(data, order):
        for part in data.clone():
            count = part.{what}.shape[0]
            part[order] = torch.sigmoid(part)[order] * count
        return data
"""


def test_parts_with_attributes_of_their_own_are_no_tensors() -> None:
    assert _codes(PARTS.format(what="T")) == {"IPL103"}
    assert _codes(PARTS.format(what="positions")) == set()


DIVIDED = """
    import torch
    def scaled(sums, scale):
        for row in range(4):
            sums[row, {columns}] = sums[row, {columns}] / torch.exp(scale)
        return sums
"""


def test_several_elements_divided_by_a_tensor_are_one() -> None:
    assert _codes(DIVIDED.format(columns=":3")) == {"IPL201"}
    assert _codes(DIVIDED.format(columns="'name'")) == set()


GATED = """
    import torch
    from torch import nn
    ACTIVATIONS = {{"relu": nn.functional.relu, "silu": nn.functional.silu}}
    class Layer(nn.Module):
        def __init__(self, d, kind="relu", gated=False):
            super().__init__()
            self.first = nn.Linear(d, d)
            self.activation = ACTIVATIONS[kind]
            if {gated}:
                self.gate = nn.Linear(d, d)
            else:
                self.gate = None
        def forward(self, x):
            hidden = self.activation(self.first(x))
            if self.gate is not None:
                hidden.mul_(self.gate(x))
            return hidden
"""


def test_an_attribute_is_given_under_the_conditions_of_its_constructor() -> None:
    assert _codes(GATED.format(gated="gated")) == {"IPL202"}
    assert _codes(GATED.format(gated="kind == 'silu'")) == set()


CHOSEN_BY_NAME = """
    import torch
    from torch import nn
    ACTIVATIONS = {{"silu": nn.functional.silu, "relu": nn.functional.relu, "gelu": nn.functional.gelu}}
    class Layer(nn.Module):
        def __init__(self, d, kind):
            super().__init__()
            self.first = nn.Linear(d, d)
            self.activation = ACTIVATIONS[kind]
            self.gate = None
            if kind == "{gated}" or kind == "gelu":
                self.gate = nn.Linear(d, d)
        def forward(self, x):
            hidden = self.activation(self.first(x))
            if self.gate is not None:
                hidden.mul_(self.gate(x))
            return hidden
    class Block(nn.Module):
        def __init__(self, d, kind):
            super().__init__()
            self.layer = Layer(d, kind)
        def forward(self, x):
            return self.layer(x)
"""


def test_what_a_name_chooses_is_what_it_was_compared_with() -> None:
    assert _codes(CHOSEN_BY_NAME.format(gated="relu")) == {"IPL202"}
    assert _codes(CHOSEN_BY_NAME.format(gated="silu")) == set()


GIVEN_LATER = (
    GATED
    + """
        def open_gate(self, d):
            self.gate = nn.Linear(d, d)
"""
)


def test_what_another_method_gives_an_attribute_may_be_there() -> None:
    assert _codes(GIVEN_LATER.format(gated="kind == 'silu'")) == {"IPL202"}


SCALED = """
    import torch
    class Loss:
        def __init__(self, model, scale=None):
            self.model, self.bias = model, None
            self.scale = scale
        def prior(self, source):
            prior = self.model.generator(source).detach().clone() / self.scale
            prior = torch.log_softmax(prior.to(torch.float32), dim=-1)
            prior[:, 0] = -50
            return prior
"""


def test_what_a_caller_may_give_instead_of_none_is_there() -> None:
    assert _codes(SCALED) == set()


WARMED_UP = """
    import torch
    class State:
        def __init__(self, kind, size):
            if kind == "timed":
                self.step = torch.zeros(size)
            self.size = size
    class Decoder:
        def warm_up(self, kind):
            {before}
            with torch.inference_mode():
                {inside}
                self.state.step.add_(1)
        def decode(self, kind):
            self.warm_up(kind)
            self.state.step.fill_(0)
            return self.state.step
"""


def test_what_an_object_may_have_was_not_made_where_it_was_found() -> None:
    make = "self.state = State(kind, 3)"
    assert _codes(WARMED_UP.format(before="pass", inside=make)) == {"IPL106"}
    assert _codes(WARMED_UP.format(before=make, inside="pass")) == set()


BANK = """
    import torch
    from torch import nn
    class Projection(nn.Module):
        def fit(self, x):
            self.mean = x.mean(dim=0)
        def transform(self, features):
            features -= self.mean
            return features * 2
    class Model(nn.Module):
        def __init__(self):
            super().__init__()
            self.projection, self.bank = Projection(), []
        def forward(self, x):
            self.bank.append(x)
            return x
        def fit(self):
            self.bank = torch.vstack(self.bank)
            self.projection.fit(self.bank)
            reduced = self.projection.transform(self.bank)
            self.bank = {left}
            return reduced
"""


def test_what_an_attribute_held_before_it_was_emptied_is_not_used_later() -> None:
    assert _codes(BANK.format(left="self.bank")) == {"IPL304"}
    assert _codes(BANK.format(left="[]")) == set()
    assert _codes(BANK.format(left="None")) == set()


TOTALS = """
    import torch
    class Metric:
        def _add(self, totals, values):
            for key, value in values.items():
                {total} += value
        def compute(self, outputs):
            totals = {{}}
            for each in outputs:
                self._add(totals, each)
            return self._ratio(totals["loss"])
"""


def test_a_metric_brings_totals_up_to_date() -> None:
    assert _codes(TOTALS.format(total="totals[key]")) == set()


FLAT = """
    import torch
    def gathered(parts, local, n):
        flat = torch.zeros([n])
        part = flat.narrow(0, parts[0], parts[1])
        part.copy_(local)
        part.data = torch.zeros(1)
        return flat.clone()
"""


def test_a_part_that_was_given_other_memory_was_filled_as_a_part() -> None:
    assert _codes(FLAT) == set()


FOREIGN = """
    import torch
    import {library}
    class Scorer:
        def __init__(self, path):
            self.engine = {library}.Generator(path)
        def scores(self, tokens):
            scores = self.engine.forward_batch({library}.View(tokens.sigmoid()))
            scores = torch.log_softmax(scores.to(torch.float32), dim=-1)
            scores[:, 0] = -50
            return scores
"""


def test_engines_without_gradients_give_data() -> None:
    assert _codes(FOREIGN.format(library="another_engine")) == {"IPL202"}
    assert _codes(FOREIGN.format(library="onnxruntime")) == set()


CHOSEN = """
    import torch
    class {name}:
        def {method}(self, boxes):
            scores = torch.sigmoid(boxes)
            scores[0] = 0
            return scores
"""


def test_names_of_inference() -> None:
    assert _codes(CHOSEN.format(name="Head", method="pick")) == {"IPL202"}
    assert _codes(CHOSEN.format(name="Head", method="batched_nms")) == set()
    assert _codes(CHOSEN.format(name="Head", method="non_max_suppression")) == set()
    assert _codes(CHOSEN.format(name="MaxIoUAssigner", method="pick")) == set()
    assert _codes(CHOSEN.format(name="InferenceNetwork", method="pick")) == {"IPL202"}


TAKEN = """
    import torch
    def loss(net, losses, x):
        mask = torch.rand(3) > 0.5
        replaced = {mask}
        replaced &= torch.rand(3) > 0.5
        return net.loss(replaced), losses.each(x)[mask]
"""


def test_a_mask_is_read_by_what_it_takes_from() -> None:
    assert _codes(TAKEN.format(mask="mask")) == {"IPL303"}
    assert _codes(TAKEN.format(mask="mask.clone()")) == set()


DECLARED = """
    import torch
    from typing import Optional
    from torchmetrics import MetricCollection
    class Trainer:
        def __init__(self):
            self.kept: Optional[{kind}] = None
        def train(self, loader):
            self.kept = self.other.clone()
            self.kept.to(loader.device)
            return loader.result
"""


def test_what_is_put_where_an_object_is_declared_is_no_tensor() -> None:
    assert _codes(DECLARED.format(kind="MetricCollection")) == set()
    assert _codes(DECLARED.format(kind="torch.Tensor")) == {"IPL308"}


KERNEL = """
    import torch
    @torch.library.{decorator}("kernels::scaled", {options})
    def scaled(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        y = torch.sigmoid(x)
        y.mul_(w)
        return y
"""


def test_the_kernel_of_a_custom_op_records_nothing() -> None:
    assert _codes(KERNEL.format(decorator="custom_op", options="mutates_args=()")) == set()
    assert _codes(KERNEL.format(decorator="impl", options='"CPU"')) == {"IPL202"}


@pytest.mark.parametrize("kernel", [False, True])
def test_pytorch_records_nothing_in_such_a_kernel(kernel: bool) -> None:
    seen: list[bool] = []

    def scaled(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        seen.append((x * w).requires_grad)
        return (x * w).clone()

    name = f"inplace_lint_tests::scaled{int(kernel)}"
    op = torch.library.custom_op(name, scaled, mutates_args=())
    if kernel:
        op.register_kernel("cpu")(scaled)
    op(torch.ones(2, requires_grad=True), torch.ones(2))
    assert seen == [False]


def test_pytorch_records_what_a_plain_implementation_does() -> None:
    seen: list[bool] = []
    library = torch.library.Library("inplace_lint_tests_plain", "DEF")
    library.define("scaled(Tensor x) -> Tensor")

    def scaled(x: torch.Tensor) -> torch.Tensor:
        seen.append((x * 2).requires_grad)
        return x * 2

    library.impl("scaled", scaled, "CPU")
    torch.ops.inplace_lint_tests_plain.scaled(torch.ones(2, requires_grad=True))
    assert seen == [True]
