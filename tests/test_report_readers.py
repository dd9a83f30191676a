"""The formats for machines, given to readers that are not ours."""

from __future__ import annotations

import json
import ntpath
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import markdown
import pytest
from junitparser import Failure, JUnitXml
from pydantic_sarif.model import StaticAnalysisResultsFormatSarifVersion210JsonSchema as SarifSchema

from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix
from inplace_lint.pipeline.lint_file import lint_source
from inplace_lint.report import Report, places, render
from inplace_lint.source.place import Site, Span

# Saved in row 4, modified in rows 6 and 7, read in row 8; columns after wide and combining characters.
PROGRAM = """\
import torch

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)

s = "\u6f22\U0001f600e\u0301"; y.mul_(
    2)
y.sum().backward()
"""

(REAL,) = lint_source(PROGRAM, "package/a b.py")
EDITS = (Edit(Span(6, 1, 6, 1), "y = y.clone()\n"), Edit(Span(7, 5, 7, 6), "3"))
FOUND = replace(REAL, fix=Fix("unsafe", "Clone `y`", EDITS))
WARNED = replace(REAL, code="IPL301", name="reused-after-inplace", severity="warning", related=(), help=None, fix=None)
ADVICE = replace(WARNED, code="IPL502", name="saves-no-memory", severity="info", site=Site("b.py", Span(1, 1, 1, 2)))
ODD = replace(
    FOUND, message='100%, "a": <&\x00\x1b\ud800>\r\nsure::', site=Site("a,b:c%\u6f22.py", FOUND.site.span), help=None
)
ODD_MESSAGE = r'100%, "a": <&\u0000\u001b\ud800>\r\nsure::'
IN_CELL = replace(FOUND, site=Site("n.ipynb", Span(2, 3, 2, 5)), related=(), cell=4)
ALL = (FOUND, WARNED, ADVICE, ODD, IN_CELL)


def rendered(format: str, *diagnostics: Diagnostic) -> str:
    return render(Report(diagnostics or ALL), format)  # type: ignore[arg-type]


def sarif(*diagnostics: Diagnostic) -> dict[str, Any]:
    log = json.loads(rendered("sarif", *diagnostics))
    SarifSchema.model_validate(log)
    (run,) = log["runs"]
    return run  # type: ignore[no-any-return]


def pieces(region: dict[str, int], text: str = PROGRAM) -> str:
    """What lies in a region of SARIF, by its own definition."""
    lines = text.split("\n")
    first, last = region["startLine"], region.get("endLine", region["startLine"])
    if first == last:
        return lines[first - 1][region["startColumn"] - 1 : region["endColumn"] - 1]
    inner = [lines[first - 1][region["startColumn"] - 1 :], *lines[first : last - 1]]
    return "\n".join([*inner, lines[last - 1][: region["endColumn"] - 1]])


