"""Functions of other libraries, as far as they matter for tensors."""
