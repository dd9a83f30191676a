"""Views: parts of a tensor, written or saved."""

import torch


def case_zeros_filled_by_slices():
    x = torch.randn(2, 3, requires_grad=True)
    out = torch.zeros(2, 6)
    out[:, :3] = x
    out[:, 3:] = x * 2
    out.square().sum().backward()
    return x.grad


def case_canvas_filled_through_a_view():
    image = torch.randn(3, 2, 2)
    canvas = torch.zeros(3, 4, 4)
    canvas[:, :2, :2].copy_(image)
    return canvas


def case_named_view_fills_its_base():
    canvas = torch.zeros(2, 3)
    row = canvas[0]
    row += 1
    flat = canvas.view(-1)
    flat[5] = 7
    return canvas


def case_diagonal_filled():
    matrix = torch.randn(3, 3)
    matrix.diagonal().fill_(1.0)
    return matrix


def case_advanced_index_is_a_copy():
    h = torch.randn(4, 3)
    picked = h[[0, 2]]
    picked += 1
    return picked + h[:2]


def case_advanced_index_assignment_writes():
    x = torch.randn(4, requires_grad=True)
    h = x * 2
    loss = (h**2).sum()
    h[[0, 2]] = 0.0  # error: [IPL201]
    loss.backward()
    return x.grad


def case_row_of_a_saved_input():
    x = torch.randn(2, 3, requires_grad=True)
    h = x * 2
    squares = h**2
    row = h[0]
    row += 1  # error: [IPL201]
    squares.sum().backward()
    return x.grad


def case_other_half_of_a_saved_input():
    x = torch.randn(2, 6, requires_grad=True)
    h = x * 2
    left, right = h[:, :3], h[:, 3:]
    squares = left**2
    right += 1  # error: [IPL201]
    squares.sum().backward()
    return x.grad


def case_copied_half_of_a_saved_input():
    x = torch.randn(2, 6, requires_grad=True)
    h = x * 2
    left, right = h[:, :3].clone(), h[:, 3:]
    squares = left**2
    right += 1
    (squares.sum() + h.sum()).backward()
    return x.grad


def case_saved_view_then_base_written():
    x = torch.randn(2, 3, requires_grad=True)
    h = x + 0
    gate = h[0].exp()
    h.mul_(2)
    (gate.sum() + h.sum()).backward()
    return x.grad


def case_result_seen_through_reshape():
    x = torch.randn(2, 3, requires_grad=True)
    y = x.tanh()
    flat = y.reshape(-1)
    flat[0] = 0.0  # error: [IPL202]
    y.sum().backward()
    return x.grad


def case_index_of_a_leaf():
    weight = torch.randn(3, requires_grad=True)
    weight[0] = 0.0  # error: [IPL102]
    return weight


def case_all_of_a_leaf():
    weight = torch.randn(3, requires_grad=True)
    weight[:] = 0.0  # error: [IPL101]
    return weight


def case_flat_leaf():
    weight = torch.randn(2, 3, requires_grad=True)
    weight.view(-1).add_(1)  # error: [IPL102]
    return weight


def case_augmented_index_of_a_leaf():
    weight = torch.randn(3, requires_grad=True)
    weight[0] += 1  # error: [IPL102]
    return weight


def case_copy_of_a_leaf():
    weight = torch.randn(3, requires_grad=True)
    copy = weight.clone()
    copy[0] = 0.0
    copy.sum().backward()
    return weight.grad


def case_leaf_that_needs_no_grad_takes_one():
    source = torch.randn(3, requires_grad=True)
    buffer = torch.zeros(3)
    buffer[:2] = source[:2]
    buffer.sum().backward()
    return source.grad


def case_chunk_written():
    x = torch.randn(4, 6, requires_grad=True)
    value, gate = (x * 2).chunk(2, dim=1)
    gate.sigmoid_()  # error: [IPL103]
    return value * gate


def case_split_written():
    x = torch.randn(4, 6, requires_grad=True)
    parts = torch.split(x + 1, 2, dim=1)
    parts[1].mul_(3)  # error: [IPL103]
    return parts


