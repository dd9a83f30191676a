"""What names and annotations say of the arguments of functions that nobody calls."""

from __future__ import annotations

from textwrap import dedent

import pytest

from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.project.config import Config


def _codes(text: str) -> set[str]:
    found = lint_source(dedent(text), "told.py", Config(select=("ALL",)))
    return {diagnostic.code for diagnostic in found if diagnostic.severity != "info"}


MASKED = """
    import torch
    def train({batch}):
        weight = torch.ones(3)
        weight[1:] = weight[1:] * {batch}["{ended}"].clamp_min(0)[:-1]
        weight.sum().backward()
"""


def test_what_a_loader_gives_requires_no_grad() -> None:
    assert _codes(MASKED.format(batch="features", ended="gate")) == {"IPL201"}
    assert _codes(MASKED.format(batch="batch", ended="gate")) == set()


LOADED = """
    import torch
    class Layer:
        def put(self, param: torch.nn.Parameter, {weight}: torch.Tensor, shard):
            part = param.data.split(self.sizes, 0)[shard]
            part.copy_({weight}.narrow(0, 0, 2))
"""


def test_what_was_loaded_requires_no_grad() -> None:
    assert _codes(LOADED.format(weight="scaled_weight")) == {"IPL103"}
    assert _codes(LOADED.format(weight="loaded_weight")) == set()


DETACHED = """
    import torch
    def weighted({advantages}, log_prob):
        weight = torch.softmax({advantages}, 0).squeeze_()
        return -(weight * log_prob).sum()
"""


def test_what_is_called_detached_requires_no_grad() -> None:
    assert _codes(DETACHED.format(advantages="advantages")) == {"IPL202"}
    assert _codes(DETACHED.format(advantages="advantages_detached")) == set()
    assert _codes(DETACHED.format(advantages="detached_advantages")) == set()


READ = """
    import torch
    class Loader:
        def __call__(self, names):
            return self.pack([self.{load}(name).to("cpu") for name in names])
        def {load}(self, filename: str) -> torch.Tensor:
            raise NotImplementedError
        def pack(self, images):
            packed = images[0].new_full((len(images), 3, 9, 9), 0.0)
            for image, part in zip(images, packed):
                part[..., : image.shape[-2], :].copy_(image)
            return packed
"""


def test_what_was_read_from_a_file_requires_no_grad() -> None:
    assert _codes(READ.format(load="embed")) == {"IPL103"}
    assert _codes(READ.format(load="load")) == set()


SAVED = """
    import torch
    def returns(factor, rate):
        discount = (factor * rate.mean){detached}.clamp_min(0.1)
        result = torch.ones(4)
        for t in reversed(range(3)):
            result[t] = discount[t] * result[t + 1]
        result.mean().backward()
"""


def test_what_was_detached_requires_no_grad() -> None:
    assert _codes(SAVED.format(detached=".abs()")) == {"IPL201"}
    assert _codes(SAVED.format(detached=".detach()")) == set()


EMBEDDING = """
    import torch
    from torch.nn import functional as F
    def look_up(x, weight: torch.Tensor, limit):
        doubled = weight.pow(2)
        found = F.embedding(x, weight, max_norm={limit})
        (found.sum() + doubled.sum()).backward()
"""


def test_an_option_that_is_passed_on_is_mostly_left_out() -> None:
    assert _codes(EMBEDDING.format(limit="1.0")) == {"IPL201"}
    assert _codes(EMBEDDING.format(limit="limit")) == set()


MERGED = """
    import torch
    def merge(data, deltas):
        for delta in deltas:
            {name} = data.reshape(-1, data.shape[-1]) if data.dim() > 2 else data
            {name}.add_(delta)
        return data
"""


def test_a_name_of_another_shape_stands_for_the_same() -> None:
    assert _codes(MERGED.format(name="total")) == {"IPL303"}
    assert _codes(MERGED.format(name="data_2d")) == set()


ROWS = """
    import numpy as np
    from einops import rearrange
    def flipped(embeddings, tool):
        columns = rearrange(embeddings.{taken}, "c x y -> (x y) c")
        projected{annotated} = tool.fit(columns).T
        projected /= projected[0].std()
        for row in projected:
            row *= -1
        return rearrange(projected, "c (x y) -> c x y", x=2)
"""


