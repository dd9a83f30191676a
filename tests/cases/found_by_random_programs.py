"""What random programs taught the abstract PyTorch: each was once a disagreement."""

import torch


def _grad():
    return torch.rand(4, 4, requires_grad=True)


def case_item_raised_to_a_power_in_place():
    # `buffer[0] **= w` ends with `buffer[0] = ...`, which writes the result that `pow_` has just saved.
    w = _grad()
    buffer = torch.ones(4, 4)
    buffer[0] **= w[0]  # error: [IPL202]
    buffer.sum().backward()
    return w.grad


def case_whole_slice_of_a_view_added_to():
    # The base gets its history through the slice; the view itself is still a leaf when it is copied to.
    w = _grad()
    view = torch.zeros(16).view(4, 4)
    view[:] += w  # error: [IPL101]
    return view


def case_view_of_a_detached_base_is_still_differentiable():
    h = _grad() * 1
    view = h[0]
    h.detach_()
    view.add_(1)  # error: [IPL102]
    return view


def case_gradient_does_not_flow_through_a_view_made_without_it():
    w = _grad()
    h = w * 1
    other = w * 2
    with torch.no_grad():
        view = h[:]
    product = view * other
    # The product needs `view` for the gradient of `other`, but not the other way round.
    other.add_(1)
    product.sum().backward()
    return w.grad


def case_einsum_saves_an_operand_only_for_the_other():
    w = _grad()
    h = w * 1
    product = torch.einsum("ij,jk->ik", h, torch.ones(4, 4))
    h.add_(1)
    product.sum().backward()
    return w.grad


def case_fillers_write_expanded_tensors():
    rows = torch.zeros(4).expand(4, 4)
    rows.fill_(1.0)
    rows.zero_()
    return rows


def case_logical_op_on_a_leaf():
    w = _grad()
    w.logical_not_()
    return w.detach()


def case_part_of_a_transposed_result_is_copied():
    # An elementwise op keeps the order of its operand, so that `reshape` copies.
    w = _grad()
    s = w.t().sigmoid()
    flat = s.reshape(-1)
    flat.add_(1)
    s.sum().backward()
    return w.grad


def case_rows_of_chunks_are_contiguous():
    w = _grad()
    s = w.sigmoid()
    top, bottom = s.split([1, 3])
    with torch.no_grad():
        bottom.reshape(-1).add_(1)  # error: [IPL202]
    s.sum().backward()
    return w.grad


def case_late_result_of_unbind():
    h = _grad() * 1
    rows = h.unbind()
    rows[3].add_(1)  # error: [IPL103]
    return h


def case_number_copied_to_a_leaf():
    w = _grad()
    w.copy_(0.5)  # error: [IPL101]
    return w


def case_leaf_refused_before_its_overlap():
    w = _grad()
    w[1:] = w[:-1]  # error: [IPL102]
    return w


def case_masked_leaf():
    w = _grad()
    w[[0, 1]] = 0.5  # error: [IPL101]
    return w


def case_second_backward_through_an_op_that_saved_nothing():
    w = _grad()
    h = w + 1
    h.sum().backward()
    h.add_(1)
    h.sum().backward()
    return w.grad


def case_only_one_branch_is_differentiated():
    w = _grad()
    left = w.sigmoid()
    right = w * 2
    total = left.sum() + right.sum()
    left.add_(1)
    return torch.autograd.grad(total, right)


def case_leaf_view_made_to_require_grad():
    base = torch.zeros(4, 4)
    view = base[0]
    view.requires_grad_()
    base.add_(1)
    return base


class _Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class _Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


def case_custom_function_marks_a_leaf_dirty():
    w = _grad()
    return _Twice.apply(w)  # error: [IPL101]


def case_custom_function_returns_its_input():
    # Autograd makes a view of it, which nobody may write.
    h = _grad() * 1
    same = _Same.apply(h)
    same.add_(1)  # error: [IPL103]
    return same


def case_requires_grad_of_a_view_is_the_views_own():
    buffer = torch.rand(4, 4)
    buffer.view(-1).requires_grad = True
    largest = buffer.amax(0)
    buffer.add_(1)
    return largest


def case_rows_of_an_expanded_tensor_lie_together():
    # Only the new first dimension repeats memory, so `ravel` of a row is a view.
    w = _grad()
    rows = torch.ones(4, 4).mul(w).expand(4, 4, 4).unbind()
    with torch.no_grad():
        rows[3].ravel().div_(2)  # warning: [IPL306, IPL401]
    return rows[0].sum()  # error: [IPL103]


def case_rows_of_a_stretched_row_overlap():
    rows = torch.rand(4).expand(4, 4, 4).unbind()
    rows[3].div_(2)  # error: [IPL104]
    return rows[0]


def case_unwritten_rows_of_a_stretched_row_are_copied():
    w = _grad()
    rows = torch.rand(4).mul(w[0]).expand(4, 4, 4).unbind()
    with torch.no_grad():
        rows[3].ravel().div_(2)
    return rows[0].sum()