def case_unbind_written():
    x = torch.randn(2, 3, requires_grad=True)
    first, second = (x * 1).unbind(0)
    first += second  # error: [IPL103]
    return first


def case_rows_of_a_loop_written():
    x = torch.randn(2, 3, requires_grad=True)
    h = x * 2
    for row in h:
        row.mul_(2)  # error: [IPL103]
    return h


def case_rows_by_index_written():
    x = torch.randn(2, 3, requires_grad=True)
    h = x * 2
    for i in range(2):
        h[i].mul_(2)
    h.sum().backward()
    return x.grad


def case_rows_of_plain_data_written():
    data = torch.randn(2, 3)
    for row in data:
        row -= row.mean()
    return data


def case_chunks_of_plain_data_written():
    left, right = torch.randn(4, 6).chunk(2, dim=1)
    right.sigmoid_()
    return left * right


def case_chunk_of_plain_data_takes_a_gradient():
    scale = torch.ones(3, requires_grad=True)
    left, right = torch.ones(2, 6).chunk(2, dim=1)
    left.mul_(scale)  # error: [IPL103]
    return left + right


def case_chunks_rebound():
    x = torch.randn(4, 6, requires_grad=True)
    value, gate = (x * 2).chunk(2, dim=1)
    gate = gate.sigmoid()
    gate = gate + 1
    (value * gate).sum().backward()
    return x.grad


def case_chunk_written_under_no_grad():
    x = torch.randn(4, 6, requires_grad=True)
    with torch.no_grad():
        left, right = (x * 2).chunk(2, dim=1)
        left += right
    return left


def case_tensor_split_written():
    x = torch.randn(4, 6, requires_grad=True)
    left, right = (x * 2).tensor_split(2, dim=1)
    left.relu_()
    left.sum().backward()
    return x.grad


def case_expanded_arithmetic():
    rows = torch.zeros(1, 3).expand(4, 3)
    rows += 1  # error: [IPL104]
    return rows


def case_expanded_copy_arithmetic():
    rows = torch.zeros(1, 3).expand(4, 3).clone()
    rows += 1
    return rows


def case_broadcast_arithmetic():
    rows = torch.broadcast_to(torch.zeros(3), (4, 3))
    rows.mul_(2)  # error: [IPL104]
    return rows


def case_shift_within():
    history = torch.arange(4.0)
    history[1:] = history[:-1]  # error: [IPL104]
    return history


def case_shift_through_a_copy():
    history = torch.arange(4.0)
    history[1:] = history[:-1].clone()
    return history


def case_expanded_row_set():
    mask = torch.zeros(1, 3).expand(2, 3)
    mask[0] = 1.0  # warning: [IPL306]
    return mask


def case_expanded_row_set_cured():
    mask = torch.zeros(1, 3).repeat(2, 1)
    mask[0] = 1.0
    return mask


def case_unsqueezed_view_written():
    x = torch.randn(3)
    column = x.unsqueeze(1)
    column *= 2
    return column


def case_out_with_grad():
    x = torch.randn(3, requires_grad=True)
    buffer = torch.empty(3)
    torch.mul(x, 2, out=buffer)  # error: [IPL105]
    return buffer


def case_out_without_grad():
    x = torch.randn(3)
    buffer = torch.empty(3)
    torch.mul(x, 2, out=buffer)
    torch.add(buffer, 1, out=buffer)
    return buffer


def case_masked_scatter_into_expanded():
    rows = torch.zeros(1, 3).expand(2, 3)
    rows.masked_scatter_(torch.ones(2, 3, dtype=torch.bool), torch.ones(6))  # error: [IPL104]
    return rows


def case_masked_scatter_of_what_it_overwrites():
    x = torch.arange(4.0)
    x[1:].masked_scatter_(torch.ones(3, dtype=torch.bool), x[:-1])
    return x.shape


def case_matrix_and_its_transpose():
    w = torch.arange(9.0).view(3, 3)
    w += w.T  # error: [IPL104]
    return w


def case_matrix_and_a_copy_of_its_transpose():
    w = torch.arange(9.0).view(3, 3)
    w += w.T.clone()
    w -= w.view(3, 3)
    w.triu_().add_(w.triu(1).T)
    w[0] += w.T[0]
    return w