def test_arrays_require_no_grad() -> None:
    assert _codes(ROWS.format(taken="tensor()", annotated="")) == {"IPL103", "IPL201"}
    assert _codes(ROWS.format(taken="numpy()", annotated=": np.ndarray")) == set()


GRAPH = """
    import torch
    from torch import nn
    class Conv(nn.Module):
        def __init__(self):
            super().__init__()
            self.lin, self.att = nn.Linear(4, 6), nn.Parameter(torch.randn(2, 3))
        def forward(self, x, edges):
            h = self.lin(x).view(-1, 2, 3)
            score = (h * self.att[0]).sum(-1)
            return h[{index}].mul_({softmax}.unsqueeze(-1))
"""


def test_a_tensor_has_no_foreign_attributes() -> None:
    assert _codes(GRAPH.format(index="0", softmax="edges.softmax(score)")) == {"IPL201"}
    assert _codes(GRAPH.format(index="edges.src", softmax="edges.softmax(score)")) == set()


LATE = """
    def fill({torch}):
        from torch import nn
        layer = nn.Linear(2, 2)
        with {torch}.no_grad():
            for parameter in layer.parameters():
                parameter.copy_({torch}.ones(2))
        return layer
"""


@pytest.mark.parametrize(("name", "codes"), [("torch", set()), ("backend", {"IPL101"})])
def test_a_module_that_is_handed_on(name: str, codes: set[str]) -> None:
    assert _codes(LATE.format(torch=name)) == codes


CACHED = """
    import torch
    from torch import nn
    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.qk = nn.Linear(4, 4)
        def forward(self, x, cache=None):
            q, k = (part.transpose(0, 1) for part in self.qk(x).chunk(2, dim=-1))
            if cache is not None:
                q.div_(2.0)
                cache[0, :] = k
                k = cache[:, :2]
            return q @ k
    def run(steps):
        layer = Layer()
        with {mode}:
            layer(torch.ones(1, 4), torch.zeros(2, 2))
        layer(torch.ones(1, 4)).sum().backward()
    run(3)
"""


def test_an_option_that_a_program_gives_only_without_gradients() -> None:
    assert _codes(CACHED.format(mode="torch.enable_grad()")) == {"IPL103"}
    assert _codes(CACHED.format(mode="torch.inference_mode()")) == set()


DISPLAY = """
    import torch
    import trees
    def is_tree(item):
        return isinstance(item, trees.Tree)
    def collect(action):
        weight = torch.ones(2, requires_grad=True)
        if is_tree({display}):
            weight.mul_(2)
        return weight
"""


def test_a_display_is_no_object_of_another_library() -> None:
    assert _codes(DISPLAY.format(display="action.rows")) == {"IPL101"}
    assert _codes(DISPLAY.format(display="{'action': action}")) == set()


GRADIENT = """
    import torch
    def heat(scores, features, layer):
        grad, = torch.autograd.grad(scores, features[layer]{options})
        heat = grad.mean((2, 3)).relu_()
        return heat.div_(heat.amax(1, keepdim=True))
"""


def test_gradients_require_no_grad() -> None:
    assert _codes(GRADIENT.format(options=", create_graph=True")) == {"IPL202"}
    assert _codes(GRADIENT.format(options="")) == set()


LATER = """
    import torch
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.share = None
        def forward(self, h):
            if self.share is None:
                return h
            return h.mul_(self.share).add_(h.flip(0))
    def share(layer):
        layer.{given} = 0.5
"""


def test_an_attribute_that_is_none_at_first() -> None:
    assert _codes(LATER.format(given="share")) == {"IPL302"}
    assert _codes(LATER.format(given="other")) == set()


STATICS = """
    import torch
    def statics(live, plan):
        with torch.inference_mode({mode}):
            static = [torch.empty_like(each) for each in live]
        for there, here in zip(static, live):
            there.copy_(here)
        return static
"""


def test_a_mode_that_nobody_knows() -> None:
    assert _codes(STATICS.format(mode="True")) == {"IPL106"}
    assert _codes(STATICS.format(mode="bool(plan)")) == set()


ROWS_OF_TENSORDICTS = """
    import torch
    def fill(result, key, tokens):
        for row in result.unbind(1):
            row[{key}] = tokens
"""


