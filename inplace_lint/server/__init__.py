"""A language server: the linter in editors. Only protocol; `pipeline/session.py` does the work, in its own process."""
