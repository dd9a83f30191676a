"""The bugs of `docs/found.md` are in the releases, inplace-lint finds them, and the scripts show them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import releases

ROOT = Path(__file__).parent.parent


def load_found() -> ModuleType:
    """`docs/found.py`, which reads the scripts; the folder is no package."""
    spec = importlib.util.spec_from_file_location("found", ROOT / "docs" / "found.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["found"] = module
    spec.loader.exec_module(module)
    return module


found = load_found()
BUGS = found.bugs()


def test_the_page_is_what_the_scripts_say() -> None:
    assert (ROOT / "docs" / "found.md").read_text("utf-8") == found.page(), "run `python docs/found.py`"


def test_there_are_many_libraries() -> None:
    assert len(BUGS) >= 30
    assert len({bug.library for bug in BUGS}) >= 20


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.script.stem)
def test_a_script_says_what_an_issue_needs(bug: found.Bug) -> None:
    assert bug.text
    assert not bug.title.endswith(".")
    assert "==" in bug.release
    assert all(need.partition("==")[0] != "torch" for need in bug.needs), "the PyTorch that runs is the one that counts"
    assert all(old != new for old, new in bug.cure)
    assert bug.findings
    assert bug.prints
    assert "assert " in bug.code


@pytest.fixture(scope="session")
def cache(request: pytest.FixtureRequest) -> Path:
    """Where releases are kept from run to run."""
    return Path(request.config.cache.mkdir("releases"))


@pytest.mark.network
@pytest.mark.releases
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.script.stem)
def test_the_release_has_the_bug(bug: found.Bug, cache: Path) -> None:
    folder = releases.unpacked(bug.release, cache)
    printed = releases.findings(folder, bug.checked)
    assert [finding for finding in bug.findings if finding not in printed] == []
    needs = [releases.installed(need, cache) for need in bug.needs]
    run = releases.run_script(bug.script, [folder, *needs])
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == bug.prints.strip()
