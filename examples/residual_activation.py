"""A helper that adds and activates in place: right for some callers, an error for others."""

from collections.abc import Callable

import torch
import torch.nn.functional as F


def residual_activation(
    x: torch.Tensor,
    residuals: list[torch.Tensor],
    activation: Callable[..., torch.Tensor] = F.relu,
    inplace: bool = False,
) -> torch.Tensor:
    """Add the residuals to `x`, in place, and activate."""
    for r in residuals:
        x += r  # error: [IPL202]
    return activation(x, inplace=inplace)


def residual_activation_cured(
    x: torch.Tensor,
    residuals: list[torch.Tensor],
    activation: Callable[..., torch.Tensor] = F.relu,
    inplace: bool = False,
) -> torch.Tensor:
    """Add the residuals to `x`, the first one out of place, and activate."""
    for r in residuals:
        x = x + r
    return activation(x, inplace=inplace)


weight = torch.tensor([-2.0, 1.0], requires_grad=True)

# Nothing saved the result of a product with a number.
out = residual_activation(weight * 2, [torch.ones(2)], F.relu, True)
out.sum().backward()
print("plain tensor:", weight.grad.tolist())

# `sigmoid` saved its result.
out = residual_activation(torch.sigmoid(weight), [torch.ones(2)], F.relu, True)
try:
    out.sum().backward()
except RuntimeError as error:
    print(str(error).partition(" Hint")[0])

weight.grad = None
out = residual_activation_cured(torch.sigmoid(weight), [torch.ones(2)], F.relu, True)
out.sum().backward()
print("saved tensor, cured:", [round(value, 3) for value in weight.grad.tolist()])
