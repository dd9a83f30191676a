"""Reads Python: from text to a small IR."""
