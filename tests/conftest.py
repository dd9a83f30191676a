"""What holds for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_kept_for_users(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Outlines that tests keep are not those of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(os.environ, "XDG_CACHE_HOME", str(tmp_path_factory.mktemp("kept")))
        yield
