"""What needs the real PyTorch; the only place that imports it."""
