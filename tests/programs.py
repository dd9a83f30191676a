"""Random straight-line programs: every line is one that PyTorch accepts, or refuses for a reason we model."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import torch
from growth import NUMBERS, Growth, overlaps
from hypothesis import strategies as st
from torch_oracle import seed

from inplace_lint.torch_model.effects import Effects, Param
from inplace_lint.torch_model.op_table import table

FOREIGN = frozenset(
    # Memory from elsewhere, names, Python values, and functions that are modelled as methods only.
    "set_ resize_ resize_as_ resize_as_sparse_ share_memory_ backward numpy pin_memory cuda retain_grad rename_ rename "
    "refine_names record_stream tolist item manual_seed seed initial_seed detach_ detach asarray as_tensor dequantize "
    # Whether they copy, and what they save, depends on sizes and numbers.
    "reshape reshape_as flatten ravel contiguous unflatten gradient svd unique unique_consecutive lu atleast_1d "
    "atleast_2d atleast_3d view_as_complex "
    # Refused for floating dtypes, but only after the leaf check.
    "lcm_ gcd_ bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_not_ bitwise_left_shift_ bitwise_right_shift_ __ilshift__ "
    # Composed of ops on views; their rows do not say so.
    "fill_diagonal_ poisson_nll_loss "
    "hinge_embedding_loss kl_div kron inner adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d pdist geqrf to "
    "type type_as corrcoef group_norm grouped_mm bitwise_and bitwise_or bitwise_xor cov "
    "dropout1d pca_lowrank vander dropout2d dropout3d to_mkldnn svd_lowrank isin matrix_power norm_except_dim "
    "scaled_dot_product_attention slice_inverse as_strided as_strided_ einsum matmul "
    # Share memory that nobody accounts for.
    "unsafe_split unsafe_chunk unsafe_split_with_sizes".split()
)
GENERATED = ("tensor", "tensors", "int", "ints", "number", "bool")

UNARY = "exp sigmoid tanh relu sqrt abs neg sin cos square reciprocal log1p clone erf floor sign".split()
UNARY_INPLACE = (
    "exp_ sigmoid_ tanh_ relu_ sqrt_ abs_ neg_ sin_ square_ reciprocal_ zero_ floor_ sign_ erf_ rsqrt_ cos_ "
    "normal_ uniform_ bernoulli_ t_ squeeze_ random_".split()
)
WITH_NUMBER = "add_(1) mul_(2.0) div_(2) sub_(0.5) pow_(2) clamp_(0, 1) fill_(0.5) unsqueeze_(0)".split(") ")
BINARY_INPLACE = "add_ mul_ div_ sub_ copy_ atan2_ pow_".split()
BINARY = "+ - * / @ **".split()
REDUCTIONS = (
    "sum() mean() sum(0) mean(1) max(-1)[0] amax(0) norm() std() softmax(-1) log_softmax(0) prod() "
    "logsumexp(0) cumsum(0) cumprod(0) sort()[0] max() var(1) argmax() gt(0)".split()
)
SEVERAL = "chunk(2) split(2) unbind() chunk(2, 1) tensor_split(2) split([1, 3]) tensor_split(2, 1)".split(") ")
FUNCTIONAL = (
    "relu leaky_relu elu celu selu silu hardtanh hardswish mish relu6 hardsigmoid dropout gelu softplus logsigmoid "
    "normalize hardshrink softsign tanhshrink".split()
)
WITH_INPLACE = "relu leaky_relu elu celu selu silu hardtanh hardswish mish relu6 hardsigmoid dropout".split()
MODULES = "ReLU LeakyReLU ELU SiLU Hardtanh Hardswish Mish Sigmoid Tanh GELU Softplus Dropout Identity".split()
MODULES_INPLACE = "ReLU LeakyReLU ELU SiLU Hardtanh Hardswish Mish Dropout SELU".split()
LAYERS = ("nn.Linear(4, 4)", "nn.LayerNorm(4)", "nn.Softmax(-1)", "nn.BatchNorm1d(4)")
LEAVES = (
    "torch.randn(4, 4, requires_grad=True)",
    "torch.randn(4, 4, requires_grad=True)",
    "torch.rand(4, 4)",
    "torch.ones(4, 4)",
    "torch.rand(4)",
    "torch.rand(4, requires_grad=True)",
    "torch.rand(2, 4, 4, requires_grad=True)",
    "nn.Parameter(torch.rand(4, 4))",
    "torch.zeros(4, 4)",
)
MODES = (*[""] * 8, "torch.no_grad()", "torch.no_grad()", "torch.inference_mode()", "torch.enable_grad()")


def _bound(g: Growth, expression: str) -> str:
    return f"{g.fresh()} = {expression}"


def _perhaps_bound(g: Growth, expression: str) -> str:
    """A write to a variable may stand alone; the graph of one to a temporary would be gone at once."""
    alone = re.match(r"v\d+(\[\d+\])?\.\w+_\(|(F\.\w+|nn\.\w+\(inplace=True\))\(v\d+(\[\d+\])?[,)]", expression)
    return expression if alone and g.random.random() < 0.7 else _bound(g, expression)


def leaf(g: Growth) -> str:
    return _bound(g, g.pick(LEAVES))


def mask_or_index(g: Growth) -> str:
    return _bound(g, g.pick((f"{g.tensor()} > 0.5", "torch.tensor([0, 2])", "torch.tensor([1, 1])")))


def unary(g: Growth) -> str:
    return _bound(g, f"{g.target()}.{g.pick(UNARY)}()")


def reduction(g: Growth) -> str:
    return _bound(g, f"{g.tensor()}.{g.pick(REDUCTIONS)}")


def binary(g: Growth) -> str:
    left, right, operator = g.operand(), g.operand(), g.pick(BINARY)
    if operator == "@":  # Whether a batched product saves its operands or copies depends on sizes.
        left, right = (g.tensor(lambda t: t.is_floating_point() and t.shape == (4, 4)) for _ in range(2))
    return _bound(g, f"{left} {operator} {right}")


def inplace(g: Growth) -> str:
    kind = g.random.random()
    if kind < 0.35:
        return _perhaps_bound(g, f"{g.target()}.{g.pick(UNARY_INPLACE)}()")
    if kind < 0.6:
        return _perhaps_bound(g, f"{g.target()}.{str(g.pick(WITH_NUMBER)).rstrip(')')})")
    if kind < 0.7:
        mask = g.tensor(lambda t: t.dtype == torch.bool)
        return _perhaps_bound(g, f"{g.target()}.masked_fill_({mask}, 0.0)")
    target, operand = g.target(), g.operand()
    operation = g.pick(BINARY_INPLACE)
    if operation == "copy_" and target.partition("[")[0] in operand:
        operand = "0.5"
    return _perhaps_bound(g, f"{target}.{operation}({operand})")


def augmented(g: Growth) -> str:
    target = g.place() if g.random.random() < 0.4 else g.tensor()
    operator = g.pick([op for op in BINARY if op != "@"])
    return f"{target} {operator}= {g.operand()}"


def assigned(g: Growth) -> str:
    value, place = g.place() if g.random.random() < 0.3 else g.operand(), g.place()
    if value.partition("[")[0] == place.partition("[")[0]:
        value = "0.5"  # Whether they overlap depends on sizes.
    return f"{place} = {value}"


def indexed(g: Growth) -> str:
    return _bound(g, g.place())


def functional(g: Growth) -> str:
    if g.random.random() < 0.5:
        return _perhaps_bound(g, f"F.{g.pick(WITH_INPLACE)}({g.target()}, inplace=True)")
    return _bound(g, f"F.{g.pick(FUNCTIONAL)}({g.target()})")


def module(g: Growth) -> str:
    if g.random.random() < 0.4:
        return _perhaps_bound(g, f"nn.{g.pick(MODULES_INPLACE)}(inplace=True)({g.tensor()})")
    if g.random.random() < 0.5:
        return _bound(g, f"nn.{g.pick(MODULES)}()({g.tensor()})")
    # A layer copies what is not contiguous.
    return _bound(g, f"{g.pick(LAYERS)}({g.tensor(lambda t: t.is_floating_point() and t.is_contiguous())})")


def view(g: Growth) -> str:
    return _bound(g, g.viewed())


def several(g: Growth) -> str:
    call = f"{g.tensor()}.{str(g.pick(SEVERAL)).rstrip(')')})"
    return _bound(g, call) if g.random.random() < 0.5 else f"{g.fresh()}, {g.fresh()} = {call}"


def joined(g: Growth) -> str:
    kind = g.pick(("cat", "stack"))
    return _bound(g, f"torch.{kind}([{g.operand()}, {g.operand()}])")


def three(g: Growth) -> str:
    x, y, z = g.tensor(), g.operand(), g.operand()
    a, b, c = (g.tensor(lambda t: t.is_floating_point() and not t._is_view()) for _ in range(3))
    forms = (
        f"torch.addcmul({x}, {y}, {z})", f"torch.where({x} > 0, {y}, {z})", f"{x}.addcmul_({y}, {z})",
        f"{x}.addcdiv_({y}, {z})", f"F.linear({a}, {b}, {c})", f"torch.addmm({x}, {y}, {z})", f"{x}.addmm_({y}, {z})",
        f"{x}.lerp_({y}, 0.3)", f"F.mse_loss({x}, {y})", f"torch.maximum({x}, {y})",
        f"{x}.index_add_(0, torch.tensor([0, 2]), {y})", f"{x}.index_fill_(0, torch.tensor([0]), 0.5)",
        f"{x}.scatter_(0, torch.tensor([[0, 1]]), {y})", f"{x}.gather(0, torch.tensor([[0, 1]]))",
    )  # fmt: skip
    return _bound(g, g.pick(forms))


def out(g: Growth) -> str:
    x, y, target = g.tensor(), g.operand(), g.target()
    call = str(g.pick((f"torch.add({x}, {y}", f"torch.mul({x}, {y}", f"torch.exp({x}")))
    return _perhaps_bound(g, f"{call}, out={target})" if g.fits(f"{call})", target) else f"{call})")


def alias(g: Growth) -> str:
    return _bound(g, g.pick((g.tensor(), f"({g.tensor()}, {g.tensor()})")))


def metadata(g: Growth) -> str:
    forms = ("{x}.requires_grad_()", "{x}.detach_()", "{x}.requires_grad = True", "{x}.requires_grad_(False)")
    return str(g.pick(forms)).format(x=g.target())


def roots(g: Growth) -> str:
    return " + ".join(f"{g.tensor(lambda t: t.requires_grad)}.sum()" for _ in range(g.pick((1, 1, 2, 3))))


def backward(g: Growth) -> str:
    x, y = g.tensor(lambda t: t.requires_grad), g.tensor(lambda t: t.requires_grad)
    forms = (
        f"({roots(g)}).backward()", f"({roots(g)}).backward(retain_graph=True)",
        f"g{g.fresh()} = torch.autograd.grad({roots(g)}, {x}, allow_unused=True)",
        f"g{g.fresh()} = torch.autograd.grad({roots(g)}, [{x}, {y}], retain_graph=True, allow_unused=True)",
        f"torch.autograd.backward([{x}.sum(), {y}.sum()])",
    )  # fmt: skip
    return str(g.pick(forms))


def _tensor_or_view(g: Growth) -> str:
    if g.random.random() < 0.1:
        return g.viewed()
    return g.tensor(lambda t: t.is_floating_point() and not overlaps(t))


def _argument(g: Growth, param: Param) -> str:
    if param.kind == "tensor":
        anything = g.random.random() < 0.15
        return g.tensor(lambda t: not t.is_floating_point()) if anything else _tensor_or_view(g)
    if param.kind == "tensors":
        return f"[{_tensor_or_view(g)}, {_tensor_or_view(g)}]"
    choices = {
        "int": ("0", "1", "-1", "2"), "number": NUMBERS, "bool": ("True", "False"),
        "ints": ("0", "(0, 1)", "(4, 4)", "[0]", "1", "(2, 2)"),
    }  # fmt: skip
    return str(g.pick(choices[param.kind]))


def _rows() -> list[tuple[str, Effects]]:
    found = []
    for name in table().names():
        module_name, _, plain_name = name.rpartition(".")
        if module_name not in ("torch", "torch.Tensor", "torch.nn.functional") or plain_name.startswith("_"):
            continue
        if plain_name in FOREIGN or "sparse" in plain_name or plain_name.endswith("_copy"):
            continue
        if plain_name.startswith(("set_", "is_", "init", "use_", "get_", "empty", "cudnn", "miopen")):
            continue
        for row in table().overloads(name):
            if all(param.optional or param.kind in GENERATED for param in row.params):
                found.append((name, row))
    return found


ROWS = _rows()


def any_op(g: Growth) -> str:
    """An op of the table, with arguments of the kinds that its row names."""
    name, row = g.pick(ROWS)
    given = dict(row.given)
    positional = [p for p in row.params if not p.keyword_only and not p.optional and p.name not in given]
    arguments = [_argument(g, param) for param in positional]
    arguments += [f"{name}={value}" for name, value in given.items()]
    optional = [p for p in row.params if p.optional and p.kind in ("int", "bool", "number") and p.name not in given]
    if optional and g.random.random() < 0.2:
        chosen = g.pick(optional)
        arguments.append(f"{chosen.name}={_argument(g, chosen)}")
    if name.startswith("torch.Tensor.") and arguments:
        receiver, *arguments = arguments
        return _bound(g, f"{receiver}.{name[13:]}({', '.join(arguments)})")
    return _bound(g, f"{name.replace('torch.nn.functional', 'F')}({', '.join(arguments)})")


KINDS: dict[Callable[[Growth], str], int] = {
    leaf: 3, mask_or_index: 2, unary: 6, reduction: 3, binary: 8, inplace: 12, augmented: 6, assigned: 5, indexed: 3,
    functional: 5, module: 3, view: 8, several: 3, joined: 1, three: 4, out: 1, alias: 2, metadata: 2, backward: 2,
    any_op: 8,
}  # fmt: skip


def program(random: Random, kinds: dict[Callable[[Growth], str], int] | None = None) -> str:
    """A random program. It ends with a backward pass, or with the line that PyTorch refuses."""
    kinds = kinds or KINDS
    seed()
    g = Growth(random)
    g.add(f"{g.fresh()} = torch.randn(4, 4, requires_grad=True)")
    g.add(f"{g.fresh()} = v1 * 1")
    g.add(_bound(g, g.pick(LEAVES)))
    mode = ""
    for _ in range(random.randint(3, 16)):
        if g.refused:
            break
        if random.random() < 0.4:
            mode = g.pick(MODES)
        (kind,) = random.choices(list(kinds), list(kinds.values()))
        if kind in (leaf, metadata) and "inference" in mode:
            continue  # A leaf without autograd's account of it is nothing that people make.
        g.add(kind(g), mode)
    for _ in range(2):
        if not g.refused:
            g.add(f"({roots(g)}).backward()")
    return g.text()


def programs() -> st.SearchStrategy[str]:
    """Random programs as source text."""
    return st.randoms(use_true_random=False).map(program)
