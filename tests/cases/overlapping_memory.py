"""Which ops look whether the memory that they write overlaps, with itself or with what they read."""

import torch


def case_a_row_moved_onto_the_other():
    pair = torch.ones(2, 3)
    pair[:-1] = pair[1:]
    return pair * 1


def case_rows_moved_by_one():
    rows = torch.ones(3, 3)
    rows[:-1] = rows[1:]  # error: [IPL104]
    return rows


def case_as_many_columns_moved_as_there_are():
    halves = torch.zeros(2, 4)
    halves[:, 2:] = halves[:, :-2]
    return halves


def case_half_of_the_rows_moved():
    halves = torch.zeros(4, 2)
    halves[2:] = halves[:-2]
    return halves


def case_an_op_that_copies_before_it_writes():
    weights = torch.randn(4, 4, requires_grad=True)
    with torch.no_grad():
        torch.ldexp_(weights.swapaxes(0, 1), weights)
    return weights.sum()


def case_an_op_that_reads_while_it_writes():
    weights = torch.randn(4, 4)
    torch.mul(weights, 1, out=weights)
    weights.swapaxes(0, 1).atan2_(weights)  # error: [IPL104]
    return weights


def case_one_value_for_all_elements():
    row = torch.zeros(1, 3).expand(3, 3)
    row.fill_(1.0)
    return row * 1


def case_a_tensor_for_all_elements():
    row = torch.zeros(1, 3).expand(3, 3)
    row.fill_(torch.tensor(1.0))  # error: [IPL104]
    return row


def case_elements_that_share_memory_are_put():
    row = torch.zeros(1, 3).expand(3, 3)
    row.index_put_((torch.tensor([0]),), torch.tensor(1.0))  # warning: [IPL306]
    return row * 1


def case_elements_that_share_memory_are_put_cured():
    row = torch.zeros(1, 3).expand(3, 3).clone()
    row.index_put_((torch.tensor([0]),), torch.tensor(1.0))
    return row * 1


def case_positions_are_one_memory():
    x = torch.randn(3, 3, requires_grad=True)
    rows, columns = torch.where(torch.eye(3) > 0)
    taken = torch.tanh(x)[rows]
    columns.add_(1)  # error: [IPL201]
    taken.sum().backward()


def case_positions_by_nonzero_are_one_memory():
    x = torch.randn(3, 3, requires_grad=True)
    rows, columns = torch.nonzero(torch.eye(3), as_tuple=True)
    taken = torch.tanh(x)[rows]
    columns.add_(1)  # error: [IPL201]
    taken.sum().backward()


def case_unraveled_positions_are_one_memory():
    x = torch.randn(3, 3, requires_grad=True)
    rows, columns = torch.unravel_index(torch.tensor([1, 5]), (3, 3))
    taken = torch.tanh(x)[rows]
    columns.add_(1)  # error: [IPL201]
    taken.sum().backward()


def case_positions_taken_after_the_change():
    x = torch.randn(3, 3, requires_grad=True)
    rows, columns = torch.unravel_index(torch.tensor([1, 5]), (3, 3))
    columns.add_(1)
    torch.tanh(x)[rows].sum().backward()
    return x.grad


def case_what_is_equal_to_itself():
    before = after = torch.ones(3)
    after.mul_(2)  # warning: [IPL303]
    return (before < after).sum()


def case_what_is_equal_to_itself_cured():
    before = after = torch.ones(3)
    after = after.mul(2)
    return (before < after).sum()


def case_sums_of_whole_numbers_are_copies_of_their_own_dtype():
    counts = torch.ones(3, dtype=torch.int32)
    total = counts.cumsum(0)
    same = total.long()
    same.add_(1)  # warning: [IPL303]
    return total * 1, same


def case_sums_of_whole_numbers_are_copies_of_their_own_dtype_cured():
    counts = torch.ones(3, dtype=torch.int32)
    total = counts.cumsum(0)
    same = total.long().clone()
    same.add_(1)
    return total * 1, same


def _grey(image):
    shares = torch.tensor([0.3, 0.6, 0.1]).view(3, 1, 1)
    return (image * shares).sum(0, keepdim=True).expand(image.shape)


def _darkened(image):
    image -= 0.1  # error: [IPL104]
    return image


def case_sum_of_a_dimension_expanded_to_what_it_was():
    return _darkened(_grey(torch.rand(3, 2, 2)))


def _darkened_copy(image):
    return image - 0.1


def case_sum_of_a_dimension_expanded_to_what_it_was_cured():
    return _darkened_copy(_grey(torch.rand(3, 2, 2)))


def case_sum_that_is_expanded_to_its_own_size():
    total = torch.rand(3, 2).sum(1, keepdim=True).expand(3, 1)
    total += 1
    turned = torch.rand(6).view(3, 2).expand(3, 2)
    turned += total
    return turned


def gray_as_large_as_the_colors(images: torch.Tensor):
    gray = images.mean(dim=1, keepdim=True).expand(images.shape)
    gray.sub_(0.5)  # error: [IPL104]
    return gray


def gray_as_large_as_the_colors_copied(images: torch.Tensor):
    gray = images.mean(dim=1, keepdim=True).expand_as(images).contiguous()
    gray.sub_(0.5)
    return gray


class _Gray:
    def __call__(self, images: torch.Tensor):
        return images.sum(dim=-3, keepdim=True).expand_as(images)


