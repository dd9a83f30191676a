"""`torch.func.linearize`: what it gives computes from the arguments again, whenever it is called."""

import torch
from torch.func import jvp, vjp

from inplace_lint.intrinsics import surely


def linearize(func, *primals):
    output, pullback = vjp(func, *primals)

    def pushed(*tangents):
        if surely(isinstance(output, torch.Tensor)):
            pullback(torch.ones_like(output))  # needs what it needs
        return jvp(func, primals, tangents)[1]

    return (output.clone() if surely(isinstance(output, torch.Tensor)) else output), pushed
