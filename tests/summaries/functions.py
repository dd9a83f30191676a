"""Plain functions: writes, aliases, views, branches, helpers, containers."""

import torch
import torch.nn.functional as F
from torch import Tensor


def adds_out_of_place(x: Tensor, other: Tensor):  # summary: returns fresh
    return x + other


def multiplies(x: Tensor, other: Tensor):  # summary: returns fresh, saves other and x
    return x * other


def squares_by_hand(x: Tensor):  # summary: returns fresh, saves x
    return x * x


def gives_back(x: Tensor):  # summary: returns alias of x
    return x


def gives_the_second(x: Tensor, other: Tensor):  # summary: returns alias of other
    return other


def writes_and_gives_back(x: Tensor):  # summary: writes x, returns alias of x
    return x.add_(1)


def writes_only(x: Tensor):  # summary: writes x, returns nothing
    x.mul_(2)


def augments(x: Tensor, other: Tensor):  # summary: writes x, returns alias of x
    x += other
    return x


def sets_an_item(x: Tensor):  # summary: writes x, returns alias of x
    x[0] = 1.0
    return x


def fills_a_slice(x: Tensor):  # summary: writes x, returns nothing
    x[:, 1:].zero_()


def rebinds_then_writes(x: Tensor):  # summary: returns fresh
    x = x + 1
    x.mul_(2)
    return x


def second_name(x: Tensor):  # summary: writes x, returns alias of x
    y = x
    y.add_(1)
    return y


def overwrites_with_result(x: Tensor):  # summary: writes x, returns alias of x, saves x
    return F.relu(x, inplace=True)


def relu_of(x: Tensor):  # summary: returns fresh, saves result
    return F.relu(x)


def relu_written(x: Tensor):  # summary: writes x, returns alias of x, saves x
    return torch.relu_(x)


def sigmoid_of(x: Tensor):  # summary: returns fresh, saves result
    return x.sigmoid()


def exp_then_doubled(x: Tensor):  # summary: returns fresh, saves result
    y = x.exp()
    y.mul_(2)
    return y


def view_of(x: Tensor):  # summary: returns view of x
    return x.view(3, 2)


def transposed(x: Tensor):  # summary: returns view of x
    return x.t()


def row(x: Tensor):  # summary: returns view of x
    return x[0]


def element_of_view(x: Tensor):  # summary: returns view of x
    return x.view(-1)[2:]


def widened(x: Tensor):  # summary: returns view of x
    return x.unsqueeze(0)


def expanded(x: Tensor):  # summary: returns view of x
    return x.unsqueeze(0).expand(4, 2, 3)


def writes_through_view(x: Tensor):  # summary: writes x, returns view of x
    y = x.view(-1)
    y.add_(1)
    return y


def writes_a_row(x: Tensor):  # summary: writes x, returns nothing
    first = x[0]
    first.mul_(3)


def copied(x: Tensor):  # summary: returns fresh
    return x.clone()


def copies_then_writes(x: Tensor):  # summary: returns fresh
    y = x.clone()
    y.add_(1)
    return y


def detached(x: Tensor):  # summary: returns detached view of x
    return x.detach()


def detached_copy(x: Tensor):  # summary: returns fresh
    return x.detach().clone()


def writes_detached(x: Tensor):  # summary: writes x, returns alias of x
    x.detach().add_(1)
    return x


def data_of(x: Tensor):  # summary: returns detached view of x
    return x.data


def writes_data(x: Tensor):  # summary: writes x unseen, returns alias of x
    x.data.mul_(2)
    return x


def writes_data_item(x: Tensor):  # summary: writes x unseen, returns nothing
    x.data[0] = 0.0


def no_grad_write(x: Tensor):  # summary: writes x, returns alias of x
    with torch.no_grad():
        x.add_(1)
    return x


@torch.no_grad()
def decorated(x: Tensor):  # summary: writes x, returns fresh
    x.zero_()
    return x * 2


def no_grad_view(x: Tensor):  # summary: returns view of x
    with torch.no_grad():
        y = x.view(-1)
    return y


def halves(x: Tensor):  # summary: returns several views of x
    return x.chunk(2, dim=1)


def rows(x: Tensor):  # summary: returns several views of x
    return x.unbind(0)


def first_half(x: Tensor):  # summary: returns one of several views of x
    return x.chunk(2, dim=1)[0]


def unpacked_halves(x: Tensor):  # summary: returns one of several views of x
    _, middle, _ = x.split(1, dim=1)
    return middle


def pair(x: Tensor):  # summary: returns (alias of x, fresh)
    return x, x + 1


def swapped(x: Tensor, other: Tensor):  # summary: returns (alias of other, alias of x)
    return other, x


def in_a_list(x: Tensor, other: Tensor):  # summary: returns (alias of x, fresh), saves result
    found = [x]
    found.append(other.exp())
    return found


def in_a_dict(x: Tensor):  # summary: returns (alias of x, view of x)
    return {"x": x, "view": x.view(-1)}


def from_a_list(x: Tensor, other: Tensor):  # summary: writes other, returns alias of other
    parts = [x, other]
    parts[1].add_(1)
    return parts[1]


def loop_over_list(x: Tensor, other: Tensor):  # summary: writes other and x, returns nothing
    for part in (x, other):
        part.mul_(2)


def stacked(x: Tensor, other: Tensor):  # summary: returns fresh
    return torch.stack([x, other])


def concatenated(x: Tensor, other: Tensor):  # summary: returns fresh
    return torch.cat([x, other], dim=0)


def branch_writes(x: Tensor, inplace: bool):  # summary: writes x, returns alias of x or fresh
    if inplace:
        x.add_(1)
        return x
    return x + 1


