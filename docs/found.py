"""Writes `found.md`, the bugs found in released libraries, from the scripts that show them: `python docs/found.py`.

Each script in `tests/found` says in a few constants what it is about (`Bug` names them), and then shows it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = Path(__file__).with_suffix(".md")
SCRIPTS = ROOT / "tests" / "found"

_INTRODUCTION = """\
# Found in the wild

These are bugs in released libraries that inplace-lint reports: {bugs} in {libraries} libraries. The libraries were
downloaded from the package index as they are and checked without any configuration; each finding was then read in its
context and tried in PyTorch 2.13. What is listed here was seen to go wrong: an exception, a wrong value, a wrong
gradient, or a tensor of the caller that is changed. What was not, findings that are right in a way nobody notices
included, is left out. The page makes no claim that the libraries are bad: most of them are very good, and such lines
look right.

Each section has the form of an issue: what happens and to whom, the finding as it is printed, a script that shows the
released code go wrong and the same code go right with the cure, what the script prints, and the cure. The scripts lie
in `tests/found`. To run one, install the release that it names, and PyTorch:

```text
pip install --no-deps RELEASE NEEDS...
python tests/found/NAME.py
```

Where a package cannot be imported without much else, the script takes the function out of the installed source.
`pytest -m releases` downloads every release, checks it, compares the findings with those below, and runs the scripts.

How bad it is differs, and is said with each: wrong values that nobody sees come first, then functions that change what
their caller keeps, then exceptions. An exception is seen by the first who uses the line; those below have stayed
because few do, or because `backward()` raises far away from them.
"""

_GROUPS = {
    "wrong": ("Silently wrong values and gradients", "Nothing is raised. The program computes something else."),
    "changes": ("Changes the caller's tensors", "The result is right, and something that the caller keeps is not."),
    "raises": ("Raises", "The option, or the gradient, cannot be used."),
}


@dataclass(frozen=True)
class Bug:
    """What a script says of the bug that it shows.

    Attributes:
        script: the file.
        title: in one line, what is wrong.
        text: what happens, and to whom.
        release: the library and its version, as pip takes them.
        needs: what must be installed besides, to run the script.
        checked: what inplace-lint is given; a folder where the finding depends on how other files use the line.
        findings: as inplace-lint prints them.
        effect: what goes wrong and when; its first word is the group.
        cure: pieces of the released source, and what to write instead.
        prints: what the script prints.
        code: the script without the other constants.
    """

    script: Path
    title: str
    text: str
    release: str
    needs: tuple[str, ...]
    checked: tuple[str, ...]
    findings: tuple[str, ...]
    effect: str
    cure: tuple[tuple[str, str], ...]
    prints: str
    code: str

    @property
    def library(self) -> str:
        """The name of the library."""
        return self.release.partition("==")[0]

    @property
    def version(self) -> str:
        """The version of the library."""
        return self.release.partition("==")[2]

    @property
    def lines(self) -> list[str]:
        """Where the findings are: `file:line`."""
        return [":".join(finding.split(":")[:2]) for finding in self.findings]

    @property
    def code_of_rule(self) -> str:
        """The rule of the first finding."""
        return self.findings[0].partition("[")[2].partition("]")[0]


def read(script: Path) -> Bug:
    """The constants at the head of a script; nothing is run."""
    source = script.read_text("utf-8")
    tree = ast.parse(source)
    title, _, text = (ast.get_docstring(tree) or "").partition("\n\n")
    said = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id.lower()
            if name in ("release", "needs", "checked", "findings", "effect", "cure", "prints"):
                said[name] = ast.literal_eval(node.value)
                last = node.end_lineno or 0
            if name == "cure":
                cure = ast.get_source_segment(source, node) or ""
    imports = [ast.get_source_segment(source, node) or "" for node in tree.body if _is_import(node)]
    rest = "\n".join(source.splitlines()[last:]).strip()
    early = "\n".join(line for line in imports if line not in rest)
    gap = "\n\n\n" if rest.startswith(("def ", "class ", "@")) else "\n\n"
    return Bug(
        script=script,
        title=title,
        text=text,
        release=said["release"],
        needs=tuple(said["needs"]),
        checked=tuple(said.get("checked", sorted({finding.partition(":")[0] for finding in said["findings"]}))),
        findings=tuple(said["findings"]),
        effect=said["effect"],
        cure=tuple(said["cure"]),
        prints=said["prints"].strip("\n"),
        code=f"{early}\n\n{cure}{gap}{rest}",
    )


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))


def bugs() -> list[Bug]:
    """All bugs, in the order of the page."""
    found = [read(script) for script in SCRIPTS.glob("*.py")]
    return sorted(found, key=lambda bug: (_group(bug), bug.library.lower(), bug.script.stem))


def _group(bug: Bug) -> int:
    return list(_GROUPS).index(bug.effect.partition(" ")[0])


def page() -> str:
    """The page as it is today."""
    found = bugs()
    libraries = {bug.library for bug in found}
    parts = [_INTRODUCTION.format(bugs=len(found), libraries=len(libraries)), _table(found)]
    for number, (title, text) in enumerate(_GROUPS.values()):
        parts += [f"## {title}\n\n{text}\n", *(_section(bug) for bug in found if _group(bug) == number)]
    return "\n".join(parts)


def _table(found: list[Bug]) -> str:
    rows = ["| library | first line | rule | what goes wrong |", "|---|---|---|---|"]
    for bug in found:
        link = f"[{bug.title}](#{bug.script.stem})"
        rows.append(f"| {bug.library} {bug.version} | `{bug.lines[0]}` | {bug.code_of_rule} | {link} |")
    return "\n".join(rows) + "\n"


def _section(bug: Bug) -> str:
    lines = ", ".join(f"`{line}`" for line in bug.lines)
    needs = ", ".join(f"`{need}`" for need in bug.needs) or "nothing but PyTorch"
    changes = list(chain.from_iterable(_difference(old, new) for old, new in bug.cure))
    return "\n".join(
        [
            f'<a id="{bug.script.stem}"></a>\n',
            f"### {bug.library} {bug.version}: {bug.title}\n",
            f"*{bug.effect[0].upper()}{bug.effect[1:]}.* {lines}.\n",
            f"{bug.text}\n",
            "```text",
            *bug.findings,
            "```\n",
            f"`tests/found/{bug.script.name}` (needs {needs}):\n",
            "```python",
            bug.code.strip(),
            "```\n",
            "It prints:\n",
            "```text",
            bug.prints,
            "```\n",
            "The cure:\n",
            "```diff",
            *changes,
            "```\n",
        ]
    )


def _difference(old: str, new: str) -> list[str]:
    removed = [f"-{line}" for line in old.strip("\n").splitlines()]
    return [*removed, *(f"+{line}" for line in new.strip("\n").splitlines())]


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
