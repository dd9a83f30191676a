"""What is kept for good, and filled or added to where it is, in code that nobody calls."""

from __future__ import annotations

from textwrap import dedent

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config


def _codes(text: str) -> set[str]:
    found = lint_source(dedent(text), "kept.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


REFRESHED = """
    import torch
    class Backend:
        def __init__(self):
            self.{kept} = [torch.rand(4) for _ in range(2)]
        def prepare(self, size, positions):
            {name} = self.{kept}[size]
            given = {name}
            {name}.{write}
            return given, positions
"""


def test_static_memory_is_there_to_be_filled() -> None:
    assert _codes(REFRESHED.format(kept="positions", name="static_positions", write="copy_(positions)")) == set()
    assert _codes(REFRESHED.format(kept="positions", name="current", write="copy_(positions)")) == {"IPL303"}
    assert _codes(REFRESHED.format(kept="positions", name="static_positions", write="mul_(2)")) == {"IPL303"}


GIVEN = """
    import torch
    class Kernel:
        def __init__(self, {param}):
            self.starts = {param}
        def run(self):
            return self.starts.sum()
    class Adapter:
        def __init__(self):
            self.starts = torch.rand(4)
            self.kernel = Kernel(self.starts)
        def run(self, lengths):
            starts = self.starts[:3]
            starts.{write}
            return self.kernel.run() + self.kernel.starts.max()
    result = Adapter().run(torch.ones(3))
"""


def test_who_gives_a_buffer_goes_on_to_fill_it() -> None:
    assert _codes(GIVEN.format(param="starts_buf", write="copy_(lengths)")) == set()
    assert _codes(GIVEN.format(param="begin", write="copy_(lengths)")) == {"IPL304"}
    assert _codes(GIVEN.format(param="starts_buf", write="mul_(lengths)")) == {"IPL304"}


ASSIGNED_FIRST = """
    import torch
    class Fields:
        def __init__(self):
            self.field = None
        def batches(self):
            while True:
                field = torch.rand(3)
                if self.field is {test}:
                    self.field = field
                else:
                    self.field.data.copy_(field)
                yield {{"field": self.field}}
"""


def test_what_is_assigned_if_there_is_none_keeps_its_memory_afterwards() -> None:
    assert _codes(ASSIGNED_FIRST.format(test="None")) == set()
    assert _codes(ASSIGNED_FIRST.format(test="field")) == {"IPL304"}


TOTALS = """
    import torch
    class Counts:
        def __init__(self):
            self.totals = {{}}
        def record(self, keys, hits):
            total = {start}
            for key in keys:
                self.totals[key] = total
                total.add_(hits)
            return float(total)
"""


def test_a_history_of_one_total_is_no_total_of_each_key() -> None:
    assert _codes(TOTALS.format(start="torch.zeros(1)")) == {"IPL304"}


ENTRIES = """
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torch import nn
    class Loss(nn.Module):
        def forward(self, given: TensorDictBase, logits):
            entries = TensorDict(source=given)
            action = entries.get("action")
            loss = torch.gather(logits, -1, index=action)
            given.set("{key}", loss.detach(), inplace=True)
            return loss
"""


def test_an_entry_is_another_one_in_a_copy_of_its_dictionary_too() -> None:
    assert _codes(ENTRIES.format(key="priority")) == set()
    assert _codes(ENTRIES.format(key="action")) == {"IPL201"}


WHOLE = """
    import torch
    from typing import NamedTuple, Union
    class Plan(NamedTuple):
        ratio: {kind}
    class Other(NamedTuple):
        ratio: {kind}
    def prepare(words, plan: Union[Plan, Other]):
        counted = words[0].{read}
        positions = counted - plan.ratio
        valid = positions >= 0
        positions = torch.where(valid, positions, torch.zeros_like(positions))
        valid &= counted % plan.ratio == 0
        return positions, valid
"""


def test_whole_numbers_have_no_gradient() -> None:
    assert _codes(WHOLE.format(kind="int", read="to(torch.int64)")) == set()
    assert _codes(WHOLE.format(kind="int", read="view(torch.int32)[:, 0].long()")) == set()
    assert _codes(WHOLE.format(kind="int", read="to(torch.float32)")) == {"IPL201"}
    assert _codes(WHOLE.format(kind="torch.Tensor", read="to(torch.int64)")) == {"IPL201"}


AVERAGED = """
    import torch
    from torch import nn
    def average(kept, new, decay):
        kept.data.mul_(decay).add_(new)
    class Codes(nn.Module):
        def __init__(self, sums):
            super().__init__()
            self.register_buffer("sums", sums.clone())
        def forward(self, x):
            {before}
            average(self.sums, x.t() @ x.relu(), 0.9)
            return x @ (self.sums / 2)
"""


def test_an_average_of_what_was_kept_before_needs_no_gradient() -> None:
    assert _codes(AVERAGED.format(before="pass")) == set()
    assert _codes(AVERAGED.format(before="self.sums = x * 2")) == {"IPL401"}
