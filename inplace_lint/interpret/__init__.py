"""Runs the IR on the abstract PyTorch, path by path, and emits events."""
