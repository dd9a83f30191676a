"""The pages of the documentation that are made from the program: MkDocs calls this file's hooks."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from inplace_lint.findings.registry import registry
from inplace_lint.findings.rule import RegisteredRule
from inplace_lint.project.config import Config, meanings
from inplace_lint.why.habits import habits

FAMILIES = {
    "1": (
        "Raises at the write",
        "PyTorch refuses the write itself. Without the linter, you learn it when the line runs.",
    ),
    "2": ("Raises in backward", "The write is accepted, and `backward()` raises, far from the line that wrote."),
    "3": ("Wrong values", "Nothing is raised. The program computes something else than it says."),
    "4": ("Wrong gradients", "Nothing is raised. Values are right, and gradients are not."),
    "5": ("Portability and cost", "Limits of `torch.func`, and advice that is shown only where it is selected."),
    "9": ("The tool itself", "About files and comments rather than tensors."),
}

_NOTES = "https://docs.pytorch.org/docs/stable/"

# What PyTorch says about a rule's matter: prefixes of codes, title, page.
PYTORCH = [
    (("IPL1", "IPL2"), "In-place operations with autograd", "notes/autograd.html#in-place-operations-with-autograd"),
    (("IPL102", "IPL103", "IPL104"), "Tensor views", "tensor_view.html"),
    (("IPL106",), "Inference mode", "notes/autograd.html#inference-mode"),
    (
        ("IPL107",),
        "`Module.register_full_backward_hook`",
        "generated/torch.nn.Module.html#torch.nn.Module.register_full_backward_hook",
    ),
    (("IPL201", "IPL202", "IPL203", "IPL401", "IPL502"), "Saved tensors", "notes/autograd.html#saved-tensors"),
    (("IPL203",), "`torch.optim`", "optim.html"),
    (("IPL30",), "Tensor views", "tensor_view.html"),
    (("IPL401",), "Locally disabling gradients", "notes/autograd.html#locally-disabling-gradient-computation"),
    (("IPL402",), "`torch.autograd.grad`", "generated/torch.autograd.grad.html"),
    (("IPL403", "IPL404"), "Extending `torch.autograd`", "notes/extending.html#extending-torch-autograd"),
    (("IPL404",), "Backward hooks", "notes/autograd.html#backward-hooks-execution"),
    (("IPL405",), "`torch.utils.checkpoint`", "checkpoint.html"),
    (("IPL406",), "`torch.Tensor.backward`", "generated/torch.Tensor.backward.html"),
    (("IPL501",), "Limits of the transforms", "func.ux_limitations.html"),
]

NEAR = [
    ("IPL101", "IPL102", "IPL203"),
    ("IPL103", "IPL104", "IPL306"),
    ("IPL201", "IPL202", "IPL203"),
    ("IPL301", "IPL302", "IPL303", "IPL304", "IPL305"),
    ("IPL306", "IPL307"),
    ("IPL307", "IPL308", "IPL309"),
    ("IPL203", "IPL204"),
    ("IPL401", "IPL203", "IPL202"),
    ("IPL402", "IPL301"),
    ("IPL403", "IPL404"),
    ("IPL404", "IPL405", "IPL406"),
    ("IPL501", "IPL502"),
]


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Name the pages of the rules, by family."""
    families = [{title: [f"rules/{code}.md" for code in _codes(digit)]} for digit, (title, _) in FAMILIES.items()]
    assert config.nav is not None
    config.nav = [{"Rules": ["rules/index.md", *families]} if "Rules" in entry else entry for entry in config.nav]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages of the rules."""
    pages = {"rules/index.md": overview()} | {f"rules/{code}.md": rule_page(code) for code in registry()}
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Fill in what is known to the program, and link the rules that are mentioned."""
    markdown = markdown.replace("<!-- options -->", options()).replace("<!-- examples -->", habit_examples())
    return link(
        markdown, own=page.title if isinstance(page.title, str) else "", up="../" * page.file.src_uri.count("/")
    )


def overview() -> str:
    """The page that lists all rules."""
    out = ["# Rules\n", "In the examples, `# error: [IPL202]` marks a line that is reported, and how.\n"]
    for digit, (title, text) in FAMILIES.items():
        rows = [registry()[code].rule for code in _codes(digit)]
        out += [f"## {digit}xx: {title.lower()}\n", f"{text}\n", "| code | name | finds |\n|---|---|---|"]
        out += [f"| {rule.code} | {rule.name} | {rule.summary}{_off(rule.default)} |" for rule in rows]
        out.append("")
    return "\n".join(out)


def rule_page(code: str) -> str:
    """The page of a rule: its documentation, and where to read on."""
    entry = registry()[code]
    title, _ = FAMILIES[code[3]]
    head = f"# {code} {entry.rule.name}\n\n*{title}{_off(entry.rule.default)}.*\n\n"
    return head + entry.documentation + "\n\n" + _see_also(entry)


def _see_also(entry: RegisteredRule) -> str:
    code = entry.rule.code
    near = sorted({other for group in NEAR if code in group for other in group} - {code})
    lines = [f"- {other} {registry()[other].rule.name}: {registry()[other].rule.summary}" for other in near]
    lines += [f"- PyTorch: [{title}]({_NOTES}{page})" for codes, title, page in PYTORCH if code.startswith(codes)]
    return "\n".join(["## See also\n", *lines, ""]) if lines else ""


def options() -> str:
    """The table of configuration keys: their defaults and meanings."""
    rows = [
        f"| `{key}` | {_shown(getattr(Config(), key.replace('-', '_')))} | {meaning} |"
        for key, meaning in meanings().items()
    ]
    return "\n".join(["| key | default | meaning |", "|---|---|---|", *rows])


def habit_examples() -> str:
    """The examples of all habits, by name."""
    return "\n\n".join(f"### {name}\n\n```python\n{habit.program}```" for name, habit in habits().items())


def link(markdown: str, own: str, up: str) -> str:
    """The same text, with each mention of a rule outside code made a link to its page."""
    parts = re.split(r"(^```.*?^```$|`[^`\n]+`|^#[^\n]*$|\[[^\]]*\]\([^)]*\))", markdown, flags=re.M | re.S)
    known = registry()

    def linked(match: re.Match[str]) -> str:
        code = match[0]
        return f"[{code}]({up}rules/{code}.md)" if code in known and not own.startswith(code) else code

    return "".join(part if index % 2 else re.sub(r"\bIPL\d{3}\b", linked, part) for index, part in enumerate(parts))


def _codes(digit: str) -> list[str]:
    return [code for code in registry() if code.startswith(f"IPL{digit}")]


def _off(default: bool) -> str:
    return "" if default else " (off unless selected)"


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value) or "none"
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f'`"{value}"`'
