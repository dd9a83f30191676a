"""Explains each write on a line, and why it is reported or not."""
