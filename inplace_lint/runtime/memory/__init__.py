"""Weighs in-place operations: the memory that a model needs with them and without."""
