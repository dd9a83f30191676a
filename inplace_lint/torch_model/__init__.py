"""The abstract PyTorch: storages with versions, tensors, saves, and the op table."""