def test_a_tensor_has_no_items_by_name() -> None:
    assert _codes(ROWS_OF_TENSORDICTS.format(key="0, 1")) == {"IPL103"}
    assert _codes(ROWS_OF_TENSORDICTS.format(key="key, 'prompt'")) == set()


DISTANCES = """
    import torch
    from {module} import cdist
    def assigned(embeddings, centroids):
        soft = cdist(embeddings, centroids)
        waves = torch.sin(soft)
        soft[0] = 0
        return waves
"""


def test_results_of_libraries_of_arrays_require_no_grad() -> None:
    assert _codes(DISTANCES.format(module="geometry.distance")) == {"IPL201"}
    assert _codes(DISTANCES.format(module="scipy.spatial.distance")) == set()


CHECKED = """
    from copy import deepcopy
    class Average:
        def __init__(self, model, momentum=0.1):
            if not {check}:
                raise ValueError("momentum")
            self.model = model
            self.average = deepcopy(model)
            for parameter in self.average.parameters():
                parameter.{frozen}
        def update(self, momentum):
            for ours, theirs in zip(self.average.parameters(), self.model.parameters()):
                ours.mul_(1.0 - momentum).add_(theirs.data, alpha=momentum)
"""


@pytest.mark.parametrize("check", ["0 < momentum < 1", "isinstance(model, Model)", "momentum"])
def test_checks_of_a_constructor_are_passed(check: str) -> None:
    assert _codes(CHECKED.format(check=check, frozen="zero_grad()")) == {"IPL101"}
    assert _codes(CHECKED.format(check=check, frozen="detach_()")) == set()


MAPPED = """
    import torch
    from torch.func import grad, vmap
    def energy(weights, positions):
        total = torch.zeros(3)
        total.index_add_(0, torch.tensor([0, 1]), {source})
        return (total * positions.sum()).sum()
    def forces(weights, batch):
        return vmap(grad(energy, argnums=1), in_dims={dims})(weights, batch)
    forces(torch.ones(2), torch.ones(4, 2))
"""


def test_which_arguments_are_mapped() -> None:
    assert _codes(MAPPED.format(source="positions * weights", dims="(None, 0)")) == {"IPL501"}
    assert _codes(MAPPED.format(source="positions", dims="[None, 0]")) == {"IPL501"}
    assert _codes(MAPPED.format(source="weights", dims="(None, 0)")) == set()
    assert _codes(MAPPED.format(source="positions", dims="dims_of(energy)")) == set()


ADDING = """
    import torch
    def add_sine(h, o):
        '{text}'
        h.add_(o)
        return h.sin()
    def run(h, o):
        y = add_sine(h, o)
        return y + h
    run(torch.ones(3), torch.ones(3))
"""


def test_a_documented_sum() -> None:
    assert _codes(ADDING.format(text="Norms ``h``, then adds.")) == {"IPL305"}
    assert _codes(ADDING.format(text="``h += o``, then the norm.")) == set()


FIRST_VALUES = """
    import torch
    from torch import nn
    def {name}(bias):
        gate = torch.sigmoid(bias)
        nn.init.uniform_(gate[:1])
        return gate
"""


def test_who_initializes_is_told_by_a_whole_word() -> None:
    for name in ("init_gate", "_reset_gate", "gate_initializer", "reinit"):
        assert _codes(FIRST_VALUES.format(name=name)) == set()
    for name in ("finite_gate", "definition", "preset", "initial_gate"):
        assert _codes(FIRST_VALUES.format(name=name)) == {"IPL202"}


COUNTED = """
    import torch
    def average(total: torch.Tensor, {ends}: torch.Tensor):
        count = {ends}.diff().to(total.dtype).sqrt().clamp_(min=1.0)
        return total / count
"""


def test_where_rows_begin_requires_no_grad() -> None:
    assert _codes(COUNTED.format(ends="ends")) == {"IPL202"}
    assert _codes(COUNTED.format(ends="ptr")) == set()


NOISED = """
    import torch
    def noised(start: torch.Tensor, {times}: torch.Tensor):
        noise = torch.randn_like(start)
        noised = start + noise * {times}.sigmoid()
        return noised, noise.mul_(2)
"""


def test_steps_of_diffusion_require_no_grad() -> None:
    assert _codes(NOISED.format(times="shift")) == {"IPL201"}
    assert _codes(NOISED.format(times="timesteps")) == set()
