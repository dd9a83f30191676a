"""The negative samples of LINE repeat, and others are left out, whenever the list of items begins anew

`random_num` takes what is left of the shuffled list as a slice, which is a view of it, and then shuffles that list for
the next round. The slice has other items by the time at which `np.concatenate` copies it: items that were drawn before
may come again, and those that were left are lost. Nothing is raised; the negatives are no longer drawn evenly.
"""

import ast
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np

RELEASE = "recbole==1.2.1"
NEEDS = []
FINDINGS = [
    "recbole/model/general_recommender/line.py:117:17: warning[IPL304] `shuffle` modifies `self.random_list`, which was kept for later",
]
EFFECT = "wrong negative samples, silently, each time that all items have been drawn"
CURE = [("self.random_list[self.random_pr:]", "self.random_list[self.random_pr:].copy()")]
PRINTS = """
released: the first round draws 0 1 2 3 4 5 0 2
cured:    the first round draws 0 1 2 3 4 5 6 7
"""

# The package imports much; the method needs NumPy only.
SOURCE = Path(find_spec("recbole").submodule_search_locations[0], "model/general_recommender/line.py").read_text(
    "utf-8"
)
(METHOD,) = [node for node in ast.walk(ast.parse(SOURCE)) if getattr(node, "name", "") == "random_num"]


def drawn(code: str) -> list[int]:
    """The eight items of the first round, of which six are drawn at once, and two more with those of the next."""
    namespace = {"np": np}
    exec(code, namespace)
    np.random.seed(3)
    items = SimpleNamespace(random_list=np.arange(8), random_list_length=8, random_pr=0)
    return [*namespace["random_num"](items, 6).tolist(), *namespace["random_num"](items, 4).tolist()[:2]]


released, cured = drawn(ast.unparse(METHOD)), drawn(ast.unparse(METHOD).replace(*CURE[0]))
print("released: the first round draws", *released)
print("cured:    the first round draws", *cured)
assert sorted(cured) == list(range(8))
assert len(set(released)) < 8
