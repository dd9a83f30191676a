"""What calls of PyTorch do: ops, modules, optimizers, custom functions, transforms."""
