"""What an in-place ReLU saves: the memory of its result."""

import torch
import torch.nn.functional as F


def new_memory(x: torch.Tensor, inplace: bool) -> float:
    """MiB that the result of a ReLU occupies beyond the memory of its input."""
    y = F.relu(x, inplace=inplace)
    input_memory, result_memory = x.untyped_storage(), y.untyped_storage()
    if result_memory.data_ptr() == input_memory.data_ptr():
        return 0.0
    return result_memory.nbytes() / 2**20


x = torch.randn(10_000, 10_000)
print(f"out of place: {new_memory(x, inplace=False):.1f} MiB")
print(f"in place: {new_memory(x, inplace=True):.1f} MiB")
