"""A recurrence that keeps its states in one tensor, and its cure: a list, stacked once."""

import torch

drive = torch.tensor([0.5, 2.0, 3.0], requires_grad=True)

states = torch.ones(3)
for t in range(1, 3):
    # The product saved the earlier state, a view of the memory that this line writes.
    states[t] = states[t - 1] * drive[t]  # error: [IPL201]
try:
    states.sum().backward()
except RuntimeError as error:
    print(str(error).partition(" Hint")[0])

steps = [torch.ones(())]
for t in range(1, 3):
    steps.append(steps[-1] * drive[t])
torch.stack(steps).sum().backward()
print("gradient:", drive.grad.tolist())