def branch_copies(x: Tensor, copy: bool):  # summary: writes x, returns alias of x or fresh
    if copy:
        x = x.clone()
    x.mul_(2)
    return x


def passes_flag(x: Tensor, inplace: bool):  # summary: writes x, returns alias of x or fresh, saves x
    return F.leaky_relu(x, inplace=inplace)


def branch_on_value(x: Tensor):  # summary: returns alias of x or view of x
    if x.sum() > 0:
        return x
    return x.view(-1)


def branch_nothing(x: Tensor, skip: bool):  # summary: returns fresh or nothing, saves result
    if skip:
        return None
    return x.exp()


# summary: returns alias of other or alias of x
def conditional_expression(x: Tensor, other: Tensor, first: bool):
    return x if first else other


def optional(x: Tensor, bias: Tensor | None = None):  # summary: returns alias of x or fresh
    if bias is not None:
        x = x + bias
    return x


def default_flag(x: Tensor, inplace=False):  # summary: writes x, returns alias of x or fresh, saves x
    return F.elu(x, inplace=inplace)


def scalar(x: Tensor):
    return x.size(0)


def item_of(x: Tensor):
    return x.sum().item()


def nothing(x: Tensor):  # summary: returns nothing
    x.exp()


def largest(x: Tensor):  # summary: returns (fresh, fresh), saves result
    return x.max(dim=1)


def index_of_largest(x: Tensor):  # summary: returns fresh
    return x.argmax(dim=1)


def helper_writes(x: Tensor):  # summary: writes x, returns alias of x
    return _scale_(x, 2)


def _scale_(x: Tensor, by: float):  # summary: writes x, returns alias of x
    x.mul_(by)
    return x


def helper_ignored(x: Tensor):  # summary: writes x, returns fresh
    _scale_(x, 2)
    return x + 1


def helper_on_copy(x: Tensor):  # summary: returns fresh
    return _scale_(x.clone(), 2)


def helper_on_view(x: Tensor):  # summary: writes x, returns view of x
    return _scale_(x[0], 2)


def with_lambda(x: Tensor):  # summary: writes x, returns alias of x
    double = lambda t: t.mul_(2)  # noqa: E731
    return double(x)


def with_closure(x: Tensor, other: Tensor):  # summary: writes x, returns alias of other
    def add():
        x.add_(other)
        return other

    return add()


def with_function_value(x: Tensor, activation=F.relu):
    return activation(x)


def with_default_lambda(x: Tensor, f=lambda t: t.tanh_()):
    return f(x)


def recursive_write(x: Tensor, times=2):  # summary: writes x, returns alias of x
    if times == 0:
        return x
    x.add_(1)
    return recursive_write(x, times - 1)


def writes_out(x: Tensor, out: Tensor):  # summary: writes out, returns nothing
    with torch.no_grad():
        torch.add(x, 1, out=out)


def copies_into(x: Tensor, other: Tensor):  # summary: writes x, returns nothing
    x.copy_(other)


def initializes(w: Tensor):  # summary: writes w, returns nothing
    torch.nn.init.normal_(w)


def masked(x: Tensor, mask):  # summary: returns fresh, saves mask
    return x.masked_fill(mask, 0.0)


def masked_written(x: Tensor, mask):  # summary: writes x, returns alias of x, saves mask
    x.masked_fill_(mask, 0.0)
    return x


def looked_up(x: Tensor, idx: torch.LongTensor):  # summary: returns fresh, saves idx
    return x[idx]


def linear_of(x: Tensor, w: Tensor):  # summary: returns fresh, saves w and x
    return F.linear(x, w)


def normalized(x: Tensor):  # summary: returns fresh, saves x
    return x / x.norm()


def softmax_of(x: Tensor):  # summary: returns fresh, saves result
    return x.softmax(dim=-1)


def same_expression(x: Tensor):  # summary: writes x, returns fresh, saves x
    return x * torch.sigmoid_(x)


def swish_by_hand(x: Tensor):  # summary: writes x, returns fresh, saves x
    result = x.clone()
    torch.sigmoid_(x)
    result *= x
    return result


def keyword_only(x: Tensor, *, by: Tensor):  # summary: writes x, returns alias of by
    x.add_(by)
    return by


def tries(x: Tensor):  # summary: writes x, returns alias of x
    try:
        return x.add_(1)
    finally:
        x.mul_(2)


# summary: writes other and x, returns alias of other or alias of x
def early(x: Tensor, other: Tensor, stop: bool):
    x.add_(1)
    if stop:
        return other
    other.add_(1)
    return x


def raises_or_writes(x: Tensor, wrong: bool):  # summary: writes x, returns alias of x
    if wrong:
        raise ValueError(wrong)
    return x.add_(1)


def passes_an_activation(x: Tensor):  # summary: returns fresh, saves result
    return with_function_value(x, torch.tanh)


def passes_a_lambda(x: Tensor):  # summary: returns view of x
    return with_default_lambda(x, lambda t: t.view(-1))


def passes_a_writing_method(x: Tensor):  # summary: writes x, returns alias of x
    return with_function_value(x, torch.Tensor.neg_)


def generator_of_rows(x: Tensor):  # summary: returns nothing
    for part in (row * 2 for row in x):
        part.add_(1)


def swaps_in_place(x: Tensor, other: Tensor):  # summary: writes other, returns alias of x
    x, other = other, x
    x.add_(1)
    return other


def squeezes_back(x: Tensor):  # summary: returns view of x
    return x.unsqueeze(0).squeeze(0)


def accumulates(x: Tensor, times: int = 2):  # summary: returns fresh
    total = x.new_zeros(3)
    for row in x:
        total += row
    return total


def writes_view_of_detached(x: Tensor):  # summary: writes x, returns nothing
    x.detach().view(-1)[0] = 1.0
