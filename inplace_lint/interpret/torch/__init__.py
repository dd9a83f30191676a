"""Calls of PyTorch: ops, modules, optimizers, custom functions, transforms."""
