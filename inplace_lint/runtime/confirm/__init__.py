"""Judges static findings by running the program."""
