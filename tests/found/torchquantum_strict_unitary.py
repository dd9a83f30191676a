"""The strict unitary gate raises for a batch of states

`qubitunitarystrict_matrix` begins with `params.squeeze(0)`, and throws the result away, so that its matrix keeps the batch
dimension of one that the caller has added. A matrix with three dimensions is taken for one matrix for each state:
`mat.bmm(permuted)` raises unless there is one state. `qubitunitaryfast_matrix`, above it, gives back what `squeeze` gives.
"""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch

RELEASE = "torchquantum==0.1.8"
NEEDS = ["numpy"]
CHECKED = ["torchquantum/functional/qubit_unitary.py"]
FINDINGS = [
    "torchquantum/functional/qubit_unitary.py:83:5: warning[IPL308] the result of `squeeze` is thrown away, "
    "`params` stays as it is",
]
EFFECT = "raises for more than one state"
CURE = [
    ("    params.squeeze(0)\n    mat = params\n", "    mat = params.squeeze(0)\n"),
]
PRINTS = """
released: one state: norm 1.0; four states: RuntimeError
cured:    one state: norm 1.0; four states: norm 1.0
"""

# Importing the package needs Qiskit; these functions need torch and numpy.
FOLDER = Path(find_spec("torchquantum").submodule_search_locations[0], "functional")
GATES = (FOLDER / "gate_wrapper.py").read_text("utf-8")
SOURCE = (FOLDER / "qubit_unitary.py").read_text("utf-8")


def applied(source: str, states: int) -> str:
    """The norm of the states after a gate, as `gate_wrapper` applies it."""
    module = {"torch": torch, "np": np, "C_DTYPE": torch.complex64}
    exec(source[source.index("def qubitunitarystrict_matrix") : source.index("_qubitunitary_mat_dict")], module)
    exec(GATES[GATES.index("def apply_unitary_bmm") : GATES.index("def apply_unitary_density_einsum")], module)
    torch.manual_seed(0)
    unitary = torch.linalg.qr(torch.randn(2, 2, dtype=torch.complex64))[0]
    state = torch.zeros(states, 2, 2, dtype=torch.complex64)
    state[:, 0, 0] = 1
    try:
        changed = module["apply_unitary_bmm"](state, module["qubitunitarystrict_matrix"](unitary.unsqueeze(0)), [0])
    except RuntimeError:
        return "RuntimeError"
    return f"norm {changed[-1].norm().item():.1f}"


released = [applied(SOURCE, states) for states in (1, 4)]
assert CURE[0][0] in SOURCE
cured = [applied(SOURCE.replace(*CURE[0]), states) for states in (1, 4)]

print(f"released: one state: {released[0]}; four states: {released[1]}")
print(f"cured:    one state: {cured[0]}; four states: {cured[1]}")
assert released == ["norm 1.0", "RuntimeError"]
assert cured == ["norm 1.0", "norm 1.0"]
