"""The semantics of Python: statements, expressions, calls, attributes, containers."""
