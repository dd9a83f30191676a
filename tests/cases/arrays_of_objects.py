"""NumPy arrays of objects keep tensors as lists do, and not their values."""

import numpy as np
import torch


def swept(b, ratios):
    count = b.size(-1)
    kept = np.empty(count, dtype=object)
    kept[0] = b[..., 0]
    for i in range(1, count):
        kept[i] = b[..., i] - kept[i - 1].mul_(ratios[..., i])  # warning: [IPL301]
    return torch.stack(kept.tolist(), dim=-1)


def case_what_is_kept_is_scaled():
    return swept(torch.rand(2, 4), torch.full((2, 4), 3.0))


def swept_cured(b, ratios):
    count = b.size(-1)
    kept = np.empty(count, dtype=object)
    kept[0] = b[..., 0]
    for i in range(1, count):
        kept[i] = b[..., i] - kept[i - 1] * ratios[..., i]
    return torch.stack(kept.tolist(), dim=-1)


def case_what_is_kept_is_scaled_cured():
    return swept_cured(torch.rand(2, 4), torch.full((2, 4), 3.0))


def case_saved_before():
    b = torch.rand(3, requires_grad=True)
    kept = np.empty(3, object)
    for i in range(3):
        kept[i] = b[i].exp()
    kept[1].neg_()  # error: [IPL202]
    torch.stack(list(kept)).sum().backward()
    return b.grad


def case_saved_before_cured():
    b = torch.rand(3, requires_grad=True)
    kept = np.empty(3, object)
    for i in range(3):
        kept[i] = b[i].exp()
    kept[1] = kept[1].neg()
    torch.stack(list(kept)).sum().backward()
    return b.grad


def case_filled_one_after_the_other():
    kept = np.empty(3, dtype=object)
    for i in range(3):
        kept[i] = torch.full((2,), float(i))
        kept[i].add_(1)
    return torch.stack(kept.tolist())


def case_numbers():
    values = np.empty(3)
    values[:] = 1
    others = values
    others[0] = 2
    return torch.from_numpy(values)


def eliminated(b, ratios, last):
    count = b.size(-1)
    kept = [None] * count
    kept[0] = b[..., 0]
    for i in range(1, count):
        kept[i] = b[..., i] - ratios[..., i] * kept[i - 1]
    kept[count - 1].div_(last)
    return torch.stack(kept, -1)


def case_the_last_one_is_not_saved():
    ratios = torch.rand(2, 4, requires_grad=True)
    eliminated(torch.rand(2, 4), ratios, torch.ones(2)).sum().backward()
    return ratios.grad
