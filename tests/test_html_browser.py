"""The format `html` in a browser: no errors, nothing from outside, and filters, keys and colours that work.

It needs Chromium, Node, and the Node packages playwright-core and axe-core (`npm install playwright-core axe-core`
in the repository).
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from html_pages import found, hostile, many, page

DRIVER = Path(__file__).parent / "html_browser.js"
_CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)


def _environment() -> dict[str, str]:
    """That of this process, where Node also finds packages of the repository."""
    modules = (os.environ.get("NODE_PATH"), str(DRIVER.parent.parent / "node_modules"))
    return {**os.environ, "NODE_PATH": os.pathsep.join(filter(None, modules))}


def _node() -> str:
    """Node, if it has the packages; empty if not."""
    node = shutil.which("node") or ""
    ask = "require.resolve('playwright-core'); require.resolve('axe-core')"
    usable = node and not subprocess.run([node, "-e", ask], env=_environment(), capture_output=True).returncode
    return node if usable else ""


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    node = _node() if _CHROMIUM else ""
    if not node:
        pytest.skip("needs Chromium, Node, playwright-core and axe-core")
    folder = tmp_path_factory.mktemp("pages")
    pages = {"plain": page(found()), "hostile": page(hostile()), "many": page(many(300))}
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, "utf-8")
    urls = [(folder / f"{name}.html").as_uri() for name in pages]
    command = [node, str(DRIVER), *urls, _CHROMIUM]
    run = subprocess.run(command, capture_output=True, text=True, env=_environment())
    assert run.returncode == 0, run.stderr
    told: dict[str, Any] = json.loads(run.stdout)
    return told


def _ids(**wanted: str) -> list[str]:
    return [
        f"f{number}"
        for number, each in enumerate(found(), 1)
        if all(getattr(each, name) == value for name, value in wanted.items())
    ]


@pytest.mark.browser
def test_nothing_goes_wrong_and_nothing_is_fetched(seen: dict[str, Any]) -> None:
    assert seen["troubles"] == []


@pytest.mark.browser
def test_filters(seen: dict[str, Any]) -> None:
    assert seen["all"] == seen["cleared"] == _ids()
    assert (seen["byRule"], seen["address"]) == (_ids(code="IPL202"), "#rule=IPL202")
    assert seen["none"] == _ids(code="IPL202", severity="warning")
    assert seen["scoped"] == _ids(severity="warning")
    assert 0 < len(seen["searched"]) < len(seen["all"])
    assert 0 < seen["many"] < 300


@pytest.mark.browser
def test_keys(seen: dict[str, Any]) -> None:
    assert (seen["first"], seen["second"], seen["keys"], seen["rule"]) == ("f1", "f2", True, True)
    assert seen["theme"] == "rgb(13, 17, 23)"


@pytest.mark.browser
def test_everywhere_all_is_there(seen: dict[str, Any]) -> None:
    count = len(found())
    assert [seen[way] for way in ("light", "dark", "phone", "print", "scriptless")] == [count] * 5
    assert seen["wide"] <= 0


@pytest.mark.browser
def test_accessibility(seen: dict[str, Any]) -> None:
    assert (seen["axe-light"], seen["axe-dark"]) == ([], [])
