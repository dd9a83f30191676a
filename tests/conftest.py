"""What holds for all tests."""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from linted import SHARED

from inplace_lint.project.environment import search_path


def pytest_configure(config: pytest.Config) -> None:
    """The processes of a session share what they find, and each computes with one thread: tensors are small."""
    if not hasattr(config, "workerinput"):  # workers begin with the environment of the process that starts them
        os.environ.setdefault("OMP_NUM_THREADS", "1")  # threads that wait for each other keep cores busy
        folder = tempfile.TemporaryDirectory()
        os.environ[SHARED] = folder.name
        config.add_cleanup(folder.cleanup)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Nothing of what is imported or collected is ever garbage: to look there, again and again, would be lost time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 20)  # the rest is soon let go, but for what files leave for the next
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_kept_for_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Outlines that tests keep are not those of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "XDG_CACHE_HOME", str(tmp_path_factory.mktemp("kept")))
        yield


@pytest.fixture
def in_own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a test in an empty folder, with no environment known from before."""
    search_path.cache_clear()
    monkeypatch.chdir(tmp_path)