class _GrayCopied:
    def __call__(self, images: torch.Tensor):
        return images.sum(dim=-3, keepdim=True).expand_as(images).clone()


class _Centered:
    def __call__(self, images: torch.Tensor):
        return images.sub_(0.5)  # error: [IPL104]


class _Halved:
    def __call__(self, images: torch.Tensor):
        return images.mul_(0.5)


def made_of_parts_that_overlap():
    steps = [_Gray(), _Centered()]

    def prepare(images):
        images = images.clone()
        for step in steps:
            images = step(images)
        return images

    return prepare


def made_of_parts_that_copy():
    steps = [_GrayCopied(), _Halved()]

    def prepare(images):
        images = images.clone()
        for step in steps:
            images = step(images)
        return images

    return prepare


def case_prepared():
    return made_of_parts_that_copy()(torch.rand(2, 3, 4, 4))


def case_prepared_where_parts_overlap():
    return made_of_parts_that_overlap()(torch.rand(2, 3, 4, 4))


class Determinant:
    """Of a matrix, one for each row of what it is applied to."""

    def __init__(self, matrix):
        self.log = torch.slogdet(matrix)[1]

    def apply(self, x):
        log = self.log.expand(x[0].shape[0])
        return log.neg_()  # error: [IPL104]


class DeterminantCured:
    def __init__(self, matrix):
        self.log = torch.slogdet(matrix)[1]

    def apply(self, x):
        log = self.log.expand(x[0].shape[0])
        return log.neg()


def case_one_size_that_is_not_known():
    return Determinant(torch.eye(3)).apply([torch.rand(4, 3)])


def case_one_size_that_is_not_known_cured():
    return DeterminantCured(torch.eye(3)).apply([torch.rand(4, 3)])


def case_as_large_as_another():
    x = torch.rand(4)
    y = x.expand(torch.rand(4).shape)
    return y.neg_()


def case_filled_with_an_element_of_its_own():
    rows = torch.rand(4)
    rows.fill_(rows[0])
    rows.masked_fill_(rows > 2, rows[1])
    return rows


def case_divided_by_an_element_of_its_own():
    rows = torch.rand(4) + 1
    rows.div_(rows[0])  # error: [IPL104]
    return rows


class _Rows:
    def __init__(self, rows, width, times):
        self.width, self.times = width, times
        self.values = torch.arange(float(rows * width * times)).view(rows, width * times)


class History(_Rows):
    def shift(self):
        kept = self.width * (self.times - 1)
        self.values[:, self.width :] = self.values[:, :kept]  # warning: [IPL104]
        return self.values


class HistoryCopied(_Rows):
    def shift(self):
        kept = self.width * (self.times - 1)
        self.values[:, self.width :] = self.values[:, :kept].clone()
        return self.values


class Doubled(_Rows):
    def double(self):
        self.values[:, self.width :] = self.values[:, : self.width]
        return self.values


def case_steps_shifted():
    return History(2, 3, 4).shift()


def case_steps_shifted_cured():
    return HistoryCopied(2, 3, 4).shift()


def case_second_half_is_the_first():
    return Doubled(2, 3, 2).double()


def _grid_between(low, rows):
    return torch.linspace(low.item(), 1.0, 5).expand((rows, 5))


def case_one_row_of_numbers_between_tensors():
    grid = _grid_between(torch.tensor([0.0]), 1)
    grid.add_(1)
    return grid


def case_several_rows_of_numbers_between_tensors():
    grid = _grid_between(torch.tensor([0.0]), 3)
    grid.add_(1)  # error: [IPL104]
    return grid


def frames_of(wave, width, step):
    shape = list(wave.shape)
    count = (shape.pop(-1) - width) // step + 1
    strides = [wave.stride(dim) for dim in range(wave.dim())]
    strides.pop(-1)
    return wave.as_strided(shape + [count, width], [*strides, step, 1])


def case_strided_by_the_last_of_some_sizes():
    frames = frames_of(torch.ones(2, 8), 4, 2)
    frames *= torch.arange(4.0)  # warning: [IPL306]
    return frames


def case_strided_by_the_last_of_some_sizes_cured():
    frames = frames_of(torch.ones(2, 8), 4, 2)
    return frames * torch.arange(4.0)


def case_strided_by_sizes_beside_each_other():
    frames = frames_of(torch.ones(2, 8), 4, 4)
    frames *= torch.arange(4.0)
    return frames


def case_a_column_of_repeated_columns():
    table = torch.ones(3)[:, None].expand(3, 2)
    table[:, 0] = torch.zeros(3)  # warning: [IPL306]
    return table


def case_a_column_of_repeated_columns_cured():
    table = torch.ones(3)[:, None].expand(3, 2).clone()
    table[:, 0] = torch.zeros(3)
    return table


def case_a_row_of_repeated_columns():
    table = torch.ones(3)[:, None].expand(3, 2)
    table[0, :] = torch.zeros(2)  # error: [IPL104]
    return table


def case_a_column_of_repeated_columns_is_filled():
    table = torch.ones(3)[:, None].expand(3, 2)
    table[:, 1].fill_(0)  # warning: [IPL306]
    return table


def case_a_column_of_repeated_columns_is_filled_cured():
    table = torch.ones(3)[:, None].repeat(1, 2)
    table[:, 1].fill_(0)
    return table
