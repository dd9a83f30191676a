"""inplace-lint: an autograd-safety static analyzer for PyTorch.

>>> from inplace_lint import lint_source
>>> lint_source("x = 1\\n", "example.py")
[]
"""

from inplace_lint.version import __version__

# Nothing else is imported here for real: `search_path` says why.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from inplace_lint.findings.diagnostic import Diagnostic, Edit, Fix, Related, Role, Severity
    from inplace_lint.pipeline.importers import importers
    from inplace_lint.pipeline.lint_file import lint_source
    from inplace_lint.pipeline.lint_paths import lint_paths
    from inplace_lint.pipeline.result import Result
    from inplace_lint.project.config import Config
    from inplace_lint.runtime.watch import InplaceError, InplaceWarning, watch
    from inplace_lint.source.place import Site, Span

__all__ = [
    "Config",
    "Diagnostic",
    "Edit",
    "Fix",
    "InplaceError",
    "InplaceWarning",
    "Related",
    "Result",
    "Role",
    "Severity",
    "Site",
    "Span",
    "__version__",
    "importers",
    "lint_paths",
    "lint_source",
    "watch",
]

_HOMES = {
    "Config": "project.config",
    "InplaceError": "runtime.watch",
    "InplaceWarning": "runtime.watch",
    "Result": "pipeline.result",
    "Site": "source.place",
    "Span": "source.place",
    "importers": "pipeline.importers",
    "lint_paths": "pipeline.lint_paths",
    "lint_source": "pipeline.lint_file",
    "watch": "runtime.watch",
}


def __getattr__(name: str) -> object:
    from importlib import import_module

    # Late, so that `inplace-lint --version` does not pay for the analysis.
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'findings.diagnostic')}"), name)


def load_ipython_extension(shell: object) -> None:
    """Do what `%load_ext inplace_lint` asks for: add the magic `%%inplace_lint`."""
    from inplace_lint.cell_magic import add_magic

    add_magic(shell)


def __dir__() -> list[str]:
    return sorted(__all__)
