"""einops: what rearranges or repeats without a copy is a view, and what repeats is an expanded one."""

import torch
from einops import rearrange, repeat
from torch import nn


def case_repeated_along_a_new_axis():
    row = torch.zeros(1, 1, 3)
    tokens = repeat(row, "1 1 d -> b 1 d", b=4)
    tokens += torch.ones(4, 1, 3)  # error: [IPL104]
    return tokens


def case_repeated_parameter():
    row = nn.Parameter(torch.zeros(1, 1, 3))
    tokens = repeat(row, "1 1 d -> b 1 d", b=4)
    tokens += torch.ones(4, 1, 3)  # error: [IPL102]
    return tokens


def case_repeated_within_an_axis():
    x = torch.ones(2, 3)
    wide = repeat(x, "n d -> n (d j)", j=2)
    wide += 1
    return wide, x


def case_repeated_once():
    x = torch.ones(3)
    row = repeat(x, "d -> b d", b=1)
    row += 1
    return row


def case_split_axes_are_views():
    qkv = torch.ones(2, 6)
    parts = rearrange(qkv, "b (k d) -> k b d", k=3)
    kept = [qkv]
    parts.mul_(2)  # warning: [IPL304]
    return torch.stack(kept)


def case_split_axes_are_views_cured():
    qkv = torch.ones(2, 6)
    parts = rearrange(qkv, "b (k d) -> k b d", k=3)
    kept = [qkv]
    parts = parts * 2
    return torch.stack(kept)


def case_merged_axes_are_a_copy():
    x = torch.ones(2, 3, 4).transpose(0, 2)
    flat = rearrange(x, "a b c -> (a c) b")
    kept = [x]
    flat.mul_(2)
    return torch.stack(kept)


def case_axes_merged_behind_dots():
    with torch.inference_mode():
        ids = torch.zeros(2, 3, 4, dtype=torch.long)
    labels = rearrange(ids[..., :2], "b ... -> b (...)")
    logits = torch.zeros(2, 5, 6, requires_grad=True)
    nn.functional.cross_entropy(logits, labels).backward()
    return logits.grad


def case_merged_neighbours_are_a_view():
    x = torch.rand(2, 3, 4, requires_grad=True)
    y = torch.exp(x)
    flat = rearrange(y, "b n d -> b (n d)")
    flat.mul_(2)  # error: [IPL202]
    flat.sum().backward()


def case_merged_neighbours_of_a_permuted_tensor():
    x = torch.rand(2, 3, 4, requires_grad=True)
    y = torch.exp(x).transpose(1, 2)
    flat = rearrange(y, "b n d -> b (n d)")
    flat.mul_(2)
    flat.sum().backward()
    return x.grad


def case_merged_in_another_order():
    x = torch.rand(2, 3, 4, requires_grad=True)
    y = torch.exp(x)
    flat = rearrange(y, "b n d -> b (d n)")
    flat.mul_(2)
    flat.sum().backward()
    return x.grad


def case_repeated_as_often_as_is_asked(count=3):
    x = torch.ones(2, 3)
    rows = repeat(x, "b n -> b k n", k=count)
    rows += torch.ones(2, count, 3)  # error: [IPL104]
    return rows


def case_repeated_as_often_as_is_asked_within_an_axis(count=3):
    x = torch.ones(2, 3)
    rows = repeat(x, "b n -> (b k) n", k=count)
    rows += 1
    return rows, x


def case_repeated_as_often_as_is_asked_and_summed(count=3):
    x = torch.ones(2, 3)
    rows = repeat(x, "b n -> b k n", k=count)
    total = rows.sum(1)
    total += 1
    return total


def case_neighbours_merged_behind_others_are_a_view():
    x = torch.zeros(2, 3, 4, 4)
    rows = rearrange(x, "b c h w -> b (h w) c")
    kept = [x]
    rows.add_(1)  # warning: [IPL304]
    return torch.stack(kept)


def case_neighbours_merged_behind_others_are_a_view_cured():
    x = torch.zeros(2, 3, 4, 4)
    rows = rearrange(x, "b c h w -> b (h w) c")
    kept = [x]
    rows = rows + 1
    return torch.stack(kept)


def case_others_merged_are_a_copy():
    x = torch.zeros(2, 3, 4, 4)
    rows = rearrange(x, "b c h w -> b (w h) c")
    kept = [x]
    rows.add_(1)
    return torch.stack(kept)


def hide(patches, hidden):
    patches[hidden] = 0.0  # warning: [IPL305]
    return patches


def in_patches(series):
    return rearrange(series, "b (n p) -> n b p", p=2)


def case_patches_of_what_is_read_again():
    series = torch.arange(8.0).view(2, 4)
    seen = hide(in_patches(series), torch.tensor([True, False]))
    return (seen * 2 - in_patches(series)).sum()


def hide_copy(patches, hidden):
    return patches.masked_fill(hidden[:, None, None], 0.0)


def case_patches_of_what_is_read_again_cured():
    series = torch.arange(8.0).view(2, 4)
    seen = hide_copy(in_patches(series), torch.tensor([True, False]))
    return (seen * 2 - in_patches(series)).sum()
