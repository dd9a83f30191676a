"""What classes, and objects of callers, tell of their attributes, arguments and results."""

from __future__ import annotations

from textwrap import dedent

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


GIVEN_LATER = (
    GATED
    + """
        def open_gate(self, d):
            self.gate = nn.Linear(d, d)
"""
)


def test_what_another_method_gives_an_attribute_may_be_there() -> None:
    assert _codes(GIVEN_LATER.format(gated="kind == 'silu'")) == {"IPL202"}


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
            scores = torch.log_softmax(torch.as_tensor(scores).to(torch.float32), dim=-1)
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
