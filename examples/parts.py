"""Parts of a tensor: some may be written, some may not."""

import torch

x = torch.ones(1, 4, requires_grad=True)

value, gate = (x * 2).chunk(2, dim=1)
try:
    gate.sigmoid_()  # error: [IPL103]
except RuntimeError as error:
    print(str(error).partition(". ")[0])

h = x * 2
gate = h[:, 2:]
gate.sigmoid_()
h.sum().backward()
print("a slice:", [round(number, 3) for number in x.grad[0].tolist()])

rows = torch.zeros(1, 3).expand(2, 3)
try:
    rows += 1  # error: [IPL104]
except RuntimeError as error:
    print(str(error).partition(". ")[0])

rows = torch.zeros(1, 3).expand(2, 3).clone()
rows += 1
print("a copy of expanded rows:", rows.tolist())
