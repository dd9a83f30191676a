"""The names in the table, and the aten op behind each."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

import torch
import torch.nn.functional
import torch.nn.init

Function = Callable[..., object]

NAMESPACES: dict[str, ModuleType | type] = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.functional": torch.nn.functional,
    "torch.linalg": torch.linalg,
    "torch.special": torch.special,
    "torch.fft": torch.fft,
    "torch.nn.init": torch.nn.init,
}
_PREFIX = {"torch.linalg": "linalg_", "torch.special": "special_", "torch.fft": "fft_"}
_ATEN = {"torch.nn.functional.logsigmoid": "log_sigmoid"}

# operators: the aten op, and whether the operands are swapped
BINARY = {
    "add": "add", "sub": "sub", "mul": "mul", "truediv": "true_divide", "div": "true_divide",
    "floordiv": "floor_divide", "mod": "remainder", "pow": "pow", "matmul": "matmul",
    "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift",
}  # fmt: skip
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
# methods that Python calls
VALUES = ("__bool__", "__float__", "__int__", "__index__", "__len__", "__hash__")
UNARY = {"neg": "neg", "pos": "positive", "abs": "abs", "invert": "bitwise_not"}

# vendor kernels and helpers of other ops, which crash on wrong arguments or are no public API
_SKIPPED_PREFIXES = (
    "_", "cudnn_", "miopen_", "mkldnn_", "fbgemm_", "quantized_", "import_ir", "is_vulkan", "sym_", "set_", "get_",
    "autocast_", "batch_norm_", "fused_", "from_file", "is_autocast", "is_anomaly", "is_deterministic",
)  # fmt: skip
_SKIPPED = frozenset(
    """assert_int_or_pair boolean_dispatch handle_torch_function has_torch_function_unary scaled_mm scaled_grouped_mm
    has_torch_function_variadic has_torch_function classproperty compile cond fork wait load save vmap while_loop
    parse_ir parse_schema parse_type_comment merge_type_from_type_comment unify_type_list typename
    compiled_with_cxx11_abi
    prepare_multiprocessing_environment init_num_threads profiler_allow_cudagraph_cupti_lazy_reinit_cuda12 lobpcg
    thread_safe_generator use_deterministic_algorithms are_deterministic_algorithms_enabled seed initial_seed
    clear_autocast_cache eig symeig lstsq solve matrix_rank reinforce resize resize_as module_load
    choose_qparams_optimized     cudnn_is_acceptable hash_tensor is_distributed cuda xpu ipu mtia hpu""".split()
)
_KEPT = frozenset({"get_device", "set_", "is_grad_enabled", "get_default_dtype"})


def public_ops() -> dict[str, Function]:
    """Qualified name to callable, for every op of the table."""
    found: dict[str, Function] = {}
    for prefix, space in NAMESPACES.items():
        for name in dir(space):
            if _is_op(name, getattr(space, name, None), space):
                found[f"{prefix}.{name}"] = getattr(space, name)
    for operator in operators():
        if hasattr(torch.Tensor, operator):
            found[f"torch.Tensor.{operator}"] = getattr(torch.Tensor, operator)
    return found


def _is_op(name: str, value: object, space: ModuleType | type) -> bool:
    skipped = name.startswith(_SKIPPED_PREFIXES) or (name in _SKIPPED and space not in (torch.linalg, torch.nn.init))
    if name.startswith("_") or (skipped and name not in _KEPT):
        return False
    if not callable(value) or isinstance(value, type):
        return False
    return not _is_imported(value)


def _is_imported(value: Function) -> bool:
    home = str(getattr(value, "__module__", ""))
    return home.startswith(("typing", "collections", "functools", "importlib", "torch._jit", "torch.overrides"))


def operators() -> dict[str, tuple[str, bool]]:
    """`__radd__` to (`add`, True)."""
    found = {f"__{op}__": (aten, False) for op, aten in {**BINARY, **{c: c for c in COMPARISONS}, **UNARY}.items()}
    found |= {f"__r{op}__": (aten, True) for op, aten in BINARY.items()}
    found |= {f"__i{op}__": (f"{aten}_", False) for op, aten in BINARY.items()}
    found |= {name: (name, False) for name in VALUES}
    return found


def base(qualified: str) -> tuple[str, str]:
    """`torch.nn.functional.relu` to (`torch.nn.functional`, `relu`)."""
    space, _, name = qualified.rpartition(".")
    return space, name


def aten_name(qualified: str) -> str:
    """The aten op of that name, if there is one."""
    space, name = base(qualified)
    return _ATEN.get(qualified) or _PREFIX.get(space, "") + name


def test_names(qualified: str) -> list[str]:
    """Names in PyTorch's own list of ops whose samples may fit, best first."""
    space, name = base(qualified)
    if space == "torch.nn.init":
        return []
    if name in operators():
        name = operators()[name][0]
    name = name[:-1] if name.endswith("_") and not name.endswith("__") else name
    own = qualified.removeprefix("torch.").removesuffix("_")
    return list(dict.fromkeys([own, name, f"nn.functional.{name}", f"linalg.{name}", f"special.{name}"]))
