"""Writing a file with `write_xyz(pad=True)` changes the caller's molecules

To pad, `write_xyz` sets the entries of missing atoms in `znums` and `coords`. Both are rows of the tensors that the
caller passed, so after the file is written the caller's species hold atomic number 100 (fermium) where -1 marked the
padding, and the coordinates there are zero. A later model call takes the padding for atoms. If the coordinates
require grad, the write to a row raises instead.
"""

import ast
import tempfile
from importlib.util import find_spec
from pathlib import Path

import torch

RELEASE = "torchani==2.9.0"
NEEDS = []
FINDINGS = [
    "torchani/io.py:64:17: warning[IPL103] item assignment modifies `znums`, one of several views that autograd ties together if `species` requires grad",
    "torchani/io.py:65:17: warning[IPL103] item assignment modifies `coords`, one of several views that autograd ties together if `coordinates` requires grad",
]
EFFECT = "changes the caller's tensors, always with `pad=True`; raises if the coordinates require grad"
CURE = [("mask = znums == -1", "mask = znums == -1\n                znums, coords = znums.clone(), coords.clone()")]
PRINTS = """
released: species after writing [[8, 1, 1], [1, 1, 100]]
cured:    species after writing [[8, 1, 1], [1, 1, -1]]
"""

# The package compiles extensions and loads models; the function needs a table of symbols only.
PLACE = Path(find_spec("torchani").submodule_search_locations[0], "io.py")
(FUNCTION,) = [node for node in ast.parse(PLACE.read_text("utf-8")).body if getattr(node, "name", "") == "write_xyz"]
CODE = "from __future__ import annotations\n" + ast.unparse(FUNCTION)


def species_after_writing(code: str) -> list[list[int]]:
    namespace = {"torch": torch, "Path": Path, "PERIODIC_TABLE": [f"X{number}" for number in range(120)]}
    exec(code, namespace)
    species = torch.tensor([[8, 1, 1], [1, 1, -1]])
    with tempfile.TemporaryDirectory() as folder:
        namespace["write_xyz"](species, torch.ones(2, 3, 3), Path(folder, "water.xyz"), pad=True)
    return species.tolist()


released = species_after_writing(CODE)
cured = species_after_writing(CODE.replace(*CURE[0]))

print("released: species after writing", released)
print("cured:    species after writing", cured)
assert released == [[8, 1, 1], [1, 1, 100]]
assert cured == [[8, 1, 1], [1, 1, -1]]
