"""Sizes that are no numbers, and known to be equal: what is expanded to the sizes that it has repeats nothing."""

import torch


def _state(x, width):
    batch = x.size(0)
    state = x.new_zeros(batch, width).expand(batch, width)
    state[:, 0] = 1
    return state


def case_state_of_the_size_that_it_has():
    return _state(torch.rand(2, 3), 3)


def _rows(x):
    rows = torch.empty(len(x), x.shape[1]).expand(x.shape[0], -1)
    rows.copy_(x)
    return rows


def case_as_many_rows_as_there_are():
    return _rows(torch.rand(2, 3))


def _moved(x):
    n, d = x.shape
    moved = torch.zeros(n, d).expand(n, d)
    moved += x
    more = (x * 2).expand(*x.shape)
    more += moved
    return more


def case_expanded_to_its_own_shape():
    return _moved(torch.rand(2, 3))


def _added(y):
    n, d = y.shape
    offsets = torch.zeros(1, d).expand_as(y)
    offsets += y  # error: [IPL104]
    return offsets


def case_one_row_expanded_as_another():
    return _added(torch.rand(2, 3))


def _added_in_rows(y):
    n, d = y.shape
    offsets = torch.zeros(n, d).expand_as(y)
    offsets += y
    return offsets


def case_all_rows_expanded_as_another():
    return _added_in_rows(torch.rand(2, 3))


def _from_the_first(positions, known):
    own = positions[:, known.size(1) :]
    own -= own.min()  # warning: [IPL305]
    return own


def case_a_part_is_written_and_the_whole_is_read_with_a_new_axis():
    positions = torch.arange(6).reshape(1, 6)
    own = _from_the_first(positions, torch.rand(1, 4))
    return positions[..., None] * 2, own


def _from_the_first_on_a_copy(positions, known):
    own = positions[:, known.size(1) :].clone()
    own -= own.min()
    return own


def case_a_part_is_written_and_the_whole_is_read_with_a_new_axis_cured():
    positions = torch.arange(6).reshape(1, 6)
    own = _from_the_first_on_a_copy(positions, torch.rand(1, 4))
    return positions[..., None] * 2, own


class _History:
    """The last observations, the newest first: each round moves them by as many columns as one has."""

    def __init__(self, width, count):
        self.width = width
        self.kept = torch.zeros(4, width * count)

    def insert(self, new):
        self.kept[:, self.width :] = self.kept[:, : -self.width]  # warning: [IPL104]
        self.kept[:, : self.width] = new

    def insert_copied(self, new):
        self.kept[:, self.width :] = self.kept[:, : -self.width].clone()
        self.kept[:, : self.width] = new

    def insert_elsewhere(self, new, other):
        self.kept[:, self.width :] = self.kept[:, :-other]
        self.kept[:, : self.width] = new


def _gray(images):
    red, green, blue = images.unbind(dim=1)
    return (0.3 * red + 0.6 * green + 0.1 * blue).unsqueeze(1).expand(images.shape)


def case_gray_pictures_in_all_channels():
    gray = _gray(torch.rand(2, 3, 4, 4))
    return gray.sub_(0.5)  # error: [IPL104]


def case_gray_pictures_in_all_channels_cured():
    gray = _gray(torch.rand(2, 3, 4, 4)).clone()
    return gray.sub_(0.5)


def case_one_channel_of_a_picture_that_has_one():
    image = torch.rand(2, 1, 4, 4)
    row = image.select(1, 0).transpose(1, 2).unsqueeze(1).expand(image.shape)
    return row.sub_(0.5)


def case_size_that_is_a_tensor():
    t, x = torch.ones(2, requires_grad=True), torch.ones(4)
    size = torch.tensor(8).int()
    alpha = torch.exp(t)
    a = torch.cat([torch.ones(2), alpha.neg_()])  # error: [IPL202]
    spectrum = torch.fft.rfft(x, size) * torch.fft.rfft(a, size)
    torch.fft.irfft(spectrum, size).sum().backward()
