"""From PyTorch's own error message back to the line that wrote."""
