"""The version of inplace-lint."""

__version__ = "0.1.0"