def test_sarif_points_at_the_code() -> None:
    run = sarif(FOUND)
    (result,) = run["results"]
    physical = result["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "package/a%20b.py"
    assert pieces(physical["region"]) == "y.mul_(\n    2)"
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "IPL202"
    assert result["level"] == "error"


def test_sarif_tells_the_story_in_the_order_of_execution() -> None:
    (result,) = sarif(FOUND)["results"]
    (flow,) = result["codeFlows"]
    told = flow["threadFlows"][0]["locations"]
    assert [(step["executionOrder"], *step["kinds"]) for step in told] == [(1, "save"), (2, "write"), (3, "backward")]
    steps = [step["location"] for step in told]
    assert [pieces(step["physicalLocation"]["region"]) for step in steps] == [
        "torch.sigmoid(x)",
        "y.mul_(\n    2)",
        "y.sum().backward()",
    ]
    told = [step["message"]["text"] for step in steps]
    assert [told[0], told[2]] == [each["message"]["text"] for each in result["relatedLocations"]]
    assert told[1] == FOUND.message
    assert "codeFlows" not in sarif(WARNED)["results"][0]


def test_sarif_enters_a_call_before_what_happens_in_it() -> None:
    program = """\
import torch

def scale(t, u):
    w = torch.exp(t)
    u.mul_(w)
    w.mul_(2)

x = torch.randn(3, requires_grad=True)
y = torch.sigmoid(x)
scale(x, y)
y.sum().backward()
"""
    for finding, rows in zip(lint_source(program), ([9, 10, 5, 11], [10, 4, 5, 6, 11]), strict=True):
        (flow,) = sarif(finding)["results"][0]["codeFlows"]
        steps = [step["location"]["physicalLocation"] for step in flow["threadFlows"][0]["locations"]]
        assert [step["region"]["startLine"] for step in steps] == rows


def test_sarif_fixes() -> None:
    (result,) = sarif(FOUND)["results"]
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["artifactLocation"]["uri"] == "package/a%20b.py"
    assert [pieces(each["deletedRegion"]) for each in change["replacements"]] == ["", "2"]
    assert [each["insertedContent"]["text"] for each in change["replacements"]] == ["y = y.clone()\n", "3"]
    assert "may change" in result["fixes"][0]["description"]["text"]
    shown = replace(FOUND, fix=Fix("display", "Think", EDITS))
    assert "fixes" not in sarif(shown)["results"][0]


def test_sarif_explains_the_rules() -> None:
    rules = {rule["id"]: rule for rule in sarif()["tool"]["driver"]["rules"]}
    assert {"IPL101", "IPL202", "IPL902", "IPL903"} <= rules.keys()
    assert "## Why it matters" in rules["IPL202"]["help"]["markdown"]
    assert not rules["IPL502"]["defaultConfiguration"]["enabled"]
    assert rules["IPL202"]["defaultConfiguration"]["enabled"]


def test_sarif_of_a_crash_says_that_the_run_failed() -> None:
    assert sarif()["invocations"] == [{"executionSuccessful": True}]
    assert sarif(replace(FOUND, code="IPL903"))["invocations"] == [{"executionSuccessful": False}]


def test_json() -> None:
    first, second, *_ = json.loads(rendered("json"))
    assert list(first) == [
        *("code", "name", "message", "severity", "filename", "location", "end_location"),
        *("noqa_row", "url", "cell", "role", "order", "fix", "related"),
    ]
    assert first["location"] == {"row": 6, "column": 13}
    assert first["end_location"] == {"row": 7, "column": 7}
    assert (first["fix"]["applicability"], first["fix"]["message"]) == ("unsafe", "Clone `y`")
    assert [edit["content"] for edit in first["fix"]["edits"]] == ["y = y.clone()\n", "3"]
    assert first["fix"]["edits"][1]["location"] == {"row": 7, "column": 5}
    assert first["fix"]["edits"][1]["end_location"] == {"row": 7, "column": 6}
    assert (first["role"], first["order"]) == ("write", 2)
    assert [(each["role"], each["order"]) for each in first["related"]] == [("save", 1), ("backward", 3)]
    assert first["related"][0]["location"] == {"row": 4, "column": 5}
    assert Path(first["filename"]).is_absolute()
    assert second["fix"] is None
    assert json.loads(rendered("json"))[-1]["cell"] == 4
    assert [json.loads(line) for line in rendered("json-lines").splitlines()] == json.loads(rendered("json"))
    assert render(Report(()), "json") == "[]\n"
    assert render(Report(()), "json-lines") == ""


def test_junit() -> None:
    report = JUnitXml.fromstring(rendered("junit").encode())
    assert (report.tests, report.failures) == (5, 5)
    cases = [case for suite in report for case in suite]
    results = [case.result for case in cases]
    assert all(isinstance(result, Failure) for (result,) in results)
    assert results[0][0].message == FOUND.message
    assert results[0][0].text.splitlines()[1:] == [
        "saved for backward here by `sigmoid`: package/a b.py:4",
        "this backward reads it: package/a b.py:8",
        f"help: {FOUND.help}",
    ]
    assert results[3][0].message == ODD_MESSAGE
    assert cases[4].name == "IPL202 saved-output-modified at cell 4:2:3"
    assert JUnitXml.fromstring(render(Report(()), "junit").encode()).failures == 0


# As the runner of GitHub Actions reads a line: src/Runner.Common/ActionCommand.cs.
def commands(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    for line in text.splitlines():
        head, _, data = line.removeprefix("::").partition("::")
        command, _, listed = head.partition(" ")
        properties = dict(each.split("=", 1) for each in listed.split(","))
        for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
            properties = {key: value.replace(code, char) for key, value in properties.items()}
            data = data if code in ("%3A", "%2C") else data.replace(code, char)
        yield command, properties, data


def test_github() -> None:
    found = list(commands(rendered("github")))
    assert [command for command, _, _ in found] == ["error", "warning", "notice", "error", "error"]
    assert found[0][1] == {
        "title": "inplace-lint (IPL202)",
        "file": "package/a b.py",
        "line": "6",
        "col": "13",
        "endLine": "7",
    }
    assert found[0][2].splitlines()[0] == f"package/a b.py:6:13: IPL202 {FOUND.message}"
    assert found[2][1]["endColumn"] == "2"
    assert found[3][1]["file"] == ODD.site.path
    assert found[3][2].startswith(f"{ODD.site.path}:6:13: IPL202 {ODD_MESSAGE}\n")
    assert found[4][1]["line"] == "1"
    assert found[4][2].startswith("n.ipynb:cell 4:2:3:")


def test_gitlab() -> None:
    issues = json.loads(rendered("gitlab"))
    assert [issue["severity"] for issue in issues] == ["major", "minor", "info", "major", "major"]
    assert issues[0]["location"] == {
        "path": "package/a b.py",
        "positions": {"begin": {"line": 6, "column": 13}, "end": {"line": 7, "column": 7}},
    }
    assert issues[4]["location"]["positions"]["begin"] == {"line": 1, "column": 1}
    assert issues[4]["description"].startswith("cell 4, row 2: IPL202")
    needed = ("description", "check_name", "fingerprint", "severity", "location")
    assert all(issue[key] for issue in issues for key in needed)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


# As the agent of Azure Pipelines reads its commands.
_ISSUE = re.compile(r"##vso\[task\.logissue ((?:\w+=[^;\]]*;)+)\](.*)")
_PIPELINE_ESCAPES = {"%3B": ";", "%0D": "\r", "%0A": "\n", "%5D": "]", "%AZP25": "%"}


def plain(text: str) -> str:
    return re.sub("%(?:3B|0D|0A|5D|AZP25)", lambda found: _PIPELINE_ESCAPES[found[0]], text)


def test_azure() -> None:
    tricky = replace(FOUND, message="100% of %0A; [b]", site=Site("a;b]%3B.py", FOUND.site.span), related=(), help=None)
    lines = rendered("azure", *ALL, tricky).splitlines()
    found = [match for line in lines if (match := _ISSUE.fullmatch(line)) is not None]
    assert len(found) == len(lines) == 6
    properties = [dict(pair.split("=", 1) for pair in match[1].rstrip(";").split(";")) for match in found]
    assert [each["type"] for each in properties] == ["error", "warning", "warning", "error", "error", "error"]
    first = {"type": "error", "sourcepath": "package/a b.py", "linenumber": "6", "columnnumber": "13", "code": "IPL202"}
    assert properties[0] == first
    assert plain(found[0][2]).splitlines()[0] == f"package/a b.py:6:13: {FOUND.message}"
    assert (plain(properties[5]["sourcepath"]), plain(found[5][2])) == (
        tricky.site.path,
        f"{tricky.site.path}:6:13: {tricky.message}",
    )


def test_pylint() -> None:
    lines = rendered("pylint").splitlines()
    assert lines[0] == f"package/a b.py:6: [IPL202] {FOUND.message}"
    assert lines[4].startswith("n.ipynb:1: [IPL202] cell 4, row 2: ")
    assert all(re.fullmatch(r".+?:\d+: \[IPL\d{3}\] .+", line) for line in lines)


def test_markdown() -> None:
    tricky = replace(FOUND, message="`a|b` <b>is</b> @all | [x](y)", site=Site("a|`b`.py", FOUND.site.span))
    report = Report((*ALL, tricky), docs_url="https://docs.example.org")
    text = render(report, "markdown")
    page = markdown.markdown(text, extensions=["tables"])
    table = ElementTree.fromstring(f"<page>{page}</page>")
    assert "".join(table.find("h3").itertext()) == "inplace-lint: 6 problems (4 errors, 1 warning, 1 info)"
    rows = [["".join(cell.itertext()) for cell in row] for row in table.findall(".//tbody/tr")]
    assert rows[0][1:3] == ["error", "IPL202"]
    assert rows[-1][0] == "a|`b`.py:6:13"
    assert rows[-1][3] == "a|b <b>is</b> @all | [x](y)"
    assert {link.get("href") for link in table.iter("a")} == {report.url(each.code) for each in report.diagnostics}
    assert [code.text for code in table.findall(".//tbody/tr")[-1].iter("code")] == ["a|b"]
    assert render(Report(()), "markdown") == "### inplace-lint: no problems found\n"
    assert render(Report((FOUND,) * 201), "markdown").endswith("\n\nAnd 1 more.\n")


def test_rdjson() -> None:
    simple = replace(FOUND, fix=Fix("safe", "Write 3", (Edit(Span(7, 5, 7, 6), "3"),)))
    report = Report((*ALL, simple), lambda path: PROGRAM.split("\n") if path.startswith("package") else None)
    said = json.loads(render(report, "rdjson"))
    assert said["source"]["name"] == "inplace-lint"
    found = said["diagnostics"]
    assert [each["severity"] for each in found] == ["ERROR", "WARNING", "INFO", "ERROR", "ERROR", "ERROR"]
    assert found[0]["location"]["path"] == "package/a b.py"
    start, end = (found[0]["location"]["range"][name] for name in ("start", "end"))
    data = [line.encode() for line in PROGRAM.split("\n")]
    assert data[start["line"] - 1][start["column"] - 1 :] == b"y.mul_("
    assert data[end["line"] - 1][: end["column"] - 1] == b"    2)"
    assert found[4]["location"] == {"path": "n.ipynb", "range": {"start": {"line": 1}}}
    assert len(found[0]["related_locations"]) == len(FOUND.related)
    assert [each["code"]["value"] for each in found] == [each.code for each in (*ALL, simple)]
    place = {"start": {"line": 7, "column": 5}, "end": {"line": 7, "column": 6}}
    assert [each.get("suggestions") for each in found] == [None] * 5 + [[{"range": place, "text": "3"}]]


def test_rules_lead_to_their_pages() -> None:
    report = Report((FOUND,), docs_url="https://docs.example.org/lint")
    page = "https://docs.example.org/lint/rules/IPL202/"
    log = json.loads(render(report, "sarif"))
    SarifSchema.model_validate(log)
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["informationUri"] == "https://docs.example.org/lint"
    assert page in [rule["helpUri"] for rule in driver["rules"]]
    assert [each["url"] for each in json.loads(render(report, "json"))] == [page]
    assert json.loads(render(report, "rdjson"))["diagnostics"][0]["code"] == {"value": "IPL202", "url": page}
    assert json.loads(rendered("json"))[0]["url"] is None


@pytest.mark.parametrize("format", ["full", "concise"])
def test_links_are_for_terminals(format: str) -> None:
    report = Report((FOUND,), docs_url="https://docs.example.org", color=True)
    assert "example.org" not in render(report, format)  # type: ignore[arg-type]
    text = render(replace(report, links=True), format)  # type: ignore[arg-type]
    assert text.count("\x1b]8;;https://docs.example.org/rules/IPL202/\x1b\\") == text.count("\x1b]8;;\x1b\\") == 1
    assert "\x1b]8" not in render(replace(report, links=True, color=False), format)  # type: ignore[arg-type]


def test_fingerprints_survive_moved_lines() -> None:
    moved = replace(FOUND, site=Site(FOUND.site.path, Span(70, 1, 70, 10)))
    first, twin = json.loads(rendered("gitlab", FOUND, moved))
    assert first["fingerprint"] != twin["fingerprint"]
    assert json.loads(rendered("gitlab", moved))[0]["fingerprint"] == first["fingerprint"]
    assert sarif(moved)["results"][0]["partialFingerprints"] == {"inplaceLint/v1": first["fingerprint"]}


def test_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = tmp_path / "w"
    work.mkdir()
    monkeypatch.chdir(work)
    assert places.portable(str(work / "src" / "a.py")) == "src/a.py"
    assert places.portable("./src/../a.py") == "a.py"
    assert places.portable("..a.py") == "..a.py"
    outside = str(tmp_path / "b c.py")
    assert places.portable(outside) == outside
    assert places.uri(outside) == places.uri("../b c.py") == (tmp_path / "b c.py").as_uri()
    assert places.uri("a:b.py") == "a%3Ab.py"
    assert places.uri("caf\udce9.py") == "caf%E9.py"


def test_paths_of_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "paths", ntpath)
    assert places.portable("src\\a.py") == "src/a.py"
    assert places.place("src\\a.py", Span(1, 2, 1, 3)) == "src\\a.py:1:2"
    assert places.uri("src\\a b.py") == "src/a%20b.py"
    assert places.uri("D:\\x\\a b.py") == "file:///D:/x/a%20b.py"
    assert places.uri("\\\\host\\share\\a.py") == "file://host/share/a.py"


def test_a_module_is_made_before_it_is_called_and_writes() -> None:
    (found,) = lint_source("""\
import torch
from torch import nn

act = nn.ReLU(inplace=True)
x = torch.randn(3, requires_grad=True)
y = x.exp()
act(y)
y.sum().backward()
""")
    assert (found.role, found.order, found.site.span.row) == ("bind", 1, 4)
    told = sorted((each.order, each.role, each.site.span.row) for each in found.related)
    assert told == [(2, "save", 6), (3, "write", 7), (4, "backward", 8)]


@pytest.mark.parametrize("write", ["y.mul_(2)", "y.data.mul_(2)"])
def test_a_save_inside_the_call_that_leads_to_the_write_comes_after_the_call(write: str) -> None:
    program = f"""\
import torch

def scaled(x):
    y = torch.sigmoid(x)
    {write}
    return y

x = torch.ones(3, requires_grad=True)
scaled(x).sum().backward()
"""
    (found,) = lint_source(program)
    told = sorted((each.order, each.role) for each in (found, *found.related))
    assert [role for _, role in told if role in ("call", "save", "write")] == ["call", "save", "write"]
