"""The page around a report: style and script within it, and a policy that allows nothing else."""

from __future__ import annotations

import base64
import hashlib
from functools import cache
from importlib.resources import files

from inplace_lint.report.html.markup import text
from inplace_lint.version import __version__

_KEYS = (
    ("j / k", "next, previous finding"),
    ("Enter", "fold or unfold it"),
    ("/", "search"),
    ("t", "light or dark"),
    ("Esc", "show all"),
    ("?", "these keys"),
)


def page(title: str, body: str) -> str:
    """A whole document."""
    style, script = _part("style.css"), _part("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    keys = "".join(f"<dt><kbd>{key}</kbd></dt><dd>{what}</dd>" for key, what in _KEYS)
    shown = text(title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{shown}</title><style>{style}</style></head><body>"
        f'<header><h1>{shown}</h1><div class="buttons"><button type="button" id="theme" hidden>Dark</button>'
        '<button type="button" id="keys-button" hidden aria-label="Keys">?</button></div></header>'
        f"<main>{body}</main><footer>inplace-lint {text(__version__)}</footer>"
        f'<dialog id="keys" aria-label="Keys"><h2>Keys</h2><dl>{keys}</dl>'
        '<form method="dialog"><button>Close</button></form></dialog>'
        f"<script>{script}</script></body></html>\n"
    )


@cache
def _part(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
