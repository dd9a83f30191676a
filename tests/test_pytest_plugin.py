"""`pytest --inplace-lint` tells the story in the test that fails, and warns where PyTorch is silent."""

from __future__ import annotations

import sys

import pytest

import inplace_lint.runtime.watch  # noqa: F401  torch cannot be imported anew by each run

pytest_plugins = ["pytester"]

TESTS = """\
import pytest
import torch


@pytest.fixture
def x():
    return torch.ones(3, requires_grad=True)


def silent(x):
    h = torch.sigmoid(x)
    h.data.mul_(2)
    h.sum().backward()


def test_raises(x):
    h = torch.sigmoid(x)
    h.mul_(2)
    h.sum().backward()


def test_silent(x):
    silent(x)


@pytest.mark.inplace_lint_allow
def test_allowed(x):
    silent(x)


def test_right(x):
    torch.sigmoid(x).mul(2).sum().backward()
"""


@pytest.fixture
def tests(pytester: pytest.Pytester) -> pytest.Pytester:
    pytester.makepyfile(test_net=TESTS)
    return pytester


def run(pytester: pytest.Pytester, *options: str) -> tuple[pytest.RunResult, str]:
    result = pytester.runpytest("-p", "inplace_lint.pytest_plugin", "--strict-markers", *options)
    return result, result.stdout.str()


@pytest.mark.skipif(sys.version_info < (3, 11), reason="notes on errors")
def test_stories_and_warnings(tests: pytest.Pytester) -> None:
    result, output = run(tests, "--inplace-lint")
    result.assert_outcomes(passed=3, failed=1, warnings=1)
    assert "error[IPL202]: `mul_` modifies `h`, the result that `sigmoid` saved" in output
    assert "test_net.py:18:5" in output
    assert "pytest_plugin.py" not in output
    warning = output[output.index("warnings summary") :]
    assert "test_net.py::test_silent" in warning
    assert "test_net.py:12: InplaceWarning: `mul_` modifies `h.data` unseen" in warning


def test_a_warning_can_be_an_error(tests: pytest.Pytester) -> None:
    result, _ = run(tests, "--inplace-lint", "-W", "error::inplace_lint.InplaceWarning", "-k", "not raises")
    result.assert_outcomes(passed=2, failed=1, deselected=1)


def test_strict_raises_where_pytorch_should_have(tests: pytest.Pytester) -> None:
    result, output = run(tests, "--inplace-lint-strict", "-k", "not raises")
    result.assert_outcomes(passed=2, failed=1, deselected=1)
    assert "inplace_lint.InplaceError: `mul_` modifies `h.data`" in output


def test_without_the_option_nothing_is_recorded(tests: pytest.Pytester) -> None:
    tests.makeconftest("import sys; assert 'inplace_lint.pytest_plugin' in sys.modules")
    result, output = run(tests)
    result.assert_outcomes(passed=3, failed=1)
    assert "IPL202" not in output


def test_torch_waits_for_the_option(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_cheap():\n    import sys\n    assert not {'torch', 'libcst'} & sys.modules.keys()\n")
    result = pytester.runpytest_subprocess("-p", "inplace_lint.pytest_plugin")
    result.assert_outcomes(passed=1)
