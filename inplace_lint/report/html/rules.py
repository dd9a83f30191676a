"""The rules that found something, with their documentation, folded."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from inplace_lint.findings.registry import registry
from inplace_lint.report.html.markup import element, painted, text

_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<b>[^*]+)\*\*|(?<!\w)\*(?P<em>[^*\s][^*]*)\*|\[(?P<link>[^\]]+)\]\([^)]*\)"
)


def rules(codes: Iterable[str]) -> str:
    """A section with each rule once."""
    found = [registry()[code] for code in sorted(set(codes)) if code in registry()]
    entries = "".join(
        f'<details class="rule" id="rule-{text(entry.rule.code)}"><summary><b>{text(entry.rule.code)}</b> '
        f"{text(entry.rule.name)}</summary><div>{prose(entry.documentation)}</div></details>"
        for entry in found
    )
    return f'<section class="rules"><h2>Rules</h2>{entries}</section>' if entries else ""


def prose(markdown: str) -> str:
    """The Markdown of a rule as HTML: headings, paragraphs, lists and code, and nothing else."""
    return "".join(_block(block) for block in _blocks(markdown))


def _blocks(markdown: str) -> Iterator[list[str]]:
    block: list[str] = []
    fenced = False
    for line in markdown.split("\n"):
        fence = line.startswith("```")
        if fenced or fence or line.strip():
            block.append(line)
        if (not fenced and not fence and not line.strip()) or (fenced and fence):
            yield block
            block = []
        fenced ^= fence
    yield block


def _block(lines: list[str]) -> str:
    if not lines:
        return ""
    if lines[0].startswith("```"):
        return element("pre", "\n".join(map(painted, lines[1:-1])), "example")
    if all(line.startswith("    ") for line in lines):
        return element("pre", "\n".join(text(line[4:]) for line in lines), "example")
    if lines[0].startswith("#"):
        return element("h4", _inline(lines[0].lstrip("# "))) + _block(lines[1:])
    first = next((at for at, line in enumerate(lines) if line.startswith("- ")), None)
    if first is None:
        return element("p", _inline(" ".join(lines)))
    items = [each.replace("\n", " ") for each in "\n".join(lines[first:])[2:].split("\n- ")]
    listed = element("ul", "".join(element("li", _inline(item)) for item in items))
    return _block(lines[:first]) + listed


def _inline(words: str) -> str:
    out, end = [], 0
    for found in _INLINE.finditer(words):
        out.append(text(words[end : found.start()]))
        name, content = found.lastgroup or "", text(found[found.lastgroup or 0])
        out.append(content if name == "link" else element(name, content))
        end = found.end()
    return "".join([*out, text(words[end:])])