def case_batch_of_matrices_and_their_transposes():
    x = torch.rand(2, 3, 3)
    x.copy_(x.permute(0, 2, 1))  # error: [IPL104]
    return x


def case_transpose_as_the_source_of_out():
    x = torch.rand(3, 3)
    torch.add(x, x.t(), out=x)  # error: [IPL104]
    return x


def case_differences_of_all_pairs():
    at = torch.arange(4.0)
    return at[:, None].sub_(at[None])  # error: [IPL104]


def case_twice_transposed():
    x = torch.rand(3, 3)
    x -= x.t().t()
    x -= x[:, None, :][:, 0]
    v = torch.rand(3)
    v += v.t()
    return x, v


def _framed(wave, size, hop):
    frames = wave.unfold(-1, size, hop)
    frames *= 2  # warning: [IPL306]
    return frames


def _framed_anew(wave, size, hop):
    return wave.unfold(-1, size, hop) * 2


def case_windows_of_a_size_that_the_caller_chose():
    return _framed(torch.arange(8.0) * 1, 4, 2)


def case_windows_of_a_size_that_the_caller_chose_cured():
    return _framed_anew(torch.arange(8.0) * 1, 4, 2)


def case_a_mask_for_each_row_of_an_expanded_tensor():
    bias = torch.zeros(1, 3).expand(2, 3)
    bias.masked_fill_(torch.tensor([[True, False, False], [False, True, False]]), 1.0)  # warning: [IPL306]
    return bias


def case_a_mask_for_each_row_of_an_expanded_tensor_cured():
    bias = torch.zeros(1, 3).repeat(2, 1)
    bias.masked_fill_(torch.tensor([[True, False, False], [False, True, False]]), 1.0)
    return bias


def case_a_grid_is_made_of_expanded_tensors():
    rows, columns = torch.meshgrid(torch.arange(3.0), torch.arange(4.0), indexing="ij")
    for axis in (rows, columns):
        axis += 0.5  # error: [IPL104]
    return rows * columns


def case_a_grid_is_copied():
    rows, columns = torch.meshgrid(torch.arange(3.0), torch.arange(4.0), indexing="ij")
    rows, columns = rows.clone(), columns.clone()
    for axis in (rows, columns):
        axis += 0.5
    return rows * columns


def case_conjugates_that_were_resolved():
    spectrum = torch.fft.rfft(torch.arange(8.0))
    conjugate = spectrum.conj().resolve_conj()
    spectrum *= 2
    return spectrum * conjugate


def case_values_of_a_sparse_tensor_are_its_own():
    adjacency = torch.eye(3).to_sparse_csr()
    weights = adjacency.values()
    kept = weights
    weights *= 2.0  # warning: [IPL303]
    return kept + 1


def case_values_of_a_sparse_tensor_are_its_own_cured():
    adjacency = torch.eye(3).to_sparse_csr()
    weights = adjacency.values()
    kept = weights
    weights = weights * 2.0
    return kept + 1 if weights is not kept else None


def _pairs():
    return torch.tensor([[1, 3], [1, 2], [1, 5]])


def case_a_part_gives_a_mask_and_the_whole_is_masked():
    pairs = _pairs()
    first, last = pairs.unbind(-1)
    far = last.sub_(first) >= 2  # warning: [IPL303]
    return pairs[far]


def case_a_part_gives_a_mask_and_the_whole_is_masked_cured():
    pairs = _pairs()
    first, last = pairs.unbind(-1)
    far = last.sub(first) >= 2
    return pairs[far]


def case_a_part_is_activated_for_a_gate():
    scores = torch.arange(-3.0, 3.0).reshape(2, 3)
    head = scores[:, 0]
    gate = torch.nn.functional.relu(head, inplace=True)  # warning: [IPL303]
    return scores - gate[:, None]


def case_a_part_is_activated_for_a_gate_cured():
    scores = torch.arange(-3.0, 3.0).reshape(2, 3)
    head = scores[:, 0]
    gate = torch.nn.functional.relu(head)
    return scores - gate[:, None]


