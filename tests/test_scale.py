"""Past one machine: a real cluster of Dask, of two processes here."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest
from distributed import Client, LocalCluster

from inplace_lint import lint_paths

ROOT = Path(__file__).parent.parent
EXAMPLES = str(ROOT / "examples")


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def test_the_executor_of_a_cluster_does_the_work(client: Client) -> None:
    found = lint_paths([EXAMPLES], executor=client.get_executor(pure=False))
    assert found.diagnostics
    assert found == lint_paths([EXAMPLES], jobs=1)


def test_a_fleet_of_repositories(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("good", "bad"):
        (tmp_path / name).mkdir()
    (tmp_path / "good" / "a.py").write_text("x = 1\n")
    (tmp_path / "bad" / "b.py").write_text("import torch\ndef f(x):\n    return x * torch.sigmoid_(x)\n")
    results = fleet().lint_fleet(client, [str(tmp_path / "good"), str(tmp_path / "bad")])
    assert [[each.code for each in result.diagnostics] for result in results.values()] == [[], ["IPL302"]]


def fleet() -> Any:
    """The example, under a name by which workers can find it, too."""
    spec = spec_from_file_location("lint_fleet", ROOT / "examples" / "fleet" / "lint_fleet.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    module.__dict__["__name__"] = "__main__"
    module.lint_repository.__module__ = "__main__"  # so that the function itself travels
    sys.modules.pop("lint_fleet", None)
    return module
