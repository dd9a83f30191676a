"""Functions that nobody here calls: whether their argument requires grad is not known.

The tests call each with a tensor that requires grad, where a warning must come true, and with plain
data, where everything runs.
"""

import torch
import torch.nn.functional as F


def open_sigmoid_scaled(x):
    y = torch.sigmoid(x)
    y *= 2  # warning: [IPL202]
    return y


def open_sum_scaled(x):
    y = x + 1
    y *= 2
    return y


def open_power_shifted(x: torch.Tensor):
    h = x + 1
    squares = h**2
    h += 1  # warning: [IPL201]
    return squares + h


def open_power_of_a_shifted(x):
    h = x + 1
    h += 1
    return h**2 + h


def open_chunk_activated(x):
    value, gate = (x * 2).chunk(2)
    gate.sigmoid_()  # warning: [IPL103]
    return value * gate


def open_option_not_given(x: torch.Tensor, places: torch.Tensor | None = None):
    y = torch.sigmoid(x)
    if places is not None:
        y = y.gather(0, places)
    else:
        y.mul_(2)  # warning: [IPL202]
    return y


def open_option_not_given_for_a_sum(x: torch.Tensor, places: torch.Tensor | None = None):
    y = x + 1
    if places is not None:
        y = y.gather(0, places)
    else:
        y.mul_(2)
    return y


def open_slice_activated(x):
    h = x * 2
    h[:2].sigmoid_()
    return h


def open_weights_masked(x):
    weights = x.softmax(-1)
    weights.masked_fill_(torch.ones_like(x, dtype=torch.bool), 0.0)  # warning: [IPL202]
    return weights


def open_scores_masked(x):
    scores = x / 2
    scores.masked_fill_(torch.zeros_like(x, dtype=torch.bool), float("-inf"))
    return scores.softmax(-1)


def open_out(x):
    buffer = torch.empty_like(x)
    torch.exp(x, out=buffer)  # info: [IPL105]
    return buffer


def open_relu_of_new_memory(x):
    return F.relu(x * 2, inplace=True) + x


@torch.no_grad()
def open_without_grad(x):
    y = torch.sigmoid(x)
    y *= 2
    return y


def open_result_detached(x):
    y = torch.sigmoid(x).detach()
    y *= 2
    return x + y


def open_centred_after_it_was_squared(x):
    mean = x.mean(dim=0, keepdim=True)
    squares = x**2
    x -= mean  # warning: [IPL201]
    return squares


def open_out_under_no_grad(x):
    y = (x * x).sum()
    q = torch.empty(4)
    with torch.no_grad():
        torch.mul(x, 2, out=q)
    x += q  # warning: [IPL201]
    return y


def sampled(times, source):
    found = source.draw(8).view(2, 4)
    late = times[found] > 3
    for _ in range(2):
        found[late] = fresh = source.draw(int(late.sum()))
        late[late.clone()] = times[fresh] > 3
    return found