def case_parts_are_changed_in_the_whole():
    boxes = torch.arange(8.0).reshape(2, 4)
    low, high = boxes[:, :2], boxes[:, 2:]
    low.mul_(2)
    high = high.add_(low)
    return boxes


def case_a_number_in_a_tensor_is_a_position():
    """What is written is a view of the buffer, which has a history by now."""
    workspace, weight = torch.zeros(6), torch.ones(1, requires_grad=True)
    length = torch.tensor([3])[0]
    first, second = workspace[0:length], workspace[length:]
    second[0] = weight[0]
    first[length - 1] = second[0]
    workspace.sum().backward()
    return weight.grad


def case_positions_in_a_part_of_a_buffer():
    workspace, weight = torch.zeros(6), torch.ones(1, requires_grad=True)
    first, second = workspace[:3], workspace[3:]
    second[0] = weight[0]
    first[torch.tensor([2])] = 1.0  # error: [IPL101]


def work_in_parts(workspace: torch.Tensor, log_probs: torch.Tensor, lengths: torch.Tensor):
    length = lengths[0]
    first, second = workspace[0:length], workspace[length:]
    second[0] = log_probs[0]
    first[length - 1] = second[0]


def case_targets_masked_where_inputs_are():
    tokens = torch.arange(12).view(2, 6)
    inputs, labels = tokens[:, :-1], tokens[:, 1:]
    for row in range(2):
        labels[row, :3] = -100  # warning: [IPL303]
    return inputs * 1, labels


def case_targets_masked_where_inputs_are_cured():
    tokens = torch.arange(12).view(2, 6)
    inputs, labels = tokens[:, :-1], tokens[:, 1:].clone()
    for row in range(2):
        labels[row, :3] = -100
    return inputs * 1, labels


def case_targets_masked_in_a_batch_cured():
    tokens = torch.arange(6)
    batch = {"input_ids": tokens[:-1], "labels": tokens[1:].clone()}
    batch["labels"][:3] = -100
    return batch["input_ids"] + 1


def case_targets_masked_in_a_batch():
    tokens = torch.arange(6)
    batch = {"input_ids": tokens[:-1], "labels": tokens[1:]}
    batch["labels"][:3] = -100  # warning: [IPL304]
    return batch["input_ids"] + 1


def case_targets_beside_inputs_masked():
    data = torch.arange(12).view(2, 6)
    x, y = data[:, :-1], data[:, -1]
    y[y == 5] = -1
    return x * 1, y


def case_neighbours_in_a_grid():
    u = torch.arange(6.0)
    left, right = u[:-1], u[1:]
    right[0] = 0
    return left - right


def case_positions_in_a_tuple_beside_others_copy():
    x, scale = torch.arange(8.0).reshape(2, 4), torch.ones(2, requires_grad=True)
    part = x[..., (1, 3)] * scale
    x[..., 0] = 2
    part.sum().backward()
    return x, scale.grad


def case_a_tuple_of_positions_is_a_part():
    x, scale = torch.arange(8.0).reshape(2, 4), torch.ones(4, requires_grad=True)
    where = (slice(None), slice(1, 3))
    part = x[where] * scale[:2]
    x[:, 1] = 2  # error: [IPL201]
    part.sum().backward()


def _eroded(image, size):
    windows = image.unfold(0, size, 1)
    windows[...] = windows - torch.arange(size)  # warning: [IPL306]
    return windows.sum(-1)


def case_windows_of_any_size_one_step_apart():
    return _eroded(torch.arange(5.0), 2)


def _eroded_apart(image, size):
    windows = image.unfold(0, size, 1)
    windows = windows - torch.arange(size)
    return windows.sum(-1)


def case_windows_of_any_size_one_step_apart_cured():
    return _eroded_apart(torch.arange(5.0), 2)


def _scaled_blocks(image, size):
    blocks = image.unfold(0, size, size)
    blocks.mul_(2)
    return blocks.amin(-1)


def case_blocks_of_any_size_side_by_side():
    return _scaled_blocks(torch.arange(4.0), 2)
