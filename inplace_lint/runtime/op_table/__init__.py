"""Generates `ops.json` from the installed PyTorch: schemas, derivative formulas, and probing."""
