"""What Python does: statements, expressions, calls, attributes, containers."""
