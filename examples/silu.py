"""SiLU, `x * sigmoid(x)`, three ways: one right, one silently wrong, one that cannot be trained."""

import torch


def right(x: torch.Tensor) -> torch.Tensor:
    return x * torch.sigmoid(x)


def wrong_value(x: torch.Tensor) -> torch.Tensor:
    # Both operands are the same memory: this is the square of the sigmoid.
    return x * torch.sigmoid_(x)  # warning: [IPL302]


def no_gradient(x: torch.Tensor) -> torch.Tensor:
    # `sigmoid_` saved its result for backward, and the product overwrites it.
    result = x.clone()
    torch.sigmoid_(x)
    x *= result  # error: [IPL202]
    return x


weight = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)

print("right:", [round(value, 3) for value in right(weight * 1).tolist()])
print("wrong value:", [round(value, 3) for value in wrong_value(weight * 1).tolist()])

out = no_gradient(weight * 1)
print("no gradient:", [round(value, 3) for value in out.tolist()])
try:
    out.sum().backward()
except RuntimeError as error:
    print(str(error).partition(" Hint")[0])
