"""The format `html`, read by a parser: all that the JSON says, and nothing that a page could obey."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from html_pages import HOSTILE, PROGRAM, Read, found, hostile, many, page

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.project.keys import Format
from inplace_lint.report import Report, render
from inplace_lint.report.html.rules import prose
from inplace_lint.source.place import Site, Span


def test_steps_are_those_of_json() -> None:
    told = json.loads(render(Report(found()), "json"))
    assert len(told) >= 4
    read = Read(page(found()))
    names = [each.attributes.get("id") or "" for each in read.elements]
    wanted = [f"f{number}s{step['order']}" for number, each in enumerate(told, 1) for step in (each, *each["related"])]
    assert sorted(name for name in names if re.fullmatch(r"f\d+s\d+", name)) == sorted(wanted)
    roles = Counter(role for each in told for role in (each["role"], *(other["role"] for other in each["related"])))
    for role, count in roles.items():
        assert len([each for each in read.of("note") if role in each.styles]) == count
    assert len(read.of("memory")) == sum(bool(each["related"]) for each in told)


def test_counts() -> None:
    read = Read(page(found()))
    findings = read.of("finding")
    assert [each.attributes["data-code"] for each in findings] == [each.code for each in found()]
    data = [(each.attributes, "".join(each.text)) for each in read.of("chip")]
    chips = {(each["data-kind"], each["data-value"]): text for each, text in data}
    by_code = Counter(each.code for each in found())
    assert {value: int(text.split()[0]) for (kind, value), text in chips.items() if kind == "rule"} == by_code
    assert chips["file", "net.py"] == f"{len(findings)} net.py"
    assert {each.attributes["id"] for each in read.of("rule")} == {f"rule-{code}" for code in by_code}


def test_rows_are_those_of_the_source() -> None:
    read = Read(page(found()))
    source = PROGRAM.split("\n")
    rows = ["".join(each.text) for each in read.of("r") if each.styles in (["r"], ["r", "write"])]
    assert rows
    for row in rows:
        number = re.match(r"\d+", row)
        assert number
        assert row == f"{number[0]}{source[int(number[0]) - 1]}"


def test_the_policy_allows_what_is_there_and_nothing_else() -> None:
    text = page(found())
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', text)
    for name in ("style", "script"):
        (content,) = re.findall(rf"<{name}>(.*?)</{name}>", text, re.S)
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'")
    read = Read(text)
    assert not [each for each in read.elements if "style" in each.attributes or "src" in each.attributes]
    assert not [name for each in read.elements for name in each.attributes if name.startswith("on")]
    links = {each.attributes.get("href") or "" for each in read.elements if each.name == "a"}
    assert all(link.startswith(("#", "vscode://file/")) for link in links)
    names = {each.attributes.get("id") for each in read.elements}
    assert all(link[1:] in names for link in links if link.startswith("#"))


def test_hostile_words_stay_words() -> None:
    source = "\n".join(f"{row}  # {HOSTILE}" for row in PROGRAM.split("\n"))
    text = page(hostile(), source, notes=[HOSTILE])
    text.encode("utf-8")
    assert not re.search("[\x00\u202e\ud800]", text)
    read = Read(text)
    assert {each.name for each in read.elements} == {each.name for each in Read(page(found(), notes=["a"])).elements}
    assert len([each for each in read.elements if each.name == "script"]) == 1
    assert any("\\u202e" in "".join(each.text) for each in read.of("finding"))


def test_long_lines_and_many_findings() -> None:
    long = replace(found()[0], site=Site("net.py", Span(1, 70_001, 1, 70_010)), related=(), fix=None)
    assert len(page([long], "x = 1; " * 10_000 + "y.mul_(2)")) < len(page([long])) + 2_000
    text = page(many(1000))
    assert len(text) < 6_000_000
    assert len(Read(text).of("finding")) == 1000


def test_fix_as_a_diff() -> None:
    edits = (Edit(Span(2, 1, 2, 2), "b"), Edit(Span(40, 1, 40, 1), "new\n"))
    one = Diagnostic("IPL202", "n", "error", "m", Site("a.py", Span(2, 1, 2, 2)), fix=Fix("safe", "Do `it`", edits))
    source = "\n".join(f"a{row}" for row in range(1, 50))
    read = Read(page([one], source))
    changed = [("".join(each.text)) for each in read.elements if {"add", "del"} & set(each.styles)]
    assert changed == ["2-a2", "+b2", "+new"]


def test_what_has_no_source_is_told_in_words() -> None:
    text = render(Report(found()), "html")
    assert len(Read(text).of("unseen")) >= len(found())
    assert "No problems found." in render(Report(()), "html")


def test_prose() -> None:
    assert prose("## A\n\nb `<c>` and **d**\n- e\n- f\n  g\n\n```python\nx < 1\n\ny\n```\n\n    raw <\n") == (
        "<h4>A</h4><p>b <code>&lt;c&gt;</code> and <b>d</b></p><ul><li>e</li><li>f   g</li></ul>"
        '<pre class="example">x &lt; <i class="n">1</i>\n\ny</pre><pre class="example">raw &lt;</pre>'
    )


@pytest.mark.parametrize("format", ["full", "concise", "grouped", "markdown", "html"])
def test_files_of_packages_go_by_their_short_name(format: Format) -> None:
    path = "/opt/venv/lib/python3.11/site-packages/timm/models/vit.py"
    finding = found()[0]
    finding = replace(finding, site=replace(finding.site, path=path), related=())
    asked: list[str] = []

    def lines(path: str) -> list[str]:
        asked.append(path)
        return PROGRAM.split("\n")

    said = render(Report([finding], lines, brief=True), format)
    assert "timm/models/vit.py" in re.sub(r"vscode://[^\"]*", "", said)
    assert "site-packages" not in re.sub(r"vscode://[^\"]*", "", said)
    assert set(asked) <= {path}


def test_a_story_in_two_files_goes_on_by_a_link() -> None:
    finding = next(each for each in found() if each.related)
    elsewhere = replace(finding.site, path="other.py")
    read = Read(page([replace(finding, site=elsewhere)]))
    ids = {each.attributes.get("id") for each in read.elements}
    links = [each.attributes["href"] or "" for each in read.elements if "href" in each.attributes]
    onward = [link for link in links if re.fullmatch(r"#f1s\d+", link)]
    assert onward
    assert {link[1:] for link in onward} <= ids
